// SPDX-License-Identifier: Apache-2.0
#include "lower_floats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "attributes.hpp"
#include "element_formulas.hpp"
#include "execute_rows.hpp"
#include "fold_formulas.hpp"
#include "functions/exponential.hpp"
#include "integer_formulas.hpp"
#include "kernels.hpp"
#include "refused.hpp"
#include "row_formulas.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::ElementType;
using graph::ReduceKind;
using graph::Shape;
using graph::UnaryKind;
using kernel::Format;

class Floats {
 public:
  explicit Floats(KernelSteps& steps) : steps_(steps) {}

  /// An operator that has a formula. A tensor that it reads twice is one operand.
  Term elements() {
    const graph::Operator& op = steps_.op();
    std::vector<Term> terms;
    std::vector<compiler::ExpressionPtr> operands;
    // The exponent of a power that is computed by multiplications is a part of its formula.
    const std::size_t read = multiplied_power(steps_.graph(), op) != 0 ? 1 : op.inputs.size();
    for (std::size_t i = 0; i < read; ++i) {
      const auto first = std::find(op.inputs.begin(), op.inputs.begin() + static_cast<std::ptrdiff_t>(i), op.inputs[i]);
      const auto same = static_cast<std::size_t>(first - op.inputs.begin());
      operands.push_back(same < i ? operands[same] : compiler::operand(static_cast<std::uint32_t>(terms.size())));
      if (same == i) {
        terms.push_back(steps_.operand(i));
      }
    }
    const auto value = formula_of(steps_.graph(), op, operands);
    if (!value) {
      throw Refused(fmt::format("{} of float32", name_of(op)));
    }
    const bool holds = is_comparison(op);
    return steps_.apply(compiler::element_call({name_of(op), std::vector<Format>(terms.size(), Format::kI32),
                                                holds ? Format::kI8 : Format::kI32,
                                                holds ? as_bool(compiler::IntWord(*value)).word : *value}),
                        terms, steps_.output().type);
  }

  Term reduction(const graph::Reduce& op) {
    Shape shape = steps_.input(0).shape;
    const Term result = steps_.folded(float_fold(op.kind), steps_.given(0), shape, op.axes);
    if (op.kind != ReduceKind::kMean) {
      return result;
    }
    const std::int64_t each = graph::count(steps_.input(0).shape) / graph::count(shape);
    return combine(BinaryKind::kDivide, {result, steps_.constant(static_cast<float>(each))});
  }

  Term softmax(const graph::Softmax& op) {
    require(op.beta == 1, "a softmax with a factor");
    const Term x = steps_.given(0);
    const Shape shape = steps_.input(0).shape;
    if (graph::is_strict_row(op, shape)) {
      const Image rows = grid_of_rows(shape).image(kWordBytes);
      return steps_.append("softmax_rows", KernelLayer{strict_softmax_rows(shape.back())}, {{x.id, rows}}, rows);
    }
    Shape kept = shape;
    const Term most = broadcast_back(steps_.folded(float_fold(ReduceKind::kMax), x, kept, {op.axis}), kept);
    const auto power = golden::functions::exponential(real(0) - real(1));
    const Term powers = steps_.apply(
        compiler::element_call({"powers", {Format::kI32, Format::kI32}, Format::kI32, power.word}), {x, most});
    kept = shape;
    const Term sum = steps_.folded(float_fold(ReduceKind::kSum), powers, kept, {op.axis});
    const auto of_sum = [&](UnaryKind kind) {
      return broadcast_back(steps_.apply(float_call(kind), {sum}, grid_of(kept), ElementType::kFloat32), kept);
    };
    return op.logarithm
               ? combine(BinaryKind::kSubtract, {combine(BinaryKind::kSubtract, {x, most}), of_sum(UnaryKind::kLog)})
               : combine(BinaryKind::kMultiply, {powers, of_sum(UnaryKind::kReciprocal)});
  }

 private:
  static const char* name_of(const graph::Operator& op) {
    const auto* unary = std::get_if<graph::Unary>(&op.kind);
    const auto* binary = std::get_if<graph::Binary>(&op.kind);
    return unary != nullptr    ? graph::name_of(unary->kind)
           : binary != nullptr ? graph::name_of(binary->kind)
                               : graph::name_of(op.kind);
  }

  Term combine(BinaryKind kind, const std::vector<Term>& terms) { return steps_.apply(float_call(kind), terms); }

  Term broadcast_back(const Term& term, const Shape& kept) {
    const Shape& shape = steps_.input(0).shape;
    return graph::count(kept) == graph::count(shape) ? term : steps_.broadcast(term, kept, shape);
  }

  KernelSteps& steps_;
};

}  // namespace

Term float_elements(KernelSteps& steps) { return Floats(steps).elements(); }
Term float_reduction(KernelSteps& steps, const graph::Reduce& op) { return Floats(steps).reduction(op); }
Term float_softmax(KernelSteps& steps, const graph::Softmax& op) { return Floats(steps).softmax(op); }

}  // namespace systole::network
