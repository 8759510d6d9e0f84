// SPDX-License-Identifier: Apache-2.0
#include "parse_failure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace systole::cli {
namespace {

/// Insertions, deletions and replacements of characters that make one text the other.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// "; did you mean NAME?", if about a third of the characters or fewer are other ones.
std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const auto nearest = std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  constexpr std::size_t kShare = 3;
  return nearest != names.end() && edit_distance(word, *nearest) <= (word.size() + 1) / kShare
             ? fmt::format("; did you mean {}?", *nearest)
             : std::string();
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> commands_of(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

}  // namespace

std::string parse_failure_text(const CLI::App& program, const CLI::ParseError& error,
                               const std::vector<std::string>& arguments) {
  const std::vector<CLI::App*> called = program.get_subcommands();
  const CLI::App& command = called.empty() ? program : *called.front();
  const std::string help =
      fmt::format("\n{} --help lists {}", called.empty() ? "systole" : "systole " + command.get_name(),
                  called.empty() ? "the commands" : "the options");
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) {
    return error.what() + help;
  }
  if (called.empty() && arguments.size() > 1 && arguments[1].rfind('-', 0) != 0) {
    return fmt::format("no command {}{}{}", arguments[1], suggestion(arguments[1], commands_of(program)), help);
  }
  const std::vector<std::string> unknown = program.remaining(true);
  const auto option = std::find_if(unknown.begin(), unknown.end(),
                                   [](const std::string& word) { return word.size() > 1 && word[0] == '-'; });
  if (option == unknown.end()) {
    return error.what() + help;
  }
  const std::string name = option->substr(0, option->find('='));
  return fmt::format("no option {}{}{}", name, suggestion(name, options_of(command)), help);
}

}  // namespace systole::cli
