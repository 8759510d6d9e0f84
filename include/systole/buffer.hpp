// SPDX-License-Identifier: Apache-2.0
// Device memory as the driver hands it out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace systole {

inline constexpr std::uint64_t kBufferAlignment = 64;  ///< bytes

/// First-fit allocator over a range of device addresses. Buffers share it, so it lives as long as the last of them.
class AddressSpace {
 public:
  /// Addresses [begin, end), both multiples of kBufferAlignment.
  AddressSpace(std::uint64_t begin, std::uint64_t end);

  /// Reserves `bytes` (rounded up to the alignment, at least one unit) and returns the address. Throws
  /// Failure, which names the size asked for and the largest free range, when nothing is large enough.
  std::uint64_t reserve(std::uint64_t bytes);
  /// Reserves `bytes`, rounded up likewise, at an address: where a program that was compiled earlier wants them. Throws
  /// Failure, which names both ranges, when that is not aligned, not in the space, or occupied.
  void reserve_at(std::uint64_t address, std::uint64_t bytes);
  /// Gives a reserved range back.
  void release(std::uint64_t address);

  std::uint64_t free_bytes() const;
  std::uint64_t end() const { return end_; }  ///< behind the last address

 private:
  std::uint64_t begin_;
  std::uint64_t end_;
  std::map<std::uint64_t, std::uint64_t> free_;  ///< address to bytes
  std::map<std::uint64_t, std::uint64_t> used_;
};

/// A range of device memory, freed with the object. Movable, not copyable.
class Buffer {
 public:
  Buffer() = default;
  /// Throws as AddressSpace::reserve().
  Buffer(std::shared_ptr<AddressSpace> space, std::uint64_t bytes);
  /// At an address. Throws as AddressSpace::reserve_at().
  Buffer(std::shared_ptr<AddressSpace> space, std::uint64_t address, std::uint64_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::uint64_t address() const { return address_; }  ///< device address, a multiple of 64
  std::uint64_t bytes() const { return bytes_; }
  /// The memory that it lies in; null for an empty buffer.
  const std::shared_ptr<AddressSpace>& space() const { return space_; }

 private:
  std::shared_ptr<AddressSpace> space_;
  std::uint64_t address_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace systole
