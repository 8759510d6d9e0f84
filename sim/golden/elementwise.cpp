// SPDX-License-Identifier: Apache-2.0
#include "elementwise.hpp"

#include <fmt/core.h>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

int broadcast(const char* axis, int a, int b) {
  if (a != b && a != 1 && b != 1) {
    throw InvalidArgument(fmt::format("element-wise operands of {} {} and {}", axis, a, b));
  }
  return a == 1 ? b : a;
}

const std::int8_t& repeated(const Tensor8& tensor, int n, int y, int x, int c) {
  return tensor.at(tensor.shape.batch == 1 ? 0 : n, tensor.shape.height == 1 ? 0 : y, tensor.shape.width == 1 ? 0 : x,
                   tensor.shape.channels == 1 ? 0 : c);
}

template <class Function>
Tensor8 for_each_pair(const Tensor8& lhs, const Tensor8& rhs, Function function) {
  Tensor8 out(NhwcShape{broadcast("batch", lhs.shape.batch, rhs.shape.batch),
                        broadcast("height", lhs.shape.height, rhs.shape.height),
                        broadcast("width", lhs.shape.width, rhs.shape.width),
                        broadcast("channels", lhs.shape.channels, rhs.shape.channels)});
  for (int n = 0; n < out.shape.batch; ++n) {
    for (int y = 0; y < out.shape.height; ++y) {
      for (int x = 0; x < out.shape.width; ++x) {
        for (int c = 0; c < out.shape.channels; ++c) {
          out.at(n, y, x, c) = function(repeated(lhs, n, y, x, c), repeated(rhs, n, y, x, c));
        }
      }
    }
  }
  return out;
}

void check_scale(const char* which, const QuantParam& param, int max_shift) {
  if (!is_valid(param) || param.shift > max_shift) {
    throw InvalidArgument(
        fmt::format("{} scale out of range: multiplier {}, shift {}", which, param.multiplier, param.shift));
  }
}

void check_zero_point(std::int32_t zero_point) {
  if (zero_point < -128 || zero_point > 127) {
    throw InvalidArgument(fmt::format("zero point {} is not an int8", zero_point));
  }
}

// lhs + sign * rhs
Tensor8 combine(const Tensor8& lhs, const Tensor8& rhs, const AddParams& params, std::int32_t sign) {
  check_scale("left operand", params.lhs_scale, 0);
  check_scale("right operand", params.rhs_scale, 0);
  check_scale("output", params.output_scale, kMaxQuantShift);
  check_zero_point(params.lhs_zero_point);
  check_zero_point(params.rhs_zero_point);
  const auto rescale = [&](std::int8_t value, std::int32_t zero_point, const QuantParam& scale) {
    const std::int32_t raised = (value - zero_point) * (1 << kAddLeftShift);
    return static_cast<std::int32_t>(multiply_by_quantized_multiplier(raised, scale, params.rounding));
  };
  return for_each_pair(lhs, rhs, [&](std::int8_t a, std::int8_t b) {
    const std::int32_t sum = rescale(a, params.lhs_zero_point, params.lhs_scale) +
                             sign * rescale(b, params.rhs_zero_point, params.rhs_scale);
    return requantize(sum, params.output_scale, params.output_zero_point, params.clamp_min, params.clamp_max,
                      params.rounding);
  });
}

}  // namespace

Tensor8 add(const Tensor8& lhs, const Tensor8& rhs, const AddParams& params) { return combine(lhs, rhs, params, 1); }
Tensor8 subtract(const Tensor8& lhs, const Tensor8& rhs, const AddParams& params) {
  return combine(lhs, rhs, params, -1);
}

Tensor8 multiply(const Tensor8& lhs, const Tensor8& rhs, const MultiplyParams& params) {
  check_scale("output", params.output_scale, kMaxQuantShift);
  check_zero_point(params.lhs_zero_point);
  check_zero_point(params.rhs_zero_point);
  return for_each_pair(lhs, rhs, [&](std::int8_t a, std::int8_t b) {
    const std::int32_t product = (a - params.lhs_zero_point) * (b - params.rhs_zero_point);
    return requantize(product, params.output_scale, params.output_zero_point, params.clamp_min, params.clamp_max,
                      params.rounding);
  });
}

LookupTable make_lookup_table(const std::function<std::int8_t(std::int8_t)>& function) {
  LookupTable table{};
  for (int value = -128; value <= 127; ++value) {
    table[static_cast<std::uint8_t>(value)] = function(static_cast<std::int8_t>(value));
  }
  return table;
}

Tensor8 lookup(const Tensor8& input, const LookupTable& table) {
  Tensor8 out(input.shape);
  for (std::size_t i = 0; i < out.data.size(); ++i) {
    out.data[i] = table[static_cast<std::uint8_t>(input.data[i])];
  }
  return out;
}

}  // namespace systole::golden
