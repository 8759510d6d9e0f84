// SPDX-License-Identifier: Apache-2.0
#include "device_session.hpp"

namespace systole::python {

namespace py = pybind11;

RunOptions run_options(const py::object& progress, bool check) {
  RunOptions options;
  options.check = check;
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
