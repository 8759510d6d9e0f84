// SPDX-License-Identifier: Apache-2.0
#include "stop_request.hpp"

#include <fmt/core.h>

#include <cstring>

namespace systole::ranks {

Stopped::Stopped(int signal)
    : std::runtime_error(fmt::format("stopped by signal {} ({})", signal, strsignal(signal))), signal_(signal) {}

void StopRequest::check() const {
  if (signal() != 0) {
    throw Stopped(signal());
  }
}

}  // namespace systole::ranks
