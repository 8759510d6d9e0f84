// SPDX-License-Identifier: Apache-2.0
// The Verilated model of a block, as every bench of tests/rtl drives it: it counts cycles, gives messages their time,
// records the waveform that the environment asks for (requested_trace.hpp), and makes a failed assertion of the RTL a
// failure of the test, which ends there (first_failure.hpp).
//
// On the time axis, cycle n begins at n ns and its rising edge is in its middle, as in the waveforms of the core.
// Inputs may change and be evaluated any number of times before the edge.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "first_failure.hpp"
#include "print.hpp"
#include "requested_trace.hpp"
#include "wave_recorder.hpp"

namespace systole::test {

template <class Model, class = void>
struct HasClock : std::false_type {};
template <class Model>
struct HasClock<Model, std::void_t<decltype(std::declval<Model&>().clk_i)>> : std::true_type {};

/// Whether the model has a second clock that never rests.
template <class Model, class = void>
struct HasCountClock : std::false_type {};
template <class Model>
struct HasCountClock<Model, std::void_t<decltype(std::declval<Model&>().count_clk_i)>> : std::true_type {};

template <class Model>
class BlockModel : public Model, public ClockedModel {
 public:
  /// The arguments are those of the model.
  template <class... Arguments>
  explicit BlockModel(Arguments&&... arguments) : Model(std::forward<Arguments>(arguments)...) {
    this->contextp()->fatalOnError(false);
    errors_ = this->contextp()->errorCount();
  }
  ~BlockModel() override { failures_.ends(*this); }
  BlockModel(const BlockModel&) = delete;
  BlockModel& operator=(const BlockModel&) = delete;

  /// From now on assertions of the RTL are meant to fail: they print, and the context counts them.
  void expect_assertions() { expected_ = true; }

  /// As the model's function of this name, which it hides.
  void eval() {
    failures_.runs(*this);
    if (cycle_ >= prepared_) prepare();
    const bool high = is_high();
    const bool rises = high && !was_high_;
    was_high_ = high;
    now_ = std::max(next_, cycle_ * kPeriod + (rises ? kPeriod / 2 : 0));
    next_ = now_ + 1;
    this->contextp()->time(now_);
    evaluate();
    if (waves_->recording()) waves_->dump(now_);
    report_assertions();
    // Without an edge, as in a block without a clock, evaluations are cycles before their time leaves the cycle.
    if (rises || !HasClock<Model>::value || next_ - cycle_ * kPeriod == kPeriod - 1) ++cycle_;
  }

  std::string model_name() const override { return this->modelName(); }
  std::uint64_t cycle() const override { return cycle_; }
  std::string record_failure() override {
    if (!waves_) return {};
    if (waves_->recording()) waves_->dump(std::max(next_, cycle_ * kPeriod));
    return waves_->failed(cycle_ + 1);
  }

 private:
  static constexpr std::uint64_t kPeriod = 1000;  // ps
  static constexpr std::uint64_t kInterval = 64;  // cycles between calls of the recorder at most

  /// The waveform is that of the first model that has one to show.
  static TraceOptions trace() {
    TraceOptions options = requested_trace();
    if (!options.file.empty() && already_recorded(options.file)) return {};
    return options;
  }

  void prepare() {
    if (!waves_) waves_.emplace(expected_ ? TraceOptions{} : trace(), *this->contextp(), *this);
    waves_->simulated(cycle_);
    prepared_ = cycle_ + waves_->prepare(cycle_, kInterval, cycle_);
  }

  bool is_high() const {
    if constexpr (HasCountClock<Model>::value) {
      return this->count_clk_i != 0;
    } else if constexpr (HasClock<Model>::value) {
      return this->clk_i != 0;
    } else {
      return false;
    }
  }

  void evaluate() {
    if (expected_) {
      Model::eval();
      return;
    }
    const sim::PrintCapture capture(console_);
    Model::eval();
  }

  void report_assertions() {
    const int errors = this->contextp()->errorCount();
    if (std::exchange(errors_, errors) == errors || expected_) return;
    ADD_FAILURE() << "an assertion of the RTL failed:\n" << std::exchange(console_, {});
  }

  FirstFailure& failures_ = FirstFailure::of_this_program();
  std::optional<sim::WaveRecorder<Model>> waves_;  // made with the first cycle
  std::string console_;                            // output of the model that nobody has reported
  std::uint64_t cycle_ = 0;
  std::uint64_t prepared_ = 0;        // first cycle for which the recorder must be asked
  std::uint64_t now_ = 0, next_ = 0;  // time of the last evaluation, and the first that is left for the next
  bool was_high_ = false;
  bool expected_ = false;
  int errors_ = 0;
};

}  // namespace systole::test
