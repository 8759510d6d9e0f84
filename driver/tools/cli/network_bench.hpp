// SPDX-License-Identifier: Apache-2.0
// `systole bench --networks`: whole networks of the literature.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace systole::cli {

/// Runs them, all or by name, compares each with the golden model, prints a table per network and writes JSON if asked.
/// With more than one job a network runs in as many parts side by side (network_parts.hpp). A network of at least as
/// many multiply-accumulates as the yardstick, matmul_512, is timed between two runs of that. Throws InputError for a
/// name that is none.
void bench_networks(const DeviceOptions& options, const std::vector<std::string>& only, unsigned jobs,
                    Session& session);

}  // namespace systole::cli
