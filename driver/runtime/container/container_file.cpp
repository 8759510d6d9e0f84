// SPDX-License-Identifier: Apache-2.0
#include "container_file.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "systole/container.hpp"

namespace systole::container {
namespace {

constexpr std::array<char, 8> kMagic = {'S', 'Y', 'S', 'T', 'O', 'L', 'E', '\n'};
constexpr std::size_t kVersionAt = 8, kCrcAt = 12, kSizeAt = 16;

template <class Number>
void put(graph::Bytes& bytes, std::size_t at, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

template <class Number>
Number get(const graph::Bytes& bytes, std::size_t at) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value |= Number{bytes[at + i]} << (8 * i);
  }
  return value;
}

std::uint32_t crc_of(const std::uint8_t* bytes, std::size_t count) {
  return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), bytes, count));
}

}  // namespace

graph::Bytes with_header(const std::uint8_t* tables, std::size_t bytes) {
  graph::Bytes file(kHeaderBytes + bytes);
  std::copy(kMagic.begin(), kMagic.end(), file.begin());
  put(file, kVersionAt, kFileVersion);
  put(file, kCrcAt, crc_of(tables, bytes));
  put(file, kSizeAt, std::uint64_t{bytes});
  std::copy(tables, tables + bytes, file.begin() + kHeaderBytes);
  return file;
}

bool is_container(const graph::Bytes& bytes) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

void check_header(const graph::Bytes& file) {
  if (!is_container(file)) {
    throw ContainerError(
        "not a Systole network: the file does not begin with the letters SYSTOLE; create one with systole compile");
  }
  if (file.size() < kHeaderBytes) {
    throw ContainerError(fmt::format("truncated: {} bytes; the header alone has {}", file.size(), kHeaderBytes));
  }
  const auto version = get<std::uint32_t>(file, kVersionAt);
  if (version != kFileVersion) {
    throw ContainerError(fmt::format(
        "version {} of the format; this program reads {}: compile again with systole compile, from the model", version,
        kFileVersion));
  }
  const auto size = get<std::uint64_t>(file, kSizeAt);
  if (size != file.size() - kHeaderBytes) {
    throw ContainerError(
        fmt::format("truncated or damaged: {} bytes after the header, which says {}; copy or compile the file again",
                    file.size() - kHeaderBytes, size));
  }
  const std::uint32_t promised = get<std::uint32_t>(file, kCrcAt);
  const std::uint32_t found = crc_of(file.data() + kHeaderBytes, file.size() - kHeaderBytes);
  if (promised != found) {
    throw ContainerError(
        fmt::format("damaged: the checksum is {:#010x}, the header says {:#010x}; copy or compile the file again",
                    found, promised));
  }
}

}  // namespace systole::container
