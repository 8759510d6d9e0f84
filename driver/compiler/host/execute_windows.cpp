// SPDX-License-Identifier: Apache-2.0
// 8-bit pooling and reductions.
#include <algorithm>
#include <limits>

#include "indices.hpp"
#include "infer.hpp"
#include "int16.hpp"
#include "quantized_types.hpp"
#include "quantized_values.hpp"
#include "rescale.hpp"

namespace systole::graph {

std::vector<std::size_t> reduction_targets(const Shape& input, const Reduce& op) {
  Shape kept = input;
  for (const int axis : op.axes) {
    kept[axis_of(axis, input.size())] = 1;
  }
  std::vector<std::size_t> result;
  result.reserve(static_cast<std::size_t>(count(input)));
  Index to(input.size());
  for_each_index(input, [&](const Index& at, std::size_t) {
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      to[axis] = kept[axis] == 1 ? 0 : at[axis];
    }
    result.push_back(position_of(kept, to));
  });
  return result;
}

Value run_quantized(const Call& call, const Pool& op) {
  const Tensor& output = call.output_tensor();
  if (op.activation != Activation::kNone && !output.quantization) {
    call.unsupported("an activation of integers without a scale");
  }
  const golden::Clamp clamp = clamp_of(op.activation, output);
  if (op.kind == PoolKind::kMax) {
    return from_int8(golden::max_pool(tensor8(call.input(0)), op.window, clamp).data, output);
  }
  if (call.op.arithmetic != Arithmetic::kTfLite) {
    call.unsupported("no exact definition of the average");
  }
  const auto counting = op.count_padding ? golden::PaddingCount::kInclude : golden::PaddingCount::kExclude;
  const auto ties = output.type == ElementType::kUint8 ? Ties::kUp : Ties::kAwayFromZero;
  return from_int8(
      golden::average_pool(tensor8(call.input(0)), op.window, clamp, counting, zero_point_of(output), ties).data,
      output);
}

Value run_quantized(const Call& call, const Reduce& op) {
  const Tensor& output = call.output_tensor();
  const std::vector<std::int8_t> input = as_int8(call.input(0));
  const std::vector<std::size_t> to = reduction_targets(call.input(0).shape, op);
  const auto results = static_cast<std::size_t>(count(output.shape));
  if (op.kind == ReduceKind::kMax || op.kind == ReduceKind::kMin) {
    const bool largest = op.kind == ReduceKind::kMax;
    if (!same_quantization(call.input_tensor(0), output)) {
      call.unsupported("input and result need the same quantization");
    }
    std::vector<std::int8_t> extremes(results, largest ? std::int8_t{-128} : std::int8_t{127});
    for (std::size_t i = 0; i < input.size(); ++i) {
      std::int8_t& extreme = extremes[to[i]];
      extreme = largest ? std::max(extreme, input[i]) : std::min(extreme, input[i]);
    }
    return from_int8(extremes, output);
  }
  if (op.kind == ReduceKind::kProduct || call.op.arithmetic != Arithmetic::kTfLite) {
    call.unsupported("no exact definition of the reduction");
  }
  std::vector<std::int64_t> wide(results);
  for (std::size_t i = 0; i < input.size(); ++i) {
    wide[to[i]] += input[i];
  }
  std::vector<std::int32_t> sums(results);
  std::transform(wide.begin(), wide.end(), sums.begin(), golden::wrap_to_int32);
  const auto params = golden::rescale_params(quantization_of(call.input_tensor(0)), quantization_of(output));
  const auto summary = op.kind == ReduceKind::kMean ? golden::Summary::kMean : golden::Summary::kSum;
  const auto size = static_cast<std::int64_t>(input.size() / results);
  return from_int8(golden::summarize(sums, size, params, summary), output);
}

}  // namespace systole::graph
