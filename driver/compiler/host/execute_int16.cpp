// SPDX-License-Identifier: Apache-2.0
// 16-bit element-wise operators, pooling, reductions and softmax, in TensorFlow Lite's arithmetic.
#include <algorithm>

#include "attributes.hpp"
#include "elementwise16.hpp"
#include "functions16.hpp"
#include "indices.hpp"
#include "infer.hpp"
#include "int16.hpp"
#include "quantized_types.hpp"
#include "quantized_values.hpp"

namespace systole::graph {
namespace {

using golden::Elements16;

constexpr float kFraction = 1.0F / 32768.0F;

void require_fraction(const Call& call) {
  if (scale_of(call.output_tensor()) != kFraction) {
    call.unsupported("the result needs scale 1/32768");
  }
}

Elements16 extremes(const Elements16& lhs, const Elements16& rhs, bool largest, const golden::Clamp16& clamp) {
  Elements16 result(lhs.size());
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    result[i] = golden::clamp_to(clamp, largest ? std::max(lhs[i], rhs[i]) : std::min(lhs[i], rhs[i]));
  }
  return result;
}

template <class Function>
Elements16 each(const Elements16& input, const golden::PointScale& scale, Function function) {
  Elements16 result(input.size());
  std::transform(input.begin(), input.end(), result.begin(),
                 [&](std::int16_t value) { return function(value, scale); });
  return result;
}

Elements16 function_of(const Call& call, const Unary& op) {
  const Elements16 input = elements<std::int16_t>(call.input(0));
  const float from = scale_of(call.input_tensor(0));
  const float to = scale_of(call.output_tensor());
  const auto clamped = [&](const golden::Clamp16& clamp) {
    return golden::rescale16(input, quantize_multiplier(double{from} / double{to}), clamp);
  };
  const auto limited = [&](const golden::Clamp16& clamp) {
    return golden::rescale16(input, golden::float32_scale(from, to), clamp);
  };
  switch (op.kind) {
    case UnaryKind::kIdentity: return clamped({});
    case UnaryKind::kRelu: return clamped(clamp16_of(Activation::kRelu, call.output_tensor()));
    case UnaryKind::kRelu6: return limited(clamp16_of(Activation::kRelu6, call.output_tensor()));
    case UnaryKind::kLeakyRelu: return golden::leaky_relu16(input, from, to, op.alpha);
    case UnaryKind::kSigmoid:
      require_fraction(call);
      return each(input, golden::logistic_scale(from), golden::logistic16);
    case UnaryKind::kTanh: require_fraction(call); return each(input, golden::tanh_scale(from), golden::tanh16);
    default: call.unsupported(std::string("no exact definition of ").append(name_of(op.kind)));
  }
}

/// Slopes are 8-bit.
Elements16 prelu_of(const Call& call, const Elements16& lhs) {
  const Tensor& output = call.output_tensor();
  const Tensor& slope = call.input_tensor(1);
  return golden::prelu16(lhs, elements<std::int8_t>(broadcast_to(call.input(1), output.shape)),
                         scale_of(call.input_tensor(0)), {scale_of(slope), slope.quantization->zero_point.at(0)},
                         scale_of(output));
}

}  // namespace

Value run_int16(const Call& call, const Binary& op) {
  const Tensor& output = call.output_tensor();
  const Elements16 lhs = elements<std::int16_t>(broadcast_to(call.input(0), output.shape));
  if (op.kind == BinaryKind::kPrelu) {
    return int16_value(prelu_of(call, lhs), output);
  }
  const Elements16 rhs = elements<std::int16_t>(broadcast_to(call.input(1), output.shape));
  const float a = scale_of(call.input_tensor(0));
  const float b = scale_of(call.input_tensor(1));
  const float c = scale_of(output);
  const golden::Clamp16 clamp = clamp16_of(op.activation, output);
  switch (op.kind) {
    case BinaryKind::kAdd: return int16_value(golden::add16(lhs, rhs, golden::add_params16(a, b, c, clamp)), output);
    case BinaryKind::kSubtract:
      return int16_value(golden::subtract16(lhs, rhs, golden::add_params16(a, b, c, clamp)), output);
    case BinaryKind::kMultiply:
      return int16_value(golden::multiply16(lhs, rhs, quantize_multiplier(double{a} * double{b} / double{c}), clamp),
                         output);
    case BinaryKind::kSquaredDifference:
      return int16_value(golden::squared_difference16(lhs, rhs, golden::squared_difference_params16(a, b, c)), output);
    case BinaryKind::kMaximum:
    case BinaryKind::kMinimum: return int16_value(extremes(lhs, rhs, op.kind == BinaryKind::kMaximum, clamp), output);
    default: call.unsupported(std::string("no exact definition of ").append(name_of(op.kind)));
  }
}

Value run_int16(const Call& call, const Unary& op) { return int16_value(function_of(call, op), call.output_tensor()); }

Value run_int16(const Call& call, const Pool& op) {
  const Tensor& output = call.output_tensor();
  const golden::Clamp16 clamp = clamp16_of(op.activation, output);
  if (op.count_padding) {
    call.unsupported("padding that is counted in the average");
  }
  const auto pooled = op.kind == PoolKind::kMax ? golden::max_pool16 : golden::average_pool16;
  return int16_value(pooled(tensor16(call.input(0)), op.window, clamp).data, output);
}

Value run_int16(const Call& call, const Reduce& op) {
  const Tensor& output = call.output_tensor();
  const Elements16 input = elements<std::int16_t>(call.input(0));
  const std::vector<std::size_t> to = reduction_targets(call.input(0).shape, op);
  const auto results = static_cast<std::size_t>(count(output.shape));
  if (op.kind == ReduceKind::kMax || op.kind == ReduceKind::kMin) {
    const bool largest = op.kind == ReduceKind::kMax;
    if (!same_quantization(call.input_tensor(0), output)) {
      call.unsupported("input and result need the same quantization");
    }
    Elements16 extreme(results, largest ? std::int16_t{-32768} : std::int16_t{32767});
    for (std::size_t i = 0; i < input.size(); ++i) {
      extreme[to[i]] = largest ? std::max(extreme[to[i]], input[i]) : std::min(extreme[to[i]], input[i]);
    }
    return int16_value(extreme, output);
  }
  if (op.kind == ReduceKind::kProduct) {
    call.unsupported("no exact definition of the product");
  }
  std::vector<std::int64_t> sums(results);
  for (std::size_t i = 0; i < input.size(); ++i) {
    sums[to[i]] += input[i];
  }
  const auto summary = op.kind == ReduceKind::kMean ? golden::Summary::kMean : golden::Summary::kSum;
  const auto size = static_cast<std::int64_t>(input.size() / results);
  return int16_value(golden::summarize16(sums, size, scale_of(call.input_tensor(0)), scale_of(output), summary),
                     output);
}

Value run_int16(const Call& call, const Softmax& op) {
  const Tensor& output = call.output_tensor();
  if (op.logarithm || axis_of(op.axis, output.shape.size()) + 1 != output.shape.size()) {
    call.unsupported(op.logarithm ? "no exact definition of the logarithm"
                                  : "the axis must be the last; insert a transposition");
  }
  if (!is_near_fraction(scale_of(output), kFraction)) {
    call.unsupported("the result needs a scale within 0.1 % of 1/32768");
  }
  const auto depth = static_cast<std::size_t>(output.shape.back());
  return int16_value(
      golden::softmax16(elements<std::int16_t>(call.input(0)), depth, scale_of(call.input_tensor(0)), op.beta), output);
}

}  // namespace systole::graph
