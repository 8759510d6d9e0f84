// SPDX-License-Identifier: Apache-2.0
// Prints how fast the bare systolic array simulates, busy and idle, for each size. Optional argument: cycles.
#include "bare_array.hpp"

#include <fmt/core.h>

#include <cstdlib>

int main(int argc, char** argv) {
  using namespace systole::bench;
  const std::uint64_t cycles = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : bare_array_cycles;
  fmt::print("{:>7} {:>10} {:>14} {:>10}\n", "array", "busy MHz", "million MAC/s", "idle MHz");
  for (int dim : {4, 8, 16, 32}) {
    const double busy = 1e-6 * bare_array_hz(dim, cycles);
    const double idle = 1e-6 * idle_array_hz(dim, cycles);
    fmt::print("{:>7} {:>10.2f} {:>14.0f} {:>10.1f}\n", fmt::format("{0}x{0}", dim), busy, busy * dim * dim, idle);
  }
}
