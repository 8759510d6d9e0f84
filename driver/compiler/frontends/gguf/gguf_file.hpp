// SPDX-License-Identifier: Apache-2.0
// GGUF, versions 2 and 3: keys with values, and tensors. Little-endian: "GGUF", the version, how many tensors and how
// many keys; then for each key its name, the type of its value and the value; for each tensor its name, its dimensions,
// the fastest first, its type, and where it begins in the data, which follow at the next multiple of the alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "systole/graph.hpp"

namespace systole::gguf {

enum class ValueType : std::uint32_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kText,
  kArray,
  kUint64,
  kInt64,
  kFloat64
};
constexpr std::uint32_t kValueTypes = 13;

class Cursor;

struct Value {
  ValueType type;      ///< of the elements, if it is an array
  bool array = false;  ///< of plain elements; arrays of arrays are passed over
  std::uint64_t count = 1;
  std::size_t offset = 0;  ///< in the file
};

struct Tensor {
  std::vector<std::uint64_t> dimensions;  ///< the fastest first
  std::uint32_t type = 0;
  std::size_t offset = 0, bytes = 0;  ///< in the file
};

template <class Number>
struct Range {
  Number least, most;
};

/// The remedy for a file that does not hold what it should.
inline constexpr const char* kConvert = "convert the model again, with llama.cpp's convert_hf_to_gguf.py";

/// A name of the file for a message, in quotes, without what could change a terminal.
std::string shown(std::string_view name);

/// The tables of a file. What they say of places and sizes has been compared with the file's size. Values are read from
/// its bytes when they are asked for.
class File {
 public:
  /// The bytes must outlive it. Throws graph::GraphError that names key or tensor, value, legal range and remedy.
  explicit File(const graph::Bytes& bytes);

  static bool begins(const graph::Bytes& bytes);  ///< whether these are the bytes of such a file, of any version

  bool has(const std::string& key) const { return values_.count(key) > 0; }
  const std::map<std::string, Value>& values() const { return values_; }
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  const std::uint8_t* data(const Tensor& tensor) const { return bytes_.data() + tensor.offset; }

  // The value of a key. They throw graph::GraphError if there is none, or if it has another type or is out of range.
  std::int64_t integer(const std::string& key, Range<std::int64_t> legal) const;
  double real(const std::string& key, Range<double> legal) const;
  bool flag(const std::string& key) const;
  std::string_view text(const std::string& key) const;
  std::vector<std::string_view> texts(const std::string& key) const;
  std::vector<double> reals(const std::string& key) const;
  std::vector<std::int64_t> integers(const std::string& key) const;

 private:
  const Value& value(const std::string& key, bool array, const char* wanted) const;
  [[noreturn]] static void refuse_type(const std::string& key, const Value& value, const char* wanted);
  std::int64_t integer_at(const std::string& key, const Value& value, std::size_t index) const;
  double real_at(const std::string& key, const Value& value, std::size_t index) const;

  void read_values(Cursor& cursor, std::uint64_t count);
  void read_tensors(Cursor& cursor, std::uint64_t count);
  void place_tensors(std::size_t data, std::uint64_t alignment);

  const graph::Bytes& bytes_;
  std::map<std::string, Value> values_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace systole::gguf
