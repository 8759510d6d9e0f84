// SPDX-License-Identifier: Apache-2.0
// `systole bench --networks`: complete published networks.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace systole::cli {

/// Runs all of them or those named, compares each with the golden model, prints a table per network and writes JSON if
/// requested. With more than one job a network is divided into as many parts, simulated in parallel
/// (network_parts.hpp). A network with at least as many multiply-accumulates as the yardstick, matmul_512, is timed
/// between two runs of that. Throws InputError for an unknown name.
void bench_networks(const DeviceOptions& options, const std::vector<std::string>& only, unsigned jobs,
                    Session& session);

}  // namespace systole::cli
