// SPDX-License-Identifier: Apache-2.0
// The tensors that a program reads and writes in an arena, each at a place of its own that changes from run to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "systole/compiled_network.hpp"

namespace systole::network {

class Bindings {
 public:
  /// Finds the instructions that access each input and output of the step, whose program must not move. Throws
  /// InternalError if one accesses anything else in the range of the bindings.
  Bindings(DeviceStep& step, const Configuration& configuration);

  /// Moves the tensor, an input or output of the step, to an offset in the window of the bindings.
  void move(graph::TensorId id, std::uint64_t offset);

 private:
  struct Binding {
    std::uint64_t offset = 0, bytes = 0;
    std::vector<std::size_t> instructions;
  };

  Program& program_;
  std::map<graph::TensorId, Binding> bindings_;
};

}  // namespace systole::network
