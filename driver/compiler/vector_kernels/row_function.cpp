// SPDX-License-Identifier: Apache-2.0
#include "row_function.hpp"

#include <algorithm>

namespace systole::compiler {

std::vector<ExpressionPtr> RowFunction::fold(const std::vector<std::pair<Combine, Element>>& folds) {
  if (steps_.empty() || !steps_.back().kept || !steps_.back().folds.empty()) {
    steps_.emplace_back();
  }
  std::vector<ExpressionPtr> results;
  for (const auto& [combine, element] : folds) {
    steps_.back().folds.push_back({combine, element, next_});
    results.push_back(operand(next_++));
  }
  return results;
}

ExpressionPtr RowFunction::keep(const Element& element, bool recomputes) {
  Step& step = steps_.emplace_back();
  step.kept = element;
  step.recomputes = recomputes;
  step.kept_number = next_;
  return operand(next_++);
}

ExpressionPtr RowFunction::value(const ExpressionPtr& expression) {
  Step& step = steps_.emplace_back();
  step.value = expression;
  step.value_number = next_;
  return operand(next_++);
}

bool RowFunction::keeps() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.kept.has_value(); });
}

bool RowFunction::has_last_elements() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const Step& step) {
    return (step.kept && step.kept->in_last != nullptr) ||
           std::any_of(step.folds.begin(), step.folds.end(),
                       [](const Fold& fold) { return fold.element.in_last != nullptr; });
  });
}

bool RowFunction::combines(Combine combine) const {
  return std::any_of(steps_.begin(), steps_.end(), [=](const Step& step) {
    return std::any_of(step.folds.begin(), step.folds.end(), [=](const Fold& fold) { return fold.combine == combine; });
  });
}

const RowFunction::Step* RowFunction::last_reader(std::uint32_t number) const {
  const auto reads = [=](const std::vector<ExpressionPtr>& expressions) {
    std::set<std::uint32_t> operands;
    for (const ExpressionPtr& e : expressions) {
      collect_operands(e, operands);
    }
    return operands.count(number) != 0;
  };
  if (reads({element_, of_row_})) {
    return steps_.data() + steps_.size();
  }
  const Step* last = nullptr;
  for (const Step& step : steps_) {
    std::vector<ExpressionPtr> expressions = {step.value};
    if (step.kept) {
      expressions.insert(expressions.end(), {step.kept->value, step.kept->in_last});
      if (step.recomputes && reads({step.kept->value, step.kept->in_last})) {
        last = std::max(last, last_reader(step.kept_number));
      }
    }
    for (const Fold& fold : step.folds) {
      expressions.insert(expressions.end(), {fold.element.value, fold.element.in_last});
    }
    last = reads(expressions) ? std::max(last, &step) : last;
  }
  return last;
}

void collect_operands(const ExpressionPtr& e, std::set<std::uint32_t>& numbers) {
  if (e != nullptr) {
    if (e->kind == Expression::Kind::kOperand) {
      numbers.insert(e->value);
    }
    collect_operands(e->a, numbers);
    collect_operands(e->b, numbers);
  }
}

}  // namespace systole::compiler
