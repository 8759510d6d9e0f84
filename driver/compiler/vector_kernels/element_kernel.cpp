// SPDX-License-Identifier: Apache-2.0
#include "element_kernel.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "kernel_writer.hpp"

namespace systole::compiler {
namespace {

using kernel::Format;
using kernel::Op;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// What an operation reads.
struct Source {
  enum class Kind : std::uint8_t { kValue, kOperand, kParameter, kConstant };
  Kind kind;
  std::uint32_t number;  ///< of a value, an operand or a parameter; or the constant
  bool operator<(const Source& other) const { return std::tie(kind, number) < std::tie(other.kind, other.number); }
  bool operator==(const Source& other) const { return kind == other.kind && number == other.number; }
};

/// A vector operation. Without a second source, `b` is the constant 0.
struct Value {
  Op op;
  Source a, b;
  bool is_same = false;      ///< for all elements
  int registers = 0;         ///< that its computation takes at least, in the order that takes fewest
  std::size_t uses = 0;      ///< by other values and as a result
  std::size_t last_use = 0;  ///< place in the order of the last operation that reads it
};

bool has_planes(Format format) { return format == Format::kI16 || format == Format::kI32; }

std::string operand_name(std::size_t i) { return std::string(1, static_cast<char>('a' + i)); }

/// The operations of a function, each once, in an order that needs few registers.
class Operations {
 public:
  Operations(const ElementFunction& function, const ElementRows& rows) : function_(function), rows_(rows) {
    count_operands(function.value);
    count_operands(function.also);
    also_ = function.also == nullptr ? kNone : result(function.also);
    value_ = result(function.value);
    for (Value& value : values_) {
      for (const Source* source : {&value.a, &value.b}) {
        if (source->kind == Source::Kind::kValue) {
          ++values_[source->number].uses;
        }
      }
    }
  }

  std::vector<Value>& values() { return values_; }
  const std::vector<std::string>& parameters() const { return parameters_; }
  /// Numbers of values, each behind those that it reads.
  const std::vector<std::size_t>& order() const { return order_; }
  /// Those that are the same for all elements come before the loop, or none. How many do.
  std::size_t put_before_loop(bool all) {
    schedule();
    const auto loop = std::stable_partition(order_.begin(), order_.end(),
                                            [&](std::size_t number) { return all && values_[number].is_same; });
    return static_cast<std::size_t>(loop - order_.begin());
  }
  std::size_t value() const { return value_; }
  std::size_t also() const { return also_; }

 private:
  void count_operands(const ExpressionPtr& e) {
    if (e == nullptr || (e->kind == Expression::Kind::kOperation && !visited_.insert(e.get()).second)) {
      return;
    }
    if (e->kind == Expression::Kind::kOperand) {
      operand_uses_.resize(std::max<std::size_t>(operand_uses_.size(), e->value + 1));
      ++operand_uses_[e->value];
    }
    count_operands(e->a);
    count_operands(e->b);
  }

  std::size_t result(const ExpressionPtr& e) {
    const Source source = source_of(e);
    const std::size_t number = source.kind == Source::Kind::kValue ? source.number : append(Op::kMove, source);
    ++values_[number].uses;
    return number;
  }

  Source source_of(const ExpressionPtr& e) {
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
    const Source of{Source::Kind::kValue, static_cast<std::uint32_t>(operation(e->op, a, b))};
    of_expression_.emplace(e.get(), of);
    return of;
  }

  /// One of two operands in memory goes to a register first.
  std::size_t operation(Op op, const Source& a, const Source& b) {
    if (a.kind == Source::Kind::kOperand && b.kind == Source::Kind::kOperand) {
      return append(op, {Source::Kind::kValue, static_cast<std::uint32_t>(append(Op::kMove, a))}, b);
    }
    return append(op, a, b);
  }

  std::uint32_t parameter(const std::string& name) {
    const auto found = std::find(parameters_.begin(), parameters_.end(), name);
    const auto number = static_cast<std::uint32_t>(found - parameters_.begin());
    if (found == parameters_.end()) {
      parameters_.push_back(name);
    }
    return number;
  }

  /// An operand is read where it is used, unless several operations do, or it is the same for all elements.
  Source operand(std::uint32_t number) {
    const Source in_memory{Source::Kind::kOperand, number};
    switch (rows_.operands.at(number)) {
      case Reading::kRows: break;
      case Reading::kRepeated: return {Source::Kind::kValue, static_cast<std::uint32_t>(append(Op::kMove, in_memory))};
      case Reading::kNumber: return spread(in_memory);
    }
    if (operand_uses_[number] == 1 && function_.also == nullptr) {
      return in_memory;
    }
    return {Source::Kind::kValue, static_cast<std::uint32_t>(append(Op::kMove, in_memory))};
  }

  /// The word in the first lane, in all lanes. Other lanes of the row may be anything.
  Source spread(const Source& number) {
    const Source zero{Source::Kind::kConstant, 0};
    const auto value = [](std::size_t i) { return Source{Source::Kind::kValue, static_cast<std::uint32_t>(i)}; };
    const std::size_t is_first = append(Op::kEqual, value(append(Op::kAddLane, zero)), zero);
    return value(append(Op::kSumLanes, value(append(Op::kAnd, value(is_first), number))));
  }

  std::size_t append(Op op, const Source& a, const Source& b = {Source::Kind::kConstant, 0}) {
    const auto found = numbers_.find({op, a, b});
    if (found != numbers_.end()) {
      return found->second;
    }
    Value value{op, a, b};
    value.is_same = is_same(a) && is_same(b);
    const int first = registers_of(a), second = registers_of(b);
    value.registers = std::max({1, first, second, first == second && first > 0 ? first + 1 : 0});
    values_.push_back(value);
    numbers_.emplace(std::tuple{op, a, b}, values_.size() - 1);
    return values_.size() - 1;
  }

  bool is_same(const Source& source) const {
    switch (source.kind) {
      case Source::Kind::kValue: return values_[source.number].is_same;
      case Source::Kind::kOperand: return rows_.operands[source.number] != Reading::kRows;
      default: return true;
    }
  }
  int registers_of(const Source& source) const {
    return source.kind == Source::Kind::kValue ? values_[source.number].registers : 0;
  }

  void schedule() {
    order_.clear();
    schedule(also_);
    schedule(value_);
  }

  /// What needs more registers comes first: then fewer results wait for others.
  void schedule(std::size_t number) {
    if (number == kNone || std::find(order_.begin(), order_.end(), number) != order_.end()) {
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

  const ElementFunction& function_;
  const ElementRows& rows_;
  std::vector<Value> values_;
  std::vector<std::string> parameters_;
  std::vector<std::size_t> operand_uses_, order_;
  std::set<const Expression*> visited_;
  std::map<const Expression*, Source> of_expression_;
  std::map<std::tuple<Op, Source, Source>, std::size_t> numbers_;
  std::size_t value_ = kNone, also_ = kNone;
};

/// Which register each value is in.
class Registers {
 public:
  /// The first `early` values of the order come before the loop, in which they keep their registers; results keep
  /// theirs to its end. There are enough registers if all().
  Registers(Operations& operations, std::size_t early)
      : number_(operations.values().size(), 0), free_(kernel::kVectors, true) {
    std::vector<Value>& values = operations.values();
    const std::vector<std::size_t>& order = operations.order();
    const auto for_sources = [&](std::size_t place, const auto& visit) {
      for (const Source* source : {&values[order[place]].a, &values[order[place]].b}) {
        if (source->kind == Source::Kind::kValue) {
          visit(source->number);
        }
      }
    };
    std::vector<bool> stays(values.size(), false);
    for (std::size_t place = 0; place < early; ++place) {
      stays[order[place]] = true;
    }
    for (std::size_t place = 0; place < order.size(); ++place) {
      for_sources(place, [&](std::size_t source) {
        values[source].last_use = place >= early && stays[source] ? order.size() : place;
      });
    }
    for (const std::size_t result : {operations.value(), operations.also()}) {
      if (result != kNone) {
        values[result].last_use = order.size();
      }
    }
    for (std::size_t place = 0; place < order.size() && all_; ++place) {
      for_sources(place, [&](std::size_t source) {
        if (values[source].last_use == place) {
          free_[number_[source]] = true;
        }
      });
      const auto found = std::find(free_.begin(), free_.end(), true);
      all_ = found != free_.end();
      if (all_) {
        *found = false;
        number_[order[place]] = static_cast<std::uint32_t>(found - free_.begin());
      }
    }
  }

  bool all() const { return all_; }
  std::uint32_t of(std::size_t value) const { return number_[value]; }

 private:
  std::vector<std::uint32_t> number_;
  std::vector<bool> free_;
  bool all_ = true;
};

class Code {
 public:
  Code(const ElementFunction& function, const ElementRows& rows, Operations& operations, std::size_t early,
       const Registers& registers)
      : function_(function),
        rows_(rows),
        operations_(operations),
        early_(early),
        registers_(registers),
        writer_(function.name) {}

  std::optional<kernel::Kernel> write() {
    if (!take_arguments()) {
      return std::nullopt;
    }
    set_constants();
    const std::vector<std::size_t>& order = operations_.order();
    const auto loop = order.begin() + static_cast<std::ptrdiff_t>(early_);
    std::for_each(order.begin(), loop, [&](std::size_t number) { append(number); });
    forget_constants();
    writer_.begin_loop(strips_);
    writer_.rows(left_);
    std::for_each(loop, order.end(), [&](std::size_t number) { append(number); });
    store_results();
    for (std::size_t i = 0; i < rows_.operands.size(); ++i) {
      if (rows_.operands[i] == Reading::kRows) {
        next_strip(operands_[i].base);
      }
    }
    if (operations_.also() != kNone) {
      next_strip(also_.base);
    }
    next_strip(to_.base);
    writer_.add(left_, left_, -kernel::kStripRows);
    writer_.end_loop();
    kernel::Kernel kernel = writer_.finish();
    return kernel.words.size() <= kernel::kMemoryWords ? std::optional(std::move(kernel)) : std::nullopt;
  }

 private:
  using Scalar = KernelWriter::Scalar;

  /// The planes of a number follow each other.
  bool has_distance(std::size_t operand) const {
    return has_planes(function_.operands[operand]) && rows_.operands[operand] != Reading::kNumber;
  }

  KernelWriter::Memory memory(const std::string& name, Format format, bool has_distance) {
    KernelWriter::Memory memory{format, writer_.argument(name)};
    if (has_distance) {
      memory.plane_stride = writer_.argument(name + "_plane");
    }
    return memory;
  }

  bool take_arguments() {
    std::size_t count = 3 + (has_planes(function_.result) ? 1 : 0) + (operations_.also() == kNone ? 0 : 1);
    for (std::size_t i = 0; i < function_.operands.size(); ++i) {
      count += has_distance(i) ? 2 : 1;
    }
    if (count + operations_.parameters().size() > kernel::kArguments) {
      return false;
    }
    for (std::size_t i = 0; i < function_.operands.size(); ++i) {
      operands_.push_back(memory(operand_name(i), function_.operands[i], has_distance(i)));
    }
    if (operations_.also() != kNone) {
      also_ = {function_.result, writer_.argument("also")};
    }
    to_ = memory("to", function_.result, has_planes(function_.result));
    also_.plane_stride = to_.plane_stride;
    left_ = writer_.argument("rows");
    strips_ = writer_.argument("strips");
    for (const std::string& name : operations_.parameters()) {
      parameters_.push_back(writer_.argument(name));
    }
    const auto reads = [&](Reading reading) {
      return std::find(rows_.operands.begin(), rows_.operands.end(), reading) != rows_.operands.end();
    };
    if (reads(Reading::kRepeated) || reads(Reading::kNumber)) {
      place_rows(0, [](Reading reading) { return reading != Reading::kRows; });
    }
    if (rows_.step != 1) {
      to_.row_stride = also_.row_stride = place_rows(rows_.step, [](Reading r) { return r == Reading::kRows; });
    }
    return writer_.scalars_left() >= kTemporaries;
  }

  /// Gives the rows of operands a distance.
  template <class Which>
  Scalar place_rows(int distance, const Which& which) {
    const Scalar scalar = writer_.take_scalar();
    writer_.set(scalar, static_cast<std::uint32_t>(distance));
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (which(rows_.operands[i])) {
        operands_[i].row_stride = scalar;
      }
    }
    return scalar;
  }

  void next_strip(Scalar row) { writer_.add(row, row, kernel::kStripRows * rows_.step); }

  /// Constants have scalars of their own while there are some; the others take turns in the last ones.
  void set_constants() {
    std::map<std::uint32_t, int> uses;
    for (const std::size_t number : operations_.order()) {
      const Value& value = operations_.values()[number];
      for (const Source* source : {&value.a, &value.b}) {
        if (source->kind == Source::Kind::kConstant && !is_immediate(source->number)) {
          ++uses[source->number];
        }
      }
      if (needs_scalar(value)) {
        ++uses[value.b.number];
      }
    }
    const int left = writer_.scalars_left();
    const bool all = static_cast<int>(uses.size()) <= left;
    std::vector<std::pair<int, std::uint32_t>> by_uses;
    for (const auto& [bits, count] : uses) {
      by_uses.emplace_back(-count, bits);
    }
    std::sort(by_uses.begin(), by_uses.end());
    by_uses.resize(std::min(by_uses.size(), static_cast<std::size_t>(all ? left : left - kTemporaries)));
    for (const auto& [count, bits] : by_uses) {
      const Scalar scalar = writer_.take_scalar();
      writer_.set(scalar, bits);
      constants_.emplace(bits, scalar);
    }
    while (!all && writer_.scalars_left() > 0) {
      temporaries_.push_back({writer_.take_scalar(), std::nullopt});
    }
  }

  void forget_constants() {
    for (auto& [scalar, bits] : temporaries_) {
      bits.reset();
    }
  }

  Scalar constant(std::uint32_t bits) {
    if (const auto found = constants_.find(bits); found != constants_.end()) {
      return found->second;
    }
    for (const auto& [scalar, held] : temporaries_) {
      if (held == bits) {
        return scalar;
      }
    }
    auto& [scalar, held] = temporaries_[next_++ % temporaries_.size()];
    held = bits;
    writer_.set(scalar, bits);
    return scalar;
  }

  KernelWriter::Source source(const Source& source) {
    switch (source.kind) {
      case Source::Kind::kValue: return KernelWriter::vector(registers_.of(source.number));
      case Source::Kind::kOperand: return KernelWriter::in(operands_[source.number]);
      case Source::Kind::kParameter: return KernelWriter::scalar(parameters_[source.number]);
      case Source::Kind::kConstant: break;
    }
    return is_immediate(source.number) ? KernelWriter::immediate(source.number)
                                       : KernelWriter::scalar(constant(source.number));
  }

  /// Two immediates in one word would have to be the same.
  static bool needs_scalar(const Value& value) {
    return value.a.kind == Source::Kind::kConstant && value.b.kind == Source::Kind::kConstant &&
           is_immediate(value.a.number) && is_immediate(value.b.number) && !(value.a == value.b);
  }

  /// Whether the last operation goes to memory without a register between.
  bool stores(std::size_t number) const {
    const Value& value = operations_.values()[number];
    const auto in_memory = [](const Source& source) { return source.kind == Source::Kind::kOperand; };
    return number == operations_.value() && number == operations_.order().back() &&
           early_ < operations_.order().size() && value.uses == 1 && value.op != Op::kSumLanes && !in_memory(value.a) &&
           !in_memory(value.b);
  }

  void append(std::size_t number) {
    const Value& value = operations_.values()[number];
    const KernelWriter::Source a = source(value.a);
    const KernelWriter::Source b =
        needs_scalar(value) ? KernelWriter::scalar(constant(value.b.number)) : source(value.b);
    stores(number) ? writer_.store(value.op, to_, a, b) : writer_.operation(value.op, registers_.of(number), a, b);
  }

  void store_results() {
    if (operations_.also() != kNone) {
      writer_.store(Op::kMove, also_, KernelWriter::vector(registers_.of(operations_.also())));
    }
    if (!stores(operations_.value())) {
      writer_.store(Op::kMove, to_, KernelWriter::vector(registers_.of(operations_.value())));
    }
  }

  static constexpr int kTemporaries = 2;  // constants that one operation reads

  const ElementFunction& function_;
  const ElementRows& rows_;
  Operations& operations_;
  const std::size_t early_;  // values before the loop
  const Registers& registers_;
  KernelWriter writer_;
  std::vector<KernelWriter::Memory> operands_;
  KernelWriter::Memory to_{}, also_{};
  Scalar left_ = 0, strips_ = 0;
  std::vector<Scalar> parameters_;
  std::map<std::uint32_t, Scalar> constants_;
  std::vector<std::pair<Scalar, std::optional<std::uint32_t>>> temporaries_;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<kernel::Kernel> element_kernel(const ElementFunction& function, const ElementRows& rows) {
  Operations operations(function, rows);
  for (const bool before_loop : {true, false}) {
    const std::size_t early = operations.put_before_loop(before_loop);
    const Registers registers(operations, early);
    if (registers.all()) {
      return Code(function, rows, operations, early, registers).write();
    }
  }
  return std::nullopt;
}

int strip_operations(const kernel::Kernel& kernel) {
  const auto loop = std::find_if(kernel.words.begin(), kernel.words.end(),
                                 [](kernel::Word word) { return kernel::find(word)->op == Op::kLoop; });
  return static_cast<int>(std::count_if(loop, kernel.words.end(), [](kernel::Word word) {
    const kernel::Group group = kernel::find(word)->group;
    return group == kernel::Group::kVector1 || group == kernel::Group::kVector2;
  }));
}

}  // namespace systole::compiler
