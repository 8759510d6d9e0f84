// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "launch.hpp"
#include "ranks.hpp"
#include "systole/errors.hpp"

namespace systole::ranks {

bool has_mpi() { return false; }

std::unique_ptr<Ranks> of_launch() {
  if (launched() > 1) {
    throw Failure(
        fmt::format("started as one of {} ranks, but this build has no MPI, so that each would do all of the work; "
                    "install libopenmpi-dev and build again, or start one process without mpirun",
                    launched()));
  }
  return alone();
}

}  // namespace systole::ranks
