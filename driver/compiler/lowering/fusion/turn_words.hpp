// SPDX-License-Identifier: Apache-2.0
// Matrices of words that LOAD turns.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// Chooses turning LOADs for transpositions of words, where the configuration has them and the array is wide enough.
std::int64_t turn_words(SegmentContext& context);

}  // namespace systole::network
