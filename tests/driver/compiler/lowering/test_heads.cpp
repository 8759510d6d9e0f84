// SPDX-License-Identifier: Apache-2.0
// What the graphs of language models do between heads and whole positions is one kernel each, and what the host writes
// as weights has no layer. All equal the host bit for bit, in all configurations.
#include <gtest/gtest.h>

#include <vector>

#include "float_net.hpp"
#include "systole/container.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::TensorId;
using test::FloatNet;

constexpr std::uint32_t kSeed = 25'000;

class Heads : public testing::Test {
 protected:
  TensorId times(TensorId a, TensorId b, Shape shape = {}) {
    return net_.append(graph::Binary{BinaryKind::kMultiply}, {a, b}, shape.empty() ? net_.shape(a) : std::move(shape));
  }
  TensorId sum(TensorId a, TensorId b) { return net_.append(graph::Binary{BinaryKind::kAdd}, {a, b}, net_.shape(a)); }
  TensorId reshape(TensorId a, Shape shape) { return net_.append(graph::Reshape{}, {a}, std::move(shape)); }
  TensorId gather(TensorId a, const std::vector<std::int32_t>& from) {
    return net_.append(graph::Gather{0}, {reshape(a, {graph::count(net_.shape(a))}), net_.indices(from)},
                       {static_cast<std::int64_t>(from.size())});
  }
  /// A row of `elements` times a computed number, turned: parts of 16 elements are exchanged.
  TensorId rotated(std::int64_t elements) {
    const TensorId x = times(net_.input({1, elements}), net_.input({1, 1}));
    std::vector<std::int32_t> from;
    for (std::int32_t i = 0; i < elements; ++i) {
      from.push_back(i ^ 16);
    }
    const TensorId exchanged = reshape(gather(x, from), {1, elements});
    return sum(times(x, net_.input({1, elements})), times(exchanged, net_.input({1, elements})));
  }
  TensorId mean(TensorId a) {
    Shape shape = net_.shape(a);
    shape.back() = 1;
    return net_.append(graph::Reduce{graph::ReduceKind::kMean, {1}, true}, {a}, shape, graph::Arithmetic::kBlocks);
  }

  FloatNet net_{kSeed};
};

TEST_F(Heads, RowsTimesConstantRows) {
  EXPECT_EQ(net_.expect_equal({times(net_.input({2, 1, 32}), net_.constant({4, 32}), {2, 4, 32})}), 1U);
  FloatNet wide(kSeed);
  const TensorId product =
      wide.append(graph::Binary{BinaryKind::kMultiply}, {wide.input({3, 1, 96}), wide.constant({5, 96})}, {3, 5, 96});
  EXPECT_EQ(wide.expect_equal({product}), 1U);
}

TEST_F(Heads, ARotation) { EXPECT_EQ(net_.expect_equal({rotated(32)}), 1U); }
TEST_F(Heads, ARotationOfSeveralPairs) { EXPECT_EQ(net_.expect_equal({rotated(96)}), 1U); }

TEST_F(Heads, RowsThatAreRotatedFirst) {
  EXPECT_EQ(net_.expect_equal({times(reshape(rotated(64), {2, 1, 32}), net_.constant({4, 32}), {2, 4, 32})}), 1U);
}

TEST_F(Heads, ColumnTimesRow) {
  for (const std::int64_t column : {0, 5, 47}) {
    FloatNet net(kSeed);
    const TensorId all = net.input({9, 48});
    const TensorId part = column == 0    ? net.split(all, {1, 47})[0]
                          : column == 47 ? net.split(all, {47, 1})[1]
                                         : net.split(all, {column, 1, 47 - column})[1];
    const TensorId row =
        net.append(graph::Binary{BinaryKind::kMultiply}, {net.input({1, 32}), net.input({1, 1})}, {1, 32});
    EXPECT_EQ(net.expect_equal({net.append(graph::Binary{BinaryKind::kMultiply}, {part, row}, {9, 32})}), 1U) << column;
  }
}

TEST_F(Heads, ColumnsOfSomeRows) {
  std::vector<std::int32_t> from;  // rows that have 5, 20 and 7 of the columns, for each of three groups
  for (std::int32_t group = 0; group < 3; ++group) {
    for (std::int32_t column = 0; column < 32; ++column) {
      from.push_back((group * 3 + (column < 5 ? 0 : column < 25 ? 1 : 2)) * 32 + column);
    }
  }
  EXPECT_EQ(net_.expect_equal({gather(sum(net_.input({9, 32}), net_.input({9, 32})), from)}), 1U);
}

TEST_F(Heads, OtherChoicesAreMoves) {
  std::vector<std::int32_t> from;
  for (std::int32_t column = 0; column < 32; ++column) {  // the second row first
    from.push_back((column < 16 ? 1 : 0) * 32 + column);
  }
  EXPECT_GT(net_.expect_equal({gather(sum(net_.input({2, 32}), net_.input({2, 32})), from)}), 1U);
}

TEST_F(Heads, SoftmaxWithALastSummand) {
  for (const std::int64_t columns : {16, 20, 64, 160}) {
    FloatNet net(kSeed);
    const auto binary = [&](BinaryKind kind, TensorId a, TensorId b, Shape shape) {
      return net.append(graph::Binary{kind}, {a, b}, std::move(shape));
    };
    const TensorId a = net.input({8, 32}), b = net.input({1, 32});
    const TensorId products = binary(BinaryKind::kMultiply, a, b, {8, 32});
    const TensorId dot =
        net.append(graph::Reduce{graph::ReduceKind::kMean, {1}, true}, {products}, {8, 1}, graph::Arithmetic::kBlocks);
    const TensorId last = net.append(graph::Pad{{0, columns - 1}, {0, 0}},
                                     {binary(BinaryKind::kMultiply, dot, net.constant({1}), {8, 1})}, {8, columns});
    const TensorId seen = binary(BinaryKind::kAdd, net.input({8, columns}), net.input({1, columns}), {8, columns});
    const TensorId softmax = net.append(graph::Softmax{}, {binary(BinaryKind::kAdd, seen, last, {8, columns})},
                                        {8, columns}, graph::Arithmetic::kBlocks);
    EXPECT_EQ(net.expect_equal({softmax}), 2U) << columns << ": the products' means, and everything else";
  }
}

TEST_F(Heads, MeansOfProducts) {
  EXPECT_EQ(net_.expect_equal({mean(times(net_.input({9, 40}), net_.input({1, 40})))}), 1U);
}

TEST_F(Heads, MeansOfProductsWithAColumn) {  // of as many elements as a row
  EXPECT_GT(net_.expect_equal({mean(times(net_.input({32, 32}), net_.input({32, 1})))}), 1U);
}

TEST_F(Heads, NormalizationTimesAColumn) {
  const TensorId x = net_.input({32, 32});
  const TensorId root =
      net_.append(graph::Unary{graph::UnaryKind::kReciprocalSqrt},
                  {sum(mean(times(x, x)), net_.constant({1}, 0.1F, 1))}, {32, 1}, graph::Arithmetic::kBlocks);
  net_.expect_equal({times(times(x, root), net_.constant({32, 1}))});
}

TEST_F(Heads, SoftmaxWithAMovedColumn) {  // rows are padded before, and cut behind
  const TensorId column = times(net_.input({8, 1}), net_.constant({1}));
  const TensorId last = net_.append(graph::Pad{{1, 31}, {-1, 0}}, {column}, {8, 32});
  const TensorId seen = sum(net_.input({8, 32}), net_.input({1, 32}));
  net_.expect_equal({net_.append(graph::Softmax{}, {sum(seen, last)}, {8, 32}, graph::Arithmetic::kBlocks)});
}

/// One row, times a constant row, in a product: blocks come from the kernel.
TEST_F(Heads, BlocksOfARow) {
  const TensorId x = times(net_.input({1, 64}), net_.constant({64}));
  const TensorId product =
      net_.append(graph::Dense{}, {x, net_.constant({48, 64})}, {1, 48}, graph::Arithmetic::kBlocks);
  EXPECT_EQ(net_.expect_equal({product}), 2U) << "the row, and the product";
}

TEST(WrittenWeights, HaveNoLayer) {
  for (const bool transposed : {false, true}) {
    FloatNet net(kSeed);
    const TensorId x = net.input({9, 40}), weights = net.weights_input(transposed ? Shape{40, 50} : Shape{50, 40});
    const TensorId product = transposed ? net.append(graph::MatMul{}, {x, weights}, {9, 50}, graph::Arithmetic::kBlocks)
                                        : net.append(graph::Dense{}, {x, weights}, {9, 50}, graph::Arithmetic::kBlocks);
    EXPECT_EQ(net.expect_equal({product}), 2U) << "the conversion of the other operand, and the product";
  }
}

TEST(WrittenWeights, AreConvertedWhereOthersReadThem) {
  FloatNet net(kSeed);
  const TensorId x = net.input({9, 40}), weights = net.weights_input({50, 40});
  const TensorId product = net.append(graph::Dense{}, {x, weights}, {9, 50}, graph::Arithmetic::kBlocks);
  EXPECT_EQ(net.expect_equal({product, net.binary(BinaryKind::kAdd, weights, weights)}), 4U);
}

TEST(WrittenWeights, AreKeptInFiles) {
  FloatNet net(kSeed);
  const TensorId x = net.input({9, 40}), weights = net.weights_input({40, 50});
  const auto graph = net.graph({net.append(graph::MatMul{}, {x, weights}, {9, 50}, graph::Arithmetic::kBlocks)});
  Device device = Device::open({}, "model"), other = Device::open({}, "model");
  const CompiledNetwork compiled = compile_network(graph, device.configuration());
  const graph::Bytes file = container::save(compiled);
  Network loaded(other, container::Container(file).network(other.configuration()));
  std::vector<graph::Value> inputs;
  for (const TensorId id : graph.inputs) {
    EXPECT_EQ(loaded.graph().tensor(id).as_weights, id == weights);
    std::vector<float> numbers(static_cast<std::size_t>(graph::count(graph.tensor(id).shape)));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<float>(i % 17) - 8;
    }
    inputs.push_back(graph::make_value(graph::ElementType::kFloat32, graph.tensor(id).shape, numbers));
  }
  EXPECT_EQ(loaded.run(inputs)[0].data, graph::execute(graph, inputs)[0].data);
}

}  // namespace
}  // namespace systole::network
