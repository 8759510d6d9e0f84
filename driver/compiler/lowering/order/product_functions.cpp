// SPDX-License-Identifier: Apache-2.0
#include "product_functions.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace systole::network {
namespace {

using graph::TensorId;

constexpr std::int64_t kWorth = 64;  // part of the cycles that kernels must take

/// The product's results, if a function of them may be computed beside them.
compiler::BlockResults* results_of(Layer& layer) {
  auto* conv = std::get_if<BlockConvLayer>(&layer.kind);
  auto* product = std::get_if<BlockProductLayer>(&layer.kind);
  const bool one = product != nullptr && product->result.first.size() == 1 && !product->maxima;
  // The sums of a gradient of a filter, whose kernel is larger than the result, come in parts.
  const bool slides =
      conv != nullptr && conv->window.kernel_h * conv->window.kernel_w <= conv->to.height * conv->to.width;
  compiler::BlockResults* results = one ? &product->results : slides ? &conv->results : nullptr;
  return results == nullptr || results->blocks || results->function || layer.words_output != graph::kNoTensor ? nullptr
                                                                                                              : results;
}

/// The product with the kernel's function of its results; nothing if it cannot be one.
std::optional<Layer> joined(const Layer& product, const Layer& next) {
  const auto* kernel = std::get_if<KernelLayer>(&next.kind);
  if (kernel == nullptr || !kernel->elementwise || kernel->call.function == nullptr || kernel->call.table ||
      !kernel->constants.empty() || !next.input_parts.empty() ||
      next.output_image.bytes() != product.output_image.bytes()) {
    return std::nullopt;
  }
  Layer whole = product;
  compiler::BlockResults* results = results_of(whole);
  if (results == nullptr) {
    return std::nullopt;
  }
  const compiler::ElementFunction& function = *kernel->call.function;
  const std::size_t tensors = next.inputs.size() - kernel->call.numbers;
  compiler::ResultsFunction& of = results->function.emplace();
  of.function = kernel->call.function;
  of.numbers = kernel->call.numbers;
  of.values = kernel->call.values;
  of.result =
      static_cast<std::size_t>(std::find(next.inputs.begin(), next.inputs.end(), product.output) - next.inputs.begin());
  const auto of_words = [](kernel::Format format) { return format == kernel::Format::kI32; };
  if (of.result >= tensors || next.inputs.size() != function.operands.size() || !of_words(function.result) ||
      !std::all_of(function.operands.begin(), function.operands.end(), of_words)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < next.inputs.size(); ++i) {
    if (i == of.result) {
      continue;
    }
    if (next.inputs[i] == product.output ||
        (i < tensors && next.input_images[i].bytes() != next.output_image.bytes())) {
      return std::nullopt;
    }
    whole.inputs.push_back(next.inputs[i]);
    whole.input_images.push_back(next.input_images[i]);
  }
  if (!compiler::has_function_kernel(*results)) {
    return std::nullopt;
  }
  whole.output = next.output;
  whole.output_image = next.output_image;
  whole.words_output = next.words_output;
  whole.words_image = next.words_image;
  whole.operators.insert(whole.operators.end(), next.operators.begin(), next.operators.end());
  return whole;
}

/// Whether no layer from `index` on makes an operand.
bool is_ready(const Layer& layer, const std::vector<Layer>& layers, std::size_t index) {
  return std::none_of(layers.begin() + static_cast<std::ptrdiff_t>(index), layers.end(), [&](const Layer& made) {
    return std::any_of(layer.inputs.begin(), layer.inputs.end(), [&](TensorId id) { return made.makes(id); });
  });
}

std::optional<Replacement> joining(const Segment& segment, std::size_t index) {
  const std::vector<Layer>& layers = segment.layers;
  const auto* kernel = std::get_if<KernelLayer>(&layers[index].kind);
  if (kernel == nullptr) {
    return std::nullopt;
  }
  for (const TensorId id : layers[index].inputs) {
    const auto product = sole_maker(segment, id);
    if (std::optional<Layer> whole = product ? joined(layers[*product], layers[index]) : std::nullopt) {
      // The product's operands are there later, too; those of the function may not be there earlier.
      const std::size_t place = is_ready(*whole, layers, *product) ? *product : index;
      return Replacement{{*product, index}, {{place, std::move(*whole)}}};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rewritten> join_functions(const Segment& segment, const std::vector<std::int64_t>& cycles,
                                        const CyclesOf& cycles_of) {
  return rewrite(segment, cycles, kWorth, joining, cycles_of);
}

}  // namespace systole::network
