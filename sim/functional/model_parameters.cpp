// SPDX-License-Identifier: Apache-2.0
#include "model_parameters.hpp"

#include <cstring>

namespace systole::model {
namespace {

using Wide = __int128;

Wide round_shift(Wide value, int right, Rounding rounding) {
  if (right == 0) {
    return value;
  }
  const Wide half = Wide{1} << (right - 1);
  if (rounding == Rounding::kSingle) {
    return (value + half) >> right;
  }
  const Wide floor = value >> right;
  const Wide remainder = value & (2 * half - 1);
  return floor + (remainder > half || (remainder == half && (floor & 1) != 0) ? 1 : 0);
}

std::int32_t int32_at(const std::int8_t* bytes) {
  std::int32_t value;
  std::memcpy(&value, bytes, sizeof value);  // device and host are little-endian
  return value;
}

}  // namespace

std::int64_t rescale_any(std::int32_t value, const Scale& scale, Rounding rounding) {
  if (rounding != Rounding::kDouble) {
    return static_cast<std::int64_t>(round_shift(Wide{value} * scale.multiplier, 31 - scale.shift, rounding));
  }
  const int left = std::max(scale.shift, 0);
  const int right = std::max(-scale.shift, 0);
  const std::int64_t shifted = saturate_to_int32(std::int64_t{value} * (std::int64_t{1} << left));
  const std::int64_t high = saturate_to_int32((shifted * scale.multiplier + (std::int64_t{1} << 30)) >> 31);
  const std::int64_t mask = (std::int64_t{1} << right) - 1;
  return (high >> right) + ((high & mask) > (mask >> 1) + (high < 0 ? 1 : 0) ? 1 : 0);
}

ChannelParameters read_channel_parameters(State& state, std::uint16_t row) {
  const auto dim = static_cast<std::size_t>(state.dim());
  std::vector<std::int8_t> bytes(9 * dim);
  for (std::size_t r = 0; r < 9; ++r) {
    std::memcpy(&bytes[r * dim], state.param(row16(row + static_cast<int>(r))), dim);
  }
  ChannelParameters p{std::vector<std::int32_t>(dim), std::vector<Scale>(dim)};
  for (std::size_t n = 0; n < dim; ++n) {
    p.bias[n] = int32_at(&bytes[4 * n]);
    p.scale[n] = {int32_at(&bytes[4 * dim + 4 * n]), shift_of(bytes[8 * dim + n])};
  }
  return p;
}

Scale read_scale(State& state, std::uint16_t row) {
  const std::int32_t multiplier = int32_at(state.param(row));
  return {multiplier, shift_of(state.param(row16(row + 1))[0])};
}

std::int8_t Addition::operator()(std::int8_t x1, std::int8_t x2) const {
  const std::int32_t s1 = saturate_to_int32(rescale((x1 - zero1) * (1 << 20), scale[0], rounding));
  const std::int32_t s2 = saturate_to_int32(rescale((x2 - zero2) * (1 << 20), scale[1], rounding));
  return clamp_to(rescale(wrapping_add(s1, s2), scale[2], rounding) + zero_point, clamp_min, clamp_max);
}

}  // namespace systole::model
