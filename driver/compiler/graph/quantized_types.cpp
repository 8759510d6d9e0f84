// SPDX-License-Identifier: Apache-2.0
#include "quantized_types.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "attributes.hpp"
#include "infer.hpp"

namespace systole::graph {

bool is_byte(ElementType type) { return type == ElementType::kInt8 || type == ElementType::kUint8; }

bool is_scaled_int16(const Tensor& tensor) {
  return tensor.type == ElementType::kInt16 && tensor.quantization.has_value();
}

bool is_quantizable(ElementType type) {
  return is_byte(type) || type == ElementType::kInt16 || type == ElementType::kUint16;
}

IntegerRange integer_range(ElementType type) {
  switch (type) {
    case ElementType::kInt8: return {-128, 127};
    case ElementType::kUint8: return {0, 255};
    case ElementType::kInt16: return {-32768, 32767};
    case ElementType::kUint16: return {0, 65535};
    case ElementType::kInt32:
    case ElementType::kInt64:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    default: throw GraphError(fmt::format("{} is not an integer type that can be quantized", name_of(type)));
  }
}

bool is_near_fraction(float scale, float fraction) {
  constexpr float kTolerance = 0.001F;
  return std::abs(scale - fraction) <= kTolerance * fraction;
}

bool same_quantization(const Tensor& a, const Tensor& b) {
  if (!a.quantization || !b.quantization) {
    return !a.quantization && !b.quantization;
  }
  const Quantization& left = *a.quantization;
  const Quantization& right = *b.quantization;
  if (left.scale.size() != right.scale.size() || left.zero_point != right.zero_point) {
    return false;
  }
  constexpr float kLastDigits = 1e-5F;
  for (std::size_t i = 0; i < left.scale.size(); ++i) {
    if (std::abs(left.scale[i] - right.scale[i]) > kLastDigits * left.scale[i]) {
      return false;
    }
  }
  return true;
}

void check_quantization(const Tensor& tensor) {
  if (!tensor.quantization) {
    return;
  }
  const Quantization& q = *tensor.quantization;
  const auto fail = [&](const std::string& what) { throw GraphError(fmt::format("{}: {}", title(tensor), what)); };
  const IntegerRange range = integer_range(tensor.type);
  if (q.scale.empty() || q.zero_point.size() != q.scale.size()) {
    fail(fmt::format("{} scales and {} zero points; expected at least one scale, and as many zero points",
                     q.scale.size(), q.zero_point.size()));
  }
  if (q.per_channel()) {
    const std::int64_t channels = tensor.shape.empty() ? 1 : tensor.shape[axis_of(q.axis, tensor.shape.size())];
    if (static_cast<std::int64_t>(q.scale.size()) != channels) {
      fail(fmt::format("{} scales for {} channels along axis {}", q.scale.size(), channels, q.axis));
    }
  }
  for (const float scale : q.scale) {
    if (!std::isfinite(scale) || scale <= 0) {
      fail(fmt::format("scale {}; scales must be positive and finite", scale));
    }
  }
  for (const std::int32_t zero_point : q.zero_point) {
    if (zero_point < range.min || zero_point > range.max) {
      fail(fmt::format("zero point {}; the range is {} .. {}", zero_point, range.min, range.max));
    }
  }
}

}  // namespace systole::graph
