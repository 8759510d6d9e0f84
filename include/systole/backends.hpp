// SPDX-License-Identifier: Apache-2.0
// Finds and creates back ends by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "systole/backend.hpp"

namespace systole {

/// True when this build includes the back end.
bool has_backend(std::string_view name);

/// The configurations for which back end "rtl" has a Verilated core in this build.
std::vector<std::string> rtl_configurations();

/// Creates back end "rtl" or "model". Throws InvalidArgument, listing the available ones, for any other name.
std::unique_ptr<Backend> make_backend(const BackendOptions& options, std::string_view name);

}  // namespace systole
