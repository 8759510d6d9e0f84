// SPDX-License-Identifier: Apache-2.0
// Operators on plain numbers, indices and booleans, and 16-bit floats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "element_visit.hpp"
#include "operator_graph.hpp"

namespace systole::graph::test {
namespace {

using testing::ElementsAre;
using Floats = std::vector<float>;
using Longs = std::vector<std::int64_t>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Float16, RoundsToEvenAndOverflowsToInfinity) {
  EXPECT_EQ(Float16(1.0).bits, 0x3C00);
  EXPECT_EQ(Float16(-2.0).bits, 0xC000);
  EXPECT_EQ(Float16(65504.0).bits, 0x7BFF);
  EXPECT_EQ(Float16(65519.9).bits, 0x7BFF);
  EXPECT_EQ(Float16(65520.0).bits, 0x7C00);
  EXPECT_EQ(Float16(std::ldexp(1.0, -24)).bits, 0x0001);
  EXPECT_EQ(Float16(std::ldexp(1.0, -25)).bits, 0x0000);
  EXPECT_EQ(Float16(std::ldexp(1.0, -14)).bits, 0x0400);
  EXPECT_EQ(Float16(1 + std::ldexp(1.0, -11)).bits, 0x3C00);
  EXPECT_EQ(Float16(1 + std::ldexp(3.0, -11)).bits, 0x3C02);
  EXPECT_TRUE(std::isnan(static_cast<float>(Float16(kNan))));
}

TEST(Float16, RoundTripThroughFloat) {
  for (int bits = 0; bits < 1 << 16; ++bits) {
    Float16 number;
    number.bits = static_cast<std::uint16_t>(bits);
    const float wide = number;
    if (!std::isnan(wide)) {
      EXPECT_EQ(Float16(wide).bits, bits);
    }
  }
}

TEST(Bfloat16, IsUpperHalfOfFloatRoundedToEven) {
  EXPECT_EQ(Bfloat16(1.0).bits, 0x3F80);
  EXPECT_EQ(Bfloat16(1.01171875).bits, 0x3F82);
  EXPECT_EQ(Bfloat16(1.00390625).bits, 0x3F80);
  EXPECT_EQ(Bfloat16(1.00391).bits, 0x3F81);
  EXPECT_EQ(Bfloat16(-1.0117).bits, 0xBF81);
  EXPECT_EQ(Bfloat16(3.4e38).bits, 0x7F80);
  EXPECT_EQ(Bfloat16(kInfinity).bits, 0x7F80);
  EXPECT_EQ(static_cast<float>(Bfloat16(-3.0)), -3.0F);
  EXPECT_TRUE(std::isnan(static_cast<float>(Bfloat16(kNan))));
}

TEST(Order, TiesSelectFirstOrLast) {
  const auto where = [](bool largest, bool last) {
    return run<std::int64_t>(
        one_operator(ArgExtreme{largest, 0, true, last}, {tensor({4})}, {tensor({1}, ElementType::kInt64)}),
        std::vector<Floats>{{1, 3, 3, 1}});
  };
  EXPECT_THAT(where(true, false), ElementsAre(1));
  EXPECT_THAT(where(true, true), ElementsAre(2));
  EXPECT_THAT(where(false, false), ElementsAre(0));
  EXPECT_THAT(where(false, true), ElementsAre(3));
}

TEST(Order, NaNIsLargest) {
  const Graph graph = one_operator(TopK{-1, true}, {tensor({4})}, {tensor({2}), tensor({2}, ElementType::kInt64)});
  validate(graph);
  const auto results = execute(graph, {make_value<float>(ElementType::kFloat32, {4}, {1, kNan, kInfinity, kNan})});
  EXPECT_THAT(elements<std::int64_t>(results[1]), ElementsAre(1, 3));
}

TEST(Order, CumulativeSumsRunFromEitherEnd) {
  const auto sums = [](bool exclusive, bool reverse) {
    return run<std::int64_t>(one_operator(CumulativeSum{0, exclusive, reverse}, {tensor({2, 2}, ElementType::kInt64)},
                                          {tensor({2, 2}, ElementType::kInt64)}),
                             std::vector<Longs>{{1, 2, 3, std::numeric_limits<std::int64_t>::max()}});
  };
  EXPECT_THAT(sums(false, false), ElementsAre(1, 2, 4, std::numeric_limits<std::int64_t>::min() + 1));
  EXPECT_THAT(sums(true, true), ElementsAre(3, std::numeric_limits<std::int64_t>::max(), 0, 0));
}

TEST(Order, PositionsOfMaximaCountInPlanes) {
  MaxIndices kind;
  kind.window.kernel_h = 2;
  kind.window.kernel_w = 2;
  const auto places = [&](bool columns_first) {
    kind.columns_first = columns_first;
    return run<std::int64_t>(one_operator(kind, {tensor({1, 2, 3, 2})}, {tensor({1, 1, 2, 2}, ElementType::kInt64)}),
                             std::vector<Floats>{{1, 0, 2, 0, 3, 0, 4, 0, 5, 9, 6, 0}});
  };
  EXPECT_THAT(places(false), ElementsAre(4, 6 + 4, 5, 6 + 4));
  EXPECT_THAT(places(true), ElementsAre(3, 6 + 3, 5, 6 + 3));
}

TEST(Positions, ScatterInOrder) {
  const auto result = [](Scatter::Combine how) {
    const Tensor places = constant<std::int64_t>(tensor({3}, ElementType::kInt64), {1, -1, 1});
    return run<float>(one_operator(Scatter{how}, {tensor({2}), places, tensor({3})}, {tensor({2})}),
                      std::vector<Floats>{{10, 20}, {1, 2, 30}});
  };
  EXPECT_THAT(result(Scatter::Combine::kReplace), ElementsAre(10, 30));
  EXPECT_THAT(result(Scatter::Combine::kAdd), ElementsAre(10, 53));
  EXPECT_THAT(result(Scatter::Combine::kMultiply), ElementsAre(10, 1200));
  EXPECT_THAT(result(Scatter::Combine::kMaximum), ElementsAre(10, 30));
  EXPECT_THAT(result(Scatter::Combine::kMinimum), ElementsAre(10, 1));
}

TEST(Positions, ScatteredFloatsAreAddedAsByBinary) {
  const float subnormal = std::ldexp(1.0F, -130);
  const Tensor places = constant<std::int32_t>(tensor({2}, ElementType::kInt32), {0, 0});
  const Floats sums =
      run<float>(one_operator(Scatter{Scatter::Combine::kAdd}, {tensor({3}), places, tensor({2})}, {tensor({3})}),
                 std::vector<Floats>{{1, -0.0F, subnormal}, {subnormal, -1}});
  EXPECT_THAT(sums, ElementsAre(0, 0, 0));
  EXPECT_TRUE(std::signbit(sums[1]));
}

TEST(Positions, RejectIndicesOutOfRange) {
  const Graph graph =
      one_operator(FlatIndex{{2, 3}}, {tensor({2, 2}, ElementType::kInt32)}, {tensor({2}, ElementType::kInt64)});
  EXPECT_THAT((run<std::int64_t>(graph, std::vector<std::vector<std::int32_t>>{{1, 2, -2, -1}})), ElementsAre(5, 2));
  EXPECT_THROW((run<std::int64_t>(graph, std::vector<std::vector<std::int32_t>>{{1, 3, 0, 0}})), GraphError);
  EXPECT_THROW((run<std::int64_t>(graph, std::vector<std::vector<std::int32_t>>{{-3, 0, 0, 0}})), GraphError);
}

TEST(Positions, RejectMismatchedShapesAndTypes) {
  EXPECT_THROW(validate(one_operator(FlatIndex{{2, 3}}, {tensor({2, 3}, ElementType::kInt64)},
                                     {tensor({2}, ElementType::kInt64)})),
               GraphError);
  EXPECT_THROW(validate(one_operator(Gather{}, {tensor({2}), tensor({1})}, {tensor({1})})), GraphError);
  EXPECT_THROW(validate(one_operator(Gather{1}, {tensor({2}), tensor({1}, ElementType::kInt64)}, {tensor({1})})),
               GraphError);
  EXPECT_THROW(validate(one_operator(TopK{}, {tensor({2})}, {tensor({3}), tensor({3}, ElementType::kInt64)})),
               GraphError);
  EXPECT_THROW(validate(one_operator(TopK{}, {tensor({2})}, {tensor({1})})), GraphError);
  EXPECT_THROW(
      validate(one_operator(Scatter{}, {tensor({2}), tensor({1}, ElementType::kInt64), tensor({2})}, {tensor({2})})),
      GraphError);
  EXPECT_THROW(validate(one_operator(Determinant{}, {tensor({2, 3})}, {tensor({2})})), GraphError);
}

TEST(Truth, ComparisonsWithNaNAreFalse) {
  const auto holds = [](BinaryKind kind) {
    return run<std::uint8_t>(one_operator(Binary{kind}, {tensor({3}), tensor({3})}, {tensor({3}, ElementType::kBool)}),
                             std::vector<Floats>{{1, kNan, 2}, {1, 1, 1}});
  };
  EXPECT_THAT(holds(BinaryKind::kEqual), ElementsAre(1, 0, 0));
  EXPECT_THAT(holds(BinaryKind::kLess), ElementsAre(0, 0, 0));
  EXPECT_THAT(holds(BinaryKind::kLessOrEqual), ElementsAre(1, 0, 0));
}

TEST(Truth, ResultsAreBool) {
  EXPECT_THROW(validate(one_operator(Binary{BinaryKind::kLess}, {tensor({1}), tensor({1})}, {tensor({1})})),
               GraphError);
  EXPECT_THROW(
      validate(one_operator(Binary{BinaryKind::kAnd}, {tensor({1}), tensor({1})}, {tensor({1}, ElementType::kBool)})),
      GraphError);
  EXPECT_THROW(validate(one_operator(Unary{UnaryKind::kNot}, {tensor({1})}, {tensor({1})})), GraphError);
  EXPECT_THROW(validate(one_operator(Select{}, {tensor({1}), tensor({1}), tensor({1})}, {tensor({1})})), GraphError);
}

TEST(Numbers, RemaindersHaveTheSignOfEitherOperand) {
  const auto rest = [](BinaryKind kind, std::int32_t a, std::int32_t b) {
    const Tensor number = tensor({1}, ElementType::kInt32);
    return run<std::int32_t>(one_operator(Binary{kind}, {number, number}, {number}),
                             std::vector<std::vector<std::int32_t>>{{a}, {b}})[0];
  };
  EXPECT_EQ(rest(BinaryKind::kModulo, -7, 3), 2);
  EXPECT_EQ(rest(BinaryKind::kRemainder, -7, 3), -1);
  EXPECT_EQ(rest(BinaryKind::kModulo, 7, -3), -2);
  EXPECT_EQ(rest(BinaryKind::kModulo, std::numeric_limits<std::int32_t>::min(), -1), 0);
  EXPECT_THROW(rest(BinaryKind::kModulo, 1, 0), GraphError);
}

TEST(Numbers, ShiftsBeyondWidthGiveZero) {
  const auto shifted = [](BinaryKind kind, std::uint8_t a, std::uint8_t b) {
    const Tensor number = tensor({1}, ElementType::kUint8);
    return run<std::uint8_t>(one_operator(Binary{kind}, {number, number}, {number}, Arithmetic::kOnnx),
                             std::vector<std::vector<std::uint8_t>>{{a}, {b}})[0];
  };
  EXPECT_EQ(shifted(BinaryKind::kShiftLeft, 0x81, 1), 2);
  EXPECT_EQ(shifted(BinaryKind::kShiftRight, 0x81, 1), 0x40);
  EXPECT_EQ(shifted(BinaryKind::kShiftLeft, 1, 200), 0);
  EXPECT_EQ(shifted(BinaryKind::kShiftRight, 255, 8), 0);
}

TEST(Numbers, DeterminantsOfSingularMatricesAreZero) {
  const auto result = run<float>(one_operator(Determinant{}, {tensor({3, 2, 2})}, {tensor({3})}),
                                 std::vector<Floats>{{0, 1, 1, 0, 1, 2, 2, 4, 3, 1, 4, 2}});
  EXPECT_THAT(result, ElementsAre(-1, 0, 2));
}

}  // namespace
}  // namespace systole::graph::test
