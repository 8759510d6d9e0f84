// SPDX-License-Identifier: Apache-2.0
// A device for Python's threads: one of them at a time uses it, and does not hold the GIL while the device computes.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <utility>

#include "systole/device.hpp"
#include "systole/errors.hpp"

namespace systole::python {

struct Session {
  explicit Session(Device opened) : device(std::move(opened)) {}
  Device device;
  std::mutex turn;
};

/// Destroys the session without the GIL: the destructor may wait for a thread whose progress hook waits for the GIL.
inline std::shared_ptr<Session> make_session(Device device) {
  return {new Session(std::move(device)), [](Session* session) {
            const pybind11::gil_scoped_release others_run;
            delete session;
          }};
}

/// Calls work() without the GIL and with exclusive access to the device.
template <class Work>
auto exclusively(Session& session, const Work& work) {
  try {
    const pybind11::gil_scoped_release others_run;
    const std::lock_guard<std::mutex> turn(session.turn);
    return work();
  } catch (const Cancelled&) {  // a signal of Python's: its handler has set the exception, such as KeyboardInterrupt
    throw pybind11::error_already_set();
  }
}

/// RunOptions from the arguments of a Python call, which Ctrl-C cancels. `progress` is None, or a function that takes
/// cycles and expected cycles; its exceptions are printed and ignored, because they cannot leave a run.
RunOptions run_options(const pybind11::object& progress, bool check);

}  // namespace systole::python
