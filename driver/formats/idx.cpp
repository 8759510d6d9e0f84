// SPDX-License-Identifier: Apache-2.0
#include "idx.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "systole/errors.hpp"

namespace systole::digits {
namespace {

constexpr std::uint32_t kPictureMagic = 0x803;  // unsigned bytes, three dimensions
constexpr std::uint32_t kLabelMagic = 0x801;    // unsigned bytes, one dimension

std::uint32_t big_endian(const std::vector<std::uint8_t>& bytes, std::size_t offset, const std::string& name) {
  if (bytes.size() < offset + 4) {
    throw Failure(fmt::format("{}: ends at byte {} inside its header", name, bytes.size()));
  }
  return static_cast<std::uint32_t>(bytes[offset]) << 24 | static_cast<std::uint32_t>(bytes[offset + 1]) << 16 |
         static_cast<std::uint32_t>(bytes[offset + 2]) << 8 | bytes[offset + 3];
}

void expect_magic(const std::vector<std::uint8_t>& bytes, const std::string& name, std::uint32_t magic,
                  const char* what) {
  const auto found = big_endian(bytes, 0, name);
  if (found != magic) {
    throw Failure(
        fmt::format("{}: not an IDX file of {}: magic 0x{:08x}, expected 0x{:08x}", name, what, found, magic));
  }
}

/// Number of items to read out of `there` if `wanted` were requested (0: all).
std::size_t take(std::size_t wanted, std::size_t there, const std::string& name) {
  if (wanted > there) {
    throw Failure(
        fmt::format("{}: holds {} items, {} were asked for; use --count {} or less", name, there, wanted, there));
  }
  return wanted ? wanted : there;
}

}  // namespace

std::vector<std::uint8_t> read_file(const std::string& path) {
  errno = 0;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file)
    throw Failure(fmt::format("{}: cannot be opened: {}", path, errno ? std::strerror(errno) : "out of memory"));
  std::vector<std::uint8_t> bytes;
  std::array<std::uint8_t, 1 << 16> chunk;
  int got = 0;
  while ((got = gzread(file.get(), chunk.data(), chunk.size())) > 0)
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + got);
  int code = Z_OK;
  const char* reason = gzerror(file.get(), &code);
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
    throw Failure(fmt::format("{}: cannot be read: {}", path, reason));
  return bytes;
}

Pictures parse_pictures(const std::vector<std::uint8_t>& bytes, const std::string& name, std::size_t count) {
  expect_magic(bytes, name, kPictureMagic, "pictures");
  const std::size_t there = big_endian(bytes, 4, name);
  Pictures pictures;
  pictures.height = static_cast<int>(big_endian(bytes, 8, name));
  pictures.width = static_cast<int>(big_endian(bytes, 12, name));
  const std::size_t size = static_cast<std::size_t>(pictures.height) * static_cast<std::size_t>(pictures.width);
  const std::size_t taken = take(count, there, name);
  if (bytes.size() < 16 + taken * size) {
    throw Failure(fmt::format("{}: {} bytes are too few for {} pictures of {}x{}; the file is truncated", name,
                              bytes.size(), taken, pictures.height, pictures.width));
  }
  for (std::size_t i = 0; i < taken; ++i) {
    const auto* first = bytes.data() + 16 + i * size;
    pictures.pixels.emplace_back(first, first + size);
  }
  return pictures;
}

std::vector<std::uint8_t> parse_labels(const std::vector<std::uint8_t>& bytes, const std::string& name,
                                       std::size_t count) {
  expect_magic(bytes, name, kLabelMagic, "labels");
  const std::size_t taken = take(count, big_endian(bytes, 4, name), name);
  if (bytes.size() < 8 + taken) {
    throw Failure(
        fmt::format("{}: {} bytes are too few for {} labels; the file is truncated", name, bytes.size(), taken));
  }
  const std::vector<std::uint8_t> labels(bytes.begin() + 8, bytes.begin() + 8 + static_cast<std::ptrdiff_t>(taken));
  const auto bad = std::find_if(labels.begin(), labels.end(), [](std::uint8_t v) { return v > 9; });
  if (bad != labels.end()) {
    throw Failure(fmt::format("{}: label {} is {}, beyond 0 to 9", name, bad - labels.begin(), *bad));
  }
  return labels;
}

}  // namespace systole::digits
