// SPDX-License-Identifier: Apache-2.0
// A part of device memory that the programs of one client share. Each of them may read and write all of it, through one
// address window, so a result of one is an operand of another where it lies. Clients with an arena each cannot access
// each other's data.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "systole/buffer.hpp"
#include "systole/device.hpp"

namespace systole {

class Arena {
 public:
  /// Bytes that were copied since the arena exists.
  struct Copies {
    std::uint64_t to_device = 0, to_host = 0;
  };

  /// Reserves `bytes`, a multiple of kBufferAlignment, of the memory of the device, which must outlive the arena.
  /// Throws Failure if there is no room.
  Arena(Device& device, std::uint64_t bytes);

  Device& device() const { return device_; }
  const Buffer& range() const { return range_; }

  /// Bytes of the arena that are not in use. May be called by any thread.
  std::uint64_t free_bytes() const { return space_->free_bytes(); }

  /// A buffer in the arena, which it keeps alive. It is placed so that a program takes the same cycles wherever there
  /// was room: bursts end at multiples of 4 KiB, which a smaller buffer does not cross. Throws Failure if there is no
  /// room.
  Buffer allocate(std::uint64_t bytes) const;

  /// Device::write() and Device::read() of a whole buffer of the arena, counted.
  void write(const Buffer& to, const void* host);
  void read(const Buffer& from, void* host);
  /// May be called by any thread.
  Copies copies() const { return {to_device_, to_host_}; }

 private:
  Device& device_;
  Buffer range_;
  std::shared_ptr<AddressSpace> space_;
  std::atomic<std::uint64_t> to_device_ = 0, to_host_ = 0;
};

}  // namespace systole
