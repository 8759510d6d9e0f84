// SPDX-License-Identifier: Apache-2.0
// Parses workloads from the command line, and converts them to commands of this program.
#pragma once

#include <string>
#include <vector>

#include "benchmark_suite.hpp"

namespace systole::cli {

/// "matmul:MxNxK", "conv:HxWxCIN-COUT" followed by any of ":kernel=3x3:stride=1:dilation=1:pad=0:groups=1", or the name
/// of a standard workload. Throws InputError, naming option, text and syntax.
Work parse_work(const std::string& option, const std::string& text);

/// The arguments of `systole` that run it: "matmul", "--m", "64", ...
std::vector<std::string> arguments_of(const Work& work);

}  // namespace systole::cli
