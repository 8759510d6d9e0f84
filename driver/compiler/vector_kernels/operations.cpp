// SPDX-License-Identifier: Apache-2.0
#include "operations.hpp"

#include <algorithm>
#include <utility>

namespace systole::compiler {

using kernel::Op;

Operations::Operations(const std::vector<ExpressionPtr>& results, std::vector<OperandPlace> operands)
    : operands_(std::move(operands)), operand_uses_(operands_.size()) {
  for (const ExpressionPtr& e : results) {
    count_operands(e);
  }
  for (const ExpressionPtr& e : results) {
    results_.push_back(result(e));
  }
  for (const Value& value : std::vector<Value>(values_)) {
    for (const Source* source : {&value.a, &value.b}) {
      if (source->kind == Source::Kind::kValue) {
        ++values_[source->number].uses;
      }
    }
  }
}

std::size_t Operations::put_before_loop(bool all) {
  order_.clear();
  for (const std::size_t number : results_) {
    schedule(number);
  }
  const auto loop = std::stable_partition(order_.begin(), order_.end(),
                                          [&](std::size_t number) { return all && values_[number].is_same; });
  return static_cast<std::size_t>(loop - order_.begin());
}

void Operations::count_operands(const ExpressionPtr& e) {
  if (e == nullptr || (e->kind == Expression::Kind::kOperation && !visited_.insert(e.get()).second)) {
    return;
  }
  if (e->kind == Expression::Kind::kOperand) {
    ++operand_uses_.at(e->value);
  }
  count_operands(e->a);
  count_operands(e->b);
}

std::size_t Operations::result(const ExpressionPtr& e) {
  Source source = source_of(e);
  if (source.kind != Source::Kind::kValue) {
    source = append(Op::kMove, source);
  }
  ++values_[source.number].uses;
  return source.number;
}

Operations::Source Operations::source_of(const ExpressionPtr& e) {
  switch (e->kind) {
    case Expression::Kind::kConstant: return {Source::Kind::kConstant, e->value};
    case Expression::Kind::kParameter: return {Source::Kind::kParameter, parameter(e->name)};
    case Expression::Kind::kOperand: return operand(e->value);
    case Expression::Kind::kOperation: break;
  }
  if (const auto known = of_expression_.find(e.get()); known != of_expression_.end()) {
    return known->second;
  }
  const Source a = source_of(e->a);
  const Source b = e->b == nullptr ? Source{Source::Kind::kConstant, 0} : source_of(e->b);
  const Source of = operation(e->op, a, b);
  of_expression_.emplace(e.get(), of);
  return of;
}

/// One of two operands in memory goes to a register first.
Operations::Source Operations::operation(Op op, const Source& a, const Source& b) {
  return append(op, in_memory(a) && in_memory(b) ? append(Op::kMove, a) : a, b);
}

std::uint32_t Operations::parameter(const std::string& name) {
  const auto found = std::find(parameters_.begin(), parameters_.end(), name);
  const auto number = static_cast<std::uint32_t>(found - parameters_.begin());
  if (found == parameters_.end()) {
    parameters_.push_back(name);
  }
  return number;
}

Operations::Source Operations::operand(std::uint32_t number) {
  const Source operand{Source::Kind::kOperand, number};
  switch (operands_.at(number)) {
    case OperandPlace::kRegister: return operand;
    case OperandPlace::kNumber: return spread(operand);
    case OperandPlace::kMemory:
      if (operand_uses_[number] == 1) {
        return operand;
      }
      break;
    default: break;
  }
  return append(Op::kMove, operand);
}

/// The word in the first lane, in all lanes. Other lanes of the row may be anything.
Operations::Source Operations::spread(const Source& number) {
  const Source zero{Source::Kind::kConstant, 0};
  const Source is_first = append(Op::kEqual, append(Op::kAddLane, zero), zero);
  return append(Op::kSumLanes, append(Op::kAnd, is_first, number));
}

Operations::Source Operations::append(Op op, const Source& a, const Source& b) {
  const auto [found, is_new] = numbers_.emplace(std::tuple{op, a, b}, values_.size());
  if (is_new) {
    Value value{op, a, b};
    value.is_same = is_same(a) && is_same(b);
    const int first = registers_of(a), second = registers_of(b);
    value.registers = std::max({1, first, second, first == second && first > 0 ? first + 1 : 0});
    values_.push_back(value);
  }
  return {Source::Kind::kValue, static_cast<std::uint32_t>(found->second)};
}

bool Operations::is_same(const Source& source) const {
  switch (source.kind) {
    case Source::Kind::kValue: return values_[source.number].is_same;
    case Source::Kind::kOperand:
      return operands_[source.number] == OperandPlace::kSame || operands_[source.number] == OperandPlace::kNumber;
    default: return true;
  }
}

int Operations::registers_of(const Source& source) const {
  return source.kind == Source::Kind::kValue ? values_[source.number].registers : 0;
}

/// What needs more registers comes first: then fewer results wait for others.
void Operations::schedule(std::size_t number) {
  if (std::find(order_.begin(), order_.end(), number) != order_.end()) {
    return;
  }
  const Value& value = values_[number];
  const bool b_first = registers_of(value.b) > registers_of(value.a);
  for (const Source* source : {b_first ? &value.b : &value.a, b_first ? &value.a : &value.b}) {
    if (source->kind == Source::Kind::kValue) {
      schedule(source->number);
    }
  }
  order_.push_back(number);
}

Registers::Registers(Operations& operations, std::size_t early, std::uint32_t reserved,
                     const std::vector<Wanted>& wanted)
    : number_(operations.values().size(), 0), free_(kernel::kVectors, true) {
  using Source = Operations::Source;
  std::fill_n(free_.begin(), reserved, false);
  std::vector<Operations::Value>& values = operations.values();
  const std::vector<std::size_t>& order = operations.order();
  std::vector<std::size_t> place_of(values.size());
  std::map<std::uint32_t, std::size_t> last_read;  // of operands
  const auto for_sources = [&](std::size_t place, const auto& visit) {
    for (const Source* source : {&values[order[place]].a, &values[order[place]].b}) {
      if (source->kind == Source::Kind::kValue) {
        visit(source->number);
      }
    }
  };
  for (std::size_t place = 0; place < order.size(); ++place) {
    place_of[order[place]] = place;
    for (const Source* source : {&values[order[place]].a, &values[order[place]].b}) {
      if (source->kind == Source::Kind::kOperand) {
        last_read[source->number] = place;
      }
    }
    for_sources(place, [&](std::size_t source) {
      values[source].last_use = place >= early && place_of[source] < early ? order.size() : place;
    });
  }
  std::map<std::size_t, std::uint32_t> given;
  for (std::size_t i = 0; i < operations.results().size(); ++i) {
    const std::size_t result = operations.results()[i];
    values[result].last_use = order.size();
    if (i < wanted.size() && wanted[i].number != Wanted::kNone && given.count(result) == 0 &&
        last_read[wanted[i].operand] <= place_of[result]) {
      given.emplace(result, wanted[i].number);
    }
  }
  for (std::size_t place = 0; place < order.size() && all_; ++place) {
    for_sources(place, [&](std::size_t source) {
      if (values[source].last_use == place) {
        free_[number_[source]] = true;
      }
    });
    if (const auto found = given.find(order[place]); found != given.end()) {
      number_[order[place]] = found->second;
      continue;
    }
    const auto found = std::find(free_.begin(), free_.end(), true);
    all_ = found != free_.end();
    if (all_) {
      *found = false;
      number_[order[place]] = static_cast<std::uint32_t>(found - free_.begin());
    }
  }
}

}  // namespace systole::compiler
