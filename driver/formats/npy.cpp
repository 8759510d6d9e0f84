// SPDX-License-Identifier: Apache-2.0
#include "npy.hpp"

#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <string_view>

#include "input_file.hpp"
#include "output_file.hpp"

namespace systole::npy {
namespace {

using graph::Bytes;
using graph::ElementType;

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeName {
  ElementType type;
  std::string_view text;
};
constexpr std::array<TypeName, 12> kTypes = {{{ElementType::kInt8, "|i1"},
                                              {ElementType::kUint8, "|u1"},
                                              {ElementType::kInt16, "<i2"},
                                              {ElementType::kUint16, "<u2"},
                                              {ElementType::kInt32, "<i4"},
                                              {ElementType::kInt64, "<i8"},
                                              {ElementType::kFloat32, "<f4"},
                                              {ElementType::kFloat64, "<f8"},
                                              {ElementType::kBool, "|b1"},
                                              {ElementType::kUint32, "<u4"},
                                              {ElementType::kUint64, "<u8"},
                                              {ElementType::kFloat16, "<f2"}}};

/// The header: a Python dictionary of three entries, in any order.
class Header {
 public:
  Header(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  [[noreturn]] void fail(const std::string& what) const { throw NpyError(fmt::format("{}: {}", name_, what)); }

  ElementType type() const {
    const std::string_view value = quoted(entry("descr"));
    for (const TypeName& known : kTypes) {
      if (known.text.substr(1) == value.substr(value.empty() ? 0 : 1) && (value[0] != '>' || known.text[0] == '|')) {
        return known.type;
      }
    }
    fail(
        fmt::format("elements of type '{}'; int8 to int64, uint8 to uint64, float16, float32, float64 and bool can be "
                    "read, little-endian",
                    value));
  }

  bool in_c_order() const { return entry("fortran_order").substr(0, 5) == "False"; }

  graph::Shape shape() const {
    std::string_view rest = entry("shape");
    const std::size_t end = rest.find(')');
    if (rest.empty() || rest[0] != '(' || end == std::string_view::npos) {
      fail("the header's shape is not a tuple");
    }
    rest = rest.substr(1, end - 1);
    graph::Shape shape;
    while (!(rest = skip(rest)).empty()) {
      std::int64_t dimension = 0;
      const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), dimension);
      if (error != std::errc{}) {
        fail(fmt::format("the header's shape has '{}' for a dimension", rest));
      }
      shape.push_back(dimension);
      rest = skip(rest.substr(static_cast<std::size_t>(stop - rest.data())));
      if (!rest.empty() && rest[0] != ',') {
        fail("the header's shape is not a tuple of numbers");
      }
      rest = rest.empty() ? rest : rest.substr(1);
    }
    return shape;
  }

 private:
  static std::string_view skip(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\n");
    return first == std::string_view::npos ? std::string_view{} : text.substr(first);
  }

  /// The text after 'key':
  std::string_view entry(const char* key) const {
    const std::string quoted_key = fmt::format("'{}'", key);
    const std::size_t at = text_.find(quoted_key);
    const std::size_t colon = at == std::string_view::npos ? at : text_.find(':', at + quoted_key.size());
    if (colon == std::string_view::npos) {
      fail(fmt::format("the header has no '{}'", key));
    }
    return skip(text_.substr(colon + 1));
  }

  std::string_view quoted(std::string_view text) const {
    const std::size_t end = text.empty() ? std::string_view::npos : text.find(text[0], 1);
    if (end == std::string_view::npos || (text[0] != '\'' && text[0] != '"')) {
      fail("the header's descr is not a type name; arrays of records are not supported");
    }
    return text.substr(1, end - 1);
  }

  std::string_view text_;
  const std::string& name_;
};

}  // namespace

graph::Value parse(const Bytes& bytes, const std::string& name, Empty empty) {
  const auto fail = [&](const std::string& what) { throw NpyError(fmt::format("{}: {}", name, what)); };
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.substr(0, kMagic.size()) != kMagic || bytes.size() < 12) {
    fail("not a NumPy array: the file does not begin like an .npy file");
  }
  const int version = bytes[6];
  if (version < 1 || version > 3) {
    fail(fmt::format("version {} of the .npy format; 1 to 3 can be read", version));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) {
    length = length << 8 | bytes[8 + i];
  }
  if (length > bytes.size() - start) {
    fail(fmt::format("truncated: a header of {} bytes in a file of {}", length, bytes.size()));
  }
  const Header header(text.substr(start, length), name);
  if (!header.in_c_order()) {
    fail("stored in Fortran order; save numpy.ascontiguousarray(array) instead");
  }
  graph::Value value;
  value.type = header.type();
  value.shape = header.shape();
  std::int64_t elements = 0;
  try {
    elements = graph::count(value.shape);
  } catch (const graph::GraphError& error) {
    fail(error.what());
  }
  if (elements == 0 && empty == Empty::kRefused) {
    fail(fmt::format("shape {} has a dimension of 0; every dimension is at least 1", graph::to_string(value.shape)));
  }
  const std::size_t data = bytes.size() - start - length;
  const std::size_t size = graph::element_size(value.type);
  if (data % size != 0 || data / size != static_cast<std::size_t>(elements)) {
    fail(fmt::format("shape {} of {} takes {} elements, the file has {} bytes for them", graph::to_string(value.shape),
                     graph::name_of(value.type), elements, data));
  }
  value.data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(start + length), bytes.end());
  return value;
}

graph::Value read(const std::string& path, Empty empty) {
  try {
    return parse(files::read_file(path), path, empty);
  } catch (const FileError& error) {
    throw NpyError(error.what());
  }
}

Bytes serialize(const graph::Value& value) {
  const ElementType stored = value.type == ElementType::kBfloat16 ? ElementType::kUint16 : value.type;
  std::string_view type;
  for (const TypeName& known : kTypes) {
    type = known.type == stored ? known.text : type;
  }
  if (type.empty()) {
    throw NpyError(fmt::format("elements of type {} have no name in the .npy format; convert them to float32",
                               graph::name_of(value.type)));
  }
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                                   fmt::join(value.shape, ", "), value.shape.size() == 1 ? "," : "");
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kFixed = 10;  // magic, version, length
  header.append(kAlignment - (kFixed + header.size() + 1) % kAlignment, ' ').push_back('\n');
  std::string head(kMagic);
  for (const std::size_t byte : {std::size_t{1}, std::size_t{0}, header.size() & 0xFF, header.size() >> 8}) {
    head.push_back(static_cast<char>(byte));
  }
  head += header;
  Bytes bytes(head.begin(), head.end());
  bytes.insert(bytes.end(), value.data.begin(), value.data.end());
  return bytes;
}

void write(const std::string& path, const graph::Value& value) { files::write_bytes(path, serialize(value)); }

}  // namespace systole::npy
