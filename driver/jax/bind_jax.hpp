// SPDX-License-Identifier: Apache-2.0
// The part of the module systole._systole that systole_jax uses.
#pragma once

#include <pybind11/pybind11.h>

namespace systole::pjrt {

void bind_jax(pybind11::module_& module);

}  // namespace systole::pjrt
