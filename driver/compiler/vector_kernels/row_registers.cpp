// SPDX-License-Identifier: Apache-2.0
#include "row_registers.hpp"

#include <set>

namespace systole::compiler {
namespace {

class Assignment {
 public:
  Assignment(const RowFunction& function, const RowShape& shape, bool in_registers)
      : function_(function), shape_(shape), in_registers_(in_registers), to_{in_registers} {}

  RowRegisters run() {
    assign_registers();
    return std::move(to_);
  }

 private:
  std::uint32_t take_register() { return to_.reserved++; }

  /// The register of a value that has been read for the last time before the step, or another one.
  std::uint32_t register_for(const RowFunction::Step& step) {
    std::set<std::uint32_t> held;
    for (const auto& [number, in] : to_.register_of) {
      const bool of_step = std::any_of(step.folds.begin(), step.folds.end(),
                                       [n = number](const RowFunction::Fold& fold) { return fold.number == n; });
      if (of_step || function_.last_reader(number) >= &step) {
        held.insert(in);
      }
    }
    for (const auto& [number, in] : to_.register_of) {
      if (held.insert(in).second) {
        return in;
      }
    }
    return take_register();
  }

  /// What is known of a row, kept elements and masks are in registers of their own; behind them, in passes that have
  /// several, sums of elements.
  void assign_registers() {
    std::uint32_t more_sums = 0;
    bool keeps_in_memory = false;
    for (const RowFunction::Step& step : function_.steps()) {
      std::uint32_t sums = 0;
      for (const RowFunction::Fold& fold : step.folds) {
        to_.register_of[fold.number] = register_for(step);
        sums += fold.combine == Combine::kFloatSum ? static_cast<std::uint32_t>(shape_.used_sums() - 1) : 0;
      }
      more_sums = std::max(more_sums, sums);
      if (step.value != nullptr) {
        to_.register_of[step.value_number] = register_for(step);
      }
      if (step.kept && in_registers_) {
        keep_in_registers(step);
      } else if (step.kept && step.recomputes) {
        to_.recomputed[step.kept_number] = *step.kept;
      } else if (step.kept) {
        to_.fits = to_.fits && !keeps_in_memory;
        keeps_in_memory = true;
      }
    }
    to_.next_number = function_.numbers();
    if (shape_.masked) {
      to_.inside = mask();
      to_.limit = function_.combines(Combine::kMax) ? std::optional(mask()) : std::nullopt;
      to_.lower_limit = function_.combines(Combine::kMin) ? std::optional(mask()) : std::nullopt;
      to_.beyond = function_.combines(Combine::kFloatMax) ? std::optional(mask()) : std::nullopt;
    }
    to_.sums_end = to_.reserved + more_sums;
  }

  /// Elements take the registers of those that nothing reads any more.
  void keep_in_registers(const RowFunction::Step& step) {
    for (const auto& [number, first] : to_.kept_in) {
      const bool taken = std::any_of(to_.instead_of.begin(), to_.instead_of.end(),
                                     [n = number](const auto& pair) { return pair.second == n; });
      if (!taken && function_.last_reader(number) <= &step) {
        to_.instead_of[step.kept_number] = number;
        to_.kept_in[step.kept_number] = first;
        return;
      }
    }
    to_.kept_in[step.kept_number] = to_.reserved;
    to_.reserved += static_cast<std::uint32_t>(shape_.planes);
  }

  std::uint32_t mask() {
    to_.register_of[to_.next_number] = take_register();
    return to_.next_number++;
  }

  const RowFunction& function_;
  const RowShape& shape_;
  const bool in_registers_;
  RowRegisters to_;
};

}  // namespace

RowShape::RowShape(const RowFunction& function, int dim, Strips strips_of)
    : of(strips_of),
      planes(static_cast<int>((function.elements() + dim - 1) / dim)),
      lanes(static_cast<int>(function.elements() - std::int64_t{planes - 1} * dim)),
      masked(lanes < dim),
      sum_planes(of == Strips::kOfRows ? 1 : std::clamp(function.apart() / dim, 1, kernel::kStripRows)),
      sums(std::max(1, function.apart() / (dim * sum_planes))) {}

std::uint32_t RowRegisters::of_sum(const RowFunction::Step& step, std::size_t fold, int i,
                                   const RowShape& shape) const {
  if (i == 0) {
    return register_of.at(step.folds[fold].number);
  }
  std::uint32_t before = 0;
  for (std::size_t f = 0; f < fold; ++f) {
    before += step.folds[f].combine == Combine::kFloatSum ? static_cast<std::uint32_t>(shape.used_sums() - 1) : 0;
  }
  return reserved + before + static_cast<std::uint32_t>(i) - 1;
}

RowRegisters assign_row_registers(const RowFunction& function, const RowShape& shape, bool in_registers) {
  return Assignment(function, shape, in_registers).run();
}

}  // namespace systole::compiler
