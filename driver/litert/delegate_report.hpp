// SPDX-License-Identifier: Apache-2.0
// What a delegate tells of its work: where each node runs and why, and the cycles of the last run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "delegate_options.hpp"
#include "node_placement.hpp"
#include "partition.hpp"

namespace systole::litert {

/// As JSON, whose form is in README.md. `graphs`: the nodes of each graph that the delegate was applied to.
std::string report_text(const DelegateOptions& options, const std::vector<std::vector<Placement>>& graphs,
                        const std::vector<std::shared_ptr<const Partition>>& partitions);

}  // namespace systole::litert
