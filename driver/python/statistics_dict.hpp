// SPDX-License-Identifier: Apache-2.0
// Statistics of runs as dictionaries. They contain sums only; Python adds the ratios.
#pragma once

#include <pybind11/pybind11.h>

#include "systole/network.hpp"

namespace systole::python {

pybind11::dict to_dict(const RunStats& stats, std::int64_t predicted_cycles);
/// The sums of the network, and under "layers" a dictionary for each layer, in the order in which they run.
pybind11::dict to_dict(const std::vector<StepReport>& steps);

}  // namespace systole::python
