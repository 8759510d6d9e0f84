// SPDX-License-Identifier: Apache-2.0
#include "quantized_parameters.hpp"

#include <algorithm>
#include <cmath>

#include "range.hpp"
#include "systole/execute.hpp"

namespace systole::quantizer {
namespace {

// Half of the int32 range is left for the sum of products; the smallest factor that requantization can represent is
// 2^-31.
const double kMostBias = std::ldexp(1.0, 30);

template <class Element>
graph::Tensor constant(graph::ElementType type, const graph::Shape& shape, const std::vector<Element>& values,
                       std::vector<float> scales) {
  graph::Tensor tensor;
  tensor.type = type;
  tensor.shape = shape;
  const std::size_t channels = scales.size();
  tensor.quantization = graph::Quantization{std::move(scales), std::vector<std::int32_t>(channels, 0), 0};
  tensor.constant = std::make_shared<const graph::Bytes>(graph::make_value(type, shape, values).data);
  return tensor;
}

}  // namespace

IntegerParameters quantize_parameters(const Parameters& p, const graph::Quantization& input_quantization,
                                      const graph::Quantization& output_quantization) {
  const double input = double{input_quantization.scale[0]};
  const double output = double{output_quantization.scale[0]};
  const Range inputs = range_of(input_quantization), outputs = range_of(output_quantization);
  std::vector<float> weight_scales, bias_scales;
  std::vector<std::int8_t> weights;
  std::vector<std::int32_t> bias;
  for (std::size_t o = 0; o < p.outputs(); ++o) {
    const auto first = p.weights.begin() + static_cast<std::ptrdiff_t>(o * p.taps());
    const auto last = first + static_cast<std::ptrdiff_t>(p.taps());
    double most = 0, sum = 0;
    std::for_each(first, last, [&](double weight) {
      most = std::max(most, std::abs(weight));
      sum += std::abs(weight);
    });
    // Rounding at most doubles a weight.
    const double reach = 2 * sum * std::max(-inputs.low, inputs.high) + output;
    const double wanted_bias = std::clamp(p.bias[o], outputs.low - reach, outputs.high + reach);
    const double scale =
        std::max({most / kMostWeight, std::abs(wanted_bias) / (input * kMostBias), output / (input * kMostBias)});
    weight_scales.push_back(static_cast<float>(scale));
    const double step = double{weight_scales.back()};
    std::transform(first, last, std::back_inserter(weights), [&](double weight) {
      return static_cast<std::int8_t>(std::clamp(std::round(weight / step), -kMostWeight, kMostWeight));
    });
    bias.push_back(
        static_cast<std::int32_t>(std::clamp(std::round(wanted_bias / (input * step)), -kMostBias, kMostBias)));
    bias_scales.push_back(static_cast<float>(input * step));
  }
  return {constant(graph::ElementType::kInt8, p.shape, weights, weight_scales),
          constant(graph::ElementType::kInt32, {p.shape[0]}, bias, bias_scales)};
}

}  // namespace systole::quantizer
