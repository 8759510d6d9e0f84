// SPDX-License-Identifier: Apache-2.0
// Products of float32 in block floating point.
#include <array>

#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::Shape;
using graph::TensorId;
using graph::UnaryKind;

constexpr auto kFloat = graph::ElementType::kFloat32;

OneOperator builder_of(const Spec& spec) {
  return OneOperator(static_cast<std::uint64_t>(spec.at("seed")), graph::Arithmetic::kBlocks);
}

/// A constant or an input. All constants are moderate numbers where the inputs are.
TensorId factor(OneOperator& one, const Spec& spec, bool constant, const Shape& shape) {
  if (!constant) {
    return one.plain_input(kFloat, shape);
  }
  return spec.at("moderate") != 0 ? one.real_constant(shape, 1) : one.plain_constant(kFloat, shape);
}

/// `bias` 1: a number for each column, computed if the right operand is; 2: for each element of a product of this many
/// rows.
std::vector<TensorId> operands(OneOperator& one, const Spec& spec, const Shape& a, const Shape& b, int columns,
                               int rows = 1) {
  std::vector<TensorId> inputs{one.plain_input(kFloat, a)};
  inputs.push_back(factor(one, spec, spec.at("constant") != 0, b));
  if (spec.at("bias") != 0) {
    inputs.push_back(factor(one, spec, spec.at("bias") == 2 || spec.at("constant") != 0,
                            spec.at("bias") == 1 ? Shape{columns} : Shape{rows, columns}));
  }
  return inputs;
}

graph::Graph convolution(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const Window window = sliding_of(spec);
  const int outputs = spec.at("outputs");
  const auto inputs =
      operands(one, spec, image_of(spec), {outputs, window.kernel_h, window.kernel_w, spec.at("channels")}, outputs);
  return one.finish(graph::Conv2d{window, 1, Activation::kNone}, inputs, one.plain(kFloat));
}

graph::Graph dense(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const int depth = spec.at("depth"), columns = spec.at("columns");
  return one.finish(graph::Dense{}, operands(one, spec, {2, spec.at("rows"), depth}, {columns, depth}, columns),
                    one.plain(kFloat));
}

graph::Graph product(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const int rows = spec.at("rows"), depth = spec.at("depth"), columns = spec.at("columns");
  const graph::MatMul kind{spec.at("transpose_a") != 0, spec.at("transpose_b") != 0};
  Shape a = kind.transpose_a ? Shape{depth, rows} : Shape{rows, depth};
  Shape b = kind.transpose_b ? Shape{columns, depth} : Shape{depth, columns};
  const int matrices = spec.at("matrices");
  if (matrices > 1) {
    a.insert(a.begin(), matrices);
  }
  if (matrices > 2 && spec.at("constant") == 0) {
    b.insert(b.begin(), matrices);
  }
  return one.finish(kind, operands(one, spec, a, b, columns, rows), one.plain(kFloat));
}

/// Two convolutions with a function between them, and another reader of what it computes if `shared`.
graph::Graph chain(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const Window window = sliding_of(spec);
  const int middle = spec.at("middle"), outputs = spec.at("outputs");
  const auto inputs =
      operands(one, spec, image_of(spec), {middle, window.kernel_h, window.kernel_w, spec.at("channels")}, middle);
  const graph::Conv2d first{window, 1, Activation::kNone}, second;
  const TensorId sums = one.apply(first, inputs, one.plain(kFloat));
  constexpr std::array kFunctions = {UnaryKind::kRelu, UnaryKind::kRelu6, UnaryKind::kClip, UnaryKind::kAbs};
  const graph::Unary function{kFunctions[static_cast<std::size_t>(spec.at("function"))],
                              static_cast<float>(one.within(-1, 1)), 2};
  one.set_arithmetic(graph::Arithmetic::kOnnx);
  const TensorId limited = one.apply(function, {sums}, one.plain(kFloat));
  one.set_arithmetic(graph::Arithmetic::kBlocks);
  const TensorId weights = factor(one, spec, true, {outputs, 1, 1, middle});
  if (spec.at("shared") == 0) {
    return one.finish(second, {limited, weights}, one.plain(kFloat));
  }
  const TensorId result = one.apply(second, {limited, weights}, one.plain(kFloat));
  one.set_arithmetic(graph::Arithmetic::kOnnx);
  return one.finish(graph::Concat{3}, {result, limited}, one.plain(kFloat));
}

}  // namespace

std::vector<Kind> block_kinds() {
  const Parameters common{{"constant", 0, 1}, {"bias", 0, 1}, {"moderate", 0, 1}, kSeed};
  return {
      {"block_conv2d", "blocks: convolution",
       Parameters{{"batch", 1, 2}, {"height", 1, 9}, {"width", 1, 9}, {"channels", 1, 70}, {"outputs", 1, 40}} +
           kWindow + kBorder + kDilation + Parameters{{"constant", 0, 1}, {"bias", 0, 1}, {"moderate", 0, 1}, kSeed},
       convolution, true},
      {"block_windows", "blocks: convolution of few channels",
       Parameters{{"batch", 1, 2}, {"height", 1, 9}, {"width", 1, 9}, {"channels", 1, 15}, {"outputs", 1, 40}} +
           kWindow + kBorder + kDilation + Parameters{{"constant", 1, 1}, {"bias", 0, 1}, {"moderate", 0, 1}, kSeed},
       convolution},
      {"block_dense", "blocks: fully connected",
       Parameters{{"rows", 1, 40}, {"depth", 1, 200}, {"columns", 1, 70}} + common, dense},
      {"block_product", "blocks: matrix product",
       Parameters{{"matrices", 1, 4}, {"rows", 1, 40}, {"depth", 1, 90}, {"columns", 1, 50}} +
           Parameters{{"transpose_a", 0, 1}, {"transpose_b", 0, 1}, {"constant", 0, 1}} +
           Parameters{{"bias", 0, 2}, {"moderate", 0, 1}, kSeed},
       product},
      {"block_chain", "blocks: convolution, function, convolution",
       Parameters{{"batch", 1, 2}, {"height", 1, 9}, {"width", 1, 9}, {"channels", 1, 40}, {"middle", 1, 40}} +
           Parameters{{"outputs", 1, 20}, {"function", 0, 3}, {"shared", 0, 1}} + kWindow + kBorder +
           Parameters{{"constant", 1, 1}, {"bias", 0, 1}, {"moderate", 0, 1}, kSeed},
       chain, true}};
}

}  // namespace systole::shapes
