// SPDX-License-Identifier: Apache-2.0
// The control flow of kernels (systole/kernel.hpp): scalars, loops, and the vector operations in the order in which
// they are handed to the lanes. It depends on the arguments alone, not on data.
//
//   Sequencer sequencer(memory, entry, arguments);
//   while (const VectorStep* step = sequencer.next()) ...
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "systole/errors.hpp"
#include "systole/generated/isa.hpp"
#include "systole/kernel.hpp"

namespace systole::kernel {

using Arguments = std::array<std::uint32_t, kArguments>;

/// The arguments of a VECTOR.
Arguments arguments_of(const isa::Vector& op);
void set_arguments(isa::Vector& op, const Arguments& arguments);

/// A kernel that cannot go on: an illegal word, a word outside the kernel memory, a loop that is empty, crosses the end
/// of another or is nested too deep, an `end` within a loop, or more than 2^kWorkLog2 words.
class KernelFault : public ErrorOf<std::runtime_error> {
 public:
  KernelFault(std::uint32_t the_word, const std::string& what);
  std::uint32_t word;  ///< its number in the kernel memory
};

/// The memory operand of a vector operation, with the addresses of its strip.
struct MemoryOperand {
  Format format = Format::kI8;
  bool store = false;
  std::uint32_t base = 0;          ///< row of the first row of the strip
  std::uint32_t row_stride = 1;    ///< from one row of the strip to the next
  std::uint32_t plane_stride = 1;  ///< between the scratchpad planes of a row

  /// Scratchpad rows that make up a row: bytes of an element; 1 for accumulators.
  int planes() const;
  /// Accesses to the memory that row `row` of the strip takes: one where the scratchpad serves its planes together,
  /// because their rows have different low bits and are none of exponents, which begin at `block_rows`; otherwise one
  /// for each plane.
  int accesses(int row, int block_rows) const;
  /// The place of plane `plane` of row `row` of the strip; rows of accumulators lie behind the 2^16 rows of the
  /// scratchpad.
  int place(int row, int plane) const;
  /// The row of the memory, which has 16 bits, that holds plane `plane` of row `row` of the strip.
  std::uint16_t row(int row, int plane = 0) const;
};

/// A vector operation on a strip.
struct VectorStep {
  std::uint32_t at = 0;  ///< number of the word
  Word word = 0;
  const OpInfo* info = nullptr;
  int rows = 0;  ///< of the strip; 0: the operation has no effect
  bool has_memory = false;
  MemoryOperand memory;
  std::uint32_t a = 0, b = 0;  ///< values of the sources SCALAR and IMMEDIATE
};

class Sequencer {
 public:
  /// Starts the kernel at word `entry` of `memory`, which must outlive this.
  Sequencer(const std::vector<Word>& memory, std::uint32_t entry, const Arguments& arguments);

  /// The next vector operation; valid until the next call. Null at the kernel's end. Throws KernelFault.
  const VectorStep* next();

  /// Number of the last word of the kernel memory that the kernel has reached. No word before `entry` is ever reached.
  std::uint32_t last() const { return last_; }
  /// Words executed so far.
  std::uint32_t executed() const { return executed_; }

 private:
  struct Loop {
    std::uint32_t begin, end;  ///< first word, and the first behind the body
    std::uint32_t left;        ///< runs, this one among them
  };

  void close_loops();
  void open_loop(Word word);
  void scalar_operation(Op op, Word word);
  const VectorStep* vector_operation(const OpInfo& info, Word word);
  std::uint32_t value_of(Word word, const Field& field, const Field& kind) const;

  const std::vector<Word>& memory_;
  std::uint32_t at_;
  std::uint32_t last_;
  std::uint32_t executed_ = 0;
  std::array<std::uint32_t, kScalars> scalars_{};
  std::vector<Loop> loops_;
  int rows_ = kStripRows;
  VectorStep step_;
};

}  // namespace systole::kernel
