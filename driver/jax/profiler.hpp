// SPDX-License-Identifier: Apache-2.0
// What jax.profiler sees of the devices.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler_api.hpp"
#include "systole/network.hpp"

namespace systole::pjrt {

const ProfilerExtension& profiler_extension();

/// Nanoseconds since 1970, as profiles count them.
std::int64_t profile_time();

/// Tells the profilers that are running what a network cost that a device began at `began_ns`. Layers that began before
/// a profiler did are not in its profile: there are no times before its start.
void profile(int device, std::int64_t began_ns, const std::vector<StepReport>& steps);

}  // namespace systole::pjrt
