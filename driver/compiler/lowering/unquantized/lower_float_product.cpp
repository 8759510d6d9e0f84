// SPDX-License-Identifier: Apache-2.0
// Matrix products and convolutions of float32, by the rule of binary32.hpp: moves repeat the operands so that all
// products are one element-wise multiplication, whose results are folded. Memory, not time, limits it to small ones.
#include <numeric>
#include <utility>
#include <vector>

#include "binary32.hpp"
#include "element_formulas.hpp"
#include "fold_formulas.hpp"
#include "indices.hpp"
#include "lower_floats.hpp"
#include "refused.hpp"
#include "systole/execute.hpp"
#include "systole/graph_value.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Shape;

class Products {
 public:
  /// Sums of `depth` products.
  Products(KernelSteps& steps, std::int64_t depth) : steps_(steps), depth_(depth) {
    for (const std::size_t i : {0U, 1U}) {
      require_type(steps.input(i), {ElementType::kFloat32}, "float32");
    }
    require_type(steps.output(), {ElementType::kFloat32}, "float32");
    require(graph::count(steps.output().shape) * depth <= golden::binary32::kMostProducts,
            "a product of float32 with over 2^18 multiplications");
  }

  /// [..., rows, depth] times [..., depth, columns], both as `before` and these axes; the result as `matrices` and
  /// them.
  Term run(const Term& a, const Shape& before_a, std::int64_t rows, const Term& b, const Shape& before_b,
           std::int64_t columns, const Shape& matrices) {
    Shape all = with(matrices, {rows, depth_, columns});
    const Term left = repeated(a, with(before_a, {rows, depth_, 1}), all);
    const Term right = repeated(b, with(before_b, {1, depth_, columns}), all);
    const Term products =
        steps_.apply(float_call(graph::BinaryKind::kMultiply), {left, right}, grid_of(all), ElementType::kFloat32);
    steps_.multiplies_here();
    const Term sums =
        steps_.folded(float_fold(graph::ReduceKind::kSum), products, all, {static_cast<int>(all.size()) - 2});
    return steps_.has_input(2) ? steps_.apply(float_call(graph::BinaryKind::kAdd), {sums, steps_.operand(2)}) : sums;
  }

  /// An input in this shape; the last two axes then change places if it is `transposed`.
  Term operand(std::size_t i, const Shape& shape, bool transposed) {
    const graph::Tensor& tensor = steps_.input(i);
    if (!tensor.constant) {
      std::vector<int> order(shape.size());
      std::iota(order.begin(), order.end(), 0);
      std::swap(order.end()[-1], order.end()[-2]);
      return transposed ? steps_.transposed(steps_.given(i), shape, order) : steps_.given(i);
    }
    const auto values = graph::elements<float>(graph::constant_value(tensor));
    auto ordered = values;
    const auto rows = static_cast<std::size_t>(shape.end()[-2]), columns = static_cast<std::size_t>(shape.back());
    for (std::size_t at = 0; transposed && at < values.size(); ++at) {
      const std::size_t matrix = at / (rows * columns) * rows * columns;
      ordered[at] = values[matrix + at % rows * columns + at / rows % columns];
    }
    return {graph::kNoTensor, ConstantOperand{graph::make_value(ElementType::kFloat32, shape, ordered).data, {}}};
  }

 private:
  static Shape with(Shape shape, const Shape& more) {
    shape.insert(shape.end(), more.begin(), more.end());
    return shape;
  }

  /// To the shape of all products.
  Term repeated(const Term& term, const Shape& shape, const Shape& all) {
    if (term.constant) {
      const graph::Value value{ElementType::kFloat32, shape, term.constant->bytes};
      return {graph::kNoTensor, ConstantOperand{graph::broadcast_to(value, all).data, grid_of(all).image(kWordBytes)}};
    }
    return graph::count(shape) == graph::count(all) ? term : steps_.broadcast(term, shape, all);
  }

  KernelSteps& steps_;
  const std::int64_t depth_;
};

}  // namespace

Term float_product(KernelSteps& steps, const graph::MatMul& op) {
  const Shape &a = steps.input(0).shape, &b = steps.input(1).shape, &to = steps.output().shape;
  Products products(steps, op.transpose_a ? a.end()[-2] : a.back());
  const auto before = [](const Shape& shape) { return Shape(shape.begin(), shape.end() - 2); };
  return products.run(products.operand(0, a, op.transpose_a), before(a), to.end()[-2],
                      products.operand(1, b, op.transpose_b), before(b), to.back(), before(to));
}

Term float_product(KernelSteps& steps, const graph::Dense& op) {
  require(op.activation == Activation::kNone, "an activation of a product of float32");
  const Shape &input = steps.input(0).shape, &weights = steps.input(1).shape;
  const std::int64_t depth = weights[1], rows = graph::count(input) / depth;
  Products products(steps, depth);
  return products.run(products.operand(0, {rows, depth}, false), {}, rows, products.operand(1, weights, true), {},
                      weights[0], {});
}

Term float_product(KernelSteps& steps, const graph::Conv2d& op) {
  require(op.activation == Activation::kNone && op.groups == 1,
          "a convolution of float32 with an activation or groups");
  require(!steps.input(0).constant, "a constant image");
  const Shape &filter = steps.input(1).shape, &to = steps.output().shape;
  const std::int64_t depth = graph::count(filter) / filter[0], rows = graph::count(to) / to[3];
  Products products(steps, depth);
  return products.run(float_windows(steps, op.window, 0), {}, rows, products.operand(1, {filter[0], depth}, true), {},
                      filter[0], {});
}

}  // namespace systole::network
