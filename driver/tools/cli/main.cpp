// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "commands.hpp"
#include "standard_output.hpp"

namespace {

/// Weights and tensors go back to the system when they are freed: left to itself, the C library keeps blocks of sizes
/// that have been freed before.
void return_large_blocks() {
#ifdef __GLIBC__
  constexpr int kLarge = 1 << 16;
  mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  return_large_blocks();
  systole::cli::open_standard_streams();
  return systole::cli::end_output(systole::cli::run({argv, argv + argc}));
}
