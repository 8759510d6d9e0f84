// SPDX-License-Identifier: Apache-2.0
// The vector processor as the program sees it: kernel memory, registers, and how a kernel runs, one micro-instruction
// after the other (isa/spec/pages/kernel.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model_state.hpp"
#include "systole/generated/micro_operations.hpp"
#include "systole/kernel.hpp"

namespace systole::model {

class VectorProcessor {
 public:
  /// A kernel that cannot go on: what is wrong, and the word.
  class KernelFault : public std::runtime_error {
   public:
    KernelFault(std::uint32_t the_word, const std::string& what)
        : std::runtime_error(fmt::format("kernel word {}: {}", the_word, what)), word(the_word) {}
    std::uint32_t word;
  };

  explicit VectorProcessor(State& state);

  /// Writes words to the kernel memory from `entry` on; they must fit.
  void load(std::uint32_t entry, const std::vector<kernel::Word>& words);
  std::array<std::uint32_t, kernel::kTableWords>& table() { return table_; }

  /// Runs the kernel at `entry`. Throws KernelFault for an illegal word, a kernel that leaves the kernel memory or a
  /// loop, and loops nested too deep; throws Fault for rows beyond a memory.
  void run(std::uint32_t entry, const std::array<std::uint32_t, kernel::kArguments>& arguments);

 private:
  struct Loop {
    std::uint32_t begin, end;  ///< first word, and the first behind the body
    std::uint32_t left;        ///< runs, this one among them
  };
  using Row = std::vector<std::uint32_t>;

  std::uint32_t scalar_operation(kernel::Op op, kernel::Word word) const;
  void vector_operation(kernel::Op op, kernel::Word word);
  void read_source(kernel::Word word, const kernel::Field& field, kernel::Source source, int row, Row& to);
  std::uint16_t memory_row(kernel::Word word, int row) const;
  void read_memory(kernel::Word word, int row, Row& to);
  void write_memory(kernel::Word word, int row, const Row& from);
  std::uint32_t* vector_row(std::uint32_t number, int row);

  State& state_;
  std::vector<kernel::Word> memory_;
  std::array<std::uint32_t, kernel::kTableWords> table_{};
  std::array<std::uint32_t, kernel::kScalars> scalars_{};
  std::vector<std::uint32_t> vectors_;  ///< register, row, lane
  int rows_ = kernel::kStripRows;
};

}  // namespace systole::model
