// SPDX-License-Identifier: Apache-2.0
// Functions of arrays, recorded as graphs.
#include "systole/array.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "systole/errors.hpp"
#include "systole/execute.hpp"
#include "systole/graph_value.hpp"

namespace systole::graph::test {
namespace {

constexpr ElementType kFloat = ElementType::kFloat32;

TEST(Array, IsRecordedAsItIsWritten) {
  const Graph graph = record("silu", {{kFloat, {2, 3}}, {kFloat, {3}}}, [](const std::vector<Array>& in) {
    return std::vector{in[0] * sigmoid(in[1]), maximum(-in[0], in[1].number(0)) / 2.0 + 1.0};
  });
  EXPECT_EQ(graph.name, "silu");
  EXPECT_EQ(graph.tensor(graph.inputs[1]).name, "b");
  const std::vector<float> a{-2, -1, 0, 1, 2, 3}, b{0, 1, -1};
  const auto results = execute(graph, {make_value(kFloat, {2, 3}, a), make_value(kFloat, {3}, b)});
  const auto product = elements<float>(results.at(0)), half = elements<float>(results.at(1));
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(product[i], a[i] / (1 + std::exp(-b[i % 3])), 1e-6);
    EXPECT_EQ(half[i], std::max(-a[i], 0.0F) / 2 + 1);
  }
}

TEST(Array, IsMovedAndReduced) {
  const Graph graph = record("f", {{kFloat, {2, 3}}}, [](const std::vector<Array>& in) {
    const Array turned = in[0].transpose({1, 0});
    return std::vector{turned.matmul(in[0]).reduce(ReduceKind::kSum, {-1}), in[0].reduce(ReduceKind::kMax, {}, true),
                       (in[0] < 0.5).select(in[0], in[0].number(9)).reshape({6})};
  });
  const auto results = execute(graph, {make_value(kFloat, {2, 3}, std::vector<float>{0, 1, 2, 3, 4, 5})});
  EXPECT_EQ(elements<float>(results[0]), (std::vector<float>{36, 51, 66}));
  EXPECT_EQ(results[1].shape, (Shape{1, 1}));
  EXPECT_EQ(elements<float>(results[1])[0], 5);
  EXPECT_EQ(elements<float>(results[2]), (std::vector<float>{0, 9, 9, 9, 9, 9}));
}

/// Twice in one function, where names stay apart.
TEST(Array, IsOfAGraph) {
  const Graph inner = record("inner", {{kFloat, {2}}, {kFloat, {2}}}, [](const std::vector<Array>& in) {
    return std::vector{in[0] * 2.0 - in[1], -in[0]};
  });
  const Graph graph = record("outer", {{kFloat, {2}}}, [&](const std::vector<Array>& in) {
    const std::vector<Array> once = Array::of(inner, {in[0], in[0]});
    return Array::of(inner, {once[0], once[1]});
  });
  const auto results = execute(graph, {make_value(kFloat, {2}, std::vector<float>{1, -5})});
  EXPECT_EQ(elements<float>(results[0]), (std::vector<float>{3, -15}));
  EXPECT_EQ(elements<float>(results[1]), (std::vector<float>{-1, 5}));
  const auto refused = [&](const std::vector<ArrayType>& types) {
    record("outer", types, [&](const std::vector<Array>& in) { return Array::of(inner, in); });
  };
  EXPECT_THROW(refused({{kFloat, {2}}}), GraphError);                              // number of inputs
  EXPECT_THROW(refused({{kFloat, {2}}, {kFloat, {1, 2}}}), GraphError);            // shape
  EXPECT_THROW(refused({{kFloat, {2}}, {ElementType::kInt32, {2}}}), GraphError);  // type
}

TEST(Array, RefusesWhatDoesNotFit) {
  const auto recorded = [](const ArrayFunction& function) {
    return record("f", {{kFloat, {2, 3}}, {ElementType::kInt32, {2, 3}}, {kFloat, {4}}}, function);
  };
  using In = const std::vector<Array>&;
  EXPECT_THROW(recorded([](In in) { return std::vector{in[0] + in[1]}; }), GraphError);  // types
  EXPECT_THROW(recorded([](In in) { return std::vector{in[0] + in[2]}; }), GraphError);  // shapes
  EXPECT_THROW(recorded([](In in) { return std::vector{in[0].reduce(ReduceKind::kSum, {2})}; }), GraphError);
  EXPECT_THROW(recorded([](In in) { return std::vector{in[0].matmul(in[2])}; }), GraphError);
  EXPECT_THROW(recorded([](In in) { return std::vector{in[0]}; }), InvalidArgument);
  EXPECT_THROW(recorded([](In) { return std::vector<Array>{}; }), InvalidArgument);
  EXPECT_THROW(recorded([&](In in) {
                 recorded([&](In others) { return std::vector{in[0] + others[0]}; });
                 return std::vector{in[0] * 2.0};
               }),
               InvalidArgument);
}

}  // namespace
}  // namespace systole::graph::test
