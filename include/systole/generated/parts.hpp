// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace systole {

/// A unit of the core that a configuration may leave out; also the number of its bit in the register PARTS.
enum class Part : std::uint8_t {
  kVectorProcessor = 0,  ///< kernels: VECTOR, the kernel memory, the table of words
  kBlockFloat = 1,  ///< CONV with `block_float`, exponents behind the scratchpad, binary32 in the accumulators, kernels that convert
  kDepthwise = 2,  ///< DEPTHWISE
  kTurningLoads = 3,  ///< LOAD with `turn`
  kCauseCounters = 4,  ///< the registers SEMAPHORE_WAIT, ENGINE_SINCE and CAUSE_COUNT, of which only that of WORKING counts without them
};

/// A part as the specification calls it, and as a text does.
struct PartInfo {
  Part part;
  std::string_view name, title;
};
inline constexpr std::array<PartInfo, 5> kParts = {{
    {Part::kVectorProcessor, "vector_processor", "vector processor"},
    {Part::kBlockFloat, "block_float", "block floating point"},
    {Part::kDepthwise, "depthwise", "depthwise unit"},
    {Part::kTurningLoads, "turning_loads", "turning loads"},
    {Part::kCauseCounters, "cause_counters", "cause counters"},
}};

/// Parts of a core, by their numbers.
using PartSet = std::uint32_t;
constexpr PartSet bit(Part part) { return PartSet{1} << static_cast<unsigned>(part); }
inline constexpr PartSet kAllParts = (PartSet{1} << 5) - 1;

}  // namespace systole
