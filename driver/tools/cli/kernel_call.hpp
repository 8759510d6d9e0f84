// SPDX-License-Identifier: Apache-2.0
// What `systole kernel` gives a kernel: arrays for the core's memories, numbers, a table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "systole/graph_value.hpp"
#include "systole/kernel.hpp"

namespace systole::cli {

/// The texts of the options.
struct KernelOptions {
  std::vector<std::string> in;      ///< [acc:]NAME=FILE
  std::vector<std::string> out;     ///< [acc:]NAME=FILE[:SHAPE:TYPE]
  std::vector<std::string> expect;  ///< [acc:]NAME=FILE
  std::vector<std::string> values;  ///< NAME=VALUE
  std::string table;                ///< file, or empty
};

/// An array in the scratchpad or in the accumulators. The argument of its name is its first row there.
struct KernelOperand {
  std::string name;
  bool sums = false;  ///< in accumulator rows
  graph::ElementType type = graph::ElementType::kInt8;
  graph::Shape shape;
  std::optional<graph::Value> input, expected;
  std::string output;  ///< file, or empty

  bool is_result() const { return !output.empty() || expected.has_value(); }
  /// All dimensions but the last, multiplied, and the last.
  std::int64_t rows() const;
  std::int64_t channels() const;
};

/// Every argument is either an operand or a value.
struct KernelCall {
  std::vector<KernelOperand> operands;  ///< in the order of the arguments
  std::map<std::string, std::uint32_t> values;
  std::map<std::string, std::string> integers;  ///< those of the values that are decimal integers other than 0
  graph::Bytes table;                           ///< of words; empty without one
};

/// Reads the arrays. Throws InputError for options that name no argument, for arguments without a value or with two,
/// for files that cannot be read, and for types and shapes that do not fit.
KernelCall read_call(const kernel::Kernel& kernel, const KernelOptions& options);

/// An integer of 32 bits, signed or not, decimal or hexadecimal; with a point, the bits of a binary32 number. Empty for
/// other texts.
std::optional<std::uint32_t> parse_word(const std::string& text);

}  // namespace systole::cli
