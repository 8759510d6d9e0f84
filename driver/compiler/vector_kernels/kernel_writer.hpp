// SPDX-License-Identifier: Apache-2.0
// Writes a kernel of the vector processor word by word (isa/spec/pages/kernel.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/kernel.hpp"

namespace systole::compiler {

class KernelWriter {
 public:
  using Scalar = std::uint32_t;  ///< number of a scalar register

  /// Rows in memory: scalars with the first row and with distances, 0 for a distance of 1.
  struct Memory {
    kernel::Format format;
    Scalar base, row_stride = 0, plane_stride = 0;
  };
  struct Source {
    kernel::Source kind;
    std::uint32_t value = 0;  ///< a register's number, or the immediate
    Memory memory = {};
  };
  static Source vector(std::uint32_t number) { return {kernel::Source::kVector, number}; }
  static Source scalar(Scalar number) { return {kernel::Source::kScalar, number}; }
  static Source immediate(std::uint32_t bits) { return {kernel::Source::kImmediate, bits}; }
  static Source in(const Memory& memory) { return {kernel::Source::kMemory, 0, memory}; }

  explicit KernelWriter(std::string name) { kernel_.name = std::move(name); }

  /// The next argument. All arguments come before further scalars.
  Scalar argument(std::string name);
  /// A further scalar; there must be one left.
  Scalar take_scalar() { return scalars_++; }
  int scalars_left() const { return kernel::kScalars - static_cast<int>(scalars_); }

  void set(Scalar d, std::uint32_t bits);
  /// d = a + constant.
  void add(Scalar d, Scalar a, std::int32_t constant);
  /// d = a + b.
  void add_scalars(Scalar d, Scalar a, Scalar b);
  void rows(Scalar count);
  void begin_loop(Scalar count);
  void end_loop();

  /// A vector operation into a register.
  void operation(kernel::Op op, std::uint32_t d, const Source& a, const Source& b = immediate(0));
  /// The same into memory.
  void store(kernel::Op op, const Memory& to, const Source& a, const Source& b = immediate(0));

  kernel::Kernel finish();

 private:
  void append(kernel::Word word);
  static kernel::Word with_memory(kernel::Word word, const Memory& memory);
  static kernel::Word with_sources(kernel::Op op, const Source& a, const Source& b);

  kernel::Kernel kernel_;
  Scalar scalars_ = 0;
  std::vector<std::size_t> loops_;
};

/// Whether a word's `immediate` can be these bits.
constexpr bool is_immediate(std::uint32_t bits) {
  return static_cast<std::uint32_t>(static_cast<std::int16_t>(bits)) == bits;
}

}  // namespace systole::compiler
