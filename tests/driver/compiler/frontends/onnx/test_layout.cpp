// SPDX-License-Identifier: Apache-2.0
// N,C,H,W images: which transpositions remain, and that results stay correct.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "onnx_builder.hpp"
#include "reshape_before.hpp"

namespace systole::graph::test {
namespace {

template <class Kind>
int number_of(const Graph& graph) {
  return static_cast<int>(std::count_if(graph.operators.begin(), graph.operators.end(),
                                        [](const Operator& op) { return std::holds_alternative<Kind>(op.kind); }));
}

/// A convolution of N,C,H,W by definition; kernel 3x3, padded by 1.
std::vector<float> convolved(const std::vector<float>& x, int channels, int size, const std::vector<float>& w,
                             int outputs) {
  std::vector<float> y(static_cast<std::size_t>(outputs * size * size));
  for (int o = 0; o < outputs; ++o) {
    for (int row = 0; row < size; ++row) {
      for (int column = 0; column < size; ++column) {
        double sum = 0;
        for (int c = 0; c < channels; ++c) {
          for (int tap = 0; tap < 9; ++tap) {
            const int r = row + tap / 3 - 1;
            const int q = column + tap % 3 - 1;
            if (r >= 0 && r < size && q >= 0 && q < size) {
              sum += double{x[static_cast<std::size_t>((c * size + r) * size + q)]} *
                     double{w[static_cast<std::size_t>((o * channels + c) * 9 + tap)]};
            }
          }
        }
        y[static_cast<std::size_t>((o * size + row) * size + column)] = static_cast<float>(sum);
      }
    }
  }
  return y;
}

onnx::NodeProto& add_conv(OnnxBuilder& b, const std::string& x, const std::string& w, const std::string& y) {
  onnx::NodeProto& node = b.node("Conv", {x, w}, y);
  set_ints(node, "pads", {1, 1, 1, 1});
  return node;
}

TEST(Layout, ConvolutionalNetworkHasOneTranspose) {
  const auto w1 = some<float>(4 * 3 * 9);
  const auto w2 = some<float>(4 * 4 * 9, 2);
  OnnxBuilder b;
  b.input("x", {1, 3, 6, 6}).constant("w1", {4, 3, 3, 3}, w1).constant("w2", {4, 4, 3, 3}, w2);
  b.constant("scale", {4}, some<float>(4, 3))
      .constant("shift", {4}, some<float>(4, 4))
      .constant("mean", {4}, some<float>(4, 5));
  b.constant<float>("variance", {4}, {1, 2, 3, 4}).constant<float>("half", {1, 4, 1, 1}, {0.5F, 1, 2, 3});
  add_conv(b, "x", "w1", "a");
  b.node("BatchNormalization", {"a", "scale", "shift", "mean", "variance"}, "b");
  b.node("Relu", {"b"}, "c");
  add_conv(b, "c", "w2", "d");
  b.node("Add", {"c", "d"}, "e");
  b.node("Mul", {"e", "half"}, "f");
  set_int(b.node("Concat", {"f", "c"}, "g"), "axis", 1);
  set_ints(b.node("MaxPool", {"g"}, "h"), "kernel_shape", {2, 2});
  b.node("GlobalAveragePool", {"h"}, "i");
  b.node("Flatten", {"i"}, "j");
  b.constant("w3", {8, 5}, some<float>(40, 6));
  b.node("Gemm", {"j", "w3"}, "y");
  const Graph graph = b.output("y").import();
  EXPECT_EQ(number_of<Transpose>(graph), 1);
  EXPECT_TRUE(std::holds_alternative<Transpose>(graph.operators.front().kind));
  EXPECT_EQ(graph.tensor(graph.outputs[0]).shape, (Shape{1, 5}));
}

TEST(Layout, ResultsMatchDefinition) {
  const auto x = some<float>(3 * 25);
  const auto w1 = some<float>(4 * 3 * 9, 7);
  const auto w2 = some<float>(2 * 4 * 9, 8);
  OnnxBuilder b;
  b.input("x", {1, 3, 5, 5}).constant("w1", {4, 3, 3, 3}, w1).constant("w2", {2, 4, 3, 3}, w2);
  add_conv(b, "x", "w1", "a");
  add_conv(b, "a", "w2", "y");
  const Graph graph = b.output("y").import();
  const auto seen = elements<float>(execute(graph, {make_value(ElementType::kFloat32, {1, 3, 5, 5}, x)}).front());
  const auto wanted = convolved(convolved(x, 3, 5, w1, 4), 4, 5, w2, 2);
  ASSERT_EQ(seen.size(), wanted.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_NEAR(seen[i], wanted[i], 1e-5);
  }
  EXPECT_EQ(number_of<Transpose>(graph), 2) << "one at the input, one at the output";
}

TEST(Layout, DenseLayerPermutesWeightsAfterFlatten) {
  const auto x = some<float>(2 * 16);
  const auto w = some<float>(3 * 2 * 9, 9);
  const auto dense = some<float>(48 * 2, 10);
  OnnxBuilder b;
  b.input("x", {1, 2, 4, 4}).constant("w", {3, 2, 3, 3}, w).constant("dense", {48, 2}, dense);
  b.constant<std::int64_t>("shape", {2}, {1, 48});
  add_conv(b, "x", "w", "a");
  b.node("Reshape", {"a", "shape"}, "b");
  b.node("MatMul", {"b", "dense"}, "y");
  const Graph graph = b.output("y").import();
  EXPECT_EQ(number_of<Transpose>(graph), 1);
  const auto flat = convolved(x, 2, 4, w, 3);
  const auto seen = elements<float>(execute(graph, {make_value(ElementType::kFloat32, {1, 2, 4, 4}, x)}).front());
  for (std::size_t n = 0; n < 2; ++n) {
    double sum = 0;
    for (std::size_t k = 0; k < 48; ++k) {
      sum += double{flat[k]} * double{dense[k * 2 + n]};
    }
    EXPECT_NEAR(seen[n], sum, 1e-4);
  }
}

/// Merging neighbours, as a vision transformer makes rows of its patches, and dividing an axis, move nothing.
TEST(Layout, ReshapesMoveBeforeTransposes) {
  OnnxBuilder b;
  b.input("x", {1, 1, 6, 6}).constant("w", {8, 1, 2, 2}, some<float>(32)).constant("m", {8, 5}, some<float>(40, 2));
  b.constant<std::int64_t>("columns", {3}, {1, 8, 9}).constant<std::int64_t>("heads", {4}, {1, 9, 4, 2});
  set_ints(b.node("Conv", {"x", "w"}, "a"), "strides", {2, 2});
  b.node("Reshape", {"a", "columns"}, "b");
  set_ints(b.node("Transpose", {"b"}, "c"), "perm", {0, 2, 1});
  b.node("MatMul", {"c", "m"}, "y");
  b.node("Reshape", {"c", "heads"}, "z");
  const Graph graph = b.output("y").output("z").import();
  EXPECT_EQ(number_of<Transpose>(graph), 0);
}

/// All orders of four axes, whose results keep, merge and divide them.
TEST(Layout, ReshapeBeforeATransposeMovesTheSameElements) {
  const Shape operand = {2, 3, 1, 4};
  const auto moved = [](const std::vector<float>& x, const Shape& shape, const Permutation& permutation) {
    OnnxBuilder b;
    b.input("x", shape);
    set_ints(b.node("Transpose", {"x"}, "y"), "perm", {permutation.begin(), permutation.end()});
    const Graph graph = b.output("y").import();
    return elements<float>(execute(graph, {make_value(ElementType::kFloat32, shape, x)}).front());
  };
  const auto x = some<float>(24);
  Permutation order = {0, 1, 2, 3};
  int possible = 0, refused = 0;
  do {
    for (const Shape& result : {Shape{24},
                                {2, 3, 4},
                                {3, 2, 4},
                                {4, 3, 2},
                                {6, 4},
                                {4, 6},
                                {1, 3, 8},
                                {2, 1, 12},
                                {2, 2, 1, 3, 2},
                                {8, 3},
                                {12, 2, 1},
                                {2, 3, 2, 2}}) {
      const auto reshape = reshape_before(operand, order, result);
      (reshape ? possible : refused) += 1;
      if (reshape) {
        EXPECT_EQ(permuted(reshape->shape, reshape->permutation), result);
        EXPECT_EQ(moved(x, reshape->shape, reshape->permutation), moved(x, operand, order));
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_GT(possible, 80);
  EXPECT_GT(refused, 80);
  EXPECT_FALSE(reshape_before({2, 3}, {1, 0}, {6})) << "not neighbours";
  EXPECT_FALSE(reshape_before({2, 6}, {1, 0}, {4, 3})) << "divided across both axes";
}

/// Each operator between two 1x1 convolutions that change nothing: its operands are images recorded as transposed.
TEST(Layout, TransposesMoveThroughOperators) {
  const std::vector<float> same = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const auto x = some<float>(3 * 8);
  const auto check = [&](const char* type, const std::function<void(onnx::NodeProto&)>& set,
                         const std::vector<std::string>& more = {}) {
    OnnxBuilder plain;
    OnnxBuilder inside;
    for (OnnxBuilder* b : {&plain, &inside}) {
      b->input("x", {1, 3, 2, 4}).constant("w", {3, 3, 1, 1}, same);
      b->constant<std::int64_t>("pads", {8}, {0, 1, 0, 2, 0, 0, 1, 0}).constant<std::int64_t>("axes", {1}, {1});
      b->constant<std::int64_t>("starts", {2}, {2, 3}).constant<std::int64_t>("ends", {2}, {-100, 0});
      b->constant<std::int64_t>("merged", {2}, {3, 8}).constant<std::int64_t>("divided", {4}, {3, 2, 2, 2});
      b->constant<std::int64_t>("both", {2}, {1, 3}).constant<std::int64_t>("steps", {2}, {-1, -2});
      if (b == &inside) {
        b->node("Conv", {"x", "w"}, "a");
      } else {
        b->node("Identity", {"x"}, "a");
      }
      std::vector<std::string> inputs = {"a"};
      inputs.insert(inputs.end(), more.begin(), more.end());
      set(b->node(type, inputs, "y"));
      b->output("y");
    }
    const Value value = make_value(ElementType::kFloat32, {1, 3, 2, 4}, x);
    const Value wanted = execute(plain.import(), {value}).front();
    const Value seen = execute(inside.import(), {value}).front();
    ASSERT_EQ(seen.shape, wanted.shape) << type;
    const auto a = elements<float>(seen);
    const auto b = elements<float>(wanted);
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_FLOAT_EQ(a[i], b[i]) << type << " " << i;
    }
  };
  const auto nothing = [](onnx::NodeProto&) {};
  check("Sigmoid", nothing);
  check("Pad", nothing, {"pads"});
  check("Slice", nothing, {"starts", "ends", "both", "steps"});
  check("Softmax", [](onnx::NodeProto& n) { set_int(n, "axis", 1); });
  check("ReduceMean", [](onnx::NodeProto& n) { set_ints(n, "axes", {1, 3}); });
  check("ReduceMax", [](onnx::NodeProto& n) {
    set_ints(n, "axes", {2});
    set_int(n, "keepdims", 0);
  });
  check("ReduceSum", [](onnx::NodeProto& n) { set_int(n, "keepdims", 0); }, {"axes"});
  check("Concat", [](onnx::NodeProto& n) { set_int(n, "axis", 3); }, {"x"});
  check("Add", nothing, {"x"});
  check("Transpose", [](onnx::NodeProto& n) { set_ints(n, "perm", {3, 1, 0, 2}); });
  check("Flatten", [](onnx::NodeProto& n) { set_int(n, "axis", 2); });
  check("Unsqueeze", nothing, {"axes"});
  check("Reshape", nothing, {"merged"});
  check("Reshape", nothing, {"divided"});
}

TEST(Layout, LineBecomesImageOfOneRow) {
  OnnxBuilder b;
  b.input("x", {2, 1, 4}).constant<float>("w", {1, 1, 2}, {1, 10});
  b.node("Conv", {"x", "w"}, "y");
  const Graph graph = b.output("y").import();
  const Value result =
      execute(graph, {make_value<float>(ElementType::kFloat32, {2, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8})}).front();
  EXPECT_EQ(result.shape, (Shape{2, 1, 3}));
  EXPECT_EQ(elements<float>(result), (std::vector<float>{21, 32, 43, 65, 76, 87}));
}

TEST(Layout, SpatialMeansAreCanonical) {
  const auto mean = [](int opset, const std::vector<std::int64_t>& axes, int keep, bool behind_convolution) {
    OnnxBuilder b(opset);
    b.input("x", {1, 2, 3, 4});
    std::string from = "x";
    if (behind_convolution) {
      b.constant("w", {2, 2, 1, 1}, std::vector<float>{1, 0, 0, 1}).node("Conv", {"x", "w"}, "c");
      from = "c";
    }
    if (opset < 18) {
      auto& node = b.node("ReduceMean", {from}, "y");
      set_ints(node, "axes", axes);
      set_int(node, "keepdims", keep);
    } else {
      b.constant<std::int64_t>("axes", {2}, axes);
      set_int(b.node("ReduceMean", {from, "axes"}, "y"), "keepdims", keep);
    }
    b.output("y");
    return b.import();
  };
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), 0.0F);
  for (const int opset : {13, 18}) {
    for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{2, 3}, {-2, -1}, {3, 2}}) {
      for (const int keep : {0, 1}) {
        for (const bool behind : {false, true}) {
          const Graph graph = mean(opset, axes, keep, behind);
          const auto found = std::find_if(graph.operators.begin(), graph.operators.end(),
                                          [](const Operator& op) { return std::holds_alternative<Reduce>(op.kind); });
          ASSERT_NE(found, graph.operators.end());
          EXPECT_EQ(std::get<Reduce>(found->kind).axes, (std::vector<int>{1, 2}));
          EXPECT_EQ(graph.tensor(found->inputs[0]).shape, (Shape{1, 3, 4, 2}));
          const Value result = execute(graph, {make_value(ElementType::kFloat32, {1, 2, 3, 4}, values)}).at(0);
          EXPECT_EQ(result.shape, keep != 0 ? (Shape{1, 2, 1, 1}) : (Shape{1, 2}));
          EXPECT_EQ(elements<float>(result), (std::vector<float>{5.5F, 17.5F}));
        }
      }
    }
  }
}

}  // namespace
}  // namespace systole::graph::test
