// SPDX-License-Identifier: Apache-2.0
// The configurations of the core that a build knows: those of the specification and those of its own file
// (CMake option SYSTOLE_CONFIGURATIONS_FILE).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systole/generated/configuration.hpp"

namespace systole {

/// Those of the specification first.
const std::vector<Configuration>& configurations();

/// Throws InvalidArgument, naming those that there are.
const Configuration& find_configuration(std::string_view name);

/// The first size that the RTL cannot have, with its legal values: "acc_rows: 100 is none of 2^k, from 32 to 65536".
/// Empty for a legal configuration.
std::string illegal_size(const Configuration& configuration);

}  // namespace systole
