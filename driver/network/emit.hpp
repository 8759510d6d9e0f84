// SPDX-License-Identifier: Apache-2.0
// A segment as one program.
#pragma once

#include <map>
#include <memory>

#include "network/segments.hpp"
#include "systole/buffer.hpp"
#include "systole/generated/configurations.hpp"
#include "systole/program.hpp"

namespace systole::network {

struct CompiledSegment {
  Program program;
  std::map<graph::TensorId, Buffer> inputs, outputs;  ///< dense, in device memory
};

/// Builds the program of a segment whose layers have been fused; labels are the layers' names. Throws graph::GraphError, naming
/// the layer, when one does not fit the chip, and std::runtime_error when device memory is too small.
CompiledSegment compile(const Segment& segment, const Configuration& configuration, const std::shared_ptr<AddressSpace>& memory);

}  // namespace systole::network
