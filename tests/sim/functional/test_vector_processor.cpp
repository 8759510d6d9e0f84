// SPDX-License-Identifier: Apache-2.0
// The vector processor of the functional model: every operation against a reference that is written another way,
// control flow, memory formats, and kernels that cannot go on.
#include <gemmlowp/fixedpoint/fixedpoint.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <bitset>
#include <cfenv>
#include <cmath>
#include <limits>

#include "block_float.hpp"
#include "model_bench.hpp"
#include "seed.hpp"
#include "systole/configurations.hpp"
#include "vector_lanes.hpp"
#include "vector_processor.hpp"
#include "whole_configurations.hpp"

namespace systole::test {
namespace {

using kernel::Op;
using model::compute_lane;
using model::VectorProcessor;

constexpr std::uint32_t kNan = 0x7fc00000;

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
float real(std::uint32_t word) { return std::bit_cast<float>(word); }

/// Integers and binary32 numbers of all sizes, with the corners often.
std::uint32_t operand(std::mt19937_64& random) {
  static constexpr std::uint32_t kCorners[] = {0,          1,          0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
                                               0x00800000, 0x007fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x7f7fffff,
                                               0x3f800000, 0xbf800000, 0x4b000000, 0x4f000000, 0xcf000000, 0x40000000};
  const auto word = static_cast<std::uint32_t>(random());
  switch (random() % 4) {
    case 0: return kCorners[random() % std::size(kCorners)];
    case 1: return static_cast<std::uint32_t>(static_cast<std::int32_t>(word) >> (random() % 32));
    default: return word;
  }
}

/// Floor division of 128-bit integers by a power of two, with no shift of a negative number.
__int128 floor_divide(__int128 value, int exponent) {
  const __int128 unit = __int128{1} << exponent;
  return value >= 0 ? value / unit : -((-value + unit - 1) / unit);
}

std::uint32_t saturate(__int128 value) {
  const __int128 high = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(value > high        ? high
                                                              : value < -high - 1 ? -high - 1
                                                                                  : value));
}

/// Ties away from zero, or to even.
std::uint32_t divide(std::int32_t a, int exponent, bool even) {
  const long double quotient = std::ldexp(static_cast<long double>(a), -exponent);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(even ? std::nearbyint(quotient) : std::round(quotient)));
}

/// binary32 from a result in 64 bits, rounded with an unbounded exponent. That a sum was rounded to 64 bits before
/// makes no difference, because 64 is more than 2 * 24 + 2.
std::uint32_t rounded(long double exact) {
  if (std::isnan(exact)) {
    return kNan;
  }
  if (exact == 0 || std::isinf(exact)) {
    return bits(static_cast<float>(exact));
  }
  int exponent = 0;
  const long double mantissa = std::nearbyint(std::ldexp(std::frexp(exact, &exponent), 24));
  const long double value = std::ldexp(mantissa, exponent - 24);
  return bits(std::fabs(value) < 0x1p-126L ? std::copysign(0.0F, static_cast<float>(exact))
                                           : static_cast<float>(value));
}

long double value_of(std::uint32_t word) {
  const float value = real(word);
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

std::uint32_t extreme(std::uint32_t a, std::uint32_t b, bool greatest) {
  const long double x = value_of(a), y = value_of(b);
  if (std::isnan(x) || std::isnan(y)) {
    return kNan;
  }
  const bool first = x != y ? (x > y) == greatest : std::signbit(x) != greatest;
  return bits(static_cast<float>(first ? x : y));
}

/// By the golden conversion of a block of two words, where b has the greatest exponent.
std::uint32_t mantissa(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t field = b & 0x7f800000;
  if (field == 0x7f800000 || (a & 0x7fffffff) > 0x7f800000) {
    return 0;
  }
  if ((a & 0x7f800000) > field) {
    return static_cast<std::uint32_t>(a >> 31 != 0 ? -127 : 127);
  }
  golden::ConversionCounts counts;
  return static_cast<std::uint32_t>(golden::to_block({real(a), real(field)}, counts).mantissas[0]);
}

std::uint32_t reference(Op op, std::uint32_t a, std::uint32_t b, bool even) {
  const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
  const int n = y < 0 ? 0 : y > 31 ? 31 : y;
  const auto all = [](bool holds) { return holds ? 0xffffffffU : 0U; };
  switch (op) {
    case Op::kMove: return a;
    case Op::kCountZeros: return a == 0 ? 32 : static_cast<std::uint32_t>(31 - std::ilogb(static_cast<double>(a)));
    case Op::kCountOnes: return static_cast<std::uint32_t>(std::bitset<32>(a).count());
    case Op::kToFloat: return rounded(x);
    case Op::kToInt: {
      const long double value = value_of(a);
      return std::isnan(value)   ? 0
             : value >= 0x1p31L  ? 0x7fffffffU
             : value <= -0x1p31L ? 0x80000000U
                                 : static_cast<std::uint32_t>(std::lrint(value));
    }
    case Op::kAddLane:
    case Op::kIadd: return static_cast<std::uint32_t>(std::uint64_t{a} + b);
    case Op::kIsub: return static_cast<std::uint32_t>(std::uint64_t{a} + (std::uint64_t{1} << 32) - b);
    case Op::kImul: return static_cast<std::uint32_t>(std::uint64_t{a} * b);
    case Op::kMulHigh: return static_cast<std::uint32_t>(gemmlowp::SaturatingRoundingDoublingHighMul(x, y));
    case Op::kMin: return static_cast<std::uint32_t>(x < y ? x : y);
    case Op::kMax: return static_cast<std::uint32_t>(x < y ? y : x);
    case Op::kAnd: return ~(~a | ~b);
    case Op::kOr: return ~(~a & ~b);
    case Op::kXor: return (a | b) - (a & b);
    case Op::kShiftLeft: return static_cast<std::uint32_t>(std::uint64_t{a} * (std::uint64_t{1} << n));
    case Op::kShiftSaturate: return saturate(__int128{x} * (__int128{1} << n));
    case Op::kShiftRight: return saturate(floor_divide(x, n));
    case Op::kShiftLogical: return static_cast<std::uint32_t>(floor_divide(a, n));
    case Op::kShiftRound: return divide(x, n, even);
    case Op::kLess: return all(x < y);
    case Op::kEqual: return all((a ^ b) == 0);
    case Op::kMaxMagnitude: return a << 1 > b << 1 ? a << 1 >> 1 : b << 1 >> 1;
    case Op::kRotateLeft: return static_cast<std::uint32_t>((std::uint64_t{a} << 32 | a) >> (32 - b % 32));
    case Op::kMulHighUnsigned: return static_cast<std::uint32_t>(static_cast<unsigned __int128>(a) * b >> 32);
    case Op::kFadd: return rounded(value_of(a) + value_of(b));
    case Op::kFsub: return rounded(value_of(a) - value_of(b));
    case Op::kFmul: return rounded(value_of(a) * value_of(b));
    case Op::kFmin: return extreme(a, b, false);
    case Op::kFmax: return extreme(a, b, true);
    case Op::kFless: return all(value_of(a) < value_of(b));
    case Op::kMantissa: return mantissa(a, b);
    default: ADD_FAILURE() << "no reference"; return 0;
  }
}

bool single_lane(kernel::Group group) { return group == kernel::Group::kVector1 || group == kernel::Group::kVector2; }

TEST(VectorLanes, EveryOperationAgainstItsReference) {
  std::mt19937_64 random(seed());
  for (const kernel::OpInfo& info : kernel::kOperations) {
    if (!single_lane(info.group) || info.op == Op::kTable) {
      continue;
    }
    for (int i = 0; i < 200'000; ++i) {
      const std::uint32_t a = operand(random);
      const bool shifts = info.op >= Op::kShiftLeft && info.op <= Op::kShiftRound;
      const std::uint32_t b =
          shifts ? static_cast<std::uint32_t>(static_cast<int>(random() % 40) - 4) : operand(random);
      const bool even = random() % 2 == 0;
      ASSERT_EQ(compute_lane(info.op, a, b, even), reference(info.op, a, b, even))
          << info.name << std::hex << " 0x" << a << " 0x" << b << (even ? " even" : "");
    }
  }
}

TEST(VectorLanes, ResultsNearTheLeastNormal) {
  const std::uint32_t least = 0x00800000;  // 2^-126
  EXPECT_EQ(compute_lane(Op::kFmul, bits(0x1p-100F), bits(0x1p-26F), false), least);
  EXPECT_EQ(compute_lane(Op::kFmul, bits(0x1p-100F), bits(0x1p-27F), false), 0U);
  EXPECT_EQ(compute_lane(Op::kFmul, bits(-0x1p-100F), bits(0x1p-27F), false), 0x80000000U);
  // (1 - 2^-24)^2 * 2^-126 is 1 - 2^-23 + 2^-48: below the least normal with 24 bits.
  EXPECT_EQ(compute_lane(Op::kFmul, bits(0x1.fffffep-64F), bits(0x1.fffffep-64F), false), 0U);
  // (1 - 2^-24) * (1 + 2^-23) is 1 + 2^-24 - 2^-47: rounds to 1.
  EXPECT_EQ(compute_lane(Op::kFmul, bits(0x1.fffffep-64F), bits(0x1.000002p-63F), false), least);
  EXPECT_EQ(compute_lane(Op::kFsub, bits(0x1.8p-126F), bits(0x1p-126F), false), 0U);
  EXPECT_EQ(compute_lane(Op::kFadd, 0x007fffff, bits(0x1p-126F), false), least);
}

TEST(VectorLanes, ReductionsAreTrees) {
  const auto float_sum = [](std::vector<float> values) {
    std::vector<std::uint32_t> words;
    for (const float value : values) {
      words.push_back(bits(value));
    }
    return real(model::reduce_lanes(Op::kFsumLanes, words.data(), static_cast<int>(words.size())));
  };
  EXPECT_EQ(float_sum({1e8F, 1, -1e8F, 1}), 0.0F);  // (1e8 + 1) + (-1e8 + 1), each rounded
  EXPECT_EQ(float_sum({1e8F, -1e8F, 1, 1}), 2.0F);
  const std::uint32_t words[] = {5, 0xffffffff, 7, 0x7fffffff};
  EXPECT_EQ(model::reduce_lanes(Op::kSumLanes, words, 4), 0x8000000aU);
  EXPECT_EQ(model::reduce_lanes(Op::kMaxLanes, words, 4), 0x7fffffffU);
  const std::uint32_t floats[] = {bits(-1), bits(-0.0F), bits(0), bits(-2)};
  EXPECT_EQ(model::reduce_lanes(Op::kFmaxLanes, floats, 4), 0U);
}

class Processor : public testing::TestWithParam<Configuration> {
 protected:
  Processor() { bench_.randomize(); }

  void run(const std::string& text, const std::vector<std::uint32_t>& arguments) {
    bench_.put_kernel(100, kernel::assemble(text).words);
    std::array<std::uint32_t, kernel::kArguments> values{};
    std::copy(arguments.begin(), arguments.end(), values.begin());
    processor_.run(100, values);
  }
  std::vector<std::int8_t> scratch(int row) {
    const std::int8_t* bytes = bench_.state().scratch(static_cast<std::uint16_t>(row));
    return {bytes, bytes + bench_.dim()};
  }
  std::vector<std::int32_t> accumulator(int row) {
    const std::int32_t* words = bench_.state().accumulator(row);
    return {words, words + bench_.dim()};
  }
  std::string fault_of(const std::vector<kernel::Word>& words, std::uint32_t entry = 0) {
    bench_.put_kernel(entry, words);
    try {
      processor_.run(entry, {3, 2});
    } catch (const kernel::KernelFault& fault) {
      return fault.what();
    } catch (const model::Fault& fault) {
      return fault.what();
    }
    return "none";
  }

  Bench bench_{GetParam(), seed()};
  VectorProcessor processor_{bench_.state()};
};

INSTANTIATE_TEST_SUITE_P(Configurations, Processor, testing::ValuesIn(test::whole_configurations()),
                         ConfigurationName());

TEST_P(Processor, FormatsAreExtendedAndSaturated) {
  const int dim = bench_.dim();
  run(R"(kernel copy(zero, signed, unsigned, half, whole, sums, two)
vector x
move x, i8[signed]
move acc[sums], x
move x, u8[signed]
move acc[sums, two], x
move x, i32[signed, 1, two]
move i8[zero], x
move u8[unsigned], x
move i16[half, two], x
move i32[whole, 1, two], x
end
)",
      {300, 200, 310, 320, 400, 10, 2});
  std::vector<std::int32_t> words(static_cast<std::size_t>(dim));
  for (int row = 0; row < kernel::kStripRows; ++row) {
    std::vector<std::int8_t> line, planes;
    for (int plane = 0; plane < 4; ++plane) {
      const auto from = scratch(200 + row + 2 * plane), to = scratch(400 + row + 2 * plane);
      line.insert(line.end(), from.begin(), from.end());
      planes.insert(planes.end(), to.begin(), to.end());
    }
    std::memcpy(words.data(), line.data(), line.size());
    const auto extended = accumulator(10 + 2 * row);
    const auto signed_row = scratch(300 + row), unsigned_row = scratch(310 + row);
    for (int n = 0; n < dim; ++n) {
      const std::int32_t word = words[static_cast<std::size_t>(n)];
      const auto i = static_cast<std::size_t>(n);
      EXPECT_EQ(extended[i], static_cast<std::uint8_t>(scratch(200 + row)[i]));
      EXPECT_EQ(signed_row[i], std::clamp(word, -128, 127));
      EXPECT_EQ(static_cast<std::uint8_t>(unsigned_row[i]), std::clamp(word, 0, 255));
    }
    // Rows of planes that a later row of the same store writes again are not compared.
    if (row >= kernel::kStripRows - 2) {
      EXPECT_EQ(std::vector(planes.begin() + 3 * dim, planes.end()), std::vector(line.begin() + 3 * dim, line.end()));
    }
    std::vector<std::int8_t> half = scratch(320 + 2 * row);
    const auto second = scratch(321 + 2 * row);
    half.insert(half.end(), second.begin(), second.end());
    for (int n = 0; n < dim; ++n) {
      std::int16_t value;
      std::memcpy(&value, half.data() + 2 * n, 2);
      EXPECT_EQ(value, std::clamp(words[static_cast<std::size_t>(n)], -32768, 32767));
    }
  }
}

TEST_P(Processor, LoopsNestAndMayRunNever) {
  run(R"(kernel count(sums, outer, inner, never)
vector x
move x, 0
loop outer
  loop inner
    iadd x, x, 1
    loop never
      iadd x, x, 1000
    end
  end
  iadd x, x, 100
end
move acc[sums], x
end
)",
      {4, 3, 5, 0xffffffff});
  EXPECT_THAT(accumulator(4), testing::Each(3 * 5 + 3 * 100));
}

TEST_P(Processor, RowsLimitAStrip) {
  const auto before = accumulator(23);
  run(R"(kernel fill(sums, rows)
rows rows
move acc[sums], 7
sub rows, rows, 4
rows rows
move acc[sums], 8
end
)",
      {20, 3});
  for (int row = 20; row < 23; ++row) {
    EXPECT_THAT(accumulator(row), testing::Each(7));
  }
  EXPECT_EQ(accumulator(23), before);
}

TEST_P(Processor, TableAndLanes) {
  for (std::uint32_t i = 0; i < kernel::kTableWords; ++i) {
    bench_.state().words()[i] = 3 * i;
  }
  run(R"(kernel look(src, sums)
vector x, y
table x, i8[src]
sum_lanes y, x
move acc[sums], y
end
)",
      {40, 8});
  for (int row = 0; row < kernel::kStripRows; ++row) {
    std::int32_t sum = 0;
    for (const std::int8_t value : scratch(40 + row)) {
      sum += 3 * static_cast<std::uint8_t>(value);
    }
    EXPECT_THAT(accumulator(8 + row), testing::Each(sum));
  }
}

TEST_P(Processor, KernelsThatCannotGoOn) {
  const auto words = [](const std::string& body) {
    return kernel::assemble("kernel k(a, b)\nvector x\n" + body).words;
  };
  EXPECT_EQ(fault_of({63}), "kernel word 0: there is no operation 63");
  EXPECT_EQ(fault_of(words("rows a\nend\n"), kernel::kMemoryWords - 2), "none");
  const kernel::Word rows = words("rows a\nend\n")[0];
  EXPECT_EQ(fault_of({rows}, kernel::kMemoryWords - 1), "kernel word 1024: the kernel memory has 1024 words");
  const kernel::Word loop = kernel::with(kernel::with(1, kernel::kAField, 0), kernel::kImmediateField, 1);
  EXPECT_EQ(fault_of({loop, 0}), "kernel word 1: end within a loop");
  EXPECT_EQ(fault_of({kernel::with(loop, kernel::kImmediateField, 0), 0}),
            "kernel word 0: the loop's body is empty, or ends behind the loop around it or the kernel memory");
  EXPECT_EQ(fault_of({loop, kernel::with(loop, kernel::kImmediateField, 2), rows, rows, 0}),
            "kernel word 1: the loop's body is empty, or ends behind the loop around it or the kernel memory");
  std::vector<kernel::Word> deep;
  for (std::uint32_t left = 5; left > 0; --left) {
    deep.push_back(kernel::with(loop, kernel::kImmediateField, left));
  }
  deep.insert(deep.end(), {rows, 0});
  EXPECT_EQ(fault_of(deep), "kernel word 4: loops in more than 4 levels");
  const Configuration& c = GetParam();
  const std::string beyond = fmt::format("kernel k(a, b)\nset a, {}\n", c.scratch_end() - 7);
  EXPECT_EQ(fault_of(kernel::assemble(beyond + "move i8[a], 0\nend\n").words),
            fmt::format("error {} at {:#x}", static_cast<int>(isa::ErrorCode::kScratchRange), c.scratch_end()));
  EXPECT_EQ(
      fault_of(kernel::assemble(fmt::format("kernel k(a, b)\nset a, {}\nmove acc[a], 0\nend\n", c.acc_rows)).words),
      fmt::format("error {} at {:#x}", static_cast<int>(isa::ErrorCode::kAccRange), c.acc_rows));
}

}  // namespace
}  // namespace systole::test
