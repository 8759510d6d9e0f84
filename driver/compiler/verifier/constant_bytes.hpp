// SPDX-License-Identifier: Apache-2.0
// The constants of a program by their addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "byte_ranges.hpp"
#include "systole/program.hpp"

namespace systole::verifier {

class ConstantBytes {
 public:
  /// The program must outlive this.
  explicit ConstantBytes(const Program& program);

  /// The bytes from this address on; null if they are not all in one constant.
  const std::uint8_t* find(std::int64_t address, std::size_t count) const;

  /// All addresses.
  ByteRanges ranges() const;

 private:
  struct Constant {
    std::int64_t address;
    const std::vector<std::uint8_t>* bytes;
  };
  std::vector<Constant> constants_;  ///< by address
};

}  // namespace systole::verifier
