// SPDX-License-Identifier: Apache-2.0
// Checks what the LOADs and STOREs of a program do in device memory, layer by layer, against what each layer is for. It
// knows nothing of how the program was made: it follows the instructions as the program checkers do
// (systole/accesses.hpp), and LOAD and STORE byte by byte where a layer only copies.
//
// Finds wrong addresses, strides and sizes; a part of an operand that is not read; a hole in a result or a byte that is
// written twice; a byte that is copied to another's place; and a row that a memory does not have. It does not look at
// what engines compute. The order of engines is the business of analysis/races.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "byte_ranges.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/program.hpp"

namespace systole::verifier {

/// A result that is copied: for each byte from `address` on the address that it comes from, or `filled(value)`.
struct CopiedBytes {
  std::int64_t address = 0;
  std::vector<std::int64_t> sources;
  static constexpr std::int64_t filled(std::uint8_t value) { return -1 - std::int64_t{value}; }
};

/// The transfers that a layer may and must do in device memory. Besides, it may read the program's constants, and both
/// read and write memory that is `own` to it.
struct Duty {
  ByteRanges operands;                ///< all that it may read
  ByteRanges needs;                   ///< what it must read of them
  ByteRanges results;                 ///< all that it may write
  bool writes_once = true;            ///< whether it must write each byte of them, and only once
  std::optional<CopiedBytes> copies;  ///< of a layer that only copies
};

struct Violation {
  std::size_t layer = 0;
  std::string text;
};

/// The first layer whose instructions do anything else. A duty for each label of the program; `own` is memory for
/// intermediate results within layers. The program has no place yet: addresses are those of kUnplacedRanges.
std::optional<Violation> verify_transfers(const Program& program, const Configuration& configuration,
                                          const std::vector<Duty>& duties, const ByteRanges& own = {});

}  // namespace systole::verifier
