// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <fmt/core.h>

#include <functional>
#include <map>
#include <string>

#include "kernel_texts.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

using Kernels = std::map<std::string, kernel::Kernel, std::less<>>;

Kernels assemble_all() {
  Kernels kernels;
  for (const KernelText& source : kernel_texts()) {
    kernels.emplace(source.name, kernel::assemble(source.text, fmt::format("{}.tpuk", source.name)));
  }
  return kernels;
}

}  // namespace

const kernel::Kernel& library_kernel(std::string_view name) {
  static const Kernels kernels = assemble_all();
  const auto found = kernels.find(name);
  if (found == kernels.end()) {
    throw InternalError(fmt::format("compiler: the library has no kernel '{}'", name));
  }
  return found->second;
}

}  // namespace systole::compiler
