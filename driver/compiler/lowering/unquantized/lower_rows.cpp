// SPDX-License-Identifier: Apache-2.0
#include "lower_rows.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "fused_elements.hpp"
#include "kernel_steps.hpp"
#include "lower_floats.hpp"
#include "refused.hpp"
#include "row_formulas.hpp"
#include "systole/execute.hpp"
#include "systole/graph_value.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::IndexedGraph;
using graph::Operator;
using graph::Shape;
using graph::TensorId;

/// Whether the elements are one row, or one number, not a column that is repeated.
bool is_row(const Shape& shape, std::int64_t elements) {
  return graph::count(shape) == elements && (elements == 1 || shape.back() == elements);
}

/// The other operand of a sum or a product with a constant row of as many elements; or kNoTensor.
TensorId beside_constant(const IndexedGraph& graph, const Operator& op, std::int64_t elements, TensorId& constant) {
  for (const std::size_t i : {0U, 1U}) {
    const graph::Tensor& tensor = graph.tensor(op.inputs[i]);
    if (tensor.constant && is_row(tensor.shape, elements)) {
      constant = op.inputs[i];
      return op.inputs[1 - i];
    }
  }
  return graph::kNoTensor;
}

/// A product of computed tensors, one of which is made by an operator of this kind.
template <class Kind>
const Operator* factor(const IndexedGraph& graph, const Operator& product, TensorId& other) {
  for (const std::size_t i : {1U, 0U}) {
    if (const Operator* made = graph.maker_of_kind<Kind>(product.inputs[i])) {
      other = product.inputs[1 - i];
      return made;
    }
  }
  return nullptr;
}

struct RootOfSquares {
  TensorId x = graph::kNoTensor;
  float epsilon = 0;
};

/// Whether a reciprocal root is 1 / sqrt(mean of x^2 + epsilon).
std::optional<RootOfSquares> root_of_squares(const IndexedGraph& graph, const Operator& root) {
  if (root.arithmetic != graph::Arithmetic::kBlocks ||
      std::get<graph::Unary>(root.kind).kind != graph::UnaryKind::kReciprocalSqrt) {
    return std::nullopt;
  }
  const Operator* sum = graph.maker_of_kind<graph::Binary>(root.inputs[0]);
  if (sum == nullptr || !is_float(graph, *sum, BinaryKind::kAdd)) {
    return std::nullopt;
  }
  TensorId epsilon = graph::kNoTensor;
  const Operator* mean = graph.maker_of_kind<graph::Reduce>(beside_constant(graph, *sum, 1, epsilon));
  const Operator* square = mean == nullptr ? nullptr : graph.maker_of_kind<graph::Binary>(mean->inputs[0]);
  if (square == nullptr || mean->arithmetic != graph::Arithmetic::kBlocks ||
      !is_float(graph, *square, BinaryKind::kMultiply) || square->inputs[0] != square->inputs[1]) {
    return std::nullopt;
  }
  return RootOfSquares{square->inputs[0], graph::elements<float>(graph::constant_value(graph.tensor(epsilon)))[0]};
}

/// A kernel of x and one constant row.
std::vector<Layer> by_constant_row(const IndexedGraph& graph, const Operator& op, compiler::KernelCall call, TensorId x,
                                   TensorId constant) {
  const Grid rows = grid_of_rows(graph.tensor(op.outputs[0]).shape);
  const std::string name = call.kernel;
  KernelLayer kernel{std::move(call)};
  kernel.constants.emplace(1,
                           ConstantOperand{*graph.tensor(constant).constant, Grid{1, rows.channels}.image(kWordBytes)});
  KernelSteps steps(graph, op);
  return steps.finish(
      steps.append(name.c_str(), std::move(kernel), {{x, rows.image(kWordBytes)}}, rows.image(kWordBytes)));
}

class Rows {
 public:
  Rows(const IndexedGraph& graph, const Operator& op, Transformations& transformations)
      : graph_(graph), op_(op), transformations_(transformations), steps_(graph, op) {}

  std::vector<Layer> run(const graph::Softmax&) {
    const Shape& shape = steps_.input(0).shape;
    const auto softmax = [&](const std::vector<TensorId>& inputs, Summands summands, float factor = 1) {
      return finish(softmax_rows(shape.back(), summands, factor), inputs, grid_of_rows(shape));
    };
    if (const auto last = summand_of_last()) {
      if (const auto sum = summands(last->others)) {
        fused();
        return softmax({sum->first, sum->second, last->column}, Summands::kRowsLast, last->factor);
      }
    }
    if (const auto sum = summands(op_.inputs[0])) {
      fused();
      return softmax({sum->first, sum->second}, Summands::kRows);
    }
    return softmax({op_.inputs[0]}, Summands::kNone);
  }

  std::vector<Layer> run(const graph::Reduce&) {
    const Shape& shape = steps_.input(0).shape;
    const auto product = factors();
    if (product) {
      fused();
    }
    const auto inputs = product ? std::vector{product->first, product->second} : std::vector{op_.inputs[0]};
    return finish(mean_rows(shape.back(), product.has_value()), inputs, {graph::count(shape) / shape.back(), 1});
  }

  std::vector<Layer> run(const graph::Unary&) {
    const auto root = fuses() ? root_of_squares(graph_, op_) : std::nullopt;
    if (root && graph_.uses(op_.inputs[0]) == 1) {
      fused();
      const std::int64_t n = graph_.tensor(root->x).shape.back(), rows = graph::count(graph_.tensor(root->x).shape) / n;
      return finish(root_rows(n, root->epsilon), {root->x}, {rows, 1});
    }
    return elements();
  }

  std::vector<Layer> run(const graph::Binary&) { return elements(); }

  template <class Other>
  std::vector<Layer> run(const Other&) {
    throw Refused("block floating point has no such operator");
  }

 private:
  bool fuses() const { return transformations_.on(Transformation::kFusedRows); }
  void fused() { transformations_.count(Transformation::kFusedRows); }

  std::vector<Layer> elements() {
    auto layers = lower_fused_elements(graph_, op_, transformations_);
    return layers ? std::move(*layers) : steps_.finish(float_elements(steps_));
  }

  struct Last {
    TensorId others = graph::kNoTensor, column = graph::kNoTensor;
    float factor = 1;
  };

  /// If the softmax is of a sum with a tensor that has a column, times a number, as its last one, and zeros otherwise:
  /// the other summand, the column, and the number.
  std::optional<Last> summand_of_last() const {
    const Operator* sum = graph_.maker(op_.inputs[0]);
    if (!fuses() || sum == nullptr || !is_float(graph_, *sum, BinaryKind::kAdd)) {
      return std::nullopt;
    }
    const Shape& shape = steps_.input(0).shape;
    const Operator* pad = graph_.maker_of_kind<graph::Pad>(sum->inputs[1]);
    if (pad == nullptr || graph_.tensor(sum->inputs[0]).shape != shape ||
        graph_.tensor(sum->inputs[1]).shape != shape) {
      return std::nullopt;
    }
    Shape column = shape;
    column.back() = 1;
    const auto& padding = std::get<graph::Pad>(pad->kind);
    const Operator* scaled = graph_.maker(pad->inputs[0]);
    std::vector<std::int64_t> before(shape.size(), 0);
    before.back() = shape.back() - 1;
    if (padding.mode != graph::Pad::Mode::kConstant || padding.value != 0 || padding.before != before ||
        graph_.tensor(pad->inputs[0]).shape != column || scaled == nullptr ||
        !is_float(graph_, *scaled, BinaryKind::kMultiply)) {
      return std::nullopt;
    }
    TensorId number = graph::kNoTensor;
    const TensorId computed = beside_constant(graph_, *scaled, 1, number);
    if (number == graph::kNoTensor || graph_.tensor(computed).shape != column) {
      return std::nullopt;
    }
    return Last{sum->inputs[0], computed, graph::elements<float>(graph::constant_value(graph_.tensor(number)))[0]};
  }

  /// The operands of a product with one row, both computed, that only this operator reads.
  std::optional<std::pair<TensorId, TensorId>> factors() const {
    const Operator* product = graph_.maker(op_.inputs[0]);
    if (!fuses() || product == nullptr || !is_float(graph_, *product, BinaryKind::kMultiply) ||
        graph_.uses(op_.inputs[0]) != 1) {
      return std::nullopt;
    }
    const graph::Tensor &a = graph_.tensor(product->inputs[0]), &b = graph_.tensor(product->inputs[1]);
    const bool by_row =
        !a.constant && !b.constant && a.shape == steps_.input(0).shape && is_row(b.shape, a.shape.back());
    return by_row ? std::optional(std::pair{product->inputs[0], product->inputs[1]}) : std::nullopt;
  }

  /// Of the sum before the softmax, whose second operand is a whole tensor or one row.
  std::optional<std::pair<TensorId, TensorId>> summands(TensorId of) const {
    const Operator* sum = graph_.maker(of);
    if (!fuses() || sum == nullptr || !is_float(graph_, *sum, BinaryKind::kAdd) ||
        graph_.tensor(sum->inputs[0]).constant || graph_.tensor(sum->inputs[1]).constant) {
      return std::nullopt;
    }
    const Shape &all = steps_.input(0).shape, &a = graph_.tensor(sum->inputs[0]).shape,
                &b = graph_.tensor(sum->inputs[1]).shape;
    const bool fits = graph::count(a) == graph::count(all) && !b.empty() && b.back() == all.back() &&
                      (graph::count(b) == graph::count(all) || graph::count(b) == b.back());
    return fits ? std::optional(std::pair{sum->inputs[0], sum->inputs[1]}) : std::nullopt;
  }

  std::vector<Layer> finish(compiler::KernelCall call, const std::vector<TensorId>& inputs, const Grid& result) {
    const std::string name = call.kernel;
    call.clears_lanes = std::holds_alternative<graph::Softmax>(op_.kind);
    std::vector<std::pair<TensorId, Image>> images;
    for (const TensorId id : inputs) {
      images.emplace_back(id, grid_of_rows(graph_.tensor(id).shape).image(kWordBytes));
    }
    return steps_.finish(steps_.append(name.c_str(), KernelLayer{std::move(call)}, images, result.image(kWordBytes)));
  }

  const IndexedGraph& graph_;
  const Operator& op_;
  Transformations& transformations_;
  KernelSteps steps_;
};

}  // namespace

std::vector<Layer> lower_rows(const IndexedGraph& graph, const Operator& op, Transformations& transformations) {
  return std::visit([&](const auto& kind) { return Rows(graph, op, transformations).run(kind); }, op.kind);
}

std::optional<std::vector<Layer>> lower_normalization(const IndexedGraph& graph, const Operator& op,
                                                      Transformations& transformations) {
  const Shape& shape = graph.tensor(op.outputs[0]).shape;
  if (!transformations.on(Transformation::kFusedRows) || !is_float(graph, op, BinaryKind::kMultiply) || shape.empty()) {
    return std::nullopt;
  }
  TensorId gain = graph::kNoTensor, x = graph::kNoTensor;
  const TensorId scaled = beside_constant(graph, op, shape.back(), gain);
  const Operator* product = graph.maker_of_kind<graph::Binary>(scaled);
  if (product == nullptr || !is_float(graph, *product, BinaryKind::kMultiply)) {
    return std::nullopt;
  }
  const Operator* root = factor<graph::Unary>(graph, *product, x);
  const auto of = root == nullptr ? std::nullopt : root_of_squares(graph, *root);
  if (!of || of->x != x || graph.tensor(x).shape != shape) {
    return std::nullopt;
  }
  transformations.count(Transformation::kFusedRows);
  compiler::KernelCall call = normalize_rows(shape.back(), of->epsilon);
  call.row_to_blocks = graph::count(shape) == shape.back() && shape.back() % kWidest == 0;
  return by_constant_row(graph, op, std::move(call), x, gain);
}

namespace {

/// The sizes of steps of int8 of the rows of x.
struct RowSteps {
  TensorId x = graph::kNoTensor;
  float least = 0, factor = 0;
};

/// A number that one operand is, and the other.
std::optional<std::pair<float, TensorId>> with_number(const IndexedGraph& graph, const Operator& op) {
  TensorId number = graph::kNoTensor;
  const TensorId other = beside_constant(graph, op, 1, number);
  return number == graph::kNoTensor
             ? std::nullopt
             : std::optional(std::pair{graph::elements<float>(graph::constant_value(graph.tensor(number)))[0], other});
}

/// If the operator gives them: of steps that int8 has room for.
std::optional<RowSteps> row_steps(const IndexedGraph& graph, const Operator* size) {
  constexpr float kMostSteps = 127;
  const auto product =
      size != nullptr && is_float(graph, *size, BinaryKind::kMultiply) ? with_number(graph, *size) : std::nullopt;
  const Operator* maximum = product ? graph.maker_of_kind<graph::Binary>(product->second) : nullptr;
  const auto least = maximum != nullptr && is_float(graph, *maximum, BinaryKind::kMaximum)
                         ? with_number(graph, *maximum)
                         : std::nullopt;
  const Operator* most = least ? graph.maker_of_kind<graph::Reduce>(least->second) : nullptr;
  if (most == nullptr || most->arithmetic != graph::Arithmetic::kOnnx || product->first < 1 / kMostSteps ||
      std::get<graph::Reduce>(most->kind).kind != graph::ReduceKind::kMax) {
    return std::nullopt;
  }
  const Operator* magnitude = graph.maker_of_kind<graph::Unary>(most->inputs[0]);
  if (magnitude == nullptr || std::get<graph::Unary>(magnitude->kind).kind != graph::UnaryKind::kAbs) {
    return std::nullopt;
  }
  const Shape& shape = graph.tensor(magnitude->inputs[0]).shape;
  const bool by_row = graph.tensor(magnitude->inputs[0]).type == graph::ElementType::kFloat32 && !shape.empty() &&
                      graph::count(graph.tensor(most->outputs[0]).shape) * shape.back() == graph::count(shape) &&
                      graph.tensor(most->outputs[0]).shape.back() == 1;
  return by_row ? std::optional(RowSteps{magnitude->inputs[0], least->first, product->first}) : std::nullopt;
}

/// If the operator rounds the rows of x to these steps.
std::optional<RowSteps> rounded_rows(const IndexedGraph& graph, const Operator& op) {
  const graph::Tensor& result = graph.tensor(op.outputs[0]);
  if (!std::holds_alternative<graph::Convert>(op.kind) || result.type != graph::ElementType::kInt8 ||
      !result.quantization || result.quantization->per_channel() || result.quantization->scale[0] != 1 ||
      result.quantization->zero_point[0] != 0) {
    return std::nullopt;
  }
  const Operator* product = graph.maker_of_kind<graph::Binary>(op.inputs[0]);
  if (product == nullptr || !is_float(graph, *product, BinaryKind::kMultiply)) {
    return std::nullopt;
  }
  for (const std::size_t i : {0U, 1U}) {
    const Operator* inverse = graph.maker_of_kind<graph::Binary>(product->inputs[i]);
    if (inverse == nullptr || inverse->arithmetic != graph::Arithmetic::kBlocks ||
        std::get<graph::Binary>(inverse->kind).kind != BinaryKind::kDivide) {
      continue;
    }
    TensorId number = graph::kNoTensor;
    const TensorId size = beside_constant(graph, *inverse, 1, number);
    const bool of_one =
        number == inverse->inputs[0] && graph::elements<float>(graph::constant_value(graph.tensor(number)))[0] == 1.0F;
    const auto steps = of_one ? row_steps(graph, graph.maker(size)) : std::nullopt;
    if (steps && steps->x == product->inputs[1 - i]) {
      return steps;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<Layer>> lower_int8_rows(const IndexedGraph& graph, const Operator& op,
                                                  Transformations& transformations) {
  if (!transformations.on(Transformation::kFusedRows)) {
    return std::nullopt;
  }
  const auto rounded = rounded_rows(graph, op);
  const auto of = rounded ? rounded : row_steps(graph, &op);
  if (!of) {
    return std::nullopt;
  }
  transformations.count(Transformation::kFusedRows);
  const Grid rows = grid_of_rows(graph.tensor(of->x).shape);
  compiler::KernelCall call =
      rounded ? int8_rows(rows.channels, of->least, of->factor) : step_rows(rows.channels, of->least, of->factor);
  const std::string name = call.kernel;
  KernelSteps steps(graph, op);
  return steps.finish(steps.append(name.c_str(), KernelLayer{std::move(call)}, {{of->x, rows.image(kWordBytes)}},
                                   rounded ? rows.image(1) : Grid{rows.positions, 1}.image(kWordBytes)));
}

std::optional<std::vector<Layer>> lower_rows_by_numbers(const IndexedGraph& graph, const Operator& op) {
  const Shape& shape = graph.tensor(op.outputs[0]).shape;
  if (!is_float(graph, op, BinaryKind::kMultiply) || shape.empty() || shape.back() % kWidest != 0 ||
      graph::count(shape) == shape.back()) {
    return std::nullopt;
  }
  Shape numbers = shape;
  numbers.back() = 1;
  for (const std::size_t i : {0U, 1U}) {
    const TensorId x = op.inputs[i], number = op.inputs[1 - i];
    const graph::Tensor &rows = graph.tensor(x), &of_rows = graph.tensor(number);
    if (rows.constant || of_rows.constant || rows.shape != shape || of_rows.shape != numbers) {
      continue;
    }
    KernelLayer kernel{rows_by_numbers(shape.back())};
    kernel.has_plain = true;
    const Image image = grid_of_rows(shape).image(kWordBytes);
    KernelSteps steps(graph, op);
    return steps.finish(steps.append("rows_by_numbers", std::move(kernel),
                                     {{x, image}, {number, grid_of_rows(numbers).image(kWordBytes)}}, image));
  }
  return std::nullopt;
}

std::optional<std::vector<Layer>> lower_product_of_row(const IndexedGraph& graph, const Operator& op) {
  const Shape& shape = graph.tensor(op.outputs[0]).shape;
  TensorId constant = graph::kNoTensor;
  if (!is_float(graph, op, BinaryKind::kMultiply) || shape.empty() || graph::count(shape) != shape.back() ||
      shape.back() % kWidest != 0) {
    return std::nullopt;
  }
  const TensorId x = beside_constant(graph, op, shape.back(), constant);
  if (x == graph::kNoTensor || graph.tensor(x).constant || graph.tensor(x).shape != shape) {
    return std::nullopt;
  }
  compiler::KernelCall call = product_of_rows(shape.back());
  call.row_to_blocks = true;
  return by_constant_row(graph, op, std::move(call), x, constant);
}

}  // namespace systole::network
