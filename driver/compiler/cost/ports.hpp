// SPDX-License-Identifier: Apache-2.0
// The memory ports that the vector unit shares with the matrix unit, which goes first: read ports of the scratchpad's
// banks, and read and write ports of the accumulators' banks. Engines that walk from one accumulator row to the next
// use the two banks in turn and pass each other; what reads a row several times waits for it. The few waits of
// additions, which read a row in four cycles, are not counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "systole/generated/configuration.hpp"

namespace systole::compiler {

inline constexpr int kScratchBanks = 8;  ///< of equal size, contiguous; each reads one row and writes one per cycle
inline constexpr int kAccBanks = 2;      ///< even and odd rows

/// How often an instruction uses each port.
class PortUse {
 public:
  /// Numbers of the ports of bank 0; those of the others follow.
  static constexpr std::size_t kScratchRead = 0, kAccRead = kScratchBanks, kAccWrite = kAccRead + kAccBanks;
  static constexpr std::size_t kPorts = kAccWrite + kAccBanks;

  /// `accesses` that are spread evenly over `rows` rows from `first` on.
  void scratch_reads(const Configuration& configuration, std::int64_t first, std::int64_t rows, std::int64_t accesses);
  /// Of a row by a kernel.
  void acc_read(std::int64_t row) { ++uses_[kAccRead + parity(row)]; }
  void acc_write(std::int64_t row) { ++uses_[kAccWrite + parity(row)]; }
  /// Of rows one after the other by the matrix unit.
  void acc_sums(std::int64_t accesses) { acc_rows(kAccWrite, accesses); }
  /// Of rows one after the other by the vector unit, as many reads as wait if the matrix unit adds in every cycle.
  void acc_drains(std::int64_t accesses) { acc_rows(kAccRead, accesses); }

  std::int64_t operator[](std::size_t port) const { return uses_[port]; }

 private:
  void acc_rows(std::size_t port, std::int64_t accesses) {
    uses_[port] += accesses / kAccBanks;
    uses_[port + 1] += accesses / kAccBanks;
  }
  static std::size_t parity(std::int64_t row) { return static_cast<std::size_t>(row % kAccBanks); }
  void add(std::size_t port, std::int64_t part_rows, int parts, std::int64_t first, std::int64_t rows,
           std::int64_t accesses);

  std::array<std::int64_t, kPorts> uses_{};
};

}  // namespace systole::compiler
