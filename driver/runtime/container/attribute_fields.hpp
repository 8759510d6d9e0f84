// SPDX-License-Identifier: Apache-2.0
// Attributes of operators as fields of a table in the file.
#pragma once

#include <cmath>
#include <type_traits>

#include "reader.hpp"

namespace systole::container {

/// Whether an enumeration of the file ends as that of the graph, whose numbers it has.
template <class File, class Last>
constexpr bool ends_alike(File file, Last last) {
  return static_cast<int>(file) == static_cast<int>(last);
}
static_assert(ends_alike(format::Activation::MAX, Activation::kReluN1To1));

/// Throws ContainerError, naming the field `what`, for what the writer would not have written.
template <class From, class To>
void read_attribute(From from, To& to, const char* what, Reader& reader) {
  if constexpr (std::is_enum_v<To>) {
    to = enumerator<To>(from, what);
  } else if constexpr (std::is_pointer_v<From>) {
    to = reader.numbers(from);
  } else {
    if (std::is_floating_point_v<To> && std::isnan(static_cast<double>(from))) {
      throw ContainerError(fmt::format("{} is not a number: the file is damaged", what));
    }
    to = from;
  }
}
inline void read_attribute(const format::Window* s, Window& to, const char*, Reader&) {
  to = {s->kernel_h(),   s->kernel_w(), s->stride_h(),   s->stride_w(), s->dilation_h(),
        s->dilation_w(), s->pad_top(),  s->pad_bottom(), s->pad_left(), s->pad_right()};
}

[[noreturn]] inline void refuse_kind(format::Kind kind) {
  throw ContainerError(fmt::format(
      "kind of operator number {}; the range is 1 .. {}: the file is damaged, or of a later version of Systole",
      static_cast<int>(kind), static_cast<int>(format::Kind::MAX)));
}

/// An attribute as an argument of a function that makes a table.
template <class Value>
class Stored {
 public:
  explicit Stored(Value value) : value_(value) {}
  template <class To>
  operator To() const {  // NOLINT(google-explicit-constructor): an enumeration of the file, or the number itself
    return static_cast<To>(value_);
  }

 private:
  Value value_;
};

template <class Value>
Stored<Value> stored(flatbuffers::FlatBufferBuilder&, Value value) {
  return Stored<Value>(value);
}
template <class Number>
auto stored(flatbuffers::FlatBufferBuilder& builder, const std::vector<Number>& numbers) {
  return builder.CreateVector(numbers);
}
inline format::Window stored(flatbuffers::FlatBufferBuilder&, const Window& s) {
  return {s.kernel_h,   s.kernel_w, s.stride_h,   s.stride_w, s.dilation_h,
          s.dilation_w, s.pad_top,  s.pad_bottom, s.pad_left, s.pad_right};
}

}  // namespace systole::container
