// SPDX-License-Identifier: Apache-2.0
#include "boxes.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace systole::graph {
namespace {

/// One line of elements; Word has their size.
template <class Word>
void copy_line(std::int64_t count, const Word* from, std::int64_t step, Word* to, std::int64_t there) {
  if (step == 1 && there == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Word));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    to[i * there] = from[i * step];
  }
}

template <class Word>
void copy_words(const Shape& box, const Word* from, const Places& at, Word* to, const Places& there) {
  from += at.first;
  to += there.first;
  if (box.empty()) {
    *to = *from;
    return;
  }
  const std::size_t last = box.size() - 1;
  const Shape outer(box.begin(), box.end() - 1);
  std::vector<std::int64_t> index(outer.size());
  for (std::int64_t line = count(outer); line > 0; --line) {
    copy_line(box[last], from, at.steps[last], to, there.steps[last]);
    for (std::size_t axis = last; axis-- > 0;) {
      from += at.steps[axis];
      to += there.steps[axis];
      if (++index[axis] < box[axis]) {
        break;
      }
      from -= at.steps[axis] * box[axis];
      to -= there.steps[axis] * box[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

Places dense_places(const Shape& shape) {
  Places places{0, std::vector<std::int64_t>(shape.size())};
  std::int64_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    places.steps[axis] = step;
    step *= shape[axis];
  }
  return places;
}

void copy_box(const Shape& box, std::size_t size, const std::uint8_t* from, const Places& at, std::uint8_t* to,
              const Places& there) {
  if (std::find(box.begin(), box.end(), 0) != box.end()) {
    return;
  }
  const auto copy = [&](auto word) {
    using Word = decltype(word);
    copy_words(box, reinterpret_cast<const Word*>(from), at, reinterpret_cast<Word*>(to), there);
  };
  switch (size) {
    case 1: copy(std::uint8_t{}); break;
    case 2: copy(std::uint16_t{}); break;
    case 4: copy(std::uint32_t{}); break;
    default: copy(std::uint64_t{}); break;
  }
}

Value boxed(const Value& from, const Shape& shape, const Places& at) {
  const std::size_t size = element_size(from.type);
  Value result{from.type, shape, Bytes(static_cast<std::size_t>(count(shape)) * size)};
  copy_box(shape, size, from.data.data(), at, result.data.data(), dense_places(shape));
  return result;
}

}  // namespace systole::graph
