// SPDX-License-Identifier: Apache-2.0
// How the listing of an operator shows an attribute.
#pragma once

#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "attributes.hpp"

namespace systole::graph {

/// Joins words with spaces; none before a comma.
class Words {
 public:
  Words& add(const std::string& word) {
    text_ += text_.empty() || word.empty() || word[0] == ',' ? "" : " ";
    text_ += word;
    return *this;
  }
  std::string text() const { return text_; }

 private:
  std::string text_;
};

template <class Value>
auto listed(const Value& value) {
  if constexpr (requires { name_of(value); }) {
    return name_of(value);
  } else {
    return value;
  }
}
template <class Number>
std::string listed(const std::vector<Number>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}
inline std::string listed(const Window& s) {
  const auto pair = [](const char* what, int a, int b) {
    return a == 1 && b == 1 ? "" : fmt::format("{} {}x{}", what, a, b);
  };
  const bool padded = s.pad_top != 0 || s.pad_bottom != 0 || s.pad_left != 0 || s.pad_right != 0;
  return Words()
      .add(fmt::format("{}x{}", s.kernel_h, s.kernel_w))
      .add(pair("stride", s.stride_h, s.stride_w))
      .add(pair("dilation", s.dilation_h, s.dilation_w))
      .add(padded ? fmt::format("pad {},{},{},{}", s.pad_top, s.pad_bottom, s.pad_left, s.pad_right) : "")
      .text();
}

}  // namespace systole::graph
