// SPDX-License-Identifier: Apache-2.0
// The seed of a randomized test: fixed by default, printed, overridable by the environment variable SYSTOLE_SEED.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <cstdlib>
#include <optional>

namespace systole::test {

/// The seed, without printing it.
inline std::uint64_t quiet_seed(std::uint64_t fallback = 1) {
  const char* text = std::getenv("SYSTOLE_SEED");
  return text ? std::strtoull(text, nullptr, 0) : fallback;
}

/// The seed that seed() printed last in this process, for the message of a failure.
inline std::optional<std::uint64_t>& printed_seed() {
  static std::optional<std::uint64_t> last;
  return last;
}

/// Returns the seed and prints how to reproduce the run. `fallback` is the test's own default.
inline std::uint64_t seed(std::uint64_t fallback = 1) {
  const std::uint64_t value = quiet_seed(fallback);
  fmt::print("seed {} (SYSTOLE_SEED={} repeats this run)\n", value, value);
  printed_seed() = value;
  return value;
}

}  // namespace systole::test
