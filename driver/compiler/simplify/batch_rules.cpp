// SPDX-License-Identifier: Apache-2.0
#include "batch_rules.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "infer.hpp"
#include "kind_rules.hpp"

namespace systole::graph {
namespace {

std::string axis_refusal(const char* what) {
  return fmt::format("{} the first axis, which is that of the samples", what);
}

class Rules {
 public:
  Rules(const BatchedOperands& operands, const Shape& output) : operands_(operands), output_(output) {}

  /// By the row of the kind, unless that leaves it to a rule here.
  template <class Kind>
  std::string operator()(const Kind& op) const {
    const KindRules& rules = rules_of(op);
    if constexpr (requires { op.axis; }) {
      if (rules.batch == Batch::kAlong) {
        return along(op.axis);
      }
    }
    return rules.batch == Batch::kRows        ? rows(rules.operands[0])
           : rules.batch == Batch::kBroadcast ? aligned()
                                              : "it is not known whether it treats samples alike";
  }

  std::string operator()(const Reduce& op) const {
    for (const int axis : op.axes) {
      if (std::string refusal = along(axis); !refusal.empty()) {
        return refusal;
      }
    }
    return "";
  }

  std::string operator()(const Reshape&) const { return output_.empty() ? "its result has no axes" : ""; }
  std::string operator()(const Pad& op) const {
    return op.before.at(0) != 0 || op.after.at(0) != 0 ? axis_refusal("it pads") : "";
  }
  std::string operator()(const Transpose& op) const {
    return op.permutation.at(0) != 0 ? axis_refusal("it moves") : "";
  }
  std::string operator()(const Slice& op) const {
    return op.begin.at(0) != 0 || op.step.at(0) != 1 || output_.at(0) != operands_[0].shape[0] ? axis_refusal("it cuts")
                                                                                               : "";
  }
  std::string operator()(const Gather& op) const {
    if (operands_[0].varies && operands_[1].varies) {
      return "data and indices depend on the sample";
    }
    if (operands_[0].varies) {
      return along(op.axis);
    }
    return operands_[1].shape.empty() || axis_of(op.axis, rank()) != 0 ? "the indices are not the first axes" : "";
  }
  std::string operator()(const Scatter&) const { return axis_refusal("it has indices of"); }
  std::string operator()(const MaxIndices&) const { return "its results count the elements of all samples"; }

  std::string operator()(const Lstm& op) const {
    return op.time_major ? "its first axis is the time" : constant_weights();
  }

  std::string operator()(const MatMul& op) const {
    const BatchedOperand &a = operands_[0], &b = operands_[1];
    if (a.shape.size() == 2 && b.shape.size() == 2) {  // rows
      return b.varies || op.transpose_a ? "its columns are those of all samples" : bias_aligned();
    }
    for (const BatchedOperand* operand : {&a, &b}) {
      if (std::string refusal = leading(*operand); !refusal.empty()) {
        return refusal;
      }
    }
    return bias_aligned();
  }

 private:
  std::size_t rank() const { return operands_[0].shape.size(); }

  /// The first operand has an axis in front of those that a result is computed along.
  std::string rows(const OperandRule& first) const {
    return rank() <= axes_of_rows(first) ? "its operand has no axis besides that of the samples" : constant_weights();
  }

  std::string constant_weights() const {
    for (std::size_t i = 1; i < operands_.size(); ++i) {
      if (operands_[i].varies) {
        return fmt::format("operand {} depends on the sample", i);
      }
    }
    return "";
  }

  std::string along(int axis) const { return axis_of(axis, rank()) == 0 ? axis_refusal("it works along") : ""; }

  /// An operand of a result whose axes broadcast. If it varies, its first axis is that of the result. Otherwise it is
  /// the same for all samples, or is repeated.
  std::string leading(const BatchedOperand& operand) const {
    const bool same_rank = operand.shape.size() == output_.size();
    if (operand.varies) {
      return same_rank && operand.shape[0] == output_[0] ? "" : "an operand is broadcast along the first axis";
    }
    return "";
  }

  std::string aligned() const {
    for (const BatchedOperand& operand : operands_) {
      if (std::string refusal = leading(operand); !refusal.empty()) {
        return refusal;
      }
    }
    return "";
  }

  std::string bias_aligned() const {
    return operands_.size() > 2 && operands_[2].varies ? "its bias depends on the sample" : "";
  }

  const BatchedOperands& operands_;
  const Shape& output_;
};

/// Whether an operand that is broadcast to the result has rows of its own for each position of the first axis.
bool has_first_axis(const Shape& operand, const Shape& output) {
  return operand.size() == output.size() && !operand.empty() && operand[0] != 1;
}

}  // namespace

std::string batch_refusal(const OperatorKind& kind, const BatchedOperands& operands, const Shape& output) {
  return std::visit(Rules(operands, output), kind);
}

bool is_repeated(const OperatorKind& kind, std::size_t index, const BatchedOperands& operands, const Shape& output) {
  if (std::holds_alternative<Lstm>(kind)) {
    return index == Lstm::kHidden || index == Lstm::kCell;
  }
  if (std::holds_alternative<Svdf>(kind)) {
    return index == Svdf::kState;
  }
  if (std::holds_alternative<Concat>(kind)) {
    return true;
  }
  if (std::holds_alternative<MatMul>(kind)) {  // of matrices alone, the right one is for all rows
    const bool rows = operands[0].shape.size() == 2 && operands[1].shape.size() == 2;
    return !(rows && index == 1) && has_first_axis(operands[index].shape, output);
  }
  return (std::holds_alternative<Binary>(kind) || std::holds_alternative<Select>(kind)) &&
         has_first_axis(operands[index].shape, output);
}

}  // namespace systole::graph
