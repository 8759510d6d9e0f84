// SPDX-License-Identifier: Apache-2.0
#include "systole/transformations.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "systole/errors.hpp"

namespace systole {

const std::array<TransformationText, kTransformations>& transformation_texts() {
  static constexpr std::array<TransformationText, kTransformations> kTexts{{
      {"move_transposes",
       "Transpositions of an ONNX file move towards the outputs until two cancel or one becomes part of weights; sums "
       "of float32 may then be in another order."},
      {"split_transposes",
       "The transposition of a concatenation becomes a concatenation of transpositions, which need not be copied."},
      {"heads", "Rotations, outer products and choices of columns of one token's attention heads are one kernel each."},
      {"fused_rows",
       "Sums before a softmax, products and squares before a mean, and whole normalizations join one kernel of rows."},
      {"element_chains", "Element-wise operators of float32 that follow each other are one kernel."},
      {"window_kernels", "Windows of float32 are read where they are instead of being brought together by moves."},
      {"word_transpositions", "Transpositions of 4-byte elements are turned by LOAD, as matrices."},
      {"pool_gradients", "The comparisons and selections that are the gradient of a maximum pool are one kernel."},
      {"limits_before_maxima", "A rectifier behind a maximum pool limits the product before the pool instead."},
      {"second_results", "Two element-wise results of which one is computed from the other come from one kernel."},
      {"padding", "Padding becomes that of the convolution or pool that follows."},
      {"additions", "An addition of int8 becomes part of the convolution that computes an operand."},
      {"tables", "A look-up table becomes part of the table or convolution before it."},
      {"flattening", "A fully connected layer of a flattened image becomes a convolution over the image."},
      {"reshapes", "Reshapes are dropped: their readers see the same bytes in another shape."},
      {"transposed_operands", "Products of computed matrices read and write transposed tensors in place."},
      {"block_results",
       "Bias, sum, limits and conversion to blocks join the product in block floating point before them."},
      {"parts", "Parts of tensors, and tensors that a concatenation joins, are read where they are."},
      {"row_blocks", "Kernels of single rows make the blocks that only a conversion would make of their results."},
      {"conversions", "A product converts its left operand to blocks on its way to the array."},
      {"maxima", "A maximum pool that tiles the results of a product is computed in the scratchpad beside them."},
      {"gradient_tiles", "The gradient of a maximum pool becomes weight tiles without being in device memory."},
      {"scratchpad", "Tensors stay in the scratchpad from the layer that computes them to the last that reads them."},
      {"spread_kernels", "Small kernels take the rows of the scratchpad that have not been in use for longest."},
      {"row_chains", "Layers whose rows depend only on the same rows before are computed together, part by part."},
      {"overlap", "Products and all other layers run in two lanes beside each other."},
  }};
  return kTexts;
}

Transformations::Transformations(const std::vector<std::string>& without) {
  const auto& texts = transformation_texts();
  for (const std::string& name : without) {
    const auto found =
        std::find_if(texts.begin(), texts.end(), [&](const TransformationText& text) { return text.name == name; });
    if (found == texts.end()) {
      std::string names;
      for (const TransformationText& text : texts) {
        names += names.empty() ? "" : ", ";
        names += text.name;
      }
      throw InvalidArgument(fmt::format("without: '{}' is not a transformation; they are {}", name, names));
    }
    off_[static_cast<std::size_t>(found - texts.begin())] = true;
  }
}

TransformationCounts Transformations::counts() const {
  TransformationCounts counts;
  for (std::size_t i = 0; i < kTransformations; ++i) {
    counts.emplace(transformation_texts()[i].name, counts_[i]);
  }
  return counts;
}

void add(TransformationCounts& counts, const TransformationCounts& more) {
  for (const auto& [name, count] : more) {
    counts[name] += count;
  }
}

}  // namespace systole
