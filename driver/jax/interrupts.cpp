// SPDX-License-Identifier: Apache-2.0
#include "interrupts.hpp"

#include <atomic>
#include <csignal>

namespace systole::pjrt {
namespace {

using Handler = void (*)(int);

std::atomic<int> count{0};
std::atomic<Handler> before{nullptr};

void on_interrupt(int signal) {
  ++count;
  if (const Handler handler = before) {
    handler(signal);
  }
}

}  // namespace

void watch_interrupts() {
  struct sigaction current {};
  const bool handled = sigaction(SIGINT, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) == 0 &&
                       current.sa_handler != SIG_DFL && current.sa_handler != SIG_IGN;
  if (!handled || current.sa_handler == &on_interrupt) {
    return;
  }
  before = current.sa_handler;
  current.sa_handler = &on_interrupt;
  sigaction(SIGINT, &current, nullptr);
}

int interrupts() { return count; }

}  // namespace systole::pjrt
