// SPDX-License-Identifier: Apache-2.0
// A segment as one program.
#pragma once

#include <memory>

#include "network/segments.hpp"
#include "systole/network.hpp"

namespace systole::network {

/// Builds the program of a segment whose layers have been fused; labels are the layers' names. Reports lack the shapes. Throws graph::GraphError, naming
/// the layer, when one does not fit the chip, and std::runtime_error when device memory is too small.
DeviceStep compile(const Segment& segment, const Configuration& configuration, const std::shared_ptr<AddressSpace>& memory);

}  // namespace systole::network
