// SPDX-License-Identifier: Apache-2.0
#include "row_kernel.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "constant_scalars.hpp"
#include "kernel_writer.hpp"
#include "operations.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {

using kernel::Format;
using kernel::Op;

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

namespace {

using Source = Operations::Source;

constexpr int kSummed = 32;  // elements of a row that are so far apart are summed first
constexpr std::uint32_t kLeastInteger = 0x80000000, kMinusInfinity = 0xff800000;

int planes_of(Format format) { return format == Format::kI32 ? 4 : format == Format::kI16 ? 2 : 1; }

bool is_operand(const ExpressionPtr& e) { return e->kind == Expression::Kind::kOperand; }

void collect_operands(const ExpressionPtr& e, std::set<std::uint32_t>& numbers) {
  if (e != nullptr) {
    if (is_operand(e)) {
      numbers.insert(e->value);
    }
    collect_operands(e->a, numbers);
    collect_operands(e->b, numbers);
  }
}

class Code {
 public:
  /// If `in_registers`, kept elements are in registers, else in the place of the result.
  Code(const RowFunction& function, int dim, bool in_registers)
      : function_(function),
        planes_(static_cast<int>((function.elements() + dim - 1) / dim)),
        lanes_(static_cast<int>(function.elements() - std::int64_t{planes_ - 1} * dim)),
        sums_(std::max(1, kSummed / dim)),
        masked_(lanes_ < dim),
        in_registers_(in_registers),
        writer_(function.name()),
        constants_(writer_) {
    assign_registers();
  }

  /// Nothing if there are too few registers, or if several elements would be in the place of the result.
  std::optional<kernel::Kernel> write() {
    if (!fits_ || sums_end_ >= static_cast<std::uint32_t>(kernel::kVectors)) {
      return std::nullopt;
    }
    take_arguments();
    record();
    if (!fits_) {
      return std::nullopt;
    }
    take_scalars();
    for (const Body& body : before_) {
      append(body);
    }
    writer_.begin_loop(strips_);
    constants_.forget();
    writer_.rows(left_);
    for (const Pass& pass : passes_) {
      append(pass);
    }
    next_strip();
    writer_.end_loop();
    return writer_.finish();
  }

 private:
  using Scalar = KernelWriter::Scalar;

  /// Operations for a plane, or for a value of the row.
  struct Body {
    Operations operations;
    std::optional<Registers> registers = std::nullopt;
    std::vector<Registers::Wanted> wanted = {};
    std::map<std::uint32_t, std::uint32_t> register_of = {};  ///< of operands that are in registers
    bool stores = false;                                      ///< whether the first result goes to memory
    std::size_t head = Operations::kNone;  ///< the value that is computed before the plane before is stored
  };

  /// Planes of one kind: `bodies` in turn, so many times.
  struct Repeated {
    std::vector<Body> bodies;
    int times = 1;
  };

  struct Pass {
    std::vector<Repeated> planes;
    std::set<std::uint32_t> reads;  ///< operands in memory
    bool writes = false, advances = true;
    std::vector<RowFunction::Fold> folds;  ///< whose lanes are combined at the end
  };

  // Registers.

  std::uint32_t take_register() { return reserved_++; }

  /// The register of a value that has been read for the last time before the step, or another one.
  std::uint32_t register_for(const RowFunction::Step& step) {
    std::set<std::uint32_t> held;
    for (const auto& [number, in] : register_of_) {
      const bool of_step = std::any_of(step.folds.begin(), step.folds.end(),
                                       [n = number](const RowFunction::Fold& fold) { return fold.number == n; });
      if (of_step || last_reader(number) >= &step) {
        held.insert(in);
      }
    }
    for (const auto& [number, in] : register_of_) {
      if (held.insert(in).second) {
        return in;
      }
    }
    return take_register();
  }

  bool any_fold(Combine combine) const {
    return std::any_of(function_.steps().begin(), function_.steps().end(), [=](const RowFunction::Step& step) {
      return std::any_of(step.folds.begin(), step.folds.end(),
                         [=](const RowFunction::Fold& fold) { return fold.combine == combine; });
    });
  }

  /// What is known of a row, kept elements and masks are in registers of their own; behind them, in passes that have
  /// several, sums of elements.
  void assign_registers() {
    std::uint32_t more_sums = 0;
    bool keeps_in_memory = false;
    for (const RowFunction::Step& step : function_.steps()) {
      std::uint32_t sums = 0;
      for (const RowFunction::Fold& fold : step.folds) {
        register_of_[fold.number] = register_for(step);
        sums += fold.combine == Combine::kFloatSum ? static_cast<std::uint32_t>(used_sums() - 1) : 0;
      }
      more_sums = std::max(more_sums, sums);
      if (step.value != nullptr) {
        register_of_[step.value_number] = register_for(step);
      }
      if (step.kept && in_registers_) {
        keep_in_registers(step);
      } else if (step.kept && step.recomputes) {
        recomputed_[step.kept_number] = *step.kept;
      } else if (step.kept) {
        fits_ = fits_ && !keeps_in_memory;
        keeps_in_memory = true;
      }
    }
    next_number_ = function_.numbers();
    if (masked_) {
      inside_ = mask();
      limit_ = any_fold(Combine::kMax) ? std::optional(mask()) : std::nullopt;
      lower_limit_ = any_fold(Combine::kMin) ? std::optional(mask()) : std::nullopt;
      beyond_ = any_fold(Combine::kFloatMax) ? std::optional(mask()) : std::nullopt;
    }
    sums_end_ = reserved_ + more_sums;
  }

  /// Elements take the registers of those that nothing reads any more.
  void keep_in_registers(const RowFunction::Step& step) {
    for (const auto& [number, first] : kept_in_) {
      const bool taken = std::any_of(instead_of_.begin(), instead_of_.end(),
                                     [n = number](const auto& pair) { return pair.second == n; });
      if (!taken && last_reader(number) <= &step) {
        instead_of_[step.kept_number] = number;
        kept_in_[step.kept_number] = first;
        return;
      }
    }
    kept_in_[step.kept_number] = reserved_;
    reserved_ += static_cast<std::uint32_t>(planes_);
  }

  /// The last step that reads the operand; the one behind the last if the result does.
  const RowFunction::Step* last_reader(std::uint32_t number) const {
    const std::vector<RowFunction::Step>& steps = function_.steps();
    const auto reads = [=](const std::vector<ExpressionPtr>& expressions) {
      std::set<std::uint32_t> operands;
      for (const ExpressionPtr& e : expressions) {
        collect_operands(e, operands);
      }
      return operands.count(number) != 0;
    };
    if (reads({function_.result_element(), function_.result_of_row()})) {
      return steps.data() + steps.size();
    }
    const RowFunction::Step* last = nullptr;
    for (const RowFunction::Step& step : steps) {
      std::vector<ExpressionPtr> expressions = {step.value};
      if (step.kept) {
        expressions.insert(expressions.end(), {step.kept->value, step.kept->in_last});
        if (step.recomputes && reads({step.kept->value, step.kept->in_last})) {
          last = std::max(last, last_reader(step.kept_number));
        }
      }
      for (const RowFunction::Fold& fold : step.folds) {
        expressions.insert(expressions.end(), {fold.element.value, fold.element.in_last});
      }
      last = reads(expressions) ? std::max(last, &step) : last;
    }
    return last;
  }

  std::uint32_t mask() {
    register_of_[next_number_] = take_register();
    return next_number_++;
  }

  /// The largest number of folds in a pass, each of which has an accumulator.
  std::size_t most_folds() const {
    std::size_t most = 0;
    for (const RowFunction::Step& step : function_.steps()) {
      most = std::max(most, step.folds.size());
    }
    return most;
  }

  int used_sums() const { return std::min(sums_, planes_); }

  // Operations.

  /// The operand's place for a pass: those from the function's on, accumulators and masks behind them.
  std::vector<OperandPlace> places() const {
    std::vector<OperandPlace> places(next_number_ + most_folds(), OperandPlace::kRegister);
    for (std::size_t i = 0; i < function_.operands().size(); ++i) {
      places[i] = function_.operands()[i].is_number ? OperandPlace::kNumber : OperandPlace::kMemory;
    }
    for (const RowFunction::Step& step : function_.steps()) {
      if (step.kept && !in_registers_) {
        places[step.kept_number] = OperandPlace::kMemory;
      }
    }
    return places;
  }

  /// With what each use computes.
  ExpressionPtr resolved(const ExpressionPtr& e, bool last = false) const {
    return Substitution([&](const Expression& of) -> ExpressionPtr {
      if (of.kind == Expression::Kind::kParameter && of.name == RowFunction::kLastLane) {
        return constant(static_cast<std::uint32_t>(lanes_ - 1));
      }
      const auto recomputed = of.kind == Expression::Kind::kOperand ? recomputed_.find(of.value) : recomputed_.end();
      return recomputed == recomputed_.end() ? nullptr : element_of(recomputed->second, last);
    })(e);
  }

  Body body(const std::vector<ExpressionPtr>& results, std::vector<Registers::Wanted> wanted,
            std::map<std::uint32_t, std::uint32_t> more_registers, bool stores, bool sums = false) {
    Body body{Operations(results, places())};
    body.wanted = std::move(wanted);
    body.register_of = register_of_;
    body.register_of.merge(more_registers);
    body.stores = stores;
    body.operations.put_before_loop(false);
    body.registers.emplace(body.operations, 0, sums ? sums_end_ : reserved_, body.wanted);
    fits_ = fits_ && body.registers->all();
    constants_.count(body.operations);
    return body;
  }

  static ExpressionPtr element_of(const RowFunction::Element& element, bool last) {
    return last && element.in_last != nullptr ? element.in_last : element.value;
  }

  ExpressionPtr masked(Combine combine, const ExpressionPtr& e) const {
    switch (combine) {
      case Combine::kMax: return operation(Op::kMin, e, operand(*limit_));
      case Combine::kMin: return operation(Op::kMax, e, operand(*lower_limit_));
      case Combine::kFloatMax: return operation(Op::kOr, operation(Op::kAnd, e, operand(*inside_)), operand(*beyond_));
      default: return operation(Op::kAnd, e, operand(*inside_));
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

  static Op combining_lanes(Combine combine) {
    switch (combine) {
      case Combine::kMax:
      case Combine::kMin: return Op::kMaxLanes;
      case Combine::kSum: return Op::kSumLanes;
      case Combine::kFloatMax: return Op::kFmaxLanes;
      default: return Op::kFsumLanes;
    }
  }

  /// The register of sum number `i` of a fold of the step.
  std::uint32_t sum_register(const RowFunction::Step& step, std::size_t fold, int i) const {
    if (i == 0) {
      return register_of_.at(step.folds[fold].number);
    }
    std::uint32_t before = 0;
    for (std::size_t f = 0; f < fold; ++f) {
      before += step.folds[f].combine == Combine::kFloatSum ? static_cast<std::uint32_t>(used_sums() - 1) : 0;
    }
    return reserved_ + before + static_cast<std::uint32_t>(i) - 1;
  }

  /// What a pass computes of a step.
  enum class Part : std::uint8_t { kAll, kKept, kFolds };

  /// A plane's part of a step.
  Body plane_of(const RowFunction::Step& step, int plane, bool last, Part part) {
    std::vector<ExpressionPtr> results;
    std::vector<Registers::Wanted> wanted;
    std::map<std::uint32_t, std::uint32_t> more = plane_registers(plane);
    const bool masks = last && masked_, keeps = step.kept && recomputed_.count(step.kept_number) == 0;
    ExpressionPtr kept = nullptr;
    if (keeps && part != Part::kFolds) {
      kept = resolved(element_of(*step.kept, last), last);
      kept = masks ? operation(Op::kAnd, kept, operand(*inside_)) : kept;
      results.push_back(kept);
      wanted.emplace_back();
      if (in_registers_) {
        wanted.back().number = kept_in_.at(step.kept_number) + static_cast<std::uint32_t>(plane);
        const auto instead = instead_of_.find(step.kept_number);
        wanted.back().operand = instead == instead_of_.end() ? kNone : instead->second;
      }
    }
    for (std::size_t i = 0; i < step.folds.size() && part != Part::kKept; ++i) {
      const RowFunction::Fold& fold = step.folds[i];
      const int sum = fold.combine == Combine::kFloatSum ? plane % sums_ : 0;
      const bool first = plane < (fold.combine == Combine::kFloatSum ? sums_ : 1);
      ExpressionPtr e = element_of(fold.element, last);
      const bool is_kept = keeps && is_operand(e) && e->value == step.kept_number;
      e = resolved(kept != nullptr ? Substitution([&](const Expression& of) {
                     return of.kind == Expression::Kind::kOperand && of.value == step.kept_number ? kept : nullptr;
                   })(e)
                                   : e,
                   last);
      const bool zeros = fold.combine == Combine::kSum || fold.combine == Combine::kFloatSum;
      e = masks && !(is_kept && zeros) ? masked(fold.combine, e) : e;
      const std::uint32_t accumulator = next_number_ + static_cast<std::uint32_t>(i);
      const std::uint32_t in = sum_register(step, i, sum);
      more[accumulator] = in;
      if (first && fold.combine == Combine::kFloatSum) {
        e = operation(Op::kFadd, e, constant(0));
      } else if (!first) {
        e = operation(combining(fold.combine), operand(accumulator), e);
      }
      results.push_back(e);
      wanted.push_back({in, first ? kNone : accumulator});
    }
    return body(results, std::move(wanted), std::move(more), kept != nullptr && !in_registers_, part != Part::kKept);
  }

  /// Where the kept elements of a plane are.
  std::map<std::uint32_t, std::uint32_t> plane_registers(int plane) const {
    std::map<std::uint32_t, std::uint32_t> registers;
    for (const auto& [number, first] : kept_in_) {
      registers[number] = first + static_cast<std::uint32_t>(plane);
    }
    return registers;
  }

  // Passes.

  void record() {
    if (masked_) {
      record_masks();
    }
    for (const RowFunction::Step& step : function_.steps()) {
      if (step.value != nullptr) {
        record_value(step);
      } else if (!step.folds.empty() || recomputed_.count(step.kept_number) == 0) {
        const bool apart =
            step.kept && !in_registers_ && recomputed_.count(step.kept_number) == 0 && sums_of(step) > kMostTogether;
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
    const ExpressionPtr inside = operation(Op::kLess, lane, constant(static_cast<std::uint32_t>(lanes_)));
    std::vector<ExpressionPtr> results = {inside};
    std::vector<Registers::Wanted> wanted = {{register_of_.at(*inside_), kNone}};
    if (limit_) {
      results.push_back(operation(Op::kXor, inside, constant(kLeastInteger)));
      wanted.push_back({register_of_.at(*limit_), kNone});
    }
    if (lower_limit_) {
      results.push_back(operation(Op::kXor, inside, constant(~kLeastInteger)));
      wanted.push_back({register_of_.at(*lower_limit_), kNone});
    }
    if (beyond_) {
      const ExpressionPtr outside = operation(Op::kXor, inside, constant(~std::uint32_t{0}));
      results.push_back(operation(Op::kAnd, outside, constant(kMinusInfinity)));
      wanted.push_back({register_of_.at(*beyond_), kNone});
    }
    before_.push_back(body(results, std::move(wanted), {}, false));
  }

  void record_value(const RowFunction::Step& step) {
    Pass pass;
    collect_operands(step.value, pass.reads);
    keep_only_memory(pass.reads);
    pass.advances = false;
    pass.planes.push_back(
        {{body({resolved(step.value)}, {{register_of_.at(step.value_number), kNone}}, {}, false)}, 1});
    passes_.push_back(std::move(pass));
  }

  /// Planes whose sums are apart.
  int sums_of(const RowFunction::Step& step) const {
    const bool any = std::any_of(step.folds.begin(), step.folds.end(),
                                 [](const RowFunction::Fold& fold) { return fold.combine == Combine::kFloatSum; });
    return any ? sums_ : 1;
  }

  void record_planes(const RowFunction::Step& step, Part part) {
    Pass pass;
    bool differs = masked_;
    const auto add = [&](const RowFunction::Element& element) {
      differs = differs || element.in_last != nullptr;
      collect_operands(resolved(element.value), pass.reads);
      collect_operands(resolved(element.in_last, true), pass.reads);
    };
    const bool keeps = step.kept && recomputed_.count(step.kept_number) == 0;
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
    for (const auto& [number, element] : recomputed_) {
      differs = differs || element.in_last != nullptr;
    }
    keep_only_memory(pass.reads);
    pass.writes = keeps && !in_registers_ && part != Part::kFolds;
    const int group = part == Part::kKept ? 1 : sums_of(step);
    const int same = differs ? planes_ - 1 : planes_;
    const auto one = [&](int plane) { pass.planes.push_back({{plane_of(step, plane, plane >= same, part)}, 1}); };
    int plane = 0;
    for (; plane < std::min(group, same); ++plane) {
      one(plane);
    }
    if (const int times = (same - plane) / group; times > 1 && !in_registers_) {
      Repeated repeated{{}, times};
      for (int i = 0; i < group; ++i) {
        repeated.bodies.push_back(plane_of(step, plane + i, false, part));
      }
      constants_.count(static_cast<std::uint32_t>(times));
      pass.planes.push_back(std::move(repeated));
      plane += times * group;
    }
    for (; plane < planes_; ++plane) {
      one(plane);
    }
    passes_.push_back(std::move(pass));
  }

  void record_result() {
    Pass pass;
    pass.writes = true;
    const bool of_row = function_.result_of_row() != nullptr;
    const ExpressionPtr& element = of_row ? function_.result_of_row() : function_.result_element();
    const ExpressionPtr result = resolved(element), in_last = resolved(element, true);
    collect_operands(result, pass.reads);
    collect_operands(in_last, pass.reads);
    keep_only_memory(pass.reads);
    pass.advances = !of_row;
    const int planes = of_row ? 1 : planes_;
    const bool differs = std::any_of(recomputed_.begin(), recomputed_.end(),
                                     [](const auto& recomputed) { return recomputed.second.in_last != nullptr; });
    const auto repeat = [&](int times) {
      constants_.count(static_cast<std::uint32_t>(times));
      pass.planes.push_back({{body({result}, {}, {}, true)}, times});
    };
    const auto one = [&](int plane) {
      const bool last = !of_row && plane + 1 == planes;
      pass.planes.push_back({{body({last ? in_last : result}, {}, plane_registers(plane), true)}, 1});
    };
    if (planes == 1 || in_registers_) {
      for (int plane = 0; plane < planes; ++plane) {
        one(plane);
      }
    } else if (differs) {
      planes > 2 ? repeat(planes - 1) : one(0);
      one(planes - 1);
    } else if (const ExpressionPtr head = head_of(result)) {
      // An operation that reads memory comes before the plane before is stored: it would wait for that.
      Body ahead = body({result, head}, {}, {}, true);
      ahead.head = ahead.operations.results()[1];
      constants_.count(static_cast<std::uint32_t>(planes - 1));
      pass.planes.push_back({{std::move(ahead)}, planes});
    } else {
      repeat(planes);
    }
    passes_.push_back(std::move(pass));
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

  bool is_kept_in_memory(std::uint32_t number) const {
    return !in_registers_ && recomputed_.count(number) == 0 &&
           std::any_of(function_.steps().begin(), function_.steps().end(),
                       [=](const RowFunction::Step& step) { return step.kept && step.kept_number == number; });
  }

  bool is_in_memory(std::uint32_t number) const {
    return number < function_.operands().size() || is_kept_in_memory(number);
  }

  void keep_only_memory(std::set<std::uint32_t>& numbers) const {
    for (auto i = numbers.begin(); i != numbers.end();) {
      i = is_in_memory(*i) ? std::next(i) : numbers.erase(i);
    }
  }

  // Scalars.

  struct Rows {
    KernelWriter::Memory memory{};
    Scalar first = 0;  ///< argument: the first row of a strip
    Scalar distance = 0, step = 0;
  };

  void take_arguments() {
    std::size_t lists = 0;
    for (std::size_t i = 0; i < function_.operands().size(); ++i) {
      const RowFunction::Operand& operand = function_.operands()[i];
      Rows rows;
      rows.memory.format = operand.format;
      if (operand.is_words) {
        rows.first = lists++ == 0 ? writer_.argument("words") : 0;
      } else {
        const std::string name(1, static_cast<char>('a' + i));
        rows.first = writer_.argument(name);
        if (operand.has_distance) {
          rows.distance = rows.memory.row_stride = writer_.argument(name + "_row");
        }
        rows.memory.plane_stride = writer_.argument(name + "_plane");
      }
      operands_.push_back(rows);
    }
    to_.memory.format = function_.result();
    to_.first = writer_.argument("to");
    to_.memory.plane_stride = writer_.argument("to_plane");
    left_ = writer_.argument("rows");
    strips_ = writer_.argument("strips");
  }

  /// The scalar with the distance of an element's planes, if it has several.
  static Scalar plane_stride(const Rows& rows) {
    return planes_of(rows.memory.format) > 1 ? rows.memory.plane_stride : 0;
  }

  void take_scalars() {
    std::set<std::string> names;
    for (const Pass& pass : passes_) {
      for (const Repeated& planes : pass.planes) {
        for (const Body& body : planes.bodies) {
          names.insert(body.operations.parameters().begin(), body.operations.parameters().end());
        }
      }
    }
    for (const std::string& name : names) {
      parameters_[name] = writer_.argument(name);
    }
    bool any_words = false;
    std::vector<Rows*> wide;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const RowFunction::Operand& operand = function_.operands()[i];
      operands_[i].memory.base = operand.is_number ? operands_[i].first : writer_.take_scalar();
      any_words = any_words || operand.is_words;
      if (!operand.is_words && !operand.is_number && planes_ > 1 && planes_of(operand.format) > 1) {
        wide.push_back(&operands_[i]);
      }
    }
    to_.memory.base = writer_.take_scalar();
    if (planes_ > 1 && function_.result_of_row() == nullptr && planes_of(to_.memory.format) > 1) {
      wide.push_back(&to_);
    }
    if (any_words) {
      zero_ = writer_.take_scalar();
      writer_.set(zero_, 0);
    }
    // The distance from one plane of elements to the next, if there are scalars for it.
    const int left = writer_.scalars_left() - std::max(constants_.distinct(), ConstantScalars::kTemporaries);
    for (int i = 0; i < std::min(left, static_cast<int>(wide.size())); ++i) {
      Rows& rows = *wide[static_cast<std::size_t>(i)];
      rows.step = writer_.take_scalar();
      writer_.add_scalars(rows.step, rows.memory.plane_stride, rows.memory.plane_stride);
      for (int planes = 2; planes < planes_of(rows.memory.format); planes *= 2) {
        writer_.add_scalars(rows.step, rows.step, rows.step);
      }
    }
    constants_.set();
  }

  void begin(const Pass& pass) {
    std::optional<Scalar> words;
    int list = 0;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const RowFunction::Operand& operand = function_.operands()[i];
      if (operand.is_words) {
        words = words ? words : operands_[i].first;
      }
      if (pass.reads.count(static_cast<std::uint32_t>(i)) != 0 && !operand.is_number) {
        writer_.add(operands_[i].memory.base, operand.is_words ? *words : operands_[i].first, list);
      }
      list += operand.is_words ? 1 : 0;
    }
    if (uses_result(pass)) {
      writer_.add(to_.memory.base, to_.first, 0);
    }
  }

  bool uses_result(const Pass& pass) const {
    return pass.writes || std::any_of(pass.reads.begin(), pass.reads.end(),
                                      [&](std::uint32_t number) { return number >= operands_.size(); });
  }

  int lists() const {
    return static_cast<int>(std::count_if(function_.operands().begin(), function_.operands().end(),
                                          [](const RowFunction::Operand& operand) { return operand.is_words; }));
  }

  void advance_operands(const Pass& pass) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (pass.reads.count(static_cast<std::uint32_t>(i)) == 0 || function_.operands()[i].is_number) {
        continue;
      }
      if (function_.operands()[i].is_words) {
        writer_.add(operands_[i].memory.base, operands_[i].memory.base, lists());
      } else {
        advance(operands_[i]);
      }
    }
  }

  void advance(const Rows& rows) {
    if (rows.step != 0) {
      writer_.add_scalars(rows.memory.base, rows.memory.base, rows.step);
      return;
    }
    for (int i = 0; i < planes_of(rows.memory.format); ++i) {
      writer_.add_scalars(rows.memory.base, rows.memory.base, rows.memory.plane_stride);
    }
  }

  void next_strip() {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (function_.operands()[i].is_words) {
        continue;
      }
      const Rows& rows = operands_[i];
      if (rows.distance == 0) {
        writer_.add(rows.first, rows.first, kernel::kStripRows);
        continue;
      }
      const Scalar temporary = to_.memory.base;
      writer_.add_scalars(temporary, rows.distance, rows.distance);
      for (int times = 2; times < kernel::kStripRows; times *= 2) {
        writer_.add_scalars(temporary, temporary, temporary);
      }
      writer_.add_scalars(rows.first, rows.first, temporary);
    }
    writer_.add(to_.first, to_.first, kernel::kStripRows);
    writer_.add(left_, left_, -kernel::kStripRows);
  }

  // Code.

  void append(const Pass& pass) {
    begin(pass);
    for (std::size_t i = 0; i < pass.planes.size(); ++i) {
      const Repeated& planes = pass.planes[i];
      const bool last = i + 1 == pass.planes.size();
      if (planes.bodies.front().head != Operations::kNone) {
        append_ahead(pass, planes);
        continue;
      }
      if (planes.times > 1) {
        writer_.begin_loop(constants_.scalar(static_cast<std::uint32_t>(planes.times)).value);
        constants_.forget();
      }
      for (std::size_t b = 0; b < planes.bodies.size(); ++b) {
        append(planes.bodies[b]);
        if (pass.advances && !(last && planes.times == 1 && b + 1 == planes.bodies.size())) {
          advance_operands(pass);
          if (uses_result(pass)) {
            advance(to_);
          }
        }
      }
      if (planes.times > 1) {
        writer_.end_loop();
        constants_.forget();
      }
    }
    combine_lanes(pass);
  }

  /// The next plane's head is computed before a plane is stored.
  void append_ahead(const Pass& pass, const Repeated& planes) {
    const Body& body = planes.bodies.front();
    emit(body, body.head);
    writer_.begin_loop(constants_.scalar(static_cast<std::uint32_t>(planes.times - 1)).value);
    constants_.forget();
    append_rest(body, [&] {
      advance_operands(pass);
      emit(body, body.head);
    });
    advance(to_);
    writer_.end_loop();
    constants_.forget();
    append_rest(body, [] {});
  }

  template <class BeforeStore>
  void append_rest(const Body& body, const BeforeStore& before_store) {
    const std::vector<std::size_t>& order = body.operations.order();
    const std::size_t result = body.operations.results().front();
    const bool direct = stores_directly(body) && reads_not(body, result, body.head);
    for (const std::size_t number : order) {
      if (number != body.head && !(direct && number == result)) {
        emit(body, number);
      }
    }
    before_store();
    direct ? emit_store(body, result) : writer_.store(Op::kMove, result_memory(), value_of(body, result));
  }

  /// Whether value number `of` is no source of value number `number`.
  static bool reads_not(const Body& body, std::size_t number, std::size_t of) {
    const Operations::Value& value = body.operations.values()[number];
    const auto is = [&](const Source& source) { return source.kind == Source::Kind::kValue && source.number == of; };
    return !is(value.a) && !is(value.b);
  }

  void combine_lanes(const Pass& pass) {
    const auto of_pass =
        std::find_if(function_.steps().begin(), function_.steps().end(), [&](const RowFunction::Step& step) {
          return !pass.folds.empty() && !step.folds.empty() && step.folds[0].number == pass.folds[0].number;
        });
    for (std::size_t f = 0; f < pass.folds.size(); ++f) {
      const Combine combine = pass.folds[f].combine;
      const int count = combine == Combine::kFloatSum ? used_sums() : 1;
      const auto sum = [&](int i) { return sum_register(*of_pass, f, i); };
      const auto complement = [&] {  // of the least it is the greatest
        if (combine == Combine::kMin) {
          writer_.operation(Op::kXor, sum(0), KernelWriter::vector(sum(0)), KernelWriter::immediate(~std::uint32_t{0}));
        }
      };
      complement();
      for (int i = 0; i < count; ++i) {
        writer_.operation(combining_lanes(combine), sum(i), KernelWriter::vector(sum(i)));
      }
      complement();
      for (int distance = 1; distance < count; distance *= 2) {
        for (int i = 0; i + distance < count; i += 2 * distance) {
          writer_.operation(Op::kFadd, sum(i), KernelWriter::vector(sum(i)), KernelWriter::vector(sum(i + distance)));
        }
      }
    }
  }

  KernelWriter::Memory result_memory() const {
    KernelWriter::Memory memory = to_.memory;
    memory.plane_stride = plane_stride(to_);
    return memory;
  }

  /// Whether the first result's operation can be the one that stores it.
  static bool stores_directly(const Body& body) {
    const std::size_t number = body.operations.results().front();
    const Operations::Value& value = body.operations.values()[number];
    return body.stores && number == body.operations.order().back() && value.uses == 1 && value.op != Op::kSumLanes &&
           !body.operations.in_memory(value.a) && !body.operations.in_memory(value.b);
  }

  void append(const Body& body) {
    const bool direct = stores_directly(body);
    const std::vector<std::size_t>& order = body.operations.order();
    const std::vector<std::size_t>& results = body.operations.results();
    for (const std::size_t number : order) {
      direct&& number == results.front() ? emit_store(body, number) : emit(body, number);
    }
    if (body.stores && !direct) {
      writer_.store(Op::kMove, result_memory(), value_of(body, results.front()));
    }
    for (std::size_t i = 0; i < body.wanted.size(); ++i) {
      if (body.wanted[i].number != kNone && body.registers->of(results[i]) != body.wanted[i].number) {
        writer_.operation(Op::kMove, body.wanted[i].number, value_of(body, results[i]));
      }
    }
  }

  static KernelWriter::Source value_of(const Body& body, std::size_t number) {
    return KernelWriter::vector(body.registers->of(number));
  }

  void emit(const Body& body, std::size_t number) {
    const Operations::Value& value = body.operations.values()[number];
    const KernelWriter::Source a = source(body, value.a);
    writer_.operation(value.op, body.registers->of(number), a, second(body, value));
  }

  void emit_store(const Body& body, std::size_t number) {
    const Operations::Value& value = body.operations.values()[number];
    const KernelWriter::Source a = source(body, value.a);
    writer_.store(value.op, result_memory(), a, second(body, value));
  }

  KernelWriter::Source second(const Body& body, const Operations::Value& value) {
    return ConstantScalars::has_two_immediates(value) ? constants_.scalar(value.b.number) : source(body, value.b);
  }

  KernelWriter::Source source(const Body& body, const Source& source) {
    switch (source.kind) {
      case Source::Kind::kValue: return KernelWriter::vector(body.registers->of(source.number));
      case Source::Kind::kOperand: return operand_source(body, source.number);
      case Source::Kind::kParameter:
        return KernelWriter::scalar(parameters_.at(body.operations.parameters()[source.number]));
      case Source::Kind::kConstant: break;
    }
    return constants_.source(source.number);
  }

  KernelWriter::Source operand_source(const Body& body, std::uint32_t number) const {
    if (number < operands_.size()) {
      KernelWriter::Memory memory = operands_[number].memory;
      memory.plane_stride = plane_stride(operands_[number]);
      memory.row_stride = function_.operands()[number].is_words ? zero_ : memory.row_stride;
      return KernelWriter::in(memory);
    }
    return is_kept_in_memory(number) ? KernelWriter::in(result_memory())
                                     : KernelWriter::vector(body.register_of.at(number));
  }

  static constexpr int kMostTogether = 2;  // planes in a loop that computes kept elements and their sums
  static constexpr std::uint32_t kNone = Registers::Wanted::kNone;

  const RowFunction& function_;
  const int planes_, lanes_, sums_;
  const bool masked_, in_registers_;
  KernelWriter writer_;
  ConstantScalars constants_;
  std::map<std::uint32_t, std::uint32_t> register_of_, kept_in_, instead_of_;
  std::map<std::uint32_t, RowFunction::Element> recomputed_;
  std::uint32_t reserved_ = 0, sums_end_ = 0, next_number_ = 0;
  std::optional<std::uint32_t> inside_, limit_, lower_limit_, beyond_;
  bool fits_ = true;
  std::vector<Body> before_;
  std::vector<Pass> passes_;
  std::vector<Rows> operands_;
  Rows to_;
  std::map<std::string, Scalar> parameters_;
  Scalar left_ = 0, strips_ = 0, zero_ = 0;
};

}  // namespace

kernel::Kernel row_kernel(const RowFunction& function, int dim) {
  const bool keeps = std::any_of(function.steps().begin(), function.steps().end(),
                                 [](const RowFunction::Step& step) { return step.kept.has_value(); });
  for (const bool in_registers : {true, false}) {
    auto kernel = in_registers && !keeps ? std::nullopt : Code(function, dim, in_registers).write();
    if (kernel && kernel->words.size() <= kernel::kMemoryWords) {
      return std::move(*kernel);
    }
  }
  throw InternalError(fmt::format("compiler: '{}' needs too many registers or words", function.name()));
}

}  // namespace systole::compiler
