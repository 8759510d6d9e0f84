// SPDX-License-Identifier: Apache-2.0
// A program between submit() and wait().
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "systole/device.hpp"

namespace systole {

struct Device::Running {
  Running(Backend& on, Program& submitted, const RunOptions& with) : program(submitted), options(with), backend(on) {
    if (options.progress) {
      backend.on_progress([report = options.progress, start = backend.simulated_cycles(),
                           expected = program.estimated_cycles](std::uint64_t now) { report(now - start, expected); });
    }
    backend.on_cancel(options.cancel);
  }
  ~Running() {
    backend.on_progress({});
    backend.on_cancel({});
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void end(Backend::Wake how) {
    ended = true;
    wake = how;
    cycle = backend.simulated_cycles();
  }
  void fail(std::exception_ptr thrown) {
    end(Backend::Wake::kTimeout);
    error = std::move(thrown);
  }

  Program& program;
  RunOptions options;
  Backend& backend;
  bool ended = false;
  Backend::Wake wake = Backend::Wake::kInterrupt;
  std::uint64_t cycle = 0;   ///< cycle in which it ended
  std::exception_ptr error;  ///< exception that ended the simulation, or null

  // For polling: the progress counter when last read, the cycle in which it was read, and the cycle of its last change.
  std::uint64_t work = 0, looked = 0, moved = 0;
};

}  // namespace systole
