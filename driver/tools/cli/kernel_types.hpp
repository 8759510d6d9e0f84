// SPDX-License-Identifier: Apache-2.0
// Whether a kernel reads its arguments as what they are.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernel_program.hpp"
#include "kernel_source.hpp"

namespace systole::cli {

class KernelTypes {
 public:
  /// The objects outlive this.
  KernelTypes(const KernelSource& source, const KernelCall& call, const KernelProgram& program);

  /// Throws InputError, with the line, the statement and both types, where an operation on binary32 reads an argument
  /// that was given as an integer other than 0, and where an array is read or written in a format of another type.
  void check(const kernel::VectorStep& step) const;

 private:
  void check_scalar(const kernel::VectorStep& step, const kernel::Field& field, const kernel::Field& kind) const;
  void check_format(const kernel::VectorStep& step) const;

  const KernelSource& source_;
  const std::vector<PlacedOperand>& operands_;
  std::vector<std::string> integers_;  ///< by scalar: the integer that an option gave and no word changes, else empty
};

}  // namespace systole::cli
