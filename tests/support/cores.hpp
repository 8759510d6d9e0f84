// SPDX-License-Identifier: Apache-2.0
// For tests that run on several configurations of the core: selects those of this build.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core_model.hpp"
#include "systole/generated/configuration.hpp"

namespace systole::test {

inline bool is_built(std::string_view configuration) {
  const auto& built = sim::built_cores();
  return std::find(built.begin(), built.end(), configuration) != built.end();
}

inline std::vector<Configuration> built_configurations() {
  std::vector<Configuration> kept;
  std::copy_if(kConfigurations.begin(), kConfigurations.end(), std::back_inserter(kept),
               [](const Configuration& configuration) { return is_built(configuration.name); });
  return kept;
}

/// The values whose `configuration` has a Verilated core in this build.
template <class Value>
std::vector<Value> of_built_cores(std::initializer_list<Value> values) {
  std::vector<Value> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
               [](const Value& value) { return is_built(value.configuration); });
  return kept;
}

/// The names that have one.
inline std::vector<std::string> built_among(std::initializer_list<const char*> names) {
  std::vector<std::string> kept;
  std::copy_if(names.begin(), names.end(), std::back_inserter(kept), [](const char* name) { return is_built(name); });
  return kept;
}

}  // namespace systole::test
