// SPDX-License-Identifier: Apache-2.0
#include "systole/buffer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "systole/memory_error.hpp"

namespace systole {
namespace {

/// Rounds up to the alignment, and saturates sizes that no memory could hold.
std::uint64_t round_up(std::uint64_t bytes) {
  if (bytes > ~std::uint64_t{0} - kBufferAlignment) {
    return ~std::uint64_t{0};
  }
  return std::max(kBufferAlignment, (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment);
}

}  // namespace

AddressSpace::AddressSpace(std::uint64_t begin, std::uint64_t end) : end_(end) {
  if (begin % kBufferAlignment != 0 || end % kBufferAlignment != 0 || begin >= end) {
    throw InvalidArgument(
        fmt::format("address space {:#x} to {:#x}: not a range of multiples of {}", begin, end, kBufferAlignment));
  }
  free_[begin] = end - begin;
}

std::uint64_t AddressSpace::reserve(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t size = round_up(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  std::uint64_t largest = 0;
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const auto [begin, room] = *it;
    const std::uint64_t skipped = (alignment - begin % alignment) % alignment;
    const std::uint64_t usable = room - std::min(room, skipped);
    largest = std::max(largest, usable);
    if (usable < size) {
      continue;
    }
    const std::uint64_t address = begin + skipped;
    free_.erase(it);
    if (skipped > 0) {
      free_[begin] = skipped;
    }
    if (usable > size) {
      free_[address + size] = usable - size;
    }
    used_[address] = size;
    return address;
  }
  throw MemoryError(fmt::format("device memory: {} bytes asked for, the largest free range has {}", bytes, largest),
                    "free buffers or open the device with more memory_bytes");
}

void AddressSpace::release(std::uint64_t address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto used = used_.find(address);
  if (used == used_.end()) {
    throw InternalError(fmt::format("device address {:#x} was not reserved", address));
  }
  auto [it, inserted] = free_.emplace(address, used->second);
  used_.erase(used);
  const auto next = std::next(it);
  if (next != free_.end() && it->first + it->second == next->first) {
    it->second += next->second;
    free_.erase(next);
  }
  if (it != free_.begin()) {
    const auto previous = std::prev(it);
    if (previous->first + previous->second == it->first) {
      previous->second += it->second;
      free_.erase(it);
    }
  }
}

std::uint64_t AddressSpace::free_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& [address, bytes] : free_) {
    sum += bytes;
  }
  return sum;
}

Buffer::Buffer(std::shared_ptr<AddressSpace> space, std::uint64_t bytes, std::uint64_t alignment)
    : space_(std::move(space)), address_(space_->reserve(bytes, alignment)), bytes_(bytes) {}

Buffer::~Buffer() {
  if (space_) {
    space_->release(address_);
  }
}

Buffer::Buffer(Buffer&& other) noexcept
    : space_(std::move(other.space_)), address_(other.address_), bytes_(std::exchange(other.bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    if (space_) {
      space_->release(address_);
    }
    space_ = std::move(other.space_);
    address_ = other.address_;
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

}  // namespace systole
