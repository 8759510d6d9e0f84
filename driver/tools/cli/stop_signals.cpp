// SPDX-License-Identifier: Apache-2.0
#include "stop_signals.hpp"

#include <fmt/core.h>

#include <atomic>
#include <cstring>

namespace systole::cli {
namespace {

/// A handler has no other way to tell what it saw than a variable that outlives everything.
std::atomic<int>& last_signal() {
  static std::atomic<int> signal{0};
  return signal;
}

void remember(int signal) { last_signal() = signal; }

}  // namespace

Stopped::Stopped(int signal)
    : std::runtime_error(fmt::format("stopped by signal {} ({})", signal, strsignal(signal))), signal_(signal) {}

StopSignals::StopSignals() {
  last_signal() = 0;  // makes the variable before a handler needs it
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, &before_[signal]);
    if (before_[signal].sa_handler == SIG_IGN) {  // as below nohup
      sigaction(signal, &before_[signal], nullptr);
    }
  }
}

StopSignals::~StopSignals() {
  for (const auto& [signal, action] : before_) {
    sigaction(signal, &action, nullptr);
  }
}

int StopSignals::received() const { return last_signal(); }

}  // namespace systole::cli
