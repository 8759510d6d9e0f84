// SPDX-License-Identifier: Apache-2.0
#include "kernel_source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "input_file.hpp"

namespace systole::cli {
namespace {

/// A line without its comment and the spaces around it.
std::string statement_of(std::string line) {
  constexpr const char* kSpaces = " \t\r";
  line.erase(std::min(line.find('#'), line.size()));
  line.erase(0, std::min(line.find_first_not_of(kSpaces), line.size()));
  line.erase(line.find_last_not_of(kSpaces) + 1);
  return line;
}

}  // namespace

std::string KernelSource::place(std::uint32_t word) const {
  if (word >= kernel.lines.size()) {
    return file;
  }
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < kernel.lines[word]; ++i) {
    std::getline(lines, line);
  }
  return fmt::format("{}:{}: {}", file, kernel.lines[word], statement_of(line));
}

std::string KernelSource::vector_name(std::uint32_t number) const {
  return number < kernel.vectors.size() ? kernel.vectors[number] : fmt::format("v{}", number);
}

KernelSource read_kernel(const std::string& file) {
  std::string text = files::read_text(file);
  kernel::Kernel kernel = kernel::assemble(text, file);
  return {file, std::move(text), std::move(kernel)};
}

}  // namespace systole::cli
