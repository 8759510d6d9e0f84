// SPDX-License-Identifier: Apache-2.0
// Where the graphs of a training run.
#pragma once

#include "options.hpp"
#include "precision.hpp"
#include "trainer.hpp"

namespace systole::cli {

/// On the host, or on a device, for which each graph is compiled when it runs first; what the device does not support,
/// the host computes in between. With Precision::kMx products are in block floating point, forward and backward; the
/// optimizer and all else stay binary32.
training::Runner runner(const DeviceOptions& options, Precision precision);

}  // namespace systole::cli
