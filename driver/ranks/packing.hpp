// SPDX-License-Identifier: Apache-2.0
// Plain structures as bytes, and several byte strings as one.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ranks.hpp"
#include "systole/errors.hpp"

namespace systole::ranks {

/// A plain structure as bytes, and back.
template <class Plain>
Bytes bytes_of(const Plain& value) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  Bytes bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}
template <class Plain>
Plain value_of(const Bytes& bytes) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  if (bytes.size() != sizeof(Plain)) {
    throw InternalError("bytes of another size than the structure");
  }
  Plain value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

/// Each with its length before it.
inline Bytes pack(const std::vector<Bytes>& parts) {
  Bytes all;
  for (const Bytes& part : parts) {
    const std::uint64_t size = part.size();
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&size);
    all.insert(all.end(), bytes, bytes + sizeof(size));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

inline std::vector<Bytes> unpack(const Bytes& all) {
  std::vector<Bytes> parts;
  for (std::size_t at = 0; at < all.size();) {
    std::uint64_t size = 0;
    if (all.size() - at < sizeof(size)) {
      throw InternalError("packed bytes end within a length");
    }
    std::memcpy(&size, all.data() + at, sizeof(size));
    at += sizeof(size);
    if (all.size() - at < size) {
      throw InternalError("packed bytes end within a part");
    }
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
    parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
    at += size;
  }
  return parts;
}

}  // namespace systole::ranks
