// SPDX-License-Identifier: Apache-2.0
#include "idx.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "checked_size.hpp"
#include "input_file.hpp"
#include "systole/file_error.hpp"

namespace systole::digits {
namespace {

using Bytes = std::vector<std::uint8_t>;
using files::ByteSource;

constexpr std::uint32_t kPictureMagic = 0x803;  // unsigned bytes, three dimensions
constexpr std::uint32_t kLabelMagic = 0x801;    // unsigned bytes, one dimension
constexpr std::uint64_t kMaxSide = 1 << 14;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 32;

/// The numbers at the beginning of a file: its magic and dimensions, big-endian.
std::vector<std::uint32_t> read_header(ByteSource& source, std::uint32_t magic, const char* what) {
  const std::size_t size = 4 * (1 + (magic & 0xFF));
  const Bytes bytes = source.take(size);
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    numbers.push_back(static_cast<std::uint32_t>(bytes[i]) << 24 | static_cast<std::uint32_t>(bytes[i + 1]) << 16 |
                      static_cast<std::uint32_t>(bytes[i + 2]) << 8 | bytes[i + 3]);
  }
  if (!numbers.empty() && numbers[0] != magic) {
    throw FileError(fmt::format("{}: not an IDX file of {}: magic 0x{:08x}, expected 0x{:08x}", source.name(), what,
                                numbers[0], magic));
  }
  if (bytes.size() < size) {
    throw FileError(fmt::format("{}: ends at byte {} inside its header", source.name(), bytes.size()));
  }
  return numbers;
}

/// Number of items to read out of `there` if `wanted` were requested (0: all).
std::uint64_t items_of(std::size_t wanted, std::uint64_t there, const std::string& name) {
  if (there == 0) {
    throw FileError(fmt::format("{}: its header states 0 items; a file holds at least 1", name));
  }
  if (wanted > there) {
    throw FileError(
        fmt::format("{}: holds {} items, {} were asked for; use --count {} or less", name, there, wanted, there));
  }
  return wanted != 0 ? wanted : there;
}

/// After the last item; the end of a gzip file has the checksum of all.
void expect_end(ByteSource& source) {
  if (!source.take(1).empty()) {
    throw FileError(
        fmt::format("{}: holds more bytes than its header states items for; the file is damaged", source.name()));
  }
}

Pictures pictures_from(ByteSource& source, std::size_t count) {
  const std::vector<std::uint32_t> header = read_header(source, kPictureMagic, "pictures");
  const std::uint64_t height = header[2], width = header[3];
  if (std::min(height, width) == 0 || std::max(height, width) > kMaxSide) {
    throw FileError(fmt::format("{}: its header states pictures of {} x {}; height and width are 1 to {}",
                                source.name(), height, width, kMaxSide));
  }
  const std::uint64_t taken = items_of(count, header[1], source.name());
  const auto size = files::product_up_to(kMaxBytes, {taken, height, width});
  if (!size) {
    throw FileError(fmt::format("{}: {} pictures of {} x {} are more than {} bytes; use --count for fewer",
                                source.name(), taken, height, width, kMaxBytes));
  }
  const Bytes bytes = source.take(*size);
  if (bytes.size() < *size) {
    throw FileError(fmt::format("{}: {} bytes are too few for {} pictures of {}x{}; the file is truncated",
                                source.name(), 4 * header.size() + bytes.size(), taken, height, width));
  }
  if (taken == header[1]) {
    expect_end(source);
  }
  Pictures pictures{static_cast<int>(height), static_cast<int>(width), {}};
  const auto of_one = static_cast<std::ptrdiff_t>(height * width);
  for (auto first = bytes.begin(); first != bytes.end(); first += of_one) {
    pictures.pixels.emplace_back(first, first + of_one);
  }
  return pictures;
}

Bytes labels_from(ByteSource& source, std::size_t count) {
  const std::vector<std::uint32_t> header = read_header(source, kLabelMagic, "labels");
  const std::uint64_t taken = items_of(count, header[1], source.name());
  Bytes labels = source.take(taken);
  if (labels.size() < taken) {
    throw FileError(fmt::format("{}: {} bytes are too few for {} labels; the file is truncated", source.name(),
                                4 * header.size() + labels.size(), taken));
  }
  if (taken == header[1]) {
    expect_end(source);
  }
  return labels;
}

/// Element types by the third byte of the magic.
std::optional<graph::ElementType> type_of(std::uint8_t code) {
  switch (code) {
    case 0x08: return graph::ElementType::kUint8;
    case 0x09: return graph::ElementType::kInt8;
    case 0x0B: return graph::ElementType::kInt16;
    case 0x0C: return graph::ElementType::kInt32;
    case 0x0D: return graph::ElementType::kFloat32;
    case 0x0E: return graph::ElementType::kFloat64;
    default: return std::nullopt;
  }
}

graph::Value array_from(ByteSource& source) {
  const Bytes magic = source.take(4);
  const std::optional<graph::ElementType> type =
      magic.size() == 4 && magic[0] == 0 && magic[1] == 0 ? type_of(magic[2]) : std::nullopt;
  if (!type || magic[3] == 0) {
    throw FileError(fmt::format("{}: not an IDX file: it begins with none of its magic numbers", source.name()));
  }
  graph::Value value{*type, {}, {}};
  const std::size_t size = graph::element_size(*type);
  std::uint64_t bytes = size;
  for (int axis = 0; axis < magic[3]; ++axis) {
    const Bytes four = source.take(4);
    if (four.size() < 4) {
      throw FileError(fmt::format("{}: ends inside its header", source.name()));
    }
    const std::uint64_t length = std::uint64_t{four[0]} << 24 | std::uint64_t{four[1]} << 16 |
                                 std::uint64_t{four[2]} << 8 | std::uint64_t{four[3]};
    const auto all = files::product_up_to(kMaxBytes, {bytes, length});
    if (length == 0 || !all) {
      throw FileError(
          fmt::format("{}: its header states a dimension of {}; all are 1 or more, and the file takes at "
                      "most {} bytes",
                      source.name(), length, kMaxBytes));
    }
    bytes = *all;
    value.shape.push_back(static_cast<std::int64_t>(length));
  }
  value.data = source.take(bytes);
  if (value.data.size() < bytes) {
    throw FileError(fmt::format("{}: {} bytes are too few for {} of {}; the file is truncated", source.name(),
                                value.data.size(), graph::to_string(value.shape), graph::name_of(*type)));
  }
  expect_end(source);
  for (std::size_t at = 0; at < value.data.size(); at += size) {  // big-endian
    std::reverse(value.data.begin() + static_cast<std::ptrdiff_t>(at),
                 value.data.begin() + static_cast<std::ptrdiff_t>(at + size));
  }
  return value;
}

}  // namespace

graph::Value read_array(const std::string& path) {
  files::GzipSource source(path);
  return array_from(source);
}

graph::Value parse_array(const Bytes& bytes, const std::string& name) {
  files::MemorySource source(bytes, name);
  return array_from(source);
}

void check_labels(const Bytes& labels, const std::string& name, std::int64_t greatest, const std::string& why) {
  const auto bad = std::find_if(labels.begin(), labels.end(), [&](std::uint8_t label) { return label > greatest; });
  if (bad != labels.end()) {
    throw FileError(
        fmt::format("{}: label {} is {}, beyond 0 to {}: {}", name, bad - labels.begin(), *bad, greatest, why));
  }
}

Pictures read_pictures(const std::string& path, std::size_t count) {
  files::GzipSource source(path);
  return pictures_from(source, count);
}

Bytes read_labels(const std::string& path, std::size_t count) {
  files::GzipSource source(path);
  return labels_from(source, count);
}

Pictures parse_pictures(const Bytes& bytes, const std::string& name, std::size_t count) {
  files::MemorySource source(bytes, name);
  return pictures_from(source, count);
}

Bytes parse_labels(const Bytes& bytes, const std::string& name, std::size_t count) {
  files::MemorySource source(bytes, name);
  return labels_from(source, count);
}

}  // namespace systole::digits
