// SPDX-License-Identifier: Apache-2.0
// Where a kernel of rows finds its operands and leaves its result: its arguments, the scalars with the rows of the
// strip that a pass is at, and how they advance.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel_writer.hpp"
#include "row_function.hpp"
#include "row_passes.hpp"
#include "row_registers.hpp"

namespace systole::compiler {

class RowAddresses {
 public:
  using Scalar = KernelWriter::Scalar;

  /// Takes the arguments of operands and result, and those that count strips; `folds` says whether a pass does. What is
  /// given outlives this.
  RowAddresses(const RowFunction& function, const RowShape& shape, KernelWriter& writer, bool folds);

  /// Takes scalars for the rows of a strip and, as long as `reserved` are left, for the steps between strips.
  void take_scalars(int reserved);

  // At the beginning of a pass; from one strip of a pass to the next, where `planes` are in this one if it is of
  // planes; and from a strip of positions to the next.
  void begin(const RowPass& pass);
  void advance_operands(const RowPass& pass, int planes = kernel::kStripRows);
  void advance_result(int planes = kernel::kStripRows) { advance(to_, planes); }
  void next_strip();

  bool uses_result(const RowPass& pass) const;
  std::size_t operands() const { return operands_.size(); }
  KernelWriter::Memory operand(std::size_t number) const;
  KernelWriter::Memory result() const;

  Scalar strips() const { return strips_; }             ///< argument: of positions
  Scalar left() const { return left_; }                 ///< argument: positions that are left
  Scalar meeting() const { return meeting_; }           ///< argument: the accumulators where planes meet
  Scalar zero() const { return zero_; }                 ///< with 0, where planes meet or operands are words
  Scalar temporary() const { return to_.memory.base; }  ///< free when a pass has ended

 private:
  struct Rows {
    KernelWriter::Memory memory{};
    Scalar first = 0;     ///< argument: the first row of a strip
    Scalar distance = 0;  ///< argument: from one row to the next
    Scalar step = 0;      ///< from one strip of a pass to the next, if there is a scalar for it
  };

  bool of_planes() const { return shape_.of == Strips::kOfPlanes; }
  static Scalar plane_stride(const Rows& rows);
  Scalar distance_of(const Rows& rows) const;
  int rows_to_next(const Rows& rows) const;
  int lists() const;
  void advance(const Rows& rows, int planes);

  const RowFunction& function_;
  const RowShape& shape_;
  KernelWriter& writer_;
  std::vector<Rows> operands_;
  Rows to_;
  Scalar left_ = 0, strips_ = 0, meeting_ = 0, zero_ = 0;
};

}  // namespace systole::compiler
