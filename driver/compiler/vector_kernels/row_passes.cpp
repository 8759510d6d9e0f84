// SPDX-License-Identifier: Apache-2.0
#include "row_passes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace systole::compiler {

using kernel::Op;

namespace {

constexpr std::uint32_t kLeastInteger = 0x80000000, kMinusInfinity = 0xff800000;
constexpr int kMostTogether = 2;          // planes in a loop that computes kept elements and their sums
constexpr std::size_t kMostOfPlanes = 2;  // operands in strips of planes, whose addresses take four scalars each
constexpr std::uint32_t kNone = Registers::Wanted::kNone;

bool is_operand(const ExpressionPtr& e) { return e->kind == Expression::Kind::kOperand; }

class Recording {
 public:
  Recording(const RowFunction& function, const RowShape& shape, const RowRegisters& at)
      : function_(function), shape_(shape), at_(at) {}

  std::optional<RowPasses> run() {
    if (!is_possible()) {
      return std::nullopt;
    }
    record();
    return fits_ ? std::optional(std::move(result_)) : std::nullopt;
  }

 private:
  /// Strips of planes have no numbers, words or elements of the last plane. Where a strip whose elements of binary32
  /// are summed has fewer planes than others, there is none with fewer still.
  bool is_possible() const {
    if (shape_.of == Strips::kOfRows) {
      return true;
    }
    const auto unlike = [](const RowFunction::Operand& operand) { return operand.is_number || operand.is_words; };
    const bool sums = function_.combines(Combine::kFloatSum);
    const bool whole =
        !sums ||
        (function_.elements() >= function_.apart() &&
         (shape_.sum_planes == kernel::kStripRows || (!shape_.masked && shape_.planes % shape_.sum_planes == 0)));
    const bool keeps_words = function_.result() == kernel::Format::kI32 ||
                             std::none_of(function_.steps().begin(), function_.steps().end(),
                                          [](const auto& step) { return step.kept && !step.recomputes; });
    return whole && keeps_words && !function_.has_last_elements() && function_.operands().size() <= kMostOfPlanes &&
           std::none_of(function_.operands().begin(), function_.operands().end(), unlike);
  }

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

  /// What a pass computes of a step.
  enum class Part : std::uint8_t { kAll, kKept, kFolds };

  /// A strip's part of a step.
  RowBody strip_of(const RowFunction::Step& step, int strip, bool last, Part part) {
    std::vector<ExpressionPtr> results;
    std::vector<Registers::Wanted> wanted;
    std::map<std::uint32_t, std::uint32_t> more = strip_registers(strip);
    const bool masks = last && shape_.masked, keeps = step.kept && at_.recomputed.count(step.kept_number) == 0;
    ExpressionPtr kept = nullptr;
    if (keeps && part != Part::kFolds) {
      kept = resolved(element_of(*step.kept, last), last);
      kept = masks ? operation(Op::kAnd, kept, operand(*at_.inside)) : kept;
      results.push_back(kept);
      wanted.emplace_back();
      if (at_.in_registers) {
        wanted.back().number = at_.kept_in.at(step.kept_number) + static_cast<std::uint32_t>(strip);
        const auto instead = at_.instead_of.find(step.kept_number);
        wanted.back().operand = instead == at_.instead_of.end() ? kNone : instead->second;
      }
    }
    for (std::size_t i = 0; i < step.folds.size() && part != Part::kKept; ++i) {
      const RowFunction::Fold& fold = step.folds[i];
      const int sum = fold.combine == Combine::kFloatSum ? strip % shape_.sums : 0;
      const bool first = strip < (fold.combine == Combine::kFloatSum ? shape_.sums : 1);
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

  /// Where the kept elements of a strip are.
  std::map<std::uint32_t, std::uint32_t> strip_registers(int strip) const {
    std::map<std::uint32_t, std::uint32_t> registers;
    for (const auto& [number, first] : at_.kept_in) {
      registers[number] = first + static_cast<std::uint32_t>(strip);
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
          record_strips(step, Part::kKept);
        }
        record_strips(step, apart ? Part::kFolds : Part::kAll);
      }
    }
    record_result();
  }

  void record_masks() {
    const ExpressionPtr lane = operation(Op::kAddLane, constant(0));
    const std::vector<Registers::Wanted> to_inside = {{at_.register_of.at(*at_.inside), kNone}};
    result_.before.push_back(
        body({operation(Op::kLess, lane, constant(static_cast<std::uint32_t>(shape_.lanes)))}, to_inside, {}, false));
    // In a strip of planes, those before the last one have all lanes.
    if (const int whole = (shape_.planes - 1) % kernel::kStripRows; shape_.of == Strips::kOfPlanes && whole > 0) {
      result_.before.push_back(body({constant(~std::uint32_t{0})}, to_inside, {}, false));
      result_.before.back().planes = whole;
    }
    const ExpressionPtr inside = operand(*at_.inside);
    std::vector<ExpressionPtr> results;
    std::vector<Registers::Wanted> wanted;
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
    if (!results.empty()) {
      result_.before.push_back(body(results, std::move(wanted), {}, false));
    }
  }

  void record_value(const RowFunction::Step& step) {
    RowPass pass;
    collect_operands(step.value, pass.reads);
    keep_only_memory(pass.reads);
    pass.advances = false;
    pass.strips.push_back(
        {{body({resolved(step.value)}, {{at_.register_of.at(step.value_number), kNone}}, {}, false)}, 1});
    result_.passes.push_back(std::move(pass));
  }

  static bool sums_floats(const RowFunction::Step& step) {
    return std::any_of(step.folds.begin(), step.folds.end(),
                       [](const RowFunction::Fold& fold) { return fold.combine == Combine::kFloatSum; });
  }

  /// Strips whose sums are apart.
  int sums_of(const RowFunction::Step& step) const { return sums_floats(step) ? shape_.sums : 1; }

  int planes_of(int strip, bool sums) const {
    return std::min(shape_.each(sums), shape_.planes - strip * shape_.each(sums));
  }

  void record_strips(const RowFunction::Step& step, Part part) {
    RowPass pass;
    const bool sums = part != Part::kKept && sums_floats(step);
    bool differs = shape_.masked || shape_.planes % shape_.each(sums) != 0;
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
    const int group = part == Part::kKept ? 1 : sums_of(step), strips = shape_.strips(sums);
    const int same = differs ? strips - 1 : strips;
    const auto of_strip = [&](int strip) {
      RowBody body = strip_of(step, strip, strip >= same, part);
      body.planes = planes_of(strip, sums);
      return body;
    };
    int strip = 0;
    for (; strip < std::min(group, same); ++strip) {
      pass.strips.push_back({{of_strip(strip)}});
    }
    if (const int times = (same - strip) / group; times > 1 && !at_.in_registers) {
      RowStrips repeated{{}, times};
      for (int i = 0; i < group; ++i) {
        repeated.bodies.push_back(of_strip(strip + i));
      }
      pass.strips.push_back(std::move(repeated));
      strip += times * group;
    }
    for (; strip < strips; ++strip) {
      pass.strips.push_back({{of_strip(strip)}});
    }
    pass.fold_planes = planes_of(0, sums);
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
    const int strips = of_row ? 1 : shape_.strips(false);
    const bool differs = shape_.planes % shape_.each(false) != 0 ||
                         std::any_of(at_.recomputed.begin(), at_.recomputed.end(),
                                     [](const auto& recomputed) { return recomputed.second.in_last != nullptr; });
    const auto repeat = [&](int times) { pass.strips.push_back({{body({result}, {}, {}, true)}, times}); };
    const auto one = [&](int strip) {
      const bool last = !of_row && strip + 1 == strips;
      pass.strips.push_back({{body({last ? in_last : result}, {}, strip_registers(strip), true)}});
      pass.strips.back().bodies.back().planes = of_row ? 1 : planes_of(strip, false);
    };
    if (strips == 1 || at_.in_registers) {
      for (int strip = 0; strip < strips; ++strip) {
        one(strip);
      }
    } else if (differs) {
      strips > 2 ? repeat(strips - 1) : one(0);
      one(strips - 1);
    } else if (const ExpressionPtr head = head_of(result); head != nullptr && shape_.of == Strips::kOfRows) {
      // An operation that reads memory comes before the plane before is stored: it would wait for that.
      RowBody ahead = body({result, head}, {}, {}, true);
      ahead.head = ahead.operations.results()[1];
      pass.strips.push_back({{std::move(ahead)}, strips});
    } else {
      repeat(strips);
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

Op combining(Combine combine) {
  switch (combine) {
    case Combine::kMax: return Op::kMax;
    case Combine::kMin: return Op::kMin;
    case Combine::kSum: return Op::kIadd;
    case Combine::kFloatMax: return Op::kFmax;
    default: return Op::kFadd;
  }
}

bool is_kept_in_memory(const RowFunction& function, const RowRegisters& at, std::uint32_t number) {
  return !at.in_registers && at.recomputed.count(number) == 0 &&
         std::any_of(function.steps().begin(), function.steps().end(),
                     [=](const RowFunction::Step& step) { return step.kept && step.kept_number == number; });
}

std::optional<RowPasses> row_passes(const RowFunction& function, const RowShape& shape, const RowRegisters& at) {
  return Recording(function, shape, at).run();
}

}  // namespace systole::compiler
