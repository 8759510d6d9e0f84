// SPDX-License-Identifier: Apache-2.0
// For tests that run programs on the Verilated core: randomized rounds, each repeatable by itself, and the one command
// that runs a failing round again with a waveform.
//
//   SYSTOLE_SEED=n     other programs (see seed.hpp)
//   SYSTOLE_ROUND=n    that round only
//   SYSTOLE_LOCKSTEP=1 the functional model beside each device opened by open_rtl()
//   SYSTOLE_ROUNDS=n   n rounds instead of the test's own number (long runs)
//   SYSTOLE_TRACE=FILE waveform of the core of each device opened with traced(), narrowed by
//   SYSTOLE_TRACE_FROM=n, _TO=n, _LAYER=name, _SCOPE=instance, or _ON_ERROR=n: the cycles before the first failure
//   alone
// scripts/waves sets the last of them and opens the waveform.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "rtl_backend.hpp"
#include "seed.hpp"
#include "systole/backend.hpp"

namespace systole::test {

inline std::uint64_t cycles_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

/// The options with waveform and lockstep as requested by the environment.
inline BackendOptions traced(BackendOptions options) {
  options.lockstep = std::getenv("SYSTOLE_LOCKSTEP") != nullptr;
  const char* file = std::getenv("SYSTOLE_TRACE");
  if (!file) return options;
  TraceOptions trace;
  trace.file = file;
  trace.from = cycles_from("SYSTOLE_TRACE_FROM", trace.from);
  trace.to = cycles_from("SYSTOLE_TRACE_TO", trace.to);
  trace.on_error = cycles_from("SYSTOLE_TRACE_ON_ERROR", trace.on_error);
  if (const char* layer = std::getenv("SYSTOLE_TRACE_LAYER")) trace.layer = layer;
  if (const char* scope = std::getenv("SYSTOLE_TRACE_SCOPE")) trace.scope = scope;
  if (trace.on_error > 0) {
    // Only the first failure counts: devices opened after it do not touch its waveform.
    static const bool cleared [[maybe_unused]] = std::filesystem::remove(file);
    if (std::filesystem::exists(file)) return options;
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
