// SPDX-License-Identifier: Apache-2.0
// The memory ports that the vector unit shares with the matrix unit, which goes first: read ports of the scratchpad's
// banks, and read and write ports of the accumulators' halves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "systole/generated/configuration.hpp"

namespace systole::compiler {

inline constexpr int kScratchBanks = 8;  ///< of equal size, contiguous; each reads one row and writes one per cycle
inline constexpr int kAccHalves = 2;

/// How often an instruction uses each port.
class PortUse {
 public:
  /// Numbers of the ports of bank 0, and of half 0; those of the others follow.
  static constexpr std::size_t kScratchRead = 0, kAccRead = kScratchBanks, kAccWrite = kAccRead + kAccHalves;
  static constexpr std::size_t kPorts = kAccWrite + kAccHalves;

  /// `accesses` that are spread evenly over `rows` rows from `first` on.
  void scratch_reads(const Configuration& configuration, std::int64_t first, std::int64_t rows, std::int64_t accesses);
  void acc_reads(const Configuration& configuration, std::int64_t first, std::int64_t rows, std::int64_t accesses);
  void acc_writes(const Configuration& configuration, std::int64_t first, std::int64_t rows, std::int64_t accesses);

  std::int64_t operator[](std::size_t port) const { return uses_[port]; }

 private:
  void add(std::size_t port, std::int64_t part_rows, int parts, std::int64_t first, std::int64_t rows,
           std::int64_t accesses);

  std::array<std::int64_t, kPorts> uses_{};
};

}  // namespace systole::compiler
