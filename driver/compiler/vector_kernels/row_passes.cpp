// SPDX-License-Identifier: Apache-2.0
#include "row_passes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace systole::compiler {

using kernel::Op;

namespace {

constexpr std::uint32_t kLeastInteger = 0x80000000, kMinusInfinity = 0xff800000;
constexpr int kMostTogether = 2;  // planes in a loop that computes kept elements and their sums
constexpr std::uint32_t kNone = Registers::Wanted::kNone;

bool is_operand(const ExpressionPtr& e) { return e->kind == Expression::Kind::kOperand; }

class Recording {
 public:
  Recording(const RowFunction& function, const RowShape& shape, const RowRegisters& at)
      : function_(function), shape_(shape), at_(at) {}

  std::optional<RowPasses> run() {
    record();
    return fits_ ? std::optional(std::move(result_)) : std::nullopt;
  }

 private:
  /// The largest number of folds in a pass, each of which has an accumulator.
  std::size_t most_folds() const {
    std::size_t most = 0;
    for (const RowFunction::Step& step : function_.steps()) {
      most = std::max(most, step.folds.size());
    }
    return most;
  }

  /// The operand's place for a pass: those from the function's on, accumulators and masks behind them.
  std::vector<OperandPlace> places() const {
    std::vector<OperandPlace> places(at_.next_number + most_folds(), OperandPlace::kRegister);
    for (std::size_t i = 0; i < function_.operands().size(); ++i) {
      places[i] = function_.operands()[i].is_number ? OperandPlace::kNumber : OperandPlace::kMemory;
    }
    for (const RowFunction::Step& step : function_.steps()) {
      if (step.kept && !at_.in_registers) {
        places[step.kept_number] = OperandPlace::kMemory;
      }
    }
    return places;
  }

  /// With what each use computes.
  ExpressionPtr resolved(const ExpressionPtr& e, bool last = false) const {
    return Substitution([&](const Expression& of) -> ExpressionPtr {
      if (of.kind == Expression::Kind::kParameter && of.name == RowFunction::kLastLane) {
        return constant(static_cast<std::uint32_t>(shape_.lanes - 1));
      }
      const auto recomputed =
          of.kind == Expression::Kind::kOperand ? at_.recomputed.find(of.value) : at_.recomputed.end();
      return recomputed == at_.recomputed.end() ? nullptr : element_of(recomputed->second, last);
    })(e);
  }

  RowBody body(const std::vector<ExpressionPtr>& results, std::vector<Registers::Wanted> wanted,
               std::map<std::uint32_t, std::uint32_t> more_registers, bool stores, bool sums = false) {
    RowBody body{Operations(results, places())};
    body.wanted = std::move(wanted);
    body.register_of = at_.register_of;
    body.register_of.merge(more_registers);
    body.stores = stores;
    body.operations.put_before_loop(false);
    body.registers.emplace(body.operations, 0, sums ? at_.sums_end : at_.reserved, body.wanted);
    fits_ = fits_ && body.registers->all();
    return body;
  }

  static ExpressionPtr element_of(const RowFunction::Element& element, bool last) {
    return last && element.in_last != nullptr ? element.in_last : element.value;
  }

  ExpressionPtr masked(Combine combine, const ExpressionPtr& e) const {
    switch (combine) {
      case Combine::kMax: return operation(Op::kMin, e, operand(*at_.limit));
      case Combine::kMin: return operation(Op::kMax, e, operand(*at_.lower_limit));
      case Combine::kFloatMax:
        return operation(Op::kOr, operation(Op::kAnd, e, operand(*at_.inside)), operand(*at_.beyond));
      default: return operation(Op::kAnd, e, operand(*at_.inside));
    }
  }

  static Op combining(Combine combine) {
    switch (combine) {
      case Combine::kMax: return Op::kMax;
      case Combine::kMin: return Op::kMin;
      case Combine::kSum: return Op::kIadd;
      case Combine::kFloatMax: return Op::kFmax;
      default: return Op::kFadd;
    }
  }

  /// What a pass computes of a step.
  enum class Part : std::uint8_t { kAll, kKept, kFolds };

  /// A plane's part of a step.
  RowBody plane_of(const RowFunction::Step& step, int plane, bool last, Part part) {
    std::vector<ExpressionPtr> results;
    std::vector<Registers::Wanted> wanted;
    std::map<std::uint32_t, std::uint32_t> more = plane_registers(plane);
    const bool masks = last && shape_.masked, keeps = step.kept && at_.recomputed.count(step.kept_number) == 0;
    ExpressionPtr kept = nullptr;
    if (keeps && part != Part::kFolds) {
      kept = resolved(element_of(*step.kept, last), last);
      kept = masks ? operation(Op::kAnd, kept, operand(*at_.inside)) : kept;
      results.push_back(kept);
      wanted.emplace_back();
      if (at_.in_registers) {
        wanted.back().number = at_.kept_in.at(step.kept_number) + static_cast<std::uint32_t>(plane);
        const auto instead = at_.instead_of.find(step.kept_number);
        wanted.back().operand = instead == at_.instead_of.end() ? kNone : instead->second;
      }
    }
    for (std::size_t i = 0; i < step.folds.size() && part != Part::kKept; ++i) {
      const RowFunction::Fold& fold = step.folds[i];
      const int sum = fold.combine == Combine::kFloatSum ? plane % shape_.sums : 0;
      const bool first = plane < (fold.combine == Combine::kFloatSum ? shape_.sums : 1);
      ExpressionPtr e = element_of(fold.element, last);
      const bool is_kept = keeps && is_operand(e) && e->value == step.kept_number;
      e = resolved(kept != nullptr ? Substitution([&](const Expression& of) {
                     return of.kind == Expression::Kind::kOperand && of.value == step.kept_number ? kept : nullptr;
                   })(e)
                                   : e,
                   last);
      const bool zeros = fold.combine == Combine::kSum || fold.combine == Combine::kFloatSum;
      e = masks && !(is_kept && zeros) ? masked(fold.combine, e) : e;
      const std::uint32_t accumulator = at_.next_number + static_cast<std::uint32_t>(i);
      const std::uint32_t in = at_.of_sum(step, i, sum, shape_);
      more[accumulator] = in;
      if (first && fold.combine == Combine::kFloatSum) {
        e = operation(Op::kFadd, e, constant(0));
      } else if (!first) {
        e = operation(combining(fold.combine), operand(accumulator), e);
      }
      results.push_back(e);
      wanted.push_back({in, first ? kNone : accumulator});
    }
    return body(results, std::move(wanted), std::move(more), kept != nullptr && !at_.in_registers, part != Part::kKept);
  }

  /// Where the kept elements of a plane are.
  std::map<std::uint32_t, std::uint32_t> plane_registers(int plane) const {
    std::map<std::uint32_t, std::uint32_t> registers;
    for (const auto& [number, first] : at_.kept_in) {
      registers[number] = first + static_cast<std::uint32_t>(plane);
    }
    return registers;
  }

  void record() {
    if (shape_.masked) {
      record_masks();
    }
    for (const RowFunction::Step& step : function_.steps()) {
      if (step.value != nullptr) {
        record_value(step);
      } else if (!step.folds.empty() || at_.recomputed.count(step.kept_number) == 0) {
        const bool apart = step.kept && !at_.in_registers && at_.recomputed.count(step.kept_number) == 0 &&
                           sums_of(step) > kMostTogether;
        if (apart) {
          record_planes(step, Part::kKept);
        }
        record_planes(step, apart ? Part::kFolds : Part::kAll);
      }
    }
    record_result();
  }

  void record_masks() {
    const ExpressionPtr lane = operation(Op::kAddLane, constant(0));
    const ExpressionPtr inside = operation(Op::kLess, lane, constant(static_cast<std::uint32_t>(shape_.lanes)));
    std::vector<ExpressionPtr> results = {inside};
    std::vector<Registers::Wanted> wanted = {{at_.register_of.at(*at_.inside), kNone}};
    if (at_.limit) {
      results.push_back(operation(Op::kXor, inside, constant(kLeastInteger)));
      wanted.push_back({at_.register_of.at(*at_.limit), kNone});
    }
    if (at_.lower_limit) {
      results.push_back(operation(Op::kXor, inside, constant(~kLeastInteger)));
      wanted.push_back({at_.register_of.at(*at_.lower_limit), kNone});
    }
    if (at_.beyond) {
      const ExpressionPtr outside = operation(Op::kXor, inside, constant(~std::uint32_t{0}));
      results.push_back(operation(Op::kAnd, outside, constant(kMinusInfinity)));
      wanted.push_back({at_.register_of.at(*at_.beyond), kNone});
    }
    result_.before.push_back(body(results, std::move(wanted), {}, false));
  }

  void record_value(const RowFunction::Step& step) {
    RowPass pass;
    collect_operands(step.value, pass.reads);
    keep_only_memory(pass.reads);
    pass.advances = false;
    pass.planes.push_back(
        {{body({resolved(step.value)}, {{at_.register_of.at(step.value_number), kNone}}, {}, false)}, 1});
    result_.passes.push_back(std::move(pass));
  }

  /// Planes whose sums are apart.
  int sums_of(const RowFunction::Step& step) const {
    const bool any = std::any_of(step.folds.begin(), step.folds.end(),
                                 [](const RowFunction::Fold& fold) { return fold.combine == Combine::kFloatSum; });
    return any ? shape_.sums : 1;
  }

  void record_planes(const RowFunction::Step& step, Part part) {
    RowPass pass;
    bool differs = shape_.masked;
    const auto add = [&](const RowFunction::Element& element) {
      differs = differs || element.in_last != nullptr;
      collect_operands(resolved(element.value), pass.reads);
      collect_operands(resolved(element.in_last, true), pass.reads);
    };
    const bool keeps = step.kept && at_.recomputed.count(step.kept_number) == 0;
    if (keeps && part != Part::kFolds) {
      add(*step.kept);
    }
    if (part != Part::kKept) {
      for (const RowFunction::Fold& fold : step.folds) {
        add(fold.element);
      }
      pass.folds = step.folds;
    }
    if (keeps && part == Part::kAll) {
      pass.reads.erase(step.kept_number);
    }
    for (const auto& [number, element] : at_.recomputed) {
      differs = differs || element.in_last != nullptr;
    }
    keep_only_memory(pass.reads);
    pass.writes = keeps && !at_.in_registers && part != Part::kFolds;
    const int group = part == Part::kKept ? 1 : sums_of(step);
    const int same = differs ? shape_.planes - 1 : shape_.planes;
    const auto one = [&](int plane) { pass.planes.push_back({{plane_of(step, plane, plane >= same, part)}, 1}); };
    int plane = 0;
    for (; plane < std::min(group, same); ++plane) {
      one(plane);
    }
    if (const int times = (same - plane) / group; times > 1 && !at_.in_registers) {
      RowPlanes repeated{{}, times};
      for (int i = 0; i < group; ++i) {
        repeated.bodies.push_back(plane_of(step, plane + i, false, part));
      }
      pass.planes.push_back(std::move(repeated));
      plane += times * group;
    }
    for (; plane < shape_.planes; ++plane) {
      one(plane);
    }
    result_.passes.push_back(std::move(pass));
  }

  void record_result() {
    RowPass pass;
    pass.writes = true;
    const bool of_row = function_.result_of_row() != nullptr;
    const ExpressionPtr& element = of_row ? function_.result_of_row() : function_.result_element();
    const ExpressionPtr result = resolved(element), in_last = resolved(element, true);
    collect_operands(result, pass.reads);
    collect_operands(in_last, pass.reads);
    keep_only_memory(pass.reads);
    pass.advances = !of_row;
    const int planes = of_row ? 1 : shape_.planes;
    const bool differs = std::any_of(at_.recomputed.begin(), at_.recomputed.end(),
                                     [](const auto& recomputed) { return recomputed.second.in_last != nullptr; });
    const auto repeat = [&](int times) { pass.planes.push_back({{body({result}, {}, {}, true)}, times}); };
    const auto one = [&](int plane) {
      const bool last = !of_row && plane + 1 == planes;
      pass.planes.push_back({{body({last ? in_last : result}, {}, plane_registers(plane), true)}, 1});
    };
    if (planes == 1 || at_.in_registers) {
      for (int plane = 0; plane < planes; ++plane) {
        one(plane);
      }
    } else if (differs) {
      planes > 2 ? repeat(planes - 1) : one(0);
      one(planes - 1);
    } else if (const ExpressionPtr head = head_of(result)) {
      // An operation that reads memory comes before the plane before is stored: it would wait for that.
      RowBody ahead = body({result, head}, {}, {}, true);
      ahead.head = ahead.operations.results()[1];
      pass.planes.push_back({{std::move(ahead)}, planes});
    } else {
      repeat(planes);
    }
    result_.passes.push_back(std::move(pass));
  }

  /// The operation that may be computed before the plane before is stored: the only one that reads the first operand,
  /// beside what is known of the row.
  ExpressionPtr head_of(const ExpressionPtr& result) const {
    std::vector<ExpressionPtr> readers;
    std::set<const Expression*> visited;
    collect_readers(result, readers, visited);
    if (readers.size() != 1 || readers[0] == result) {
      return nullptr;
    }
    const ExpressionPtr &a = readers[0]->a, &b = readers[0]->b;
    const auto is_known = [&](const ExpressionPtr& source) {
      return source == nullptr ||
             (source->kind != Expression::Kind::kOperation && !(is_operand(source) && is_in_memory(source->value)));
    };
    return (is_first(a) && is_known(b)) || (is_known(a) && is_first(b)) ? readers[0] : nullptr;
  }

  static bool is_first(const ExpressionPtr& e) { return e != nullptr && is_operand(e) && e->value == 0; }

  static void collect_readers(const ExpressionPtr& e, std::vector<ExpressionPtr>& readers,
                              std::set<const Expression*>& visited) {
    if (e == nullptr || e->kind != Expression::Kind::kOperation || !visited.insert(e.get()).second) {
      return;
    }
    if (is_first(e->a) || is_first(e->b)) {
      readers.push_back(e);
    }
    collect_readers(e->a, readers, visited);
    collect_readers(e->b, readers, visited);
  }

  bool is_in_memory(std::uint32_t number) const {
    return number < function_.operands().size() || is_kept_in_memory(function_, at_, number);
  }

  void keep_only_memory(std::set<std::uint32_t>& numbers) const {
    for (auto i = numbers.begin(); i != numbers.end();) {
      i = is_in_memory(*i) ? std::next(i) : numbers.erase(i);
    }
  }

  const RowFunction& function_;
  const RowShape& shape_;
  const RowRegisters& at_;
  bool fits_ = true;
  RowPasses result_;
};

}  // namespace

bool is_kept_in_memory(const RowFunction& function, const RowRegisters& at, std::uint32_t number) {
  return !at.in_registers && at.recomputed.count(number) == 0 &&
         std::any_of(function.steps().begin(), function.steps().end(),
                     [=](const RowFunction::Step& step) { return step.kept && step.kept_number == number; });
}

std::optional<RowPasses> row_passes(const RowFunction& function, const RowShape& shape, const RowRegisters& at) {
  return Recording(function, shape, at).run();
}

}  // namespace systole::compiler
