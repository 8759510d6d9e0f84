// SPDX-License-Identifier: Apache-2.0
// For tests that run programs on the Verilated core: randomized rounds, each repeatable by itself, and the one command
// that runs a failing round again with a waveform.
//
//   SYSTOLE_SEED=n     other programs (see seed.hpp)
//   SYSTOLE_ROUND=n    that round only
//   SYSTOLE_LOCKSTEP=1 the functional model beside each device opened by open_rtl()
//   SYSTOLE_ROUNDS=n   n rounds instead of the test's own number (long runs)
//   SYSTOLE_TRACE=FILE waveform of the core of each device opened with traced() (requested_trace.hpp)
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "requested_trace.hpp"
#include "rtl_backend.hpp"
#include "seed.hpp"
#include "systole/backend.hpp"

namespace systole::test {

/// The options with waveform and lockstep as requested by the environment.
inline BackendOptions traced(BackendOptions options) {
  options.lockstep = std::getenv("SYSTOLE_LOCKSTEP") != nullptr;
  TraceOptions trace = requested_trace();
  if (trace.on_error > 0) {
    // Only the first failure counts: devices opened after it do not touch its waveform.
    if (already_recorded(trace.file)) return options;
    trace.failed = [] { return ::testing::UnitTest::GetInstance()->Failed(); };
  }
  options.trace = trace;
  return options;
}

inline std::unique_ptr<Backend> open_rtl(const BackendOptions& options) { return make_rtl_backend(traced(options)); }

inline std::string this_program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "TEST_PROGRAM";
}

/// The command that repeats a round of the running test and records the last cycles before its failure.
inline std::string rerun_command(std::uint64_t seed, int round) {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format(
      "SYSTOLE_SEED={} SYSTOLE_ROUND={} SYSTOLE_TRACE=$PWD/round{}.fst SYSTOLE_TRACE_ON_ERROR={} {} "
      "--gtest_filter='{}.{}'",
      seed, round, round, TraceOptions::kUsualOnError, this_program(), info->test_suite_name(), info->name());
}

/// Calls body(seed of the round) for each round until one fails, and then prints how to repeat that round. An exception
/// (a failed assertion of the RTL, a bus protocol violation) is a failure.
template <class Body>
void rounds(int count, Body&& body, std::uint64_t fallback_seed = 1) {
  const std::uint64_t base = seed(fallback_seed);
  if (const char* text = std::getenv("SYSTOLE_ROUNDS")) count = std::atoi(text);
  const char* only = std::getenv("SYSTOLE_ROUND");
  const int first = only ? std::atoi(only) : 0;
  for (int round = first; round < (only ? first + 1 : count); ++round) {
    try {
      body(base * 1'000'003 + static_cast<std::uint64_t>(round));
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    if (::testing::Test::HasFailure()) {
      fmt::print("round {} failed; with a waveform:\n  {}\n", round, rerun_command(base, round));
      return;
    }
  }
}

}  // namespace systole::test
