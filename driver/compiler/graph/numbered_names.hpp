// SPDX-License-Identifier: Apache-2.0
// Names of tensors that a file does not name: what they come from, and a number.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace systole::graph {

/// "name/number/".
std::string numbered(std::string_view name, std::size_t number);

/// The name without such a number.
std::string_view without_number(std::string_view name);

}  // namespace systole::graph
