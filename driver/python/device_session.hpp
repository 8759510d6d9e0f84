// SPDX-License-Identifier: Apache-2.0
// A device as Python's threads may use it: one at a time, none of them holding Python's lock while it computes.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <utility>

#include "systole/device.hpp"

namespace systole::python {

struct Session {
  explicit Session(Device opened) : device(std::move(opened)) {}
  Device device;
  std::mutex turn;
};

/// The destructor of a device may wait for another thread that simulates, whose progress hook may wait for Python.
inline std::shared_ptr<Session> make_session(Device device) {
  return {new Session(std::move(device)), [](Session* session) {
            const pybind11::gil_scoped_release others_run;
            delete session;
          }};
}

/// Calls work() while other Python threads run, and this device does nothing else.
template <class Work>
auto exclusively(Session& session, const Work& work) {
  const pybind11::gil_scoped_release others_run;
  const std::lock_guard<std::mutex> turn(session.turn);
  return work();
}

/// RunOptions of what a call of Python was given: `progress` is None or called with cycles and expected cycles. What it
/// raises is printed and otherwise ignored, since a run cannot be left.
RunOptions run_options(const pybind11::object& progress, bool check);

}  // namespace systole::python
