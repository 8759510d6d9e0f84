// SPDX-License-Identifier: Apache-2.0
#include "element_kernel.hpp"

#include <algorithm>
#include <utility>

#include "constant_scalars.hpp"
#include "kernel_writer.hpp"
#include "operations.hpp"

namespace systole::compiler {
namespace {

using kernel::Format;
using kernel::Op;

using Source = Operations::Source;
using Value = Operations::Value;

bool has_planes(Format format) { return format == Format::kI16 || format == Format::kI32; }

std::string operand_name(std::size_t i) { return std::string(1, static_cast<char>('a' + i)); }

/// The operations of the second result, if there is one, and of the first. Nothing is loaded after the first store.
Operations operations_of(const ElementFunction& function, const ElementRows& rows) {
  std::vector<OperandPlace> places;
  for (const Reading reading : rows.operands) {
    places.push_back(reading == Reading::kRepeated ? OperandPlace::kSame
                     : reading == Reading::kNumber ? OperandPlace::kNumber
                     : function.also != nullptr    ? OperandPlace::kLoaded
                                                   : OperandPlace::kMemory);
  }
  return function.also == nullptr ? Operations({function.value}, places)
                                  : Operations({function.also, function.value}, places);
}

class Code {
 public:
  Code(const ElementFunction& function, const ElementRows& rows, Operations& operations, std::size_t early,
       const Registers& registers)
      : function_(function),
        rows_(rows),
        operations_(operations),
        early_(early),
        registers_(registers),
        writer_(function.name),
        constants_(writer_) {}

  std::optional<kernel::Kernel> write() {
    if (!take_arguments()) {
      return std::nullopt;
    }
    constants_.count(operations_);
    constants_.set();
    const std::vector<std::size_t>& order = operations_.order();
    const auto loop = order.begin() + static_cast<std::ptrdiff_t>(early_);
    std::for_each(order.begin(), loop, [&](std::size_t number) { append(number); });
    constants_.forget();
    writer_.begin_loop(strips_);
    writer_.rows(left_);
    std::for_each(loop, order.end(), [&](std::size_t number) { append(number); });
    store_results();
    for (std::size_t i = 0; i < rows_.operands.size(); ++i) {
      if (rows_.operands[i] == Reading::kRows) {
        next_strip(operands_[i].base);
      }
    }
    if (has_also()) {
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
    return has_planes(function_.operands[operand]) && rows_.operands[operand] != Reading::kNumber &&
           !rows_.one_distance;
  }

  KernelWriter::Memory memory(const std::string& name, Format format, bool has_distance) {
    KernelWriter::Memory memory{format, writer_.argument(name)};
    if (has_distance) {
      memory.plane_stride = writer_.argument(name + "_plane");
    }
    return memory;
  }

  bool take_arguments() {
    std::size_t count = 3 + (has_planes(function_.result) ? 1 : 0) + (!has_also() ? 0 : 1);
    for (std::size_t i = 0; i < function_.operands.size(); ++i) {
      count += has_distance(i) ? 2 : 1;
    }
    if (count + operations_.parameters().size() > kernel::kArguments) {
      return false;
    }
    for (std::size_t i = 0; i < function_.operands.size(); ++i) {
      operands_.push_back(memory(operand_name(i), function_.operands[i], has_distance(i)));
    }
    if (has_also()) {
      also_ = {function_.result, writer_.argument("also")};
    }
    to_ = memory("to", function_.result, has_planes(function_.result));
    also_.plane_stride = to_.plane_stride;
    if (rows_.one_distance) {
      std::for_each(operands_.begin(), operands_.end(),
                    [&](auto& operand) { operand.plane_stride = to_.plane_stride; });
    }
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
    return writer_.scalars_left() >= ConstantScalars::kTemporaries;
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

  KernelWriter::Source source(const Source& source) {
    switch (source.kind) {
      case Source::Kind::kValue: return KernelWriter::vector(registers_.of(source.number));
      case Source::Kind::kOperand: return KernelWriter::in(operands_[source.number]);
      case Source::Kind::kParameter: return KernelWriter::scalar(parameters_[source.number]);
      case Source::Kind::kConstant: break;
    }
    return constants_.source(source.number);
  }

  /// Whether the last operation goes to memory without a register between.
  bool stores(std::size_t number) const {
    const Value& value = operations_.values()[number];
    return number == operations_.results().back() && number == operations_.order().back() &&
           early_ < operations_.order().size() && value.uses == 1 && value.op != Op::kSumLanes &&
           !operations_.in_memory(value.a) && !operations_.in_memory(value.b);
  }

  void append(std::size_t number) {
    const Value& value = operations_.values()[number];
    const KernelWriter::Source a = source(value.a);
    const KernelWriter::Source b =
        ConstantScalars::has_two_immediates(value) ? constants_.scalar(value.b.number) : source(value.b);
    stores(number) ? writer_.store(value.op, to_, a, b) : writer_.operation(value.op, registers_.of(number), a, b);
  }

  void store_results() {
    if (has_also()) {
      writer_.store(Op::kMove, also_, KernelWriter::vector(registers_.of(operations_.results().front())));
    }
    if (!stores(operations_.results().back())) {
      writer_.store(Op::kMove, to_, KernelWriter::vector(registers_.of(operations_.results().back())));
    }
  }

  bool has_also() const { return function_.also != nullptr; }

  const ElementFunction& function_;
  const ElementRows& rows_;
  Operations& operations_;
  const std::size_t early_;  // values before the loop
  const Registers& registers_;
  KernelWriter writer_;
  ConstantScalars constants_;
  std::vector<KernelWriter::Memory> operands_;
  KernelWriter::Memory to_{}, also_{};
  Scalar left_ = 0, strips_ = 0;
  std::vector<Scalar> parameters_;
};

}  // namespace

std::optional<kernel::Kernel> element_kernel(const ElementFunction& function, const ElementRows& rows) {
  Operations operations = operations_of(function, rows);
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
