// SPDX-License-Identifier: Apache-2.0
// The parts of the module systole._systole.
#pragma once

#include <pybind11/pybind11.h>

namespace systole::python {

/// Translates C++ exceptions to those of systole/errors.py.
void bind_errors();
void bind_device(pybind11::module_& module);
void bind_network(pybind11::module_& module);
void bind_array(pybind11::module_& module);
void bind_training(pybind11::module_& module);
void bind_generation(pybind11::module_& module);

}  // namespace systole::python
