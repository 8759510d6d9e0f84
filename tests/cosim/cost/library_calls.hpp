// SPDX-License-Identifier: Apache-2.0
// Calls of the library's kernels with random sizes. What the kernels compute is of no interest here.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "systole/generated/configuration.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::test {

/// Names of the kernels in driver/compiler/vector_kernels.
std::vector<std::string> library_names();

/// A kernel of the library. The formats to which it gives names are random.
const kernel::Kernel& random_formats(const std::string& name, std::mt19937_64& random);

/// Arguments for one run: by their names, addresses in the memories of every configuration, distances and counts; what
/// has another name is 0 or 1.
kernel::Arguments random_arguments(const kernel::Kernel& kernel, const Configuration& configuration,
                                   std::mt19937_64& random);

}  // namespace systole::test
