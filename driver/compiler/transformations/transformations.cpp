// SPDX-License-Identifier: Apache-2.0
#include "systole/transformations.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "systole/errors.hpp"

namespace systole {

const std::array<TransformationText, kTransformations>& transformation_texts() {
  static constexpr std::array<TransformationText, kTransformations> kTexts{{
      {"fold_constants", "Operators whose operands are constant become constants.", false},
      {"move_transposes",
       "Transpositions of an ONNX file move towards the outputs until two cancel or one becomes part of weights; sums "
       "of float32 may then be in another order."},
      {"split_transposes",
       "The transposition of a concatenation becomes a concatenation of transpositions, which need not be copied."},
      {"remove_unused", "Operators and tensors that no output depends on are removed.", false},
      {"quantized_operators", "DequantizeLinear, operator, QuantizeLinear of an ONNX file become a quantized operator.",
       false},
      {"batch", "Several samples become the first axis of all that depends on the inputs.", false},
      {"legalize", "Inputs of a concatenation that have another scale get conversions of their own.", false},
      {"lower", "Each operator becomes layers of the device, or has a reason to run on the host.", false},
      {"heads", "Rotations, outer products and choices of columns of one token's attention heads are one kernel each.",
       true, "lower"},
      {"fused_rows",
       "Sums before a softmax, products and squares before a mean, and whole normalizations join one kernel of rows.",
       true, "lower"},
      {"element_chains", "Element-wise operators of float32 that follow each other are one kernel.", true, "lower"},
      {"window_kernels", "Windows of float32 are read where they are instead of being brought together by moves.", true,
       "lower"},
      {"word_transpositions", "Transpositions of 4-byte elements are turned by LOAD, as matrices."},
      {"pool_gradients", "The comparisons and selections that are the gradient of a maximum pool are one kernel."},
      {"remove_unread", "Layers whose results nothing reads are removed: other kernels compute them anew.", false},
      {"limits_before_maxima", "A rectifier behind a maximum pool limits the product before the pool instead."},
      {"second_results", "Two element-wise results of which one is computed from the other come from one kernel."},
      {"padding", "Padding becomes that of the convolution or pool that follows."},
      {"additions", "An addition of int8 becomes part of the convolution that computes an operand."},
      {"tables", "A look-up table becomes part of the table or convolution before it."},
      {"flattening", "A fully connected layer of a flattened image becomes a convolution over the image."},
      {"reshapes", "Reshapes are dropped: their readers see the same bytes in another shape."},
      {"transposed_operands", "Products of computed matrices read and write transposed tensors in place."},
      {"composed_moves", "Transpositions and other moves of bytes that follow each other are one."},
      {"multiplied_moves", "Permutations of channels and transpositions of a few planes are products on the array."},
      {"block_results",
       "Bias, sum, limits and conversion to blocks join the product in block floating point before them."},
      {"parts", "Parts of tensors, and tensors that a concatenation joins, are read where they are."},
      {"early_conversions",
       "Conversions to blocks follow directly what they read; copies that are only results come last.", false},
      {"row_blocks", "Kernels of single rows make the blocks that only a conversion would make of their results."},
      {"conversions", "A product converts its left operand to blocks on its way to the array."},
      {"maxima", "A maximum pool that tiles the results of a product is computed in the scratchpad beside them."},
      {"weight_tiles", "Computed weights in block floating point become tiles in layers of their own.", false},
      {"gradient_tiles", "The gradient of a maximum pool becomes weight tiles without being in device memory."},
      {"emit", "Layers become instructions; the largest tensor leaves the scratchpad where a layer has no room.",
       false},
      {"scratchpad", "Tensors stay in the scratchpad from the layer that computes them to the last that reads them.",
       true, "emit"},
      {"spread_kernels", "Small kernels take the rows of the scratchpad that have not been in use for longest."},
      {"row_chains", "Layers whose rows depend only on the same rows before are computed together, part by part."},
      {"overlap", "Products and all other layers run in two lanes beside each other."},
      {"turned_tiles",
       "Transposed left operands of block floating point become weight tiles as they lie, which LOADs turn back."},
      {"product_functions",
       "Element-wise functions of a block floating point product's results are computed by the product's kernel."},
  }};
  return kTexts;
}

namespace {

/// Names, separated by commas, of those that `take` takes.
template <class Take>
std::string names_of(Take take) {
  std::string names;
  for (const TransformationText& text : transformation_texts()) {
    if (take(text)) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", text.name);
    }
  }
  return names;
}

}  // namespace

Transformation transformation(std::string_view name) {
  const auto& texts = transformation_texts();
  const auto found =
      std::find_if(texts.begin(), texts.end(), [&](const TransformationText& text) { return text.name == name; });
  return static_cast<Transformation>(found - texts.begin());
}

void require_passes(const std::vector<std::string>& names) {
  const auto is_pass = [](const TransformationText& text) { return text.of.empty(); };
  for (const std::string& name : names) {
    const auto which = static_cast<std::size_t>(transformation(name));
    if (which == kTransformations) {
      throw InvalidArgument(fmt::format("'{}' is not a pass; they are {}", name, names_of(is_pass)));
    }
    if (const TransformationText& text = transformation_texts()[which]; !is_pass(text)) {
      throw InvalidArgument(fmt::format("'{}' is part of the pass {}: name that one", name, text.of));
    }
  }
}

Transformations::Transformations(const std::vector<std::string>& without, PassLog* log) : log_(log) {
  for (const std::string& name : without) {
    const auto which = static_cast<std::size_t>(transformation(name));
    if (which == kTransformations || !transformation_texts()[which].is_choice) {
      throw InvalidArgument(fmt::format("without: '{}' is not a transformation{}; they are {}", name,
                                        which == kTransformations ? "" : " that can be left out",
                                        names_of([](const TransformationText& text) { return text.is_choice; })));
    }
    off_[which] = true;
  }
}

TransformationCounts Transformations::counts() const {
  TransformationCounts counts;
  for (std::size_t i = 0; i < kTransformations; ++i) {
    if (const TransformationText& text = transformation_texts()[i]; text.is_choice) {
      counts.emplace(text.name, counts_[i]);
    }
  }
  return counts;
}

void add(TransformationCounts& counts, const TransformationCounts& more) {
  for (const auto& [name, count] : more) {
    counts[name] += count;
  }
}

}  // namespace systole
