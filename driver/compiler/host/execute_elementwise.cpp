// SPDX-License-Identifier: Apache-2.0
// 8-bit element-wise operators and softmax.
#include <algorithm>
#include <cmath>

#include "arithmetic.hpp"
#include "attributes.hpp"
#include "element_functions.hpp"
#include "execute_binary32.hpp"
#include "fixed_point.hpp"
#include "float_ops.hpp"
#include "indices.hpp"
#include "infer.hpp"
#include "int16.hpp"
#include "inverse_root.hpp"
#include "layer_norm.hpp"
#include "log_softmax.hpp"
#include "quantized_types.hpp"
#include "quantized_values.hpp"
#include "rescale.hpp"

namespace systole::graph {
namespace {

/// Tabulates a function as 256 values: dequantize and quantize in float32, the function itself in double.
golden::LookupTable table_of(const Unary& op, const golden::UniformQuantization& input,
                             const golden::UniformQuantization& output, Arithmetic arithmetic) {
  const float inverse = 1.0F / output.scale;
  return golden::make_lookup_table([&](std::int8_t quantized) {
    const float real = input.scale * static_cast<float>(quantized - input.zero_point);
    const auto value = static_cast<float>(real_function(op.kind, double{real}, op.alpha, op.beta));
    const float steps =
        arithmetic == Arithmetic::kOnnx ? std::nearbyint(value / output.scale) : std::round(value * inverse);
    const float shifted = std::isnan(steps) ? 0.0F : steps + static_cast<float>(output.zero_point);
    return static_cast<std::int8_t>(std::clamp(shifted, -128.0F, 127.0F));
  });
}

/// The bound of a clip in the output's quantization.
std::int8_t bound(float real, const golden::UniformQuantization& output) {
  const float steps = std::clamp(std::round(real / output.scale), -1024.0F, 1024.0F);
  return static_cast<std::int8_t>(std::clamp(steps + static_cast<float>(output.zero_point), -128.0F, 127.0F));
}

void require_output(const Call& call, const golden::UniformQuantization& output, float scale, std::int32_t zero_point,
                    const char* rule) {
  if (output.scale != scale || output.zero_point != zero_point) {
    call.unsupported(rule);
  }
}

constexpr float kByteFraction = 1.0F / 256.0F;

golden::Tensor8 unary(const Call& call, const Unary& op, const golden::UniformQuantization& input,
                      const golden::UniformQuantization& output) {
  const golden::Tensor8 data = flat8(call.input(0));
  const auto clamped = [&](const golden::Clamp& clamp) {
    return golden::rescale(data, golden::rescale_params(input, output, clamp));
  };
  const auto limited = [&](const golden::Clamp& clamp) {
    return golden::rescale(data, golden::float32_rescale_params(input, output, clamp));
  };
  switch (op.kind) {
    case UnaryKind::kIdentity: return clamped({});
    case UnaryKind::kRelu: return clamped(clamp_of(Activation::kRelu, call.output_tensor()));
    case UnaryKind::kRelu6: return limited(clamp_of(Activation::kRelu6, call.output_tensor()));
    case UnaryKind::kClip: return limited({bound(op.alpha, output), bound(op.beta, output)});
    case UnaryKind::kLeakyRelu: return golden::lookup(data, golden::leaky_relu_table(input, output, op.alpha));
    case UnaryKind::kHardSwish: return golden::lookup(data, golden::hard_swish_table(input, output));
    case UnaryKind::kSigmoid:
      require_output(call, output, kByteFraction, -128,
                     "the result needs scale 1/256 and the smallest value as its zero point");
      return golden::lookup(data, golden::logistic_table(input));
    case UnaryKind::kTanh:
      require_output(call, output, 1.0F / 128.0F, 0,
                     "the result needs scale 1/128 and the middle value as its zero point");
      return golden::lookup(data, golden::tanh_table(input));
    case UnaryKind::kAbs: return golden::lookup(data, golden::abs_table(input, output));
    case UnaryKind::kReciprocalSqrt: return golden::rsqrt(data, input, output);
    case UnaryKind::kElu:
    case UnaryKind::kGelu:
    case UnaryKind::kErf:
    case UnaryKind::kSoftplus:
    case UnaryKind::kHardSigmoid: return golden::lookup(data, table_of(op, input, output, Arithmetic::kTfLite));
    default: call.unsupported(std::string("no exact definition of ").append(name_of(op.kind)));
  }
}

golden::Tensor8 extremes(const golden::Tensor8& lhs, const golden::Tensor8& rhs, bool largest) {
  golden::Tensor8 result(lhs.shape);
  for (std::size_t i = 0; i < lhs.data.size(); ++i) {
    result.data[i] = largest ? std::max(lhs.data[i], rhs.data[i]) : std::min(lhs.data[i], rhs.data[i]);
  }
  return result;
}

Value relation(const Call& call, BinaryKind kind, const golden::Tensor8& lhs, const golden::Tensor8& rhs) {
  const auto same = kind == BinaryKind::kEqual  ? golden::Relation::kEqual
                    : kind == BinaryKind::kLess ? golden::Relation::kLess
                                                : golden::Relation::kLessOrEqual;
  const auto truths =
      golden::related(lhs, rhs, quantization_of(call.input_tensor(0)), quantization_of(call.input_tensor(1)), same);
  return make_value(ElementType::kBool, call.output_tensor().shape, truths);
}

}  // namespace

Value run_quantized(const Call& call, const Binary& op) {
  const Tensor& output = call.output_tensor();
  if (!output.quantization && !call.input_tensor(0).quantization) {
    return run_plain(call, op);  // unquantized integers
  }
  const golden::Tensor8 lhs = flat8(broadcast_to(call.input(0), output.shape));
  const golden::Tensor8 rhs = flat8(broadcast_to(call.input(1), output.shape));
  if (op.kind == BinaryKind::kMaximum || op.kind == BinaryKind::kMinimum) {
    golden::Tensor8 result = extremes(lhs, rhs, op.kind == BinaryKind::kMaximum);
    const golden::Clamp clamp = clamp_of(op.activation, output);
    for (std::int8_t& value : result.data) {
      value = std::clamp(value, clamp.min, clamp.max);
    }
    return from_int8(result.data, output);
  }
  if (call.op.arithmetic != Arithmetic::kTfLite) {
    call.unsupported(std::string("no exact definition of ").append(name_of(op.kind)));
  }
  const golden::UniformQuantization a = quantization_of(call.input_tensor(0));
  const golden::UniformQuantization b = quantization_of(call.input_tensor(1));
  if (output.type == ElementType::kBool) {
    return relation(call, op.kind, lhs, rhs);
  }
  const golden::UniformQuantization c = quantization_of(output);
  const golden::Clamp clamp = clamp_of(op.activation, output);
  switch (op.kind) {
    case BinaryKind::kDivide: return from_int8(golden::divide(lhs, rhs, a, b, c, clamp).data, output);
    case BinaryKind::kSquaredDifference: return from_int8(golden::squared_difference(lhs, rhs, a, b, c).data, output);
    case BinaryKind::kPrelu: return from_int8(golden::prelu(lhs, rhs, a, b, c).data, output);
    case BinaryKind::kAdd: return from_int8(golden::add(lhs, rhs, golden::add_params(a, b, c, clamp)).data, output);
    case BinaryKind::kSubtract:
      return from_int8(golden::subtract(lhs, rhs, golden::add_params(a, b, c, clamp)).data, output);
    case BinaryKind::kMultiply:
      return from_int8(golden::multiply(lhs, rhs, golden::multiply_params(a, b, c, clamp)).data, output);
    default: call.unsupported(std::string("no exact definition of ").append(name_of(op.kind)));
  }
}

Value run_quantized(const Call& call, const Unary& op) {
  const golden::UniformQuantization input = quantization_of(call.input_tensor(0));
  const golden::UniformQuantization output = quantization_of(call.output_tensor());
  const golden::Tensor8 result =
      call.op.arithmetic == Arithmetic::kOnnx
          ? golden::lookup(flat8(call.input(0)), table_of(op, input, output, Arithmetic::kOnnx))
          : unary(call, op, input, output);
  return from_int8(result.data, call.output_tensor());
}

namespace {

/// Rows of the last dimension.
golden::Tensor8 rows8(const Value& value) {
  golden::Tensor8 rows = flat8(value);
  rows.shape.channels = static_cast<int>(value.shape.back());
  rows.shape.width = static_cast<int>(count(value.shape) / value.shape.back());
  return rows;
}

Value softmax_to_int16(const Call& call, const Softmax& op) {
  constexpr float kWordFraction = 1.0F / 65536.0F;
  const golden::UniformQuantization output = quantization_of(call.output_tensor());
  if (!is_near_fraction(output.scale, kWordFraction) || output.zero_point != -32768) {
    call.unsupported("the result needs a scale within 0.1 % of 1/65536 and the smallest value as its zero point");
  }
  return int16_value(golden::softmax_to_int16(rows8(call.input(0)), scale_of(call.input_tensor(0)), op.beta).data,
                     call.output_tensor());
}

}  // namespace

Value run(const Call& call, const L2Normalize&) {
  const Tensor& output = call.output_tensor();
  if (!output.quantization) {
    return l2_normalized(call);
  }
  require_output(call, quantization_of(output), 1.0F / 128.0F, 0,
                 "the result needs scale 1/128 and the middle value as its zero point");
  return from_int8(golden::l2_normalize(rows8(call.input(0)), zero_point_of(call.input_tensor(0))).data, output);
}

Value run(const Call& call, const LayerNormalize& op) {
  const Tensor& output = call.output_tensor();
  if (!output.quantization) {
    auto value = in_binary32(call, op);
    return value ? *std::move(value) : layer_normalized(call, op.epsilon);
  }
  const golden::LayerNormParams params =
      golden::layer_norm_params(elements<float>(call.input(1)), elements<float>(call.input(2)), op.epsilon,
                                scale_of(call.input_tensor(0)), quantization_of(output));
  return from_int8(golden::layer_norm(rows8(call.input(0)), params).data, output);
}

Value run_quantized(const Call& call, const Softmax& op) {
  const Tensor& output = call.output_tensor();
  if (call.op.arithmetic != Arithmetic::kTfLite) {
    call.unsupported("no exact definition of the softmax");
  }
  if (axis_of(op.axis, output.shape.size()) + 1 != output.shape.size()) {
    call.unsupported("the axis must be the last; insert a transposition");
  }
  if (op.logarithm) {
    require_output(call, quantization_of(output), 1.0F / 16.0F, 127,
                   "the result needs scale 1/16 and the largest value as its zero point");
    return from_int8(golden::log_softmax(rows8(call.input(0)), call.input_tensor(0).quantization->scale[0]).data,
                     output);
  }
  if (output.type == ElementType::kInt16) {
    return softmax_to_int16(call, op);
  }
  require_output(call, quantization_of(output), kByteFraction, -128,
                 "the result needs scale 1/256 and the smallest value as its zero point");
  return from_int8(golden::softmax(rows8(call.input(0)), call.input_tensor(0).quantization->scale[0], op.beta).data,
                   output);
}

}  // namespace systole::graph
