// SPDX-License-Identifier: Apache-2.0
// A compiled program: instructions with their synchronization, and the memory that they access. The addresses of the
// instructions are offsets in three ranges, each seen through an address window of its own, so a program can be placed
// anywhere in the memory of a device, and accesses nothing but these ranges. Device::place() reserves them; then the
// program can run on that device any number of times, and other devices reject it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "systole/address_windows.hpp"
#include "systole/buffer.hpp"
#include "systole/listing.hpp"

namespace systole {

class Device;

/// The address windows of a program on a device.
inline constexpr int kBindingsWindow = 0;   ///< tensors that the host writes and reads: read and write
inline constexpr int kConstantsWindow = 1;  ///< read only
inline constexpr int kScratchWindow = 2;    ///< intermediate tensors: read and write
inline constexpr int kRingWindow = 3;       ///< the instructions: execute, neither read nor write

/// The alignment of kUnplacedRanges in bytes: a page, which no burst of AXI crosses.
inline constexpr std::uint64_t kRangeAlignment = 4096;

/// A range, by window, before the program is placed: the compiler uses these addresses, and so do checks of a program
/// that has no place yet. Address 0 is in no range, so that an address that was not set is not that of a tensor.
struct UnplacedRange {
  const char* name;
  std::uint64_t begin, end;
};
inline constexpr std::array<UnplacedRange, 3> kUnplacedRanges = {
    {{"bindings", kRangeAlignment, std::uint64_t{1} << 30},
     {"constants", std::uint64_t{1} << 31, (std::uint64_t{1} << 32) - kRangeAlignment},
     {"scratch", std::uint64_t{1} << 30, std::uint64_t{1} << 31}}};

/// A part of one of a program's ranges.
struct MemoryRange {
  std::uint64_t offset = 0;  ///< in bytes
  std::uint64_t bytes = 0;
};

struct Program : Listing {
  /// Data that must be in the range of constants before the program runs: weights, parameters, tables.
  struct Constant {
    std::uint64_t offset = 0;
    std::vector<std::uint8_t> bytes;
  };

  std::vector<Constant> constants;
  /// Sizes of the three ranges in bytes. They must not change after the program was placed.
  std::uint64_t binding_bytes = 0, constant_bytes = 0, scratch_bytes = 0;
  /// Estimated cycles per label; they add up to estimated_cycles. driver/compiler/cost/cycle_owner.hpp defines which
  /// layer a cycle is counted for.
  std::vector<std::int64_t> label_cycles;
  int syncs = 0;  ///< number of SYNC_* instructions: waits and signals in excess of two per instruction

  /// The program's bindings in device memory, for Device::write() and Device::read(); empty before Device::place().
  const Buffer& bindings() const { return *bindings_; }

  /// The windows for bindings, constants and scratch; that of the ring is closed. Before Device::place() they are at
  /// kUnplacedRanges. Throws InvalidArgument if a range is larger than those.
  AddressWindows windows() const;

 private:
  friend class Device;
  std::shared_ptr<const Buffer> bindings_ = std::make_shared<const Buffer>();  ///< maybe shared with other programs
  Buffer constants_, scratch_;                                                 ///< empty if the range is
  bool placed_ = false;
  bool constants_loaded_ = false;  ///< the constants have been copied to device memory
};

}  // namespace systole
