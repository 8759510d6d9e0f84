// SPDX-License-Identifier: Apache-2.0
#include "numbered_names.hpp"

#include <fmt/core.h>

namespace systole::graph {

std::string numbered(std::string_view name, std::size_t number) { return fmt::format("{}/{}/", name, number); }

std::string_view without_number(std::string_view name) {
  if (name.empty() || name.back() != '/') {
    return name;
  }
  const std::string_view rest = name.substr(0, name.size() - 1);
  const std::size_t slash = rest.rfind('/');
  const bool is_number = slash != std::string_view::npos && slash + 1 < rest.size() &&
                         rest.find_first_not_of("0123456789", slash + 1) == std::string_view::npos;
  return is_number ? rest.substr(0, slash) : name;
}

}  // namespace systole::graph
