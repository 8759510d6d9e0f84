// SPDX-License-Identifier: Apache-2.0
// Layer normalization of float32: a kernel computes it whole, and with computed factors all but the last two steps.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <utility>

#include "element_formulas.hpp"
#include "layer_norm32.hpp"
#include "lower_floats.hpp"
#include "refused.hpp"
#include "row_formulas.hpp"
#include "systole/execute.hpp"
#include "systole/graph_value.hpp"

namespace systole::network {
namespace {

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

std::vector<std::uint32_t> words_of(const graph::Tensor& constant) {
  const auto values = graph::elements<float>(graph::constant_value(constant));
  std::vector<std::uint32_t> words;
  std::transform(values.begin(), values.end(), std::back_inserter(words), bits);
  return words;
}

}  // namespace

Term float_layer_norm(KernelSteps& steps, const graph::LayerNormalize& op) {
  const graph::Shape& shape = steps.input(0).shape;
  const auto channels = static_cast<std::size_t>(shape.back());
  require(!steps.input(0).constant, "a constant operand");
  require(channels <= golden::kMostElementsOfLayerNorm32, "a layer normalization of more than 2^14 elements");
  const bool constant = steps.input(1).constant && steps.input(2).constant;
  compiler::KernelCall call = layer_norm32_rows(shape.back(), golden::layer_norm32_bits(channels), op.epsilon);
  // Neither a factor of 1 nor a summand of -0 changes a number.
  call.channel_words = {constant ? words_of(steps.input(1)) : std::vector<std::uint32_t>(channels, bits(1)),
                        constant ? words_of(steps.input(2)) : std::vector<std::uint32_t>(channels, bits(-0.0F))};
  const Image rows = Grid{graph::count(shape) / shape.back(), shape.back()}.image(kWordBytes);
  const Term normal = steps.append("layer_norm", KernelLayer{std::move(call)}, {{steps.given(0).id, rows}}, rows);
  if (constant) {
    return normal;
  }
  const Term scaled = steps.apply(float_call(graph::BinaryKind::kMultiply), {normal, steps.operand(1)});
  return steps.apply(float_call(graph::BinaryKind::kAdd), {scaled, steps.operand(2)});
}

}  // namespace systole::network
