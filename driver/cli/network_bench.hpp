// SPDX-License-Identifier: Apache-2.0
// `systole bench --networks`: whole networks of the literature.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace systole::cli {

/// Runs them, all or by name, compares each with the golden model, prints a table per network and writes JSON if asked. Throws
/// InputError for a name that is none.
void bench_networks(const DeviceOptions& options, const std::vector<std::string>& only, Session& session);

}  // namespace systole::cli
