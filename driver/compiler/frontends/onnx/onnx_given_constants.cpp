// SPDX-License-Identifier: Apache-2.0
#include "onnx_given_constants.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include "element_visit.hpp"

namespace systole::graph::onnx_file {
namespace {

/// Reads "3", "1.5", "true" or nested lists of them, such as "[[0, 1], [2, 3]]", as elements of a type.
template <class Element>
class Parser {
 public:
  Parser(const std::string& text, ElementType type) : text_(text), type_(type) {}

  Value value() {
    Value value{type_, {}, {}};
    read(value.shape, 0);
    skip_spaces();
    if (at_ != text_.size()) {
      fail(fmt::format("'{}' is left over", text_.substr(at_)));
    }
    return make_value(type_, value.shape, elements_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw GraphError(
        fmt::format("'{}': {}; expected {} elements, as a number or a list such as [0,2]", text_, why, name_of(type_)));
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
  }
  bool take(char wanted) {
    skip_spaces();
    const bool is_next = at_ < text_.size() && text_[at_] == wanted;
    at_ += is_next ? 1 : 0;
    return is_next;
  }

  /// An element, or a list. `shape` is that of the list, the same for all lists of a level.
  void read(Shape& shape, std::size_t level) {
    constexpr std::size_t kMaxRank = 16;
    if (!take('[')) {
      elements_.push_back(element());
      return;
    }
    if (level == kMaxRank) {
      fail(fmt::format("more than {} levels of lists", kMaxRank));
    }
    Shape parts;
    std::int64_t size = 0;
    for (bool more = !take(']'); more; more = !take(']')) {
      if (size != 0 && !take(',')) {
        fail("a list without a comma between its elements, or without its end");
      }
      Shape part;
      read(part, level + 1);
      if (size++ != 0 && part != parts) {
        fail("the elements of a list have different shapes");
      }
      parts = std::move(part);
    }
    shape = {size};
    shape.insert(shape.end(), parts.begin(), parts.end());
  }

  Element element() {
    skip_spaces();
    const std::size_t end = std::min(text_.find_first_of(",] ", at_), text_.size());
    const std::string word = text_.substr(at_, end - at_);
    at_ = end;
    if (type_ == ElementType::kBool && (word == "true" || word == "false")) {
      return static_cast<Element>(word == "true" ? 1 : 0);
    }
    return number(word);
  }

  Element number(const std::string& word) const {
    const char* const last = word.data() + word.size();
    if constexpr (kIsReal<Element>) {
      double real = 0;
      const auto [next, error] = std::from_chars(word.data(), last, real);
      if (error != std::errc() || next != last) {
        fail(fmt::format("'{}' is not a number", word));
      }
      return static_cast<Element>(real);
    } else {
      Element whole{};
      const auto [next, error] = std::from_chars(word.data(), last, whole);
      if (error != std::errc() || next != last || (type_ == ElementType::kBool && whole > 1)) {
        fail(fmt::format(
            "'{}' is not a whole number from {} to {}", word,
            static_cast<std::int64_t>(std::numeric_limits<Element>::min()),
            type_ == ElementType::kBool ? 1U : static_cast<std::uint64_t>(std::numeric_limits<Element>::max())));
      }
      return whole;
    }
  }

  const std::string& text_;
  ElementType type_;
  std::size_t at_ = 0;
  std::vector<Element> elements_;
};

Value value_of(const GivenConstant& given, ElementType type) {
  if (const auto* value = std::get_if<Value>(&given)) {
    return *value;
  }
  const auto& text = std::get<std::string>(given);
  return with_element(type, [&](auto element) { return Parser<decltype(element)>(text, type).value(); });
}

bool agrees(const Shape& shape, const DeclaredInput& input) {
  if (!input.shape || input.shape->size() != shape.size()) {
    return !input.shape;
  }
  return std::equal(shape.begin(), shape.end(), input.shape->begin(),
                    [](std::int64_t size, const auto& declared) { return !declared || *declared == size; });
}

/// A number without brackets is also a list of one.
void widen(Value& value, const DeclaredInput& input) {
  const Shape ones(input.shape ? input.shape->size() : 0, 1);
  if (value.shape.empty() && agrees(ones, input)) {
    value.shape = ones;
  }
}

/// Such as "int64 of shape 2x?".
std::string in_words(const DeclaredInput& input) {
  if (!input.shape) {
    return fmt::format("{} of any shape", name_of(input.type));
  }
  std::string shape;
  for (const std::optional<std::int64_t>& size : *input.shape) {
    shape += fmt::format("{}{}", shape.empty() ? "" : "x", size ? std::to_string(*size) : "?");
  }
  return shape.empty() ? fmt::format("a {} scalar", name_of(input.type))
                       : fmt::format("{} of shape {}", name_of(input.type), shape);
}

}  // namespace

Tensor constant_of(const GivenConstant& given, const DeclaredInput& input) {
  const auto fail = [&](const std::string& what) {
    throw GraphError(
        fmt::format("constant '{}' is given as {}; the input of the file is {}", input.name, what, in_words(input)));
  };
  Value value;
  try {
    value = value_of(given, input.type);
  } catch (const GraphError& error) {
    fail(error.what());
  }
  if (std::holds_alternative<std::string>(given)) {
    widen(value, input);
  }
  if (value.type != input.type || !agrees(value.shape, input)) {
    fail(fmt::format("{} of shape {}", name_of(value.type), to_string(value.shape)));
  }
  if (static_cast<std::int64_t>(value.data.size()) !=
      count(value.shape) * static_cast<std::int64_t>(element_size(value.type))) {
    fail(fmt::format("{} bytes for shape {}", value.data.size(), to_string(value.shape)));
  }
  Tensor tensor;
  tensor.name = input.name;
  tensor.type = value.type;
  tensor.shape = std::move(value.shape);
  tensor.constant = std::make_shared<Bytes>(std::move(value.data));
  return tensor;
}

}  // namespace systole::graph::onnx_file
