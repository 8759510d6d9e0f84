// SPDX-License-Identifier: Apache-2.0
// Local response normalization.
#include <algorithm>
#include <cmath>
#include <vector>

#include "attributes.hpp"
#include "execute_kinds.hpp"
#include "float_ops.hpp"
#include "infer.hpp"
#include "local_response.hpp"
#include "parallel.hpp"
#include "quantized_types.hpp"
#include "quantized_values.hpp"

namespace systole::graph {
namespace {

using golden::functions::F32;

/// The channels around number `channel` of `count`: from the first to behind the last.
struct Neighbours {
  std::size_t begin, end;
};
Neighbours around(std::size_t channel, const LocalResponse& op, std::size_t count) {
  const auto before = static_cast<std::size_t>(op.before), after = static_cast<std::size_t>(op.after);
  return {channel - std::min(before, channel), std::min(channel + after + 1, count)};
}

/// By the rule of golden::functions::local_response(), in which a channel that does not exist is a zero.
Value in_binary32(const Call& call, const LocalResponse& op) {
  constexpr std::size_t kCost = 100;  // of an element, in multiply-accumulates
  const auto numbers = elements<float>(call.input(0));
  const auto channels = static_cast<std::size_t>(call.input(0).shape.back());
  std::vector<float> results(numbers.size());
  golden::parallel_ranges(numbers.size() / channels, kCost * channels, [&](std::size_t row, std::size_t last) {
    for (; row < last; ++row) {
      const float* const of_row = numbers.data() + row * channels;
      for (std::size_t channel = 0; channel < channels; ++channel) {
        std::vector<F32> squares(static_cast<std::size_t>(op.before + 1 + op.after), F32(0));
        const Neighbours those = around(channel, op, channels);
        for (std::size_t at = those.begin; at < those.end; ++at) {
          squares[at + static_cast<std::size_t>(op.before) - channel] = F32(of_row[at]) * F32(of_row[at]);
        }
        results[row * channels + channel] =
            golden::functions::local_response(F32(of_row[channel]), squares, op.factor, op.bias, op.beta).value;
      }
    }
  });
  return make_value(call.output_tensor().type, call.output_tensor().shape, results);
}

Value in_double(const Call& call, const LocalResponse& op) {
  const auto numbers = reals(call, call.input(0));
  const auto channels = static_cast<std::size_t>(call.input(0).shape.back());
  auto results = numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t row = i / channels * channels;
    const Neighbours those = around(i - row, op, channels);
    double sum = 0;
    for (std::size_t at = row + those.begin; at < row + those.end; ++at) {
      sum += numbers[at] * numbers[at];
    }
    results[i] = numbers[i] / std::pow(double{op.bias} + double{op.factor} * sum, double{op.beta});
  }
  return rounded(results, call.output_tensor());
}

}  // namespace

Value run(const Call& call, const LocalResponse& op) {
  const Tensor& output = call.output_tensor();
  if (!output.quantization) {
    return output.type == ElementType::kFloat32 ? in_binary32(call, op) : in_double(call, op);
  }
  golden::Tensor8 input = flat8(call.input(0));
  input.shape = {1, 1, static_cast<int>(count(output.shape) / output.shape.back()),
                 static_cast<int>(output.shape.back())};
  const golden::LocalResponseParams params =
      golden::local_response_params({op.before, op.after, op.factor, op.bias, op.beta},
                                    quantization_of(call.input_tensor(0)), quantization_of(output));
  return from_int8(golden::local_response(input, params).data, output);
}

}  // namespace systole::graph
