// SPDX-License-Identifier: Apache-2.0
// Back ends by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "systole/backend.hpp"

namespace systole {

/// True when this build has the back end.
bool has_backend(std::string_view name);

/// Configurations of which back end "rtl" has a Verilated core in this build.
std::vector<std::string> rtl_configurations();

/// Back end "rtl" or "model". Throws InvalidArgument, naming those that this build has, for any other name.
std::unique_ptr<Backend> make_backend(const BackendOptions& options, std::string_view name);

}  // namespace systole
