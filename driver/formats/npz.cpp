// SPDX-License-Identifier: Apache-2.0
#include "npz.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace systole::npy {
namespace {

using graph::Bytes;

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::uint32_t kDeflate = 8;
constexpr std::uint32_t kVersion = 20, kFirstOfJanuary1980 = 0x00210000;

/// A little-endian number, of any width.
void put(Bytes& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    to.push_back(static_cast<std::uint8_t>(i < 8 ? value >> (8 * i) : 0));
  }
}

std::uint32_t crc_of(const std::uint8_t* first, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), first, size));
}

class Reader {
 public:
  Reader(const Bytes& bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  [[noreturn]] void fail(const std::string& what) const { throw NpyError(fmt::format("{}: {}", name_, what)); }

  std::uint32_t number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) {
      fail(fmt::format("ends at byte {} inside an entry of the archive; the file is truncated", bytes_.size()));
    }
    std::uint32_t value = 0;
    for (std::size_t i = size; i-- > 0;) {
      value = value << 8 | bytes_[at + i];
    }
    return value;
  }

  const std::uint8_t* part(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) {
      fail(fmt::format("{} bytes at {} lie beyond its end at {}; the file is truncated", size, at, bytes_.size()));
    }
    return bytes_.data() + at;
  }

  /// The list of members ends the file.
  std::size_t end_record() const {
    for (std::size_t at = bytes_.size() < kEndSize ? 0 : bytes_.size() - kEndSize + 1; at-- > 0;) {
      if (number(at, 4) == kEnd) {
        return at;
      }
    }
    fail("not an archive of arrays (.npz), or truncated: there is no list of members at its end");
  }

 private:
  const Bytes& bytes_;
  const std::string& name_;
};

/// The bytes of a deflated member. Its size is checked before it takes memory: deflate makes no more of a byte than
/// kMostOfAByte.
Bytes inflated(const Reader& in, const std::string& member, const std::uint8_t* first, std::size_t packed,
               std::size_t size) {
  constexpr std::size_t kMostOfAByte = 1032;
  const auto fail = [&](const char* what) {
    in.fail(fmt::format("member '{}' {}; the file is damaged", member, what));
  };
  if (size / kMostOfAByte > packed) {
    fail("is larger than its compressed bytes can be");
  }
  Bytes bytes(size + 1);  // so that a byte too many is noticed
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    in.fail(fmt::format("there is no memory to read member '{}'", member));
  }
  stream.next_in = const_cast<std::uint8_t*>(first);  // NOLINT(*-const-cast): zlib does not write it
  stream.avail_in = static_cast<uInt>(packed);
  stream.next_out = bytes.data();
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int end = inflate(&stream, Z_FINISH);
  const std::size_t made = stream.total_out;
  inflateEnd(&stream);
  if (end != Z_STREAM_END || made != size) {
    fail("cannot be decompressed to the size that it says");
  }
  bytes.pop_back();
  return bytes;
}

/// The parts of the file that members take. They are apart: so the members together are no larger than the file.
class Extents {
 public:
  explicit Extents(const Reader& in) : in_(in) {}

  void add(std::size_t first, std::size_t end, const std::string& member) {
    const auto next = ends_.upper_bound(first);
    const bool after = next != ends_.end() && next->second < end;
    ends_.emplace_hint(next, end, first);
    if (after) {
      in_.fail(fmt::format("member '{}', bytes {} to {}, shares bytes with another member; the file is damaged", member,
                           first, end));
    }
  }

 private:
  const Reader& in_;
  std::map<std::size_t, std::size_t> ends_;  // end of a part to its first byte
};

}  // namespace

Archive parse_archive(const Bytes& bytes, const std::string& name) {
  const Reader in(bytes, name);
  Extents extents(in);
  const std::size_t end = in.end_record();
  const std::uint32_t count = in.number(end + 10, 2);
  std::size_t at = in.number(end + 16, 4);
  Archive archive;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (in.number(at, 4) != kCentral) {
      in.fail(fmt::format("no entry at byte {} in the list of members; the file is damaged", at));
    }
    const std::uint32_t method = in.number(at + 10, 2), crc = in.number(at + 16, 4);
    const std::uint32_t packed = in.number(at + 20, 4), size = in.number(at + 24, 4);
    const std::size_t length = in.number(at + 28, 2), local = in.number(at + 42, 4);
    const auto* text = in.part(at + kCentralSize, length);
    const std::string member(text, text + length);
    if (method != 0 && method != kDeflate) {
      in.fail(fmt::format("member '{}' is compressed by method {}; write it by numpy.savez", member, method));
    }
    const std::size_t data = local + kLocalSize + in.number(local + 26, 2) + in.number(local + 28, 2);
    const std::size_t taken = method == 0 ? size : packed;
    const auto* first = in.part(data, taken);
    extents.add(local, data + taken, member);
    Bytes content = method == 0 ? Bytes(first, first + size) : inflated(in, member, first, packed, size);
    if (crc_of(content.data(), size) != crc) {
      in.fail(fmt::format("member '{}' does not match its checksum; the file is damaged", member));
    }
    if (!archive.emplace(member, std::move(content)).second) {
      in.fail(fmt::format("has two members '{}'; the file is damaged", member));
    }
    at += kCentralSize + length + in.number(at + 30, 2) + in.number(at + 32, 2);
  }
  return archive;
}

Bytes serialize_archive(const Archive& archive) {
  Bytes file, list;
  for (const auto& [name, data] : archive) {
    const std::size_t offset = file.size();
    if (offset + data.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw NpyError(fmt::format("an archive of more than 4 GiB, at member '{}'", name));
    }
    Bytes common;  // of both headers: version, flags, method, time, checksum, sizes, length of the name
    put(common, kVersion, 2);
    put(common, 0, 4);
    put(common, kFirstOfJanuary1980, 4);
    put(common, crc_of(data.data(), data.size()), 4);
    put(common, data.size(), 4);
    put(common, data.size(), 4);
    put(common, name.size(), 2);
    put(file, kLocal, 4);
    file.insert(file.end(), common.begin(), common.end());
    put(file, 0, 2);
    file.insert(file.end(), name.begin(), name.end());
    file.insert(file.end(), data.begin(), data.end());
    put(list, kCentral, 4);
    put(list, kVersion, 2);
    list.insert(list.end(), common.begin(), common.end());
    put(list, 0, 12);  // no further fields, comment, disk, attributes
    put(list, offset, 4);
    list.insert(list.end(), name.begin(), name.end());
  }
  const std::size_t start = file.size(), count = archive.size();
  file.insert(file.end(), list.begin(), list.end());
  put(file, kEnd, 4);
  put(file, 0, 4);
  put(file, count, 2);
  put(file, count, 2);
  put(file, list.size(), 4);
  put(file, start, 4);
  put(file, 0, 2);
  return file;
}

}  // namespace systole::npy
