// SPDX-License-Identifier: Apache-2.0
// Options whose values have names. CLI11's own transformation shows the numbers behind the names, and takes them.
#pragma once

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace systole::cli {

template <class Value>
struct EnumOf {
  using Type = Value;
};
template <class Enum>
struct EnumOf<std::optional<Enum>> {
  using Type = Enum;
};

/// An option that takes one of the names, which the help shows as "{a,b,c}". `value` is an enumeration, or one that may
/// be missing. The name that it has before the command line is read is the default that the help shows.
template <class Value>
CLI::Option* add_enum_option(CLI::App& command, const std::string& option, Value& value,
                             const std::map<std::string, typename EnumOf<Value>::Type>& names,
                             const std::string& help) {
  std::vector<std::string> words;
  std::string now;
  for (const auto& [name, named] : names) {
    words.push_back(name);
    now = named == value ? name : now;
  }
  const std::string all = fmt::format("{}", fmt::join(words, ", "));
  auto* added = command.add_option_function<std::string>(
      option, [&value, names](const std::string& text) { value = names.at(text); }, help);
  added->check(CLI::Validator(
      [names, all](std::string& text) {
        return names.count(text) != 0 ? std::string() : fmt::format("'{}' is none of {}", text, all);
      },
      ""));
  added->type_name(fmt::format("{{{}}}", fmt::join(words, ",")));
  return now.empty() ? added : added->default_str(now);
}

}  // namespace systole::cli
