// SPDX-License-Identifier: Apache-2.0
#include "stop_notice.hpp"

#include <unistd.h>

#include "stop_request.hpp"

namespace systole::ranks {
namespace {

constexpr int kAtEnd = SIGUSR2;  // from the destructor to the waiting thread

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopNotice::StopNotice() {
  sigemptyset(&signals_);
  sigaddset(&signals_, kAtEnd);
  for (const int signal : kStopSignals) {
    if (!is_ignored(signal)) {  // a blocked signal would be waited for all the same
      sigaddset(&signals_, signal);
    }
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  thread_ = std::thread([this] { wait(); });
}

StopNotice::~StopNotice() {
  pthread_kill(thread_.native_handle(), kAtEnd);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopNotice::say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  text_ = text;
}

void StopNotice::wait() {
  int signal = 0;
  while (sigwait(&signals_, &signal) == 0 && signal != kAtEnd) {
    const bool first = signal_ == 0;
    if (first) {
      const std::lock_guard lock(mutex_);
      // Whether all of it is written does not matter any more.
      [[maybe_unused]] const auto written = write(STDERR_FILENO, text_.data(), text_.size());
    }
    if (!lets_finish_ || !first) {
      _exit(exit_code_of(signal));
    }
    signal_ = signal;
  }
}

}  // namespace systole::ranks
