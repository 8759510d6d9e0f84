// SPDX-License-Identifier: Apache-2.0
// A segment as one program.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "segments.hpp"
#include "systole/compiled_network.hpp"

namespace systole::network {

/// A layer does not fit the configuration, alone as it may be on the chip, or has sizes that no instruction takes: the
/// host has to run its operator.
class NotOnDevice {
 public:
  NotOnDevice(int op, std::string reason) : op_(op), reason_(std::move(reason)) {}
  int op() const { return op_; }
  const std::string& reason() const { return reason_; }

 private:
  int op_;
  std::string reason_;
};

/// Builds the program of a segment whose layers have been fused; labels are the layers' names. Reports lack the shapes.
/// Throws NotOnDevice, and std::runtime_error when device memory is too small. The segment is of the graph.
DeviceStep compile(const Segment& segment, const graph::Graph& graph, const Configuration& configuration,
                   const std::shared_ptr<AddressSpace>& memory);

}  // namespace systole::network
