// SPDX-License-Identifier: Apache-2.0
// What runs cost, as dictionaries. Sums alone: what follows from them is added in Python.
#pragma once

#include <pybind11/pybind11.h>

#include "systole/network.hpp"

namespace systole::python {

pybind11::dict to_dict(const RunStats& stats, std::int64_t predicted_cycles);
/// The whole network, and under "layers" a dictionary for each layer, in the order in which they run.
pybind11::dict to_dict(const std::vector<StepReport>& steps);

}  // namespace systole::python
