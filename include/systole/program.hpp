// SPDX-License-Identifier: Apache-2.0
// A compiled program: instructions with their synchronization, and the constants that they read. Its addresses are in
// the memory of one device. It can run there any number of times; other devices reject it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/buffer.hpp"
#include "systole/listing.hpp"

namespace systole {

class Device;

struct Program : Listing {
  /// Data that must be in device memory before the program runs: weights, parameters, tables.
  struct Constant {
    Buffer buffer;
    std::vector<std::uint8_t> bytes;
  };

  std::vector<Constant> constants;
  std::vector<Buffer> scratch;  ///< intermediate tensors
  /// Estimated cycles per label; they add up to estimated_cycles. driver/compiler/cost/cycle_owner.hpp defines which
  /// layer a cycle is counted for.
  std::vector<std::int64_t> label_cycles;
  int syncs = 0;  ///< number of SYNC_* instructions: waits and signals in excess of two per instruction

 private:
  friend class Device;
  bool constants_loaded_ = false;  ///< the constants have been copied to device memory
};

}  // namespace systole
