// SPDX-License-Identifier: Apache-2.0
// The bytes of the device memory, sparse: an unused page costs nothing and reads as zero. Separate from its users, the
// AXI slave stepped with the core and the TLM socket shell.
#pragma once

#include <cstddef>
#include <cstdint>

namespace systole::sim {

class Storage {
 public:
  /// Throws std::bad_alloc when the address space cannot be reserved.
  explicit Storage(std::uint64_t bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::uint64_t size() const { return size_; }
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address <= size_ && bytes <= size_ - address;
  }

 private:
  std::byte* data_;
  std::uint64_t size_;
};

}  // namespace systole::sim
