// SPDX-License-Identifier: Apache-2.0
#include "systole/arena.hpp"

#include <algorithm>

namespace systole {

Arena::Arena(Device& device, std::uint64_t bytes)
    : device_(device),
      range_(device.memory(), bytes, kRangeAlignment),
      space_(std::make_shared<AddressSpace>(range_.address(), range_.address() + bytes)) {}

Buffer Arena::allocate(std::uint64_t bytes) const {
  std::uint64_t alignment = kBufferAlignment;
  while (alignment < std::min(bytes, kRangeAlignment)) {
    alignment *= 2;
  }
  return {space_, bytes, alignment};
}

void Arena::write(const Buffer& to, const void* host) {
  device_.write(to, host, to.bytes());
  to_device_ += to.bytes();
}

void Arena::read(const Buffer& from, void* host) {
  device_.read(from, host, from.bytes());
  to_host_ += from.bytes();
}

}  // namespace systole
