// SPDX-License-Identifier: Apache-2.0
// Scalars that hold the constants of vector operations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernel_writer.hpp"
#include "operations.hpp"

namespace systole::compiler {

class ConstantScalars {
 public:
  static constexpr int kTemporaries = 2;  ///< constants that one operation reads

  explicit ConstantScalars(KernelWriter& writer) : writer_(writer) {}

  /// Counts the constants of operations. Before set().
  void count(const Operations& operations);
  /// Counts a constant that a loop counts to, which is a scalar.
  void count(std::uint32_t bits) { ++uses_[bits]; }
  /// How many have been counted.
  int distinct() const { return static_cast<int>(uses_.size()); }
  /// Constants get scalars of their own while there are some, and are set; the others take turns in the last ones.
  /// There must be kTemporaries left.
  void set();
  /// At the beginning of a loop, whose end may have left other constants.
  void forget();
  /// The constant as a source of an operation, set if need be.
  KernelWriter::Source source(std::uint32_t bits);
  /// The same, never as an immediate.
  KernelWriter::Source scalar(std::uint32_t bits);

  /// Whether both sources are immediates that differ, while a word has one: `b` then is a scalar().
  static bool has_two_immediates(const Operations::Value& value);

 private:
  KernelWriter& writer_;
  std::map<std::uint32_t, int> uses_;
  std::map<std::uint32_t, KernelWriter::Scalar> constants_;
  std::vector<std::pair<KernelWriter::Scalar, std::optional<std::uint32_t>>> temporaries_;
  std::size_t next_ = 0;
};

}  // namespace systole::compiler
