// SPDX-License-Identifier: Apache-2.0
// Kernels: programs of micro-instructions for the vector processor (isa/spec/pages/kernel.md), and their assembler.
//
//   kernel scale(src, dst, strips, factor)     # arguments: scalars 0, 1, 2, 3
//   vector x                                   # names for vector registers
//   loop strips                                # as many times as the scalar says
//     mul_high x, i8[src], factor              # one operand may be in memory: format[base], or
//     shift_round i8[dst], x, 4                # format[base, row stride], format[base, row stride, plane stride]
//     add src, src, 8                          # between scalars: done by the sequencer
//     add dst, dst, 8
//   end                                        # of the loop
//   end                                        # of the kernel
//
// A statement is a line; `#` begins a comment. Operations have their names in isa/spec/pages/kernel.md; `add` and `sub`
// with a constant stand for `add_wide`. `scalar` names further scalars as `vector` names vector registers. Constants
// are decimal or hexadecimal integers; `set` takes binary32 numbers, too (with a point: 0.5). `format of_src i16` gives
// a name to a format, which who assembles the kernel may replace: of_src[src, 1, plane]. Where it is one of a single
// plane, the plane stride is left out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "systole/errors.hpp"
#include "systole/generated/micro_operations.hpp"

namespace systole::kernel {

using Word = std::uint64_t;

/// Stands for a word of the kernel memory whose content is not known. It is no legal micro-instruction.
inline constexpr Word kUnknownWord = ~Word{0};

/// Rows of `dim` bytes of the kernel memory: its words as LOAD writes them, little-endian.
constexpr int memory_rows(int dim) { return kMemoryWords * static_cast<int>(sizeof(Word)) / dim; }

/// The value of a field.
constexpr std::uint32_t get(Word word, const Field& field) {
  return static_cast<std::uint32_t>(word >> field.lsb & ((Word{1} << field.width) - 1));
}

/// As get(), sign-extended.
constexpr std::int32_t get_signed(Word word, const Field& field) {
  return static_cast<std::int32_t>(get(word, field) << (32 - field.width)) >> (32 - field.width);
}

/// Writes a field, of which `value` is the low bits.
constexpr Word with(Word word, const Field& field, std::uint32_t value) {
  const Word mask = ((Word{1} << field.width) - 1) << field.lsb;
  return (word & ~mask) | (Word{value} << field.lsb & mask);
}

struct Kernel {
  std::string name;
  std::vector<std::string> arguments;  ///< names, of scalar 0 and those after it
  std::vector<std::string> vectors;    ///< names, of vector register 0 and those after it
  std::vector<Word> words;
  std::vector<int> lines;  ///< of the source, one for each word, from 1
};

/// An error in a kernel's source. The text begins with the name of the source and the line.
class AssemblyError : public ErrorOf<std::invalid_argument> {
 public:
  using ErrorOf::ErrorOf;
};

/// Formats by the names that a kernel gives them with `format`.
using FormatNames = std::map<std::string, Format, std::less<>>;

/// Assembles one kernel. `source` names the text in errors; `formats` replaces those in the text. Throws AssemblyError.
Kernel assemble(std::string_view text, std::string_view source = "kernel", const FormatNames& formats = {});

/// The operation of a word; null for a number that is none.
const OpInfo* find(Word word);

/// What is wrong with a word, by itself; empty when it is legal.
std::string illegal(Word word);

/// Whether an operand or the result of a legal word is in memory.
bool has_memory(Word word);

/// Whether a kernel of legal words reads a vector register before it writes it: what the kernel before left there.
bool reads_before_writing(const std::vector<Word>& words);

/// A word as a statement, with registers as v0 .. v15 and r0 .. r15. The assembler accepts it, except for `loop`, whose
/// length it shows.
std::string disassemble(Word word);

}  // namespace systole::kernel
