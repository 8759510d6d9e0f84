// SPDX-License-Identifier: Apache-2.0
#include "device_session.hpp"

#include <chrono>

namespace systole::python {

namespace py = pybind11;

namespace {

/// Whether a handler of Python's for a signal has raised an exception. Handlers run in the main thread alone; elsewhere
/// the answer is no. Looks rarely: other threads of Python would have to give up the GIL each time.
class SignalCheck {
 public:
  bool operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < kInterval) {
      return false;
    }
    looked_ = now;
    const py::gil_scoped_acquire python;
    return PyErr_CheckSignals() != 0;
  }

 private:
  static constexpr auto kInterval = std::chrono::milliseconds(50);
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
};

}  // namespace

RunOptions run_options(const py::object& progress, bool check) {
  RunOptions options;
  options.check = check;
  options.cancel = SignalCheck();
  if (!progress.is_none()) {
    // A handle without a reference count, because changing that needs the GIL. The caller's arguments keep the object.
    options.progress = [hook = py::handle(progress)](std::uint64_t cycles, std::int64_t expected) {
      const py::gil_scoped_acquire python;
      try {
        hook(cycles, expected);
      } catch (py::error_already_set& error) {
        error.discard_as_unraisable("systole: progress");
      }
    };
  }
  return options;
}

}  // namespace systole::python
