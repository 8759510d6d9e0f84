// SPDX-License-Identifier: Apache-2.0
// Emits the program of a segment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "segment.hpp"
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

/// The layer's main operator, for this reason.
NotOnDevice not_on_device(const Layer& layer, const graph::Graph& graph, const std::string& reason);

/// A tensor in device memory.
struct TensorPlace {
  std::uint32_t address = 0;
  int pitch = 0;  ///< bytes from one position to the next; 0 if there are no gaps, whatever positions a layer sees
};

/// A program, and where its tensors are.
struct Emitted {
  DeviceStep step;
  std::size_t on_chip = 0;                         ///< tensors in the scratchpad
  std::map<graph::TensorId, TensorPlace> tensors;  ///< all others
  MemoryRange own;                                 ///< scratch that holds none of them: layers need it for themselves
  std::int64_t cycles() const { return step.program.estimated_cycles; }
};

/// Builds the program of a segment, in its chains and lanes if it has any; labels are the layers' names. Reports do not
/// contain shapes yet. Throws NotOnDevice, and Failure when the program needs more memory than its addresses reach. The
/// segment belongs to the graph.
Emitted emit_program(const Segment& segment, const graph::Graph& graph, const Configuration& configuration);

}  // namespace systole::network
