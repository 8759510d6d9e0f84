// SPDX-License-Identifier: Apache-2.0
#include "progress_bar.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "terminal.hpp"

namespace systole::cli {
namespace {

constexpr auto kFirstUpdate = std::chrono::milliseconds(700);  // a run that finishes earlier needs no bar
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr int kWidestBar = 40;

}  // namespace

ProgressBar::ProgressBar(std::string label, Unit unit)
    : label_(std::move(label)), unit_(unit), width_(style_of(stderr).width), enabled_(is_terminal(stderr)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }
}

std::function<void(std::uint64_t, std::int64_t)> ProgressBar::hook() {
  if (!enabled_) {
    return {};
  }
  return [this](std::uint64_t done, std::int64_t expected) { draw(done, expected); };
}

std::string ProgressBar::line(const std::string& label, std::uint64_t done, std::int64_t expected, double seconds,
                              int width, Unit unit) {
  // A run may exceed the estimate, and is then shown as nearly done.
  const double part = expected <= 0 ? 0.0 : std::min(0.99, static_cast<double>(done) / static_cast<double>(expected));
  const std::string amount = unit == Unit::kSamples
                                 ? fmt::format("{} samples", grouped(done))
                                 : fmt::format("{} cycles  {}Hz", grouped(done),
                                               scaled(seconds > 0 ? static_cast<double>(done) / seconds : 0.0));
  const std::string text = fmt::format("{:3.0f} %  {}  {}", 100 * part, amount, label);
  const int room = std::min(kWidestBar, width - static_cast<int>(text.size()) - 5);
  if (room < 4) {
    return text.substr(0, static_cast<std::size_t>(width - 1));
  }
  const int filled = static_cast<int>(part * room);
  return fmt::format("[{}{}] {}", std::string(static_cast<std::size_t>(filled), '='),
                     std::string(static_cast<std::size_t>(room - filled), ' '), text);
}

void ProgressBar::draw(std::uint64_t done, std::int64_t expected) {
  const auto now = Clock::now();
  started_ = started_.value_or(now);
  if (now - *started_ < kFirstUpdate || now - last_ < kInterval) {
    return;
  }
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - *started_).count();
  fmt::print(stderr, "\r{}\033[K", line(label_, done, expected, seconds, width_, unit_));
  std::fflush(stderr);
}

}  // namespace systole::cli
