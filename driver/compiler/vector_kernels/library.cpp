// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "kernel_texts.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {

const kernel::Kernel& library_kernel(const std::string& name, const kernel::FormatNames& formats) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, kernel::FormatNames>, kernel::Kernel> assembled;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = assembled.find({name, formats});
  if (found != assembled.end()) {
    return found->second;
  }
  const auto& texts = kernel_texts();
  const auto source =
      std::find_if(texts.begin(), texts.end(), [&](const KernelText& text) { return text.name == name; });
  if (source == texts.end()) {
    throw InternalError(fmt::format("compiler: the library has no kernel '{}'", name));
  }
  try {
    kernel::Kernel kernel = kernel::assemble(source->text, fmt::format("{}.tpuk", name), formats);
    return assembled.emplace(std::pair{name, formats}, std::move(kernel)).first->second;
  } catch (const kernel::AssemblyError& error) {  // what an operator lacks is told by errors of its base class
    throw InternalError(fmt::format("compiler: {}", error.what()));
  }
}

const kernel::Kernel& made_kernel(const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, kernel::Kernel> assembled;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = assembled.find(text);
  if (found != assembled.end()) {
    return found->second;
  }
  try {
    return assembled.emplace(text, kernel::assemble(text, "made", {})).first->second;
  } catch (const kernel::AssemblyError& error) {
    throw InternalError(fmt::format("compiler: {}", error.what()));
  }
}

namespace {

/// One for equal words and arguments.
const kernel::Kernel& kept(kernel::Kernel kernel) {
  static std::mutex mutex;
  static std::map<std::pair<std::vector<std::string>, std::vector<kernel::Word>>, kernel::Kernel> made;
  const std::lock_guard<std::mutex> lock(mutex);
  auto key = std::pair{kernel.arguments, kernel.words};
  return made.emplace(std::move(key), std::move(kernel)).first->second;
}

}  // namespace

const kernel::Kernel& made_kernel(const ElementFunction& function, const ElementRows& rows) {
  std::optional<kernel::Kernel> kernel = element_kernel(function, rows);
  if (!kernel) {
    throw InternalError(fmt::format("compiler: '{}' is too large for one kernel", function.name));
  }
  return kept(std::move(*kernel));
}

const kernel::Kernel& made_kernel(const RowFunction& function, int dim, Strips strips) {
  std::optional<kernel::Kernel> kernel = row_kernel(function, dim, strips);
  if (!kernel) {
    throw InternalError(fmt::format("compiler: '{}' needs too many registers or words", function.name()));
  }
  return kept(std::move(*kernel));
}

const kernel::Kernel& made_kernel(const FoldFunction& function) { return kept(fold_kernel(function)); }

}  // namespace systole::compiler
