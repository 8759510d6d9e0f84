// SPDX-License-Identifier: Apache-2.0
#include "spec.hpp"

#include <fmt/core.h>

#include <charconv>
#include <sstream>
#include <stdexcept>

#include "kinds.hpp"

namespace systole::shapes {
namespace {

int number(const std::string& text, const std::string& part) {
  int value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (part.empty() || error != std::errc() || end != part.data() + part.size()) {
    throw std::invalid_argument(
        fmt::format("'{}' in '{}' is no number; a case looks like relu:height=5,width=3,...", part, text));
  }
  return value;
}

}  // namespace

std::string to_string(const Spec& spec) {
  std::string text = spec.kind;
  char separator = ':';
  for (const auto& [name, value] : spec.values) {
    text += fmt::format("{}{}={}", separator, name, value);
    separator = ',';
  }
  return text;
}

Spec parse_spec(const std::string& text) {
  const std::size_t colon = text.find(':');
  const Kind& kind = find_kind(text.substr(0, colon));
  Spec spec{kind.name, {}};
  std::istringstream rest(colon == std::string::npos ? std::string() : text.substr(colon + 1));
  for (std::string word; std::getline(rest, word, ',');) {
    const std::size_t equals = word.find('=');
    spec.values[word.substr(0, equals)] =
        number(text, equals == std::string::npos ? std::string() : word.substr(equals + 1));
  }
  std::map<std::string, int> known;
  for (const Parameter& parameter : kind.parameters) {
    const auto found = spec.values.find(parameter.name);
    if (found == spec.values.end() || found->second < parameter.min || found->second > parameter.max) {
      throw std::invalid_argument(fmt::format("'{}': {} needs {}, within {} .. {}", text, kind.name, parameter.name,
                                              parameter.min, parameter.max));
    }
    known[parameter.name] = found->second;
  }
  for (const auto& [name, value] : spec.values) {
    if (known.count(name) == 0) {
      throw std::invalid_argument(fmt::format("'{}': {} has no parameter '{}'", text, kind.name, name));
    }
  }
  return spec;
}

}  // namespace systole::shapes
