// SPDX-License-Identifier: Apache-2.0
// The named configurations that have every part, for tests of instructions that others lack.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "systole/generated/configuration.hpp"

namespace systole::test {

inline std::vector<Configuration> whole_configurations() {
  std::vector<Configuration> whole;
  std::copy_if(kConfigurations.begin(), kConfigurations.end(), std::back_inserter(whole),
               [](const Configuration& configuration) { return configuration.parts == kAllParts; });
  return whole;
}

}  // namespace systole::test
