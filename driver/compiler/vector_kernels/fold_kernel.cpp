// SPDX-License-Identifier: Apache-2.0
#include "fold_kernel.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "constant_scalars.hpp"
#include "kernel_writer.hpp"
#include "operations.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

using kernel::Format;
using kernel::Op;
using Source = Operations::Source;

int planes_of(Format format) { return format == Format::kI32 ? 4 : format == Format::kI16 ? 2 : 1; }

/// The operations of a part of the fold. Its values are in the registers from 0 on; the element, if the part reads one,
/// is operand 0, before them.
struct Part {
  Part(const std::vector<ExpressionPtr>& results, bool has_element, std::uint32_t values)
      : operations(results, places(has_element, values)), first_value(has_element ? 1 : 0) {
    operations.put_before_loop(false);
  }

  /// The values' registers are reserved; result number i takes that of value i if `updates`.
  Registers registers(std::uint32_t values, bool updates) {
    std::vector<Registers::Wanted> wanted;
    for (std::uint32_t i = 0; updates && i < values; ++i) {
      wanted.push_back({i, first_value + i});
    }
    return {operations, 0, values, wanted};
  }

  static std::vector<OperandPlace> places(bool has_element, std::uint32_t values) {
    std::vector<OperandPlace> places(values, OperandPlace::kRegister);
    if (has_element) {
      places.insert(places.begin(), OperandPlace::kMemory);
    }
    return places;
  }

  Operations operations;
  std::uint32_t first_value;
};

class Code {
 public:
  explicit Code(const FoldFunction& function)
      : function_(function),
        values_(static_cast<std::uint32_t>(function.first.size())),
        first_(function.first, false, 0),
        next_(function.next, true, values_),
        last_({function.last}, false, values_),
        writer_(function.name),
        constants_(writer_) {}

  kernel::Kernel write() {
    take_arguments();
    for (const Part* part : {&first_, &next_, &last_}) {
      constants_.count(part->operations);
    }
    constants_.set();
    writer_.begin_loop(strips_);
    constants_.forget();
    writer_.rows(left_);
    writer_.add(plane_, a_, 0);
    writer_.add(dst_, to_.base, 0);
    writer_.begin_loop(blocks_);
    constants_.forget();
    fold_block();
    advance(plane_, a_plane_, planes_of(function_.operand));
    advance(dst_, to_plane_, planes_of(function_.result));
    writer_.end_loop();
    next_strip(a_, a_row_);
    if (to_row_ != 0) {
      next_strip(to_.base, to_row_);
    } else {
      writer_.add(to_.base, to_.base, kernel::kStripRows);
    }
    writer_.add(left_, left_, -kernel::kStripRows);
    writer_.end_loop();
    return writer_.finish();
  }

 private:
  using Scalar = KernelWriter::Scalar;

  void take_arguments() {
    a_ = writer_.argument("a");
    a_plane_ = writer_.argument("a_plane");
    each_ = writer_.argument("a_each");
    a_row_ = writer_.argument("a_row");
    to_ = {function_.result, writer_.argument("to")};
    to_plane_ = writer_.argument("to_plane");
    if (function_.result == Format::kI32) {
      to_row_ = to_.row_stride = writer_.argument("to_row");
    }
    left_ = writer_.argument("rows");
    strips_ = writer_.argument("strips");
    blocks_ = writer_.argument("planes");
    int arguments = 10 + (to_row_ != 0 ? 0 : -1);
    for (Part* part : {&first_, &next_, &last_}) {
      for (const std::string& name : part->operations.parameters()) {
        if (parameters_.count(name) == 0) {
          parameters_[name] = writer_.argument(name);
          ++arguments;
        }
      }
    }
    if (arguments > kernel::kArguments) {
      throw InternalError(fmt::format("compiler: fold '{}' has {} arguments", function_.name, arguments));
    }
    plane_ = writer_.take_scalar();
    dst_ = writer_.take_scalar();
    from_ = writer_.take_scalar();
    element_ = {function_.operand, from_, a_row_, planes_of(function_.operand) > 1 ? a_plane_ : 0};
    to_.plane_stride = planes_of(function_.result) > 1 ? to_plane_ : 0;
  }

  void fold_block() {
    update(first_);
    writer_.add(from_, plane_, 0);
    writer_.begin_loop(each_);
    constants_.forget();
    update(next_);
    writer_.add(from_, from_, 1);
    writer_.end_loop();
    constants_.forget();
    store();
  }

  /// Computes the values. A result that is there before its value has been read for the last time is moved at the end.
  void update(Part& part) {
    const Registers registers = part.registers(values_, true);
    for (const std::size_t number : part.operations.order()) {
      operation(part, registers, number);
    }
    for (std::uint32_t i = 0; i < values_; ++i) {
      if (const std::uint32_t from = registers.of(part.operations.results()[i]); from != i) {
        writer_.operation(Op::kMove, i, KernelWriter::vector(from));
      }
    }
  }

  void store() {
    const Registers registers = last_.registers(values_, false);
    const std::vector<std::size_t>& order = last_.operations.order();
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      operation(last_, registers, order[i]);
    }
    const Operations::Value& value = last_.operations.values()[order.back()];
    KernelWriter::Memory to = to_;
    to.base = dst_;
    writer_.store(value.op, to, source(last_, registers, value.a), second(last_, registers, value));
  }

  void operation(const Part& part, const Registers& registers, std::size_t number) {
    const Operations::Value& value = part.operations.values()[number];
    const KernelWriter::Source a = source(part, registers, value.a);
    writer_.operation(value.op, registers.of(number), a, second(part, registers, value));
  }

  KernelWriter::Source second(const Part& part, const Registers& registers, const Operations::Value& value) {
    return ConstantScalars::has_two_immediates(value) ? constants_.scalar(value.b.number)
                                                      : source(part, registers, value.b);
  }

  KernelWriter::Source source(const Part& part, const Registers& registers, const Source& source) {
    switch (source.kind) {
      case Source::Kind::kValue: return KernelWriter::vector(registers.of(source.number));
      case Source::Kind::kOperand:
        return source.number < part.first_value ? KernelWriter::in(element_)
                                                : KernelWriter::vector(source.number - part.first_value);
      case Source::Kind::kParameter:
        return KernelWriter::scalar(parameters_.at(part.operations.parameters()[source.number]));
      case Source::Kind::kConstant: break;
    }
    return constants_.source(source.number);
  }

  void advance(Scalar row, Scalar plane, int times) {
    for (int i = 0; i < times; ++i) {
      writer_.add_scalars(row, row, plane);
    }
  }

  void next_strip(Scalar row, Scalar distance) {
    writer_.add_scalars(from_, distance, distance);
    writer_.add_scalars(from_, from_, from_);
    writer_.add_scalars(from_, from_, from_);
    writer_.add_scalars(row, row, from_);
  }

  const FoldFunction& function_;
  const std::uint32_t values_;
  Part first_, next_, last_;
  KernelWriter writer_;
  ConstantScalars constants_;
  std::map<std::string, Scalar> parameters_;
  KernelWriter::Memory element_{}, to_{};
  Scalar a_ = 0, a_plane_ = 0, each_ = 0, a_row_ = 0, to_plane_ = 0, to_row_ = 0;
  Scalar left_ = 0, strips_ = 0, blocks_ = 0, plane_ = 0, dst_ = 0, from_ = 0;
};

}  // namespace

kernel::Kernel fold_kernel(const FoldFunction& function) { return Code(function).write(); }

}  // namespace systole::compiler
