// SPDX-License-Identifier: Apache-2.0
// What a VECTOR needs besides tensors: arguments by name, the table, and words in accumulators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::compiler {

/// The arguments of a kernel, set by name. Names that the kernel does not have are ignored.
class KernelArguments {
 public:
  /// With the values of the call.
  KernelArguments(const kernel::Kernel& kernel, const KernelCall& call);

  void set(const std::string& name, std::int64_t value);
  /// `rows` positions, and `strips` of them.
  void set_rows(int rows);

  /// Throws InternalError when an argument has no value.
  isa::Vector instruction(std::uint16_t entry) const;

 private:
  const kernel::Kernel& kernel_;
  kernel::Arguments values_{};
  std::vector<bool> set_;
};

/// The name of operand `i` in arguments: a, b, c.
inline std::string operand_name(std::size_t i) { return std::string(1, static_cast<char>('a' + i)); }

/// Loads `rows` lines of DIM words from device memory to four planes in the scratchpad.
void load_words(Builder& builder, std::uint32_t address, int row, int rows);
/// Copies such lines to accumulators.
void preload_words(Builder& builder, int rows, int from, int to);

/// Puts the call's channel_words into accumulators that no product uses at the time. Returns the first row. Throws
/// DoesNotFit.
int place_channel_words(Builder& builder, const KernelCall& call, int channels);

/// Loads the table unless it is there. Throws DoesNotFit when the configuration has too few parameter rows.
void place_table(Builder& builder, const KernelTable& table);

}  // namespace systole::compiler
