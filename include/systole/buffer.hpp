// SPDX-License-Identifier: Apache-2.0
// Allocation of device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace systole {

inline constexpr std::uint64_t kBufferAlignment = 64;  ///< bytes

/// First-fit allocator for a range of device addresses. It is shared by its buffers and lives as long as the last one.
/// Thread-safe, so that any thread may let go of a buffer.
class AddressSpace {
 public:
  /// Manages the addresses [begin, end), both multiples of kBufferAlignment.
  AddressSpace(std::uint64_t begin, std::uint64_t end);

  /// Reserves `bytes`, rounded up to a multiple of kBufferAlignment and to at least one, at a multiple of `alignment`,
  /// which is one of kBufferAlignment, and returns the address. Throws Failure when no free range is large enough.
  std::uint64_t reserve(std::uint64_t bytes, std::uint64_t alignment = kBufferAlignment);
  /// Frees a reserved range by its address.
  void release(std::uint64_t address);

  std::uint64_t free_bytes() const;
  std::uint64_t end() const { return end_; }  ///< one past the last address

 private:
  std::uint64_t end_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> free_;  ///< address to bytes
  std::map<std::uint64_t, std::uint64_t> used_;
};

/// A range of device memory that is freed by the destructor. Movable, not copyable.
class Buffer {
 public:
  Buffer() = default;
  /// Throws as AddressSpace::reserve().
  Buffer(std::shared_ptr<AddressSpace> space, std::uint64_t bytes, std::uint64_t alignment = kBufferAlignment);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::uint64_t address() const { return address_; }  ///< device address, a multiple of 64
  std::uint64_t bytes() const { return bytes_; }
  /// The address space of the buffer; null for an empty buffer.
  const std::shared_ptr<AddressSpace>& space() const { return space_; }

 private:
  std::shared_ptr<AddressSpace> space_;
  std::uint64_t address_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace systole
