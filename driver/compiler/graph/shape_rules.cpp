// SPDX-License-Identifier: Apache-2.0
// Shapes of operands and results by the letters of kinds.toml.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "infer.hpp"
#include "kind_rules.hpp"

namespace systole::graph {
namespace {

constexpr std::string_view kOthers = "...", kBroadcast = "broadcast";

std::vector<std::string_view> letters_of(std::string_view text) {
  std::vector<std::string_view> letters;
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(end + 1, text.size()))) {
    end = text.find(',');
    letters.push_back(text.substr(0, end));
  }
  return letters;
}

bool is_open(const std::vector<std::string_view>& letters) {
  return std::find(letters.begin(), letters.end(), kOthers) != letters.end();
}

/// The sizes that letters stand for; several for `...`.
class Sizes {
 public:
  void match(const OperandRule& rule, const Shape& shape) {
    const auto letters = letters_of(rule.shape);
    const bool open = is_open(letters);
    const std::size_t fixed = letters.size() - (open ? 1 : 0);
    if (open ? shape.size() < fixed : shape.size() != fixed) {
      throw GraphError(fmt::format("{} has shape {}; expected {} dimensions{}, [{}]", rule.name, to_string(shape),
                                   fixed, open ? " or more" : "", rule.shape));
    }
    auto from = shape.begin();
    for (const std::string_view letter : letters) {
      const auto to = from + static_cast<std::ptrdiff_t>(letter == kOthers ? shape.size() - fixed : 1);
      sizes_.emplace(letter, Shape(from, to));
      from = to;
    }
    if (const Shape expected = shape_of(rule.shape); expected != shape) {
      throw GraphError(fmt::format("{} has shape {}; expected {}, [{}] by the other operands", rule.name,
                                   to_string(shape), to_string(expected), rule.shape));
    }
  }

  Shape shape_of(const char* rule) const {
    Shape shape;
    for (const std::string_view letter : letters_of(rule)) {
      const Shape& sizes = sizes_.at(letter);
      shape.insert(shape.end(), sizes.begin(), sizes.end());
    }
    return shape;
  }

 private:
  std::map<std::string_view, Shape> sizes_;
};

}  // namespace

Number number_of(std::span<const OperandRule> rules) {
  constexpr std::size_t kAny = 1U << 20;
  const auto optional =
      std::count_if(rules.begin(), rules.end(), [](const OperandRule& rule) { return rule.optional; });
  return {rules.size() - static_cast<std::size_t>(optional), rules.back().many ? kAny : rules.size()};
}

const OperandRule& rule_at(std::span<const OperandRule> rules, std::size_t i) {
  return rules[std::min(i, rules.size() - 1)];
}

std::size_t axes_of_rows(const OperandRule& rule) {
  const auto letters = letters_of(rule.shape == nullptr ? "" : rule.shape);
  return is_open(letters) ? letters.size() - 1 : 0;
}

std::vector<Shape> shapes_by_rules(const KindRules& rules, const std::vector<Shape>& inputs) {
  Sizes sizes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (const OperandRule& rule = rule_at(rules.operands, i); rule.shape != nullptr) {
      sizes.match(rule, inputs[i]);
    }
  }
  std::vector<Shape> results;
  for (const OperandRule& rule : rules.results) {
    if (rule.shape == nullptr) {
      return {};
    }
    if (rule.shape != kBroadcast) {
      results.push_back(sizes.shape_of(rule.shape));
      continue;
    }
    results.push_back(inputs[0]);
    std::for_each(inputs.begin() + 1, inputs.end(),
                  [&](const Shape& other) { results[0] = broadcast(results[0], other); });
  }
  return results;
}

}  // namespace systole::graph
