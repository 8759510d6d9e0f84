// SPDX-License-Identifier: Apache-2.0
// Which element-wise operators of float32 are one kernel, and which are not: numbers that the program computes, and
// selections by a comparison. All equal the host bit for bit, in all configurations.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <vector>

#include "float_net.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::TensorId;
using test::FloatNet;

constexpr std::uint32_t kSeed = 21'000;

TensorId subtract(FloatNet& net, TensorId a, TensorId b) { return net.binary(BinaryKind::kSubtract, a, b); }
TensorId multiply(FloatNet& net, TensorId a, TensorId b) { return net.binary(BinaryKind::kMultiply, a, b); }
TensorId zero(FloatNet& net) { return net.constant({}, 0, 0); }
/// x where y is above zero, else 0.
TensorId masked(FloatNet& net, TensorId y, TensorId x) {
  const TensorId none = zero(net);
  return net.select(net.less(none, y), x, none);
}

TEST(ElementChains, Random) {
  for (std::uint32_t round = 0; round < 24; ++round) {
    SCOPED_TRACE(fmt::format("seed {}", kSeed + round));
    FloatNet net(kSeed + round);
    const std::vector<Shape> shapes{{1, 176}, {8, 20}, {3, 5, 7}, {1, 16}, {67, 1}, {40, 33}, {1, 5}, {64, 40}};
    const Shape shape = shapes[net.number(static_cast<std::uint32_t>(shapes.size()))];
    std::vector<TensorId> made{net.input(shape), net.input(shape)}, numbers{net.input({}), net.input({})};
    numbers.push_back(multiply(net, numbers[0], numbers[1]));
    for (std::uint32_t i = 0; i < 2 + net.number(8); ++i) {
      const auto any = [&] {
        const std::uint32_t choice = net.number(10);
        return choice == 0   ? net.constant({1})
               : choice == 1 ? numbers[net.number(3)]
               : choice == 2 ? net.constant(shape)
               : choice == 3 ? net.constant({shape.back()})
                             : made[net.number(static_cast<std::uint32_t>(made.size()))];
      };
      const auto kind = std::vector{BinaryKind::kAdd, BinaryKind::kSubtract, BinaryKind::kMultiply}[net.number(3)];
      const TensorId last = made.back();
      made.push_back(net.number(3) == 0 ? net.select(net.less(last, any()), any(), any())
                                        : net.binary(kind, last, any()));
    }
    net.expect_equal({made.back(), made[made.size() - 2]});
  }
}

TEST(ElementChains, TakeANumberThatTheProgramReads) {
  for (const Shape& number : {Shape{}, Shape{1}}) {
    for (const Shape& shape : {Shape{128, 40}, Shape{3, 3, 7}, Shape{1, 200}, Shape{10}, Shape{67, 1}}) {
      FloatNet net(kSeed);
      const TensorId step = multiply(net, net.input(shape), net.input(number));
      EXPECT_EQ(net.expect_equal({subtract(net, net.input(shape), step)}), 1U);
    }
  }
}

TEST(ElementChains, TakeANumberThatTheProgramComputes) {
  FloatNet net(kSeed);
  const TensorId number = multiply(net, net.input({}), net.input({}));
  EXPECT_EQ(net.expect_equal({multiply(net, net.input({24, 40}), number)}), 2U);
}

TEST(ElementChains, TakeSeveralNumbers) {
  FloatNet net(kSeed);
  TensorId x = net.input({24, 40});
  for (int i = 0; i < 5; ++i) {
    x = net.binary(i % 2 == 0 ? BinaryKind::kMultiply : BinaryKind::kAdd, x, net.input({}));
  }
  EXPECT_EQ(net.expect_equal({x}), 1U);
}

TEST(ElementChains, TakeConstants) {
  for (const Shape& shape : {Shape{128, 40}, Shape{3, 3, 7}, Shape{1, 200}, Shape{1, 2'000}, Shape{10}, Shape{67, 1}}) {
    FloatNet net(kSeed);
    const TensorId x = multiply(net, net.input(shape), net.constant(shape));
    EXPECT_EQ(net.expect_equal({subtract(net, net.constant(shape), x)}), 1U);
  }
  for (const Shape& shape : {Shape{128, 40}, Shape{3, 3, 7}, Shape{24, 64}}) {
    FloatNet net(kSeed);
    const TensorId x = multiply(net, net.input(shape), net.constant({shape.back()}));
    EXPECT_EQ(net.expect_equal({subtract(net, x, multiply(net, x, net.constant({1, shape.back()})))}), 1U);
  }
}

TEST(ElementChains, TakeConversions) {
  FloatNet net(kSeed);
  const auto converted = [&](TensorId x, graph::ElementType type) {
    return net.GraphBuilder::append(graph::Convert{}, {x}, type);
  };
  const TensorId whole = converted(multiply(net, net.input({24, 40}), net.input({24, 40})), graph::ElementType::kInt32);
  const TensorId sum = net.add(whole, converted(net.input({24, 40}), graph::ElementType::kInt32));
  EXPECT_EQ(net.expect_equal({multiply(net, converted(sum, graph::ElementType::kFloat32), net.constant({40}))}), 1U);
}

/// The product adds it for nothing.
TEST(ElementChains, LeaveTheConstantSummandOfAProductInBlocks) {
  FloatNet net(kSeed);
  const TensorId product =
      net.append(graph::Dense{}, {net.input({24, 40}), net.constant({32, 40})}, {24, 32}, graph::Arithmetic::kBlocks);
  const TensorId x = net.add(product, net.constant({32}));
  EXPECT_EQ(net.expect_equal({multiply(net, x, net.sigmoid(x))}), 2U);
  EXPECT_EQ(net.counts().at("block_results"), 1);
}

TEST(ElementChains, LeaveWhatRepeatsSeveralElements) {
  FloatNet net(kSeed);
  const TensorId step = multiply(net, net.input({24, 40}), net.input({40}));
  EXPECT_EQ(net.expect_equal({subtract(net, net.input({24, 40}), step)}), 2U);
}

TEST(ElementChains, LeaveAProductThatOthersRead) {
  FloatNet net(kSeed);
  const TensorId step = multiply(net, net.input({24, 40}), net.input({}));
  const TensorId result = subtract(net, net.input({24, 40}), step);
  EXPECT_EQ(net.expect_equal({result, step}), 2U);
  EXPECT_EQ(net.expect_equal({result, net.sigmoid(step)}), 3U);
}

TEST(ElementChains, MaskIsOneLayer) {
  for (const Shape& shape : {Shape{64, 40}, Shape{3, 5, 7}, Shape{1, 200}, Shape{10}}) {
    FloatNet net(kSeed);
    EXPECT_EQ(net.expect_equal({masked(net, net.input(shape), net.input(shape))}), 1U);
  }
}

TEST(ElementChains, MaskOfZerosAndOfBothSigns) {
  FloatNet net(kSeed);
  const TensorId zeros = multiply(net, net.input({64, 40}), zero(net));
  EXPECT_EQ(net.expect_equal({masked(net, zeros, net.input({64, 40}))}), 1U);
}

TEST(ElementChains, SelectAmongNumbersAndTensors) {
  FloatNet net(kSeed);
  const TensorId x = net.input({24, 40}), y = net.input({24, 40}), number = net.input({});
  const std::vector<TensorId> operands{x, y, number, net.constant({1}), net.constant({}, 0, 0)};
  for (const TensorId a : operands) {
    for (const TensorId b : operands) {
      EXPECT_EQ(net.expect_equal({net.select(net.less(x, y), a, b)}), 1U) << a << " or " << b;
    }
  }
}

TEST(ElementChains, ANumberIsTheGreater) {
  FloatNet net(kSeed);
  const TensorId x = net.input({24, 40}), below = net.less(x, net.input({}));
  EXPECT_EQ(net.expect_equal({net.select(below, x, net.input({24, 40}))}), 1U);
}

TEST(ElementChains, MaskWithinAMask) {
  FloatNet net(kSeed);
  const TensorId x = net.input({24, 40}), inner = masked(net, x, net.input({24, 40}));
  EXPECT_EQ(net.expect_equal({net.select(net.less(x, net.constant({})), inner, zero(net))}), 1U);
}

TEST(ElementChains, LeaveAMaskThatOthersRead) {
  FloatNet net(kSeed);
  const TensorId x = net.input({24, 40}), y = net.input({24, 40}), mask = net.less(x, y);
  const TensorId first = net.select(mask, x, zero(net)), second = net.select(mask, zero(net), y);
  EXPECT_EQ(net.expect_equal({first, second}), 3U);
}

TEST(ElementChains, LeaveAMaskThatIsWanted) {
  FloatNet net(kSeed);
  const TensorId x = net.input({24, 40}), mask = net.less(x, zero(net));
  EXPECT_EQ(net.expect_equal({net.select(mask, x, zero(net)), mask}), 2U);
}

TEST(ElementChains, LeaveAMaskOfFewerElements) {
  FloatNet net(kSeed);
  const TensorId row = net.input({40}), x = net.input({24, 40});
  const TensorId mask = net.less(row, zero(net));
  EXPECT_EQ(net.expect_equal({net.append(graph::Select{}, {mask, x, zero(net)}, {24, 40})}), 3U)
      << "comparison, broadcast, selection";
}

/// A step of a training: the momentum moves by the gradient, the parameter by rate times the momentum.
struct Step {
  Step(FloatNet& net, const Shape& shape) {
    const TensorId scaled = multiply(net, net.input(shape), net.constant({}));
    momentum = net.binary(BinaryKind::kAdd, scaled, net.input(shape));
    parameter = subtract(net, net.input(shape), multiply(net, momentum, net.input({})));
  }
  TensorId momentum, parameter;
};

TEST(SecondResults, OfAStepOfATraining) {
  for (const Shape& shape :
       {Shape{128, 160}, Shape{64, 3, 3, 32}, Shape{1, 200}, Shape{128}, Shape{10}, Shape{67, 1}}) {
    FloatNet net(kSeed);
    const Step step(net, shape);
    EXPECT_EQ(net.expect_equal({step.parameter, step.momentum}), 1U);
    EXPECT_EQ(net.expect_equal({step.momentum, step.parameter}), 1U);
  }
}

TEST(SecondResults, OfSeveralSteps) {
  FloatNet net(kSeed);
  const Step first(net, {64, 40}), second(net, {40}), third(net, {7, 5});
  EXPECT_EQ(net.expect_equal(
                {first.parameter, second.parameter, third.parameter, first.momentum, second.momentum, third.momentum}),
            3U);
}

TEST(SecondResults, MayBeReadLater) {
  FloatNet net(kSeed);
  const Step step(net, {64, 40});
  EXPECT_EQ(net.expect_equal({step.parameter, step.momentum, net.sigmoid(step.momentum)}), 2U);
}

TEST(SecondResults, AreNotReadBefore) {
  FloatNet net(kSeed);
  const TensorId x = net.binary(BinaryKind::kAdd, net.input({64, 40}), net.input({64, 40}));
  const TensorId before = net.append(graph::Transpose{{1, 0}}, {x}, {40, 64});
  EXPECT_EQ(net.expect_equal({x, before, multiply(net, x, net.input({}))}), 3U);
}

TEST(SecondResults, AreResultsOfTheProgram) {
  FloatNet net(kSeed);
  const TensorId x = multiply(net, net.input({64, 40}), net.input({}));
  const TensorId y = multiply(net, x, net.input({}));
  EXPECT_EQ(net.expect_equal({y, net.append(graph::Transpose{{1, 0}}, {x}, {40, 64})}), 3U);
}

TEST(SecondResults, HaveRegistersAndArguments) {
  FloatNet net(kSeed);
  TensorId x = net.input({24, 40});
  for (int i = 0; i < 3; ++i) {
    x = net.binary(BinaryKind::kAdd, x, net.input({24, 40}));
  }
  const TensorId y = multiply(net, x, net.input({}));
  EXPECT_EQ(net.expect_equal({x, y}), 2U) << "of four operands and two results";
}

}  // namespace
}  // namespace systole::network
