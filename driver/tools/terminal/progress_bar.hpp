// SPDX-License-Identifier: Apache-2.0
// A progress line on standard error for simulations and other long work. Shows nothing if standard error is not a
// terminal, or for short runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace systole::cli {

class ProgressBar {
 public:
  /// What is counted: simulated cycles, shown with their rate, or samples.
  enum class Unit { kCycles, kSamples };

  explicit ProgressBar(std::string label, Unit unit = Unit::kCycles);
  /// Clears the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// For RunOptions::progress; empty without a terminal. Must not be used after the bar is destroyed.
  std::function<void(std::uint64_t, std::int64_t)> hook();

  /// The line for `done` of `expected` after `seconds`, for a terminal of `width` columns.
  static std::string line(const std::string& label, std::uint64_t done, std::int64_t expected, double seconds,
                          int width, Unit unit = Unit::kCycles);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(std::uint64_t done, std::int64_t expected);

  std::string label_;
  Unit unit_;
  int width_;
  bool enabled_;
  bool drawn_ = false;
  std::optional<Clock::time_point> started_;  ///< time of the first report
  Clock::time_point last_;
};

}  // namespace systole::cli
