// SPDX-License-Identifier: Apache-2.0
// Built with -ffp-contract=off: one rounding per operation.
#include "vector_lanes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "systole/requantize.hpp"

namespace systole::model {
namespace {

using kernel::Op;

constexpr std::uint32_t kNan = 0x7fc00000;
constexpr std::uint32_t kSign = 0x80000000;
constexpr std::uint32_t kInfinity = 0x7f800000;

std::int32_t as_int(std::uint32_t word) { return static_cast<std::int32_t>(word); }
std::uint32_t as_word(std::int32_t value) { return static_cast<std::uint32_t>(value); }

bool is_nan(std::uint32_t word) { return (word & ~kSign) > kInfinity; }

/// Subnormal operands count as zeros.
float operand(std::uint32_t word) { return std::bit_cast<float>((word & kInfinity) == 0 ? word & kSign : word); }

/// The word of a result: one NaN, no subnormals.
std::uint32_t result(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  return std::isnan(value) ? kNan : (word & kInfinity) == 0 ? word & kSign : word;
}

/// The product is exact in binary64. Between 2^-126 * (1 - 2^-24) and 2^-126 * (1 - 2^-25) binary32's subnormals would
/// round it up to 2^-126, but 24 bits with an unbounded exponent do not.
std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  const double product = static_cast<double>(operand(a)) * static_cast<double>(operand(b));
  const double least_normal = 0x1p-126 * (1 - 0x1p-25);
  return result(std::fabs(product) < least_normal ? std::copysign(0.0F, static_cast<float>(product))
                                                  : static_cast<float>(product));
}

/// -0 is below 0, which as integers the words without their sign tell.
bool less(std::uint32_t a, std::uint32_t b) {
  const auto order = [](std::uint32_t word) { return word & kSign ? -1 - as_int(word & ~kSign) : as_int(word); };
  return order(std::bit_cast<std::uint32_t>(operand(a))) < order(std::bit_cast<std::uint32_t>(operand(b)));
}

std::uint32_t extreme(std::uint32_t a, std::uint32_t b, bool greatest) {
  if (is_nan(a) || is_nan(b)) {
    return kNan;
  }
  return result(operand(less(a, b) == greatest ? b : a));
}

std::uint32_t to_int(std::uint32_t word) {
  if (is_nan(word)) {
    return 0;
  }
  const double rounded = std::nearbyint(static_cast<double>(operand(word)));
  return as_word(static_cast<std::int32_t>(std::clamp(rounded, -0x1p31, 0x1p31 - 1)));
}

/// Of a block whose exponent field is that of `of`. Greater exponents than the block's are limited like all else.
std::uint32_t mantissa(std::uint32_t word, std::uint32_t of) {
  const std::uint32_t field = of >> 23 & 0xff;
  if (is_nan(word) || field == 0xff) {
    return 0;
  }
  const double scaled = std::ldexp(static_cast<double>(operand(word)), 133 - static_cast<int>(field));
  return as_word(static_cast<std::int32_t>(std::clamp(std::nearbyint(scaled), -127.0, 127.0)));
}

std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
  const std::int64_t product = std::int64_t{as_int(a)} * as_int(b);
  return as_word(saturate_to_int32((product + (std::int64_t{1} << 30)) >> 31));
}

std::uint32_t round_shift(std::uint32_t a, int amount, bool even) {
  if (!even) {
    return as_word(rounding_divide_by_power_of_two(as_int(a), amount));
  }
  const std::int64_t floor = std::int64_t{as_int(a)} >> amount;
  const std::int64_t rest = 2 * (as_int(a) - (floor << amount)), unit = std::int64_t{1} << amount;
  return as_word(static_cast<std::int32_t>(floor + (rest > unit || (rest == unit && (floor & 1) != 0) ? 1 : 0)));
}

int amount_of(std::uint32_t word) { return std::clamp(as_int(word), 0, 31); }

std::uint32_t mask(bool holds) { return holds ? ~std::uint32_t{0} : 0; }

}  // namespace

std::uint32_t compute_lane(Op op, std::uint32_t a, std::uint32_t b, bool even) {
  switch (op) {
    case Op::kMove: return a;
    case Op::kCountZeros: return static_cast<std::uint32_t>(std::countl_zero(a));
    case Op::kCountOnes: return static_cast<std::uint32_t>(std::popcount(a));
    case Op::kToFloat: return std::bit_cast<std::uint32_t>(static_cast<float>(as_int(a)));
    case Op::kToInt: return to_int(a);
    case Op::kAddLane:
    case Op::kIadd: return a + b;
    case Op::kIsub: return a - b;
    case Op::kImul: return a * b;
    case Op::kMulHigh: return multiply_high(a, b);
    case Op::kMin: return as_word(std::min(as_int(a), as_int(b)));
    case Op::kMax: return as_word(std::max(as_int(a), as_int(b)));
    case Op::kAnd: return a & b;
    case Op::kOr: return a | b;
    case Op::kXor: return a ^ b;
    case Op::kShiftLeft: return a << amount_of(b);
    case Op::kShiftSaturate:
      return as_word(saturate_to_int32(std::int64_t{as_int(a)} * (std::int64_t{1} << amount_of(b))));
    case Op::kShiftRight: return as_word(as_int(a) >> amount_of(b));
    case Op::kShiftLogical: return a >> amount_of(b);
    case Op::kShiftRound: return round_shift(a, amount_of(b), even);
    case Op::kLess: return mask(as_int(a) < as_int(b));
    case Op::kEqual: return mask(a == b);
    case Op::kMaxMagnitude: return std::max(a & ~kSign, b & ~kSign);
    case Op::kRotateLeft: return std::rotl(a, static_cast<int>(b % 32));
    case Op::kMulHighUnsigned: return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
    case Op::kFadd: return result(operand(a) + operand(b));
    case Op::kFsub: return result(operand(a) - operand(b));
    case Op::kFmul: return multiply(a, b);
    case Op::kFmin: return extreme(a, b, false);
    case Op::kFmax: return extreme(a, b, true);
    case Op::kFless: return mask(operand(a) < operand(b));
    case Op::kMantissa: return mantissa(a, b);
    default: return 0;  // no operation of a single lane
  }
}

std::uint32_t reduce_lanes(Op op, const std::uint32_t* lanes, int count) {
  const Op pairwise = op == Op::kSumLanes    ? Op::kIadd
                      : op == Op::kMaxLanes  ? Op::kMax
                      : op == Op::kFsumLanes ? Op::kFadd
                                             : Op::kFmax;
  std::vector<std::uint32_t> level(lanes, lanes + count);
  while (level.size() > 1) {
    for (std::size_t i = 0; i < level.size() / 2; ++i) {
      level[i] = compute_lane(pairwise, level[2 * i], level[2 * i + 1], false);
    }
    level.resize(level.size() / 2);
  }
  return level[0];
}

}  // namespace systole::model
