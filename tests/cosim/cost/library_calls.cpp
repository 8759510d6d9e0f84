// SPDX-License-Identifier: Apache-2.0
#include "library_calls.hpp"

#include <array>
#include <map>
#include <sstream>

#include "kernel_texts.hpp"
#include "library.hpp"

namespace systole::test {
namespace {

std::uint32_t below(std::mt19937_64& random, std::uint32_t limit) {
  return static_cast<std::uint32_t>(random() % limit);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const compiler::KernelText& text : compiler::kernel_texts()) {
    names.emplace_back(text.name);
  }
  return names;
}

const kernel::Kernel& random_formats(const std::string& name, std::mt19937_64& random) {
  kernel::FormatNames formats;
  for (const compiler::KernelText& text : compiler::kernel_texts()) {
    std::istringstream words{std::string(text.name == name ? text.text : "")};
    for (std::string line; std::getline(words, line);) {
      std::istringstream statement(line);
      std::string word, format;
      if (statement >> word >> format && word == "format") {
        formats[format] = std::array{kernel::Format::kI8, kernel::Format::kI16, kernel::Format::kI32}[below(random, 3)];
      }
    }
  }
  return compiler::library_kernel(name, formats);
}

kernel::Arguments random_arguments(const kernel::Kernel& kernel, const Configuration& configuration,
                                   std::mt19937_64& random) {
  const std::uint32_t rows = 1 + below(random, 20), planes = 1 + below(random, 3);
  const std::map<std::string, std::uint32_t> values = {{"rows", rows},
                                                       {"strips", (rows + 7) / 8},
                                                       {"planes", planes},
                                                       {"before", planes - 1},
                                                       {"lanes", 1 + below(random, configuration.dim)},
                                                       {"columns", 1 + below(random, 2)},
                                                       {"a_each", 1 + below(random, 4)},
                                                       {"a_strip", 8},
                                                       {"b", 200},
                                                       {"c", 300},
                                                       {"to", 400},
                                                       {"dst", 400},
                                                       {"h", 500},
                                                       {"cell", 520},
                                                       {"masks", 540},
                                                       {"base", 32},
                                                       {"plane", 30}};
  kernel::Arguments arguments{};
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const std::string& name = kernel.arguments[i];
    const auto found = values.find(name);
    arguments[i] = found != values.end()       ? found->second
                   : ends_with(name, "_plane") ? 20 + below(random, 10)
                                               : below(random, 2);
  }
  return arguments;
}

}  // namespace systole::test
