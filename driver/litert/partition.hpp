// SPDX-License-Identifier: Apache-2.0
// A part of the interpreter's graph that runs on the device: the kernel of one node that takes the place of several.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "context_model.hpp"
#include "systole/device.hpp"
#include "systole/network.hpp"

namespace systole::litert {

/// A device that the partitions of one delegate share, whichever threads their interpreters run in.
struct SharedDevice {
  Device device;
  std::mutex use;
};

class Partition {
 public:
  /// Compiles the part. Throws GraphError for what cannot be read, and what Network::Network() throws.
  Partition(std::shared_ptr<SharedDevice> device, Context& context, Part part);
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;
  /// Waits until no other partition uses the device, so that nobody destroys one who holds SharedDevice::use.
  ~Partition();

  /// Runs the network on the context's tensors. Throws what Network::run() throws, and Failure for tensors whose sizes
  /// changed since.
  void run(Context& context);

  const Part& part() const { return part_; }
  std::uint64_t runs() const { return runs_; }
  const std::vector<StepReport>& steps() const { return network_->steps(); }

 private:
  std::shared_ptr<SharedDevice> device_;
  Part part_;
  std::optional<Network> network_;  ///< there is one until the destructor
  std::uint64_t runs_ = 0;
};

}  // namespace systole::litert
