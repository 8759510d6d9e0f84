// SPDX-License-Identifier: Apache-2.0
// Compiles a segment to one program.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "segments.hpp"
#include "systole/compiled_network.hpp"

namespace systole::network {

/// Thrown when a layer does not fit the configuration even with the chip to itself, or has sizes that no instruction
/// supports: the host has to run its operator, unless the plain way of lowering it is another one.
class NotOnDevice {
 public:
  NotOnDevice(int op, std::string reason, bool has_plain)
      : op_(op), reason_(std::move(reason)), has_plain_(has_plain) {}
  int op() const { return op_; }
  const std::string& reason() const { return reason_; }
  /// Whether the operator was not lowered in the plain way, and there is one.
  bool has_plain() const { return has_plain_; }

 private:
  int op_;
  std::string reason_;
  bool has_plain_;
};

/// Builds the program of a segment whose layers have been fused; labels are the layers' names. Reports do not contain
/// shapes yet. Throws NotOnDevice, and std::runtime_error when device memory is too small. The segment belongs to the
/// graph.
DeviceStep compile(const Segment& segment, const graph::Graph& graph, const Configuration& configuration,
                   const std::shared_ptr<AddressSpace>& memory);

}  // namespace systole::network
