// SPDX-License-Identifier: Apache-2.0
// The sources of kernels that use computed indices, for an array of DIM lanes. The addresses of a kernel never depend
// on data, so a kernel selects a row by comparing its number with the index.
#pragma once

#include <cstdint>
#include <string>

#include "systole/graph.hpp"

namespace systole::network {

/// Encodes indices, one int32 in each position, as one-hot rows of `channels` bytes.
std::string chosen_channels(int dim, std::int64_t channels);

/// Copies such indices, as int32, to all `channels` of their position.
std::string repeated_indices(int dim, std::int64_t channels);

/// Words of `rows` positions (a), combined with those `updates` positions of b whose index (c, in all channels) is the
/// number of the row, one after another; d has the numbers 0 to 7 in all channels. To add binary32, b has the opposite
/// sign: what is not added is then a zero that changes nothing.
std::string scattered_rows(std::int64_t rows, std::int64_t updates, graph::ScatterCombine combine, bool floats);
/// Vector operations of it for eight rows, one update and DIM channels.
int operations_of_update(graph::ScatterCombine combine);

}  // namespace systole::network
