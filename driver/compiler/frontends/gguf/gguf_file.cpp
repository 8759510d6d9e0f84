// SPDX-License-Identifier: Apache-2.0
#include "gguf_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include "cursor.hpp"
#include "tensor_types.hpp"

namespace systole::gguf {
namespace {

using graph::Bytes;
using graph::GraphError;

constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr std::uint32_t kOldest = 2, kNewest = 3;
constexpr std::uint64_t kLongestKey = 65535, kLongestTensorName = 64, kMostDimensions = 4;
constexpr std::uint64_t kLeastAlignment = 8, kMostAlignment = 1 << 16, kAlignment = 32;
/// The fewest bytes: a key has its name's length, a type and a value; a tensor its name's length, the number of its
/// dimensions, one of them, a type and an offset.
constexpr std::uint64_t kKeyBytes = 13, kTensorBytes = 32;

struct TypeInfo {
  const char* name;
  std::uint64_t bytes;  ///< 0: not the same for all
};
constexpr std::array<TypeInfo, kValueTypes> kTypes{{{"uint8", 1},
                                                    {"int8", 1},
                                                    {"uint16", 2},
                                                    {"int16", 2},
                                                    {"uint32", 4},
                                                    {"int32", 4},
                                                    {"float32", 4},
                                                    {"bool", 1},
                                                    {"text", 0},
                                                    {"array", 0},
                                                    {"uint64", 8},
                                                    {"int64", 8},
                                                    {"float64", 8}}};

const TypeInfo& info(ValueType type) { return kTypes[static_cast<std::size_t>(type)]; }

[[noreturn]] void refuse(const std::string& what) { throw GraphError(fmt::format("{}: {}", what, kConvert)); }

ValueType read_type(Cursor& cursor, const std::string& what) {
  const auto type = cursor.number<std::uint32_t>(what);
  if (type >= kValueTypes) {
    throw GraphError(fmt::format("the type of {} is {}; legal are 0 to {}: the file is damaged, get it again", what,
                                 type, kValueTypes - 1));
  }
  return static_cast<ValueType>(type);
}

/// Passes over values of a type, of which arrays have more within.
void pass(Cursor& cursor, ValueType type, std::uint64_t count, const std::string& what, int depth = 0) {
  constexpr int kDeepest = 4;
  if (const std::uint64_t bytes = info(type).bytes; bytes > 0) {
    // So many bytes could exceed 64 bits.
    cursor.take(count > cursor.rest() ? std::numeric_limits<std::uint64_t>::max() : count * bytes, what);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    if (type == ValueType::kText) {
      cursor.text(what, std::numeric_limits<std::uint64_t>::max());
      continue;
    }
    if (depth == kDeepest) {
      refuse(fmt::format("{} has more than {} arrays in one another", what, kDeepest));
    }
    const ValueType element = read_type(cursor, what);
    const auto elements = cursor.number<std::uint64_t>(what);
    pass(cursor, element, elements, what, depth + 1);
  }
}

void check_count(const char* what, std::uint64_t count, std::uint64_t bytes_each, std::size_t rest) {
  if (count > rest / bytes_each) {
    throw GraphError(
        fmt::format("the file says that it has {} {}; with {} bytes behind that legal are 0 to {}: it is "
                    "truncated or damaged, get it again",
                    count, what, rest, rest / bytes_each));
  }
}

void check_version(std::uint32_t version) {
  if (version >= kOldest && version <= kNewest) {
    return;
  }
  const std::uint32_t swapped = version << 24 | (version & 0xFF00) << 8 | (version >> 8 & 0xFF00) | version >> 24;
  const bool big_endian = swapped >= 1 && swapped <= kNewest;
  refuse(fmt::format("version {}{}; legal are {} and {}, little-endian", version,
                     big_endian ? fmt::format(", which is {} in a file for big-endian machines", swapped) : "", kOldest,
                     kNewest));
}

}  // namespace

std::string shown(std::string_view name) {
  constexpr std::size_t kLongestName = 80;
  std::string text = "'";
  for (const char c : name.substr(0, kLongestName)) {
    const auto byte = static_cast<unsigned char>(c);
    text += std::iscntrl(byte) == 0 ? std::string(1, c) : fmt::format("<0x{:02X}>", byte);
  }
  return text + (name.size() > kLongestName ? "...'" : "'");
}

bool File::begins(const Bytes& bytes) {
  return bytes.size() >= sizeof kMagic && number_at<std::uint32_t>(bytes.data()) == kMagic;
}

File::File(const Bytes& bytes) : bytes_(bytes) {
  Cursor cursor(bytes);
  if (cursor.number<std::uint32_t>("the first word") != kMagic) {
    refuse("the first 4 bytes are not 'GGUF'");
  }
  check_version(cursor.number<std::uint32_t>("the version"));
  const auto tensors = cursor.number<std::uint64_t>("the number of tensors");
  const auto keys = cursor.number<std::uint64_t>("the number of keys");
  check_count("keys", keys, kKeyBytes, cursor.rest());
  check_count("tensors", tensors, kTensorBytes, cursor.rest());
  read_values(cursor, keys);
  read_tensors(cursor, tensors);
  constexpr const char* kKey = "general.alignment";
  const auto alignment = static_cast<std::uint64_t>(has(kKey) ? integer(kKey, {kLeastAlignment, kMostAlignment})
                                                              : std::int64_t{kAlignment});
  if (!std::has_single_bit(alignment)) {
    refuse(fmt::format("key '{}': the value is {}; legal are powers of two from {} to {}", kKey, alignment,
                       kLeastAlignment, kMostAlignment));
  }
  place_tensors((cursor.offset() + alignment - 1) / alignment * alignment, alignment);
}

void File::read_values(Cursor& cursor, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string key(cursor.text(fmt::format("the name of key {}", i), kLongestKey));
    const std::string what = fmt::format("key {}", shown(key));
    Value value{read_type(cursor, what)};
    if (value.type == ValueType::kArray) {
      value.array = true;
      value.type = read_type(cursor, what);
      value.count = cursor.number<std::uint64_t>(what);
    }
    value.offset = cursor.offset();
    pass(cursor, value.type, value.count, what);
    if (!values_.emplace(key, value).second) {
      refuse(fmt::format("{} is there twice; legal is once", what));
    }
  }
}

void File::read_tensors(Cursor& cursor, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string name(cursor.text(fmt::format("the name of tensor {}", i), kLongestTensorName));
    const std::string what = fmt::format("tensor {}", shown(name));
    const auto dimensions = cursor.number<std::uint32_t>(what);
    if (dimensions < 1 || dimensions > kMostDimensions) {
      refuse(fmt::format("{} has {} dimensions; legal are 1 to {}", what, dimensions, kMostDimensions));
    }
    Tensor tensor;
    std::uint64_t elements = 1;
    for (std::uint32_t j = 0; j < dimensions; ++j) {
      const auto size = cursor.number<std::uint64_t>(what);
      // No type has more elements than bytes.
      const std::uint64_t most = bytes_.size() / elements;
      if (size < 1 || size > most) {
        refuse(fmt::format("{}: dimension {} is {}; with the file's {} bytes legal are 1 to {}", what, j, size,
                           bytes_.size(), most));
      }
      elements *= size;
      tensor.dimensions.push_back(size);
    }
    tensor.type = cursor.number<std::uint32_t>(what);
    const TensorType type = tensor_type(name, tensor.type);
    if (tensor.dimensions[0] % type.elements != 0) {
      refuse(fmt::format("{}: rows have {} numbers; legal for its type are multiples of {}", what, tensor.dimensions[0],
                         type.elements));
    }
    tensor.bytes = elements / type.elements * type.bytes;
    tensor.offset = cursor.number<std::uint64_t>(what);
    if (!tensors_.emplace(name, std::move(tensor)).second) {
      refuse(fmt::format("{} is there twice; legal is once", what));
    }
  }
}

/// From offsets in the data to those in the file. Tensors do not overlap, so that all of them take no more memory than
/// the file has bytes.
void File::place_tensors(std::size_t data, std::uint64_t alignment) {
  std::vector<std::pair<std::uint64_t, const std::string*>> order;
  const std::uint64_t room = bytes_.size() - std::min(data, bytes_.size());
  for (auto& [name, tensor] : tensors_) {
    if (tensor.offset % alignment != 0 || tensor.offset > room || tensor.bytes > room - tensor.offset) {
      throw GraphError(
          fmt::format("tensor {} has {} bytes from byte {} of the data on; legal are multiples of {}, and "
                      "an end within the {} bytes of the data: the file is truncated or damaged, get it "
                      "again",
                      shown(name), tensor.bytes, tensor.offset, alignment, room));
    }
    tensor.offset += data;
    order.emplace_back(tensor.offset, &name);
  }
  std::sort(order.begin(), order.end());
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Tensor& before = tensors_.at(*order[i - 1].second);
    if (before.offset + before.bytes > order[i].first) {
      refuse(fmt::format("tensors {} and {} overlap; legal are tensors one after another", shown(*order[i - 1].second),
                         shown(*order[i].second)));
    }
  }
}

const Value& File::value(const std::string& key, bool array, const char* wanted) const {
  const auto found = values_.find(key);
  if (found == values_.end()) {
    refuse(fmt::format("key {} is missing; legal is {}", shown(key), wanted));
  }
  if (found->second.array != array) {
    refuse_type(key, found->second, wanted);
  }
  return found->second;
}

void File::refuse_type(const std::string& key, const Value& value, const char* wanted) {
  refuse(fmt::format("key {} is {}{}; legal is {}", shown(key), value.array ? "an array of type " : "of type ",
                     info(value.type).name, wanted));
}

std::int64_t File::integer_at(const std::string& key, const Value& value, std::size_t index) const {
  const std::uint8_t* at = bytes_.data() + value.offset + index * info(value.type).bytes;
  switch (value.type) {
    case ValueType::kUint8: return number_at<std::uint8_t>(at);
    case ValueType::kInt8: return number_at<std::int8_t>(at);
    case ValueType::kUint16: return number_at<std::uint16_t>(at);
    case ValueType::kInt16: return number_at<std::int16_t>(at);
    case ValueType::kUint32: return number_at<std::uint32_t>(at);
    case ValueType::kInt32: return number_at<std::int32_t>(at);
    case ValueType::kInt64: return number_at<std::int64_t>(at);
    case ValueType::kUint64:
      return static_cast<std::int64_t>(
          std::min<std::uint64_t>(number_at<std::uint64_t>(at), std::numeric_limits<std::int64_t>::max()));
    default: refuse_type(key, value, "an integer");
  }
}

double File::real_at(const std::string& key, const Value& value, std::size_t index) const {
  const std::uint8_t* at = bytes_.data() + value.offset + index * info(value.type).bytes;
  switch (value.type) {
    case ValueType::kFloat32: return number_at<float>(at);
    case ValueType::kFloat64: return number_at<double>(at);
    default: refuse_type(key, value, "a floating-point number");
  }
}

std::int64_t File::integer(const std::string& key, Range<std::int64_t> legal) const {
  const std::int64_t number = integer_at(key, value(key, false, "an integer"), 0);
  if (number < legal.least || number > legal.most) {
    refuse(fmt::format("key {}: the value is {}; legal are {} to {}", shown(key), number, legal.least, legal.most));
  }
  return number;
}

double File::real(const std::string& key, Range<double> legal) const {
  const double number = real_at(key, value(key, false, "a floating-point number"), 0);
  if (!(number >= legal.least && number <= legal.most)) {
    refuse(fmt::format("key {}: the value is {}; legal are {} to {}", shown(key), number, legal.least, legal.most));
  }
  return number;
}

bool File::flag(const std::string& key) const {
  const Value& found = value(key, false, "true or false");
  if (found.type != ValueType::kBool) {
    refuse_type(key, found, "true or false");
  }
  return bytes_[found.offset] != 0;
}

std::string_view File::text(const std::string& key) const {
  const Value& found = value(key, false, "a text");
  if (found.type != ValueType::kText) {
    refuse_type(key, found, "a text");
  }
  const auto length = number_at<std::uint64_t>(bytes_.data() + found.offset);
  return {reinterpret_cast<const char*>(bytes_.data() + found.offset + sizeof length), length};
}

std::vector<std::string_view> File::texts(const std::string& key) const {
  const Value& found = value(key, true, "an array of texts");
  if (found.type != ValueType::kText) {
    refuse_type(key, found, "an array of texts");
  }
  std::vector<std::string_view> texts;
  const std::uint8_t* at = bytes_.data() + found.offset;
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto length = number_at<std::uint64_t>(at);
    at += sizeof length;
    texts.emplace_back(reinterpret_cast<const char*>(at), length);
    at += length;
  }
  return texts;
}

std::vector<double> File::reals(const std::string& key) const {
  const Value& found = value(key, true, "an array of floating-point numbers");
  std::vector<double> numbers;
  for (std::uint64_t i = 0; i < found.count; ++i) {
    numbers.push_back(real_at(key, found, i));
  }
  return numbers;
}

std::vector<std::int64_t> File::integers(const std::string& key) const {
  const Value& found = value(key, true, "an array of integers");
  std::vector<std::int64_t> numbers;
  for (std::uint64_t i = 0; i < found.count; ++i) {
    numbers.push_back(integer_at(key, found, i));
  }
  return numbers;
}

}  // namespace systole::gguf
