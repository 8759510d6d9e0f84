// SPDX-License-Identifier: Apache-2.0
#include "ports.hpp"

#include <algorithm>

namespace systole::compiler {

void PortUse::scratch_reads(const Configuration& configuration, std::int64_t first, std::int64_t rows,
                            std::int64_t accesses) {
  add(kScratchRead, configuration.scratch_rows / kScratchBanks, kScratchBanks, first, rows, accesses);
}

void PortUse::add(std::size_t port, std::int64_t part_rows, int parts, std::int64_t first, std::int64_t rows,
                  std::int64_t accesses) {
  for (std::int64_t part = first / part_rows; part < parts && part * part_rows < first + rows; ++part) {
    const std::int64_t begin = std::max(first, part * part_rows), end = std::min(first + rows, (part + 1) * part_rows);
    uses_[port + static_cast<std::size_t>(part)] += accesses * (end - begin) / rows;
  }
}

}  // namespace systole::compiler
