// SPDX-License-Identifier: Apache-2.0
#include "systole/buffer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "systole/errors.hpp"

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

AddressSpace::AddressSpace(std::uint64_t begin, std::uint64_t end) : begin_(begin), end_(end) {
  if (begin % kBufferAlignment != 0 || end % kBufferAlignment != 0 || begin >= end) {
    throw InvalidArgument(
        fmt::format("address space {:#x} to {:#x}: not a range of multiples of {}", begin, end, kBufferAlignment));
  }
  free_[begin] = end - begin;
}

std::uint64_t AddressSpace::reserve(std::uint64_t bytes) {
  const std::uint64_t size = round_up(bytes);
  std::uint64_t largest = 0;
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    largest = std::max(largest, it->second);
    if (it->second < size) {
      continue;
    }
    const std::uint64_t address = it->first;
    const std::uint64_t rest = it->second - size;
    free_.erase(it);
    if (rest > 0) {
      free_[address + size] = rest;
    }
    used_[address] = size;
    return address;
  }
  throw Failure(
      fmt::format("device memory: {} bytes asked for, the largest free range has {}; free buffers "
                  "or open the device with more memory_bytes",
                  bytes, largest));
}

void AddressSpace::reserve_at(std::uint64_t address, std::uint64_t bytes) {
  if (address % kBufferAlignment != 0) {
    throw Failure(fmt::format("device memory: address {:#x} is not a multiple of {}", address, kBufferAlignment));
  }
  // Compares the size with what remains, because the sum of address and size may exceed 64 bits.
  if (address < begin_ || address >= end_ || bytes > end_ - address) {
    throw Failure(fmt::format(
        "device memory: {} bytes at {:#x} are not within {:#x} to {:#x}; open the device with more memory_bytes", bytes,
        address, begin_, end_));
  }
  const std::uint64_t size = round_up(bytes);
  auto it = free_.upper_bound(address);
  if (it == free_.begin() || std::prev(it)->first + std::prev(it)->second < address + size) {
    throw Failure(
        fmt::format("device memory: {:#x} to {:#x} is occupied in part; free what lies there, or load the program into "
                    "a device of its own",
                    address, address + size));
  }
  --it;
  const std::uint64_t begin = it->first;
  const std::uint64_t end = begin + it->second;
  free_.erase(it);
  if (begin < address) {
    free_[begin] = address - begin;
  }
  if (address + size < end) {
    free_[address + size] = end - (address + size);
  }
  used_[address] = size;
}

void AddressSpace::release(std::uint64_t address) {
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
  std::uint64_t sum = 0;
  for (const auto& [address, bytes] : free_) {
    sum += bytes;
  }
  return sum;
}

Buffer::Buffer(std::shared_ptr<AddressSpace> space, std::uint64_t bytes)
    : space_(std::move(space)), address_(space_->reserve(bytes)), bytes_(bytes) {}

Buffer::Buffer(std::shared_ptr<AddressSpace> space, std::uint64_t address, std::uint64_t bytes)
    : space_(std::move(space)), address_(address), bytes_(bytes) {
  space_->reserve_at(address, bytes);
}

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
