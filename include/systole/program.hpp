// SPDX-License-Identifier: Apache-2.0
// A compiled program: instructions with their synchronization, and the constants they read. It belongs to the device
// whose memory its addresses name, and may run any number of times there; another device refuses it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/buffer.hpp"
#include "systole/listing.hpp"

namespace systole {

class Device;

struct Program : Listing {
  /// Bytes that must be in device memory before the program runs (weights, parameters, tables).
  struct Constant {
    Buffer buffer;
    std::vector<std::uint8_t> bytes;
  };

  std::vector<Constant> constants;
  std::vector<Buffer> scratch;  ///< intermediate tensors
  /// By the cost model, per label; they add up to estimated_cycles (driver/compiler/cost/cycle_owner.hpp says which
  /// cycle is whose).
  std::vector<std::int64_t> label_cycles;
  int syncs = 0;  ///< SYNC_* instructions that carry what two waits and signals cannot

 private:
  friend class Device;
  bool constants_loaded_ = false;  ///< they lie in the memory of the device that they belong to
};

}  // namespace systole
