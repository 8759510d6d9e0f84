// SPDX-License-Identifier: Apache-2.0
// Quantization and dequantization.
#include <fmt/core.h>

#include <algorithm>

#include "onnx_integer_products.hpp"
#include "onnx_operators.hpp"
#include "onnx_parameters.hpp"
#include "onnx_tensors.hpp"
#include "quantized_types.hpp"

namespace systole::graph::onnx_file {
namespace {

Quantization checked(Translation& t, const std::vector<double>& scale, const std::vector<std::int64_t>& zero_point,
                     const Tensor& tensor, int axis) {
  Quantization q;
  q.axis = axis;
  const std::size_t size = std::max(scale.size(), zero_point.size());
  const auto channels =
      tensor.shape.empty() ? 1 : static_cast<std::size_t>(tensor.shape.at(static_cast<std::size_t>(axis)));
  if ((scale.size() != 1 && scale.size() != size) || (zero_point.size() != 1 && zero_point.size() != size) ||
      (size != 1 && size != channels)) {
    t.fail(fmt::format(
        "{} scales and {} zero points for '{}' ({}); expected one each, or one per channel ({} along axis {})",
        scale.size(), zero_point.size(), tensor.name, to_string(tensor.shape), channels, axis));
  }
  for (std::size_t i = 0; i < size; ++i) {
    const auto value = static_cast<float>(scale[scale.size() == 1 ? 0 : i]);
    if (!(value > 0) || value > std::numeric_limits<float>::max()) {
      t.fail(fmt::format("scale {} of '{}' must be positive and finite", value, tensor.name));
    }
    q.scale.push_back(value);
    q.zero_point.push_back(static_cast<std::int32_t>(zero_point[zero_point.size() == 1 ? 0 : i]));
  }
  return q;
}

/// Zero points have the type of the tensor, and so its range.
std::vector<std::int64_t> zero_point_values(Translation& t, std::size_t i, ElementType type) {
  if (!t.has_input(i)) {
    return {0};
  }
  if (t.tensor(t.input(i)).type != type) {
    t.fail(fmt::format("zero point '{}' has type {}, the elements have {}; the types must be equal",
                       t.tensor(t.input(i)).name, name_of(t.tensor(t.input(i)).type), name_of(type)));
  }
  return t.integers_of(i, "the zero point");
}

}  // namespace

Quantization one_scale(Translation& t, std::size_t scale, std::size_t zero_point, ElementType type) {
  const std::vector<double> values = t.reals_of(scale, "the scale");
  const std::vector<std::int64_t> points = zero_point_values(t, zero_point, type);
  if (values.size() != 1 || points.size() != 1) {
    t.refuse(OnnxRefusal::kMode,
             fmt::format("an activation with {} scales and {} zero points; only one each is supported", values.size(),
                         points.size()));
  }
  Tensor any;
  any.name = t.tensor(t.input(scale)).name;
  return checked(t, values, points, any, 0);
}

Quantization scales(Translation& t, std::size_t scale, std::size_t zero_point, const Tensor& tensor, int axis) {
  const Tensor copy = tensor;  // copied: binding a parameter may move tensors
  return checked(t, t.reals_of(scale, "the scale"), zero_point_values(t, zero_point, copy.type), copy, axis);
}

Quantization zero_points(Translation& t, std::size_t zero_point, const Tensor& tensor, int axis) {
  const Tensor copy = tensor;
  return checked(t, {1.0}, zero_point_values(t, zero_point, copy.type), copy, axis);
}

bool is_constant_parameter(Translation& t, std::size_t i) {
  if (!t.has_input(i)) {
    return true;
  }
  t.bind(t.input(i));
  return t.tensor(t.input(i)).constant != nullptr;
}

ElementType type_of_zero_point(const Translation& t, std::size_t i) {
  return t.has_input(i) ? t.tensor(t.input(i)).type : ElementType::kUint8;
}

namespace {

/// The axis of the scales; matters only if there are several.
int channel_axis(const Translation& t, std::size_t scale, const Tensor& tensor) {
  if (count(t.shape(t.input(scale))) == 1) {
    return 0;
  }
  return static_cast<int>(t.axis(t.integer("axis", 1), tensor.shape.size()));
}

/// A parameter, shaped to broadcast against the node's first input.
TensorId along_axis(Translation& t, std::size_t i) {
  const TensorId id = t.input(i);
  const Shape& shape = t.shape(t.input(0));
  if (count(t.shape(id)) == 1) {
    return t.reshape(id, {});
  }
  Shape along(shape.size(), 1);
  along[t.axis(t.integer("axis", 1), shape.size())] = count(t.shape(id));
  return t.reshape(id, along);
}

/// Quantizes by the definition: x / scale rounded, the zero point added, clamped to the type's range.
void quantize_by_computed_scale(Translation& t, ElementType type) {
  TensorId steps = t.unary(UnaryKind::kRound, t.binary(BinaryKind::kDivide, t.input(0), along_axis(t, 1)));
  if (t.has_input(2)) {
    steps = t.binary(BinaryKind::kAdd, steps, cast(t, along_axis(t, 2), ElementType::kFloat32));
  }
  const IntegerRange range = integer_range(type);
  t.result(
      cast(t, t.unary(UnaryKind::kClip, steps, static_cast<float>(range.min), static_cast<float>(range.max)), type));
}

/// (x - zero point) scale. Differences of int32 are computed before they are rounded to float32, which holds those of
/// smaller types exactly.
void dequantize_by_computed_scale(Translation& t) {
  const bool wide = t.tensor(t.input(0)).type == ElementType::kInt32;
  const ElementType type = wide ? ElementType::kInt32 : ElementType::kFloat32;
  TensorId steps = cast(t, t.input(0), type);
  if (t.has_input(2)) {
    steps = t.binary(BinaryKind::kSubtract, steps, cast(t, along_axis(t, 2), type));
  }
  t.result(t.binary(BinaryKind::kMultiply, cast(t, steps, ElementType::kFloat32), along_axis(t, 1)));
}

}  // namespace

namespace {

/// Options of operator sets 19 and later: other scale types, one scale per block, other result types.
void check_newer(Translation& t, std::initializer_list<onnx::TensorProto_DataType> results) {
  if (t.tensor(t.input(1)).type != ElementType::kFloat32) {
    t.refuse(OnnxRefusal::kElementType,
             fmt::format("scale of type {}; only float32 is supported", name_of(t.tensor(t.input(1)).type)));
  }
  if (const std::int64_t size = t.integer("block_size", 0); size != 0) {
    t.refuse(OnnxRefusal::kMode,
             fmt::format("block_size {} is not supported; use one scale per tensor or per channel", size));
  }
  const std::int64_t precision = t.integer("precision", 0);
  if (precision != 0 && precision != onnx::TensorProto::FLOAT) {
    t.refuse(OnnxRefusal::kMode, fmt::format("precision {} is not supported; only FLOAT is", element_name(precision)));
  }
  const std::int64_t type = t.integer("output_dtype", 0);
  if (type != 0 && std::find(results.begin(), results.end(), type) == results.end()) {
    t.refuse(OnnxRefusal::kElementType, fmt::format("output_dtype {} is not supported", element_name(type)));
  }
}

}  // namespace

void quantize_linear(Translation& t) {
  const TensorId input = t.input(0);
  using Type = onnx::TensorProto;
  check_newer(t, {Type::INT8, Type::UINT8, Type::INT16, Type::UINT16});
  const std::int64_t wanted = t.integer("output_dtype", 0);
  const ElementType type = wanted != 0 && !t.has_input(2) ? element_type(static_cast<std::int32_t>(wanted), t.title())
                                                          : type_of_zero_point(t, 2);
  Tensor result = t.tensor(input);
  result.type = type;
  if (t.tensor(input).type != ElementType::kFloat32) {
    t.refuse(OnnxRefusal::kElementType,
             fmt::format("input of type {}; only float32 is supported", name_of(t.tensor(input).type)));
  }
  if (!is_constant_parameter(t, 1) || !is_constant_parameter(t, 2)) {
    quantize_by_computed_scale(t, type);
    return;
  }
  const Quantization q = scales(t, 1, 2, result, channel_axis(t, 1, result));
  if (!q.per_channel()) {
    t.result(t.convert(input, type, q));
    return;
  }
  // A computed tensor has only one scale: each channel is quantized separately, and the results are concatenated
  // without scales.
  std::vector<Shape> parts(q.scale.size(), result.shape);
  for (Shape& part : parts) {
    part[static_cast<std::size_t>(q.axis)] = 1;
  }
  std::vector<TensorId> channels = t.emit_split(Split{q.axis}, input, parts);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    channels[i] = t.plain(t.convert(channels[i], type, Quantization{{q.scale[i]}, {q.zero_point[i]}, 0}));
  }
  t.result(t.emit(Concat{q.axis}, channels, type));
}

void dequantize_linear(Translation& t) {
  const TensorId input = t.input(0);
  check_newer(t, {onnx::TensorProto::FLOAT});
  if (!is_constant_parameter(t, 1) || !is_constant_parameter(t, 2)) {
    dequantize_by_computed_scale(t);
    return;
  }
  const Quantization q = scales(t, 1, 2, t.tensor(input), channel_axis(t, 1, t.tensor(input)));
  if (!q.per_channel() || t.tensor(input).constant) {
    t.result(t.convert(t.with_quantization(input, q), ElementType::kFloat32));
    return;
  }
  dequantize_by_computed_scale(t);  // a computed tensor has only one scale
}

/// The definition step by step, each rounded to float32: scale and zero point are computed at run time. Where all
/// elements are 0, which leaves the definition without a scale, it is 1, as in ONNX Runtime.
DynamicallyQuantized dynamically_quantized(Translation& t, TensorId x) {
  std::vector<int> all(t.shape(x).size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<int>(i);
  }
  const TensorId zero = t.scalar(0, x);
  const TensorId steps = t.scalar(255, x);
  const TensorId high =
      t.binary(BinaryKind::kMaximum, t.emit(Reduce{ReduceKind::kMax, all, false}, {x}, ElementType::kFloat32), zero);
  const TensorId low =
      t.binary(BinaryKind::kMinimum, t.emit(Reduce{ReduceKind::kMin, all, false}, {x}, ElementType::kFloat32), zero);
  const TensorId range = t.binary(BinaryKind::kSubtract, high, low);
  const TensorId is_zero = t.test(BinaryKind::kEqual, range, zero);
  const TensorId scale = t.binary(BinaryKind::kDivide, t.select(is_zero, steps, range), steps);
  const TensorId from_low = t.binary(BinaryKind::kDivide, t.binary(BinaryKind::kSubtract, zero, low), scale);
  const TensorId zero_point = t.unary(UnaryKind::kRound, t.unary(UnaryKind::kClip, from_low, 0, 255));
  const TensorId rounded = t.unary(UnaryKind::kRound, t.binary(BinaryKind::kDivide, x, scale));
  const TensorId y = t.unary(UnaryKind::kClip, t.binary(BinaryKind::kAdd, rounded, zero_point), 0, 255);
  return {cast(t, y, ElementType::kUint8), scale, zero_point};
}

void dynamic_quantize_linear(Translation& t) {
  const DynamicallyQuantized quantized = dynamically_quantized(t, t.input(0));
  t.result(quantized.values, 0);
  t.result(quantized.scale, 1);
  t.result(cast(t, quantized.zero_point, ElementType::kUint8), 2);
}

}  // namespace systole::graph::onnx_file
