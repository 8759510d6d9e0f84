// SPDX-License-Identifier: Apache-2.0
// What a launcher tells a process in its environment.
#pragma once

#include <cstdlib>
#include <string>

namespace systole::ranks {

/// Variables with the number of ranks: of Open MPI, and of MPICH and its relatives.
inline constexpr const char* kSizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

/// The number of ranks that were started together; 1 without a launcher.
inline int launched() {
  for (const char* name : kSizes) {
    const char* text = std::getenv(name);
    const int size = text == nullptr ? 0 : std::atoi(text);
    if (size > 0) {
      return size;
    }
  }
  return 1;
}

}  // namespace systole::ranks
