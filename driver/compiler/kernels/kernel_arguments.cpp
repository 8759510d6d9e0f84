// SPDX-License-Identifier: Apache-2.0
#include "kernel_arguments.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "params.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {

KernelArguments::KernelArguments(const kernel::Kernel& kernel, const KernelCall& call)
    : kernel_(kernel), set_(kernel.arguments.size(), false) {
  for (const auto& [name, value] : call.values) {
    set(name, value);
  }
}

void KernelArguments::set(const std::string& name, std::int64_t value) {
  const auto found = std::find(kernel_.arguments.begin(), kernel_.arguments.end(), name);
  if (found != kernel_.arguments.end()) {
    const auto i = static_cast<std::size_t>(found - kernel_.arguments.begin());
    values_.at(i) = static_cast<std::uint32_t>(value);
    set_.at(i) = true;
  }
}

void KernelArguments::set_rows(int rows) {
  set("rows", rows);
  set("strips", ceil_div(rows, kernel::kStripRows));
}

isa::Vector KernelArguments::instruction(std::uint16_t entry) const {
  const auto missing = std::find(set_.begin(), set_.end(), false);
  if (missing != set_.end()) {
    throw InternalError(fmt::format("compiler: kernel {} without a value for '{}'", kernel_.name,
                                    kernel_.arguments[static_cast<std::size_t>(missing - set_.begin())]));
  }
  isa::Vector op;
  op.entry = entry;
  kernel::set_arguments(op, values_);
  return op;
}

void place_table(Builder& builder, const KernelTable& table) {
  const int rows = kernel::kTableWords * static_cast<int>(sizeof table[0]) / builder.dim();
  if (rows > builder.configuration().param_rows) {
    throw DoesNotFit(fmt::format("a table of {} parameter rows; the configuration has {}", rows,
                                 builder.configuration().param_rows));
  }
  std::vector<std::uint8_t> bytes(sizeof table);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(table[i / sizeof table[0]] >> 8 * (i % sizeof table[0]));
  }
  isa::Table op;
  op.words = 1;
  op.params = static_cast<std::uint16_t>(place_params(builder, std::move(bytes)));
  builder.append(op);
}

}  // namespace systole::compiler
