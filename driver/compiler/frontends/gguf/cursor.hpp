// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "systole/graph.hpp"

namespace systole::gguf {

static_assert(std::endian::native == std::endian::little, "numbers are taken as they are in the file");

template <class Number>
Number number_at(const std::uint8_t* bytes) {
  Number value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Numbers and texts of a file, one after another, none beyond its end.
class Cursor {
 public:
  explicit Cursor(const graph::Bytes& bytes) : bytes_(bytes) {}

  template <class Number>
  Number number(const std::string& what) {
    return number_at<Number>(take(sizeof(Number), what));
  }
  /// A length of 64 bits and as many bytes, at most `most`.
  std::string_view text(const std::string& what, std::uint64_t most) {
    const auto length = number<std::uint64_t>(what);
    if (length > most) {
      throw graph::GraphError(
          fmt::format("{} has {} bytes; legal are 0 to {}: the file is damaged, get it again", what, length, most));
    }
    return {reinterpret_cast<const char*>(take(length, what)), static_cast<std::size_t>(length)};
  }
  const std::uint8_t* take(std::uint64_t size, const std::string& what) {
    if (size > rest()) {
      throw graph::GraphError(
          fmt::format("the file's {} bytes end inside {}, which begins at byte {} and has {} there: it is truncated or "
                      "damaged, get it again",
                      bytes_.size(), what, offset_, size));
    }
    offset_ += static_cast<std::size_t>(size);
    return bytes_.data() + offset_ - size;
  }
  std::size_t offset() const { return offset_; }
  std::size_t rest() const { return bytes_.size() - offset_; }

 private:
  const graph::Bytes& bytes_;
  std::size_t offset_ = 0;
};

}  // namespace systole::gguf
