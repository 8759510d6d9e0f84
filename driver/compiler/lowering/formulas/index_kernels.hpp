// SPDX-License-Identifier: Apache-2.0
// Kernels of computed indices, on an array of DIM lanes: sources of them. What a kernel reads and writes never depends
// on data, so that a row is chosen by comparing its number with the index.
#pragma once

#include <cstdint>
#include <string>

#include "systole/graph.hpp"

namespace systole::network {

/// Of indices, one int32 in each position: 1 in the channel of that number, 0 in all others of the `channels`, bytes.
std::string chosen_channels(int dim, std::int64_t channels);

/// Of such indices: each in all of the `channels`, int32.
std::string repeated_indices(int dim, std::int64_t channels);

/// Words of `rows` positions (a), combined with those `updates` positions of b whose index (c, in all channels) is the
/// number of the row, one after another; d has the numbers 0 to 7 in all channels. To add binary32, b has the opposite
/// sign: what is not added is then a zero that changes nothing.
std::string scattered_rows(std::int64_t rows, std::int64_t updates, graph::ScatterCombine combine, bool floats);
/// Vector operations of it for eight rows, one update and DIM channels.
int operations_of_update(graph::ScatterCombine combine);

}  // namespace systole::network
