// SPDX-License-Identifier: Apache-2.0
// The configurations of the core that this build knows: those of the specification, and those of the file that the
// CMake option SYSTOLE_CONFIGURATIONS_FILE names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systole/generated/configuration.hpp"

namespace systole {

/// All configurations, those of the specification first.
const std::vector<Configuration>& configurations();

/// The configuration of this name. Throws InvalidArgument, listing the names, if there is none.
const Configuration& find_configuration(std::string_view name);

/// The parts that a configuration lacks, as texts: "vector processor", ...
std::vector<std::string> missing_parts(const Configuration& configuration);

/// The first size that the RTL does not support, with its legal values: "acc_rows: 100 is not one of 2^k, from 32 to
/// 65536". Empty for a legal configuration.
std::string illegal_size(const Configuration& configuration);

}  // namespace systole
