// SPDX-License-Identifier: Apache-2.0
// A test of a block ends at its first failed check, be it an ASSERT, an EXPECT or an assertion of the RTL: what follows
// from a wrong value says nothing new. Below the message stand the cycle, the seed, and the command that shows the
// waveform.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "requested_trace.hpp"
#include "seed.hpp"

namespace systole::test {

/// The interface of a model through which a failed check is reported with its cycle and waveform.
class ClockedModel {
 public:
  virtual std::string model_name() const = 0;
  virtual std::uint64_t cycle() const = 0;
  /// Completes the waveform of the cycles up to this one. Returns a sentence that says in which file they are, or an
  /// empty text if nothing was recorded.
  virtual std::string record_failure() = 0;

 protected:
  ~ClockedModel() = default;
};

class FirstFailure : public ::testing::EmptyTestEventListener {
 public:
  /// The listener of this program, which the first call makes.
  static FirstFailure& of_this_program() {
    static FirstFailure* const listener = [] {
      auto* made = new FirstFailure;
      ::testing::UnitTest::GetInstance()->listeners().Append(made);  // and so belongs to GoogleTest
      return made;
    }();
    return *listener;
  }

  /// The model whose cycle a failure from now on happens in.
  void runs(ClockedModel& model) { model_ = &model; }
  void ends(const ClockedModel& model) {
    if (model_ == &model) model_ = nullptr;
  }

  void OnTestStart(const ::testing::TestInfo&) override { told_ = false; }

  /// Throws what GoogleTest takes for the end of a test, except where an exception is under way already: in a
  /// destructor that it has called, and for the failure by which GoogleTest reports it.
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    if (!told_) tell();
    told_ = true;
    if (std::uncaught_exceptions() == 0 && !std::current_exception()) throw ::testing::AssertionException(result);
  }

 private:
  void tell() {
    if (!model_) return;
    const auto seed = printed_seed();
    fmt::print("failed in cycle {} of {}{}\n", model_->cycle(), model_->model_name(),
               seed ? fmt::format(", seed {}", *seed) : "");
    const std::string waves = model_->record_failure();
    const TraceOptions trace = requested_trace();
    if (!waves.empty()) {
      fmt::print("{}; open them with\n  {} --open {}\n", waves, SYSTOLE_WAVES_SCRIPT, trace.file);
    } else if (trace.file.empty()) {
      fmt::print("with a waveform:\n  {} {}\n", SYSTOLE_WAVES_SCRIPT, SYSTOLE_BLOCK_TEST);
    }
    std::fflush(stdout);
  }

  ClockedModel* model_ = nullptr;
  bool told_ = false;  ///< what the running test failed of
};

}  // namespace systole::test
