// SPDX-License-Identifier: Apache-2.0
// The options of load_delegate(): texts by name.
#pragma once

#include <cstddef>
#include <string>

namespace systole::litert {

struct DelegateOptions {
  std::string device = "model";           ///< "rtl" or "model"
  std::string configuration = "default";  ///< a name of systole/configurations.hpp
  std::string report = {};                ///< path of a file that is told where each node runs; empty: none
};

/// Throws InvalidArgument, which names the option, its value and the legal ones.
DelegateOptions read_options(const char* const* keys, const char* const* values, std::size_t count);

}  // namespace systole::litert
