// SPDX-License-Identifier: Apache-2.0
// Weight tiles of computed operands as layers of their own, before the products that read them.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// All columns, and the computed filters of convolutions, become tiles: a layer writes them where the other lane of the
/// program has time for it (overlap.hpp). What the host writes as weights is tiles already.
std::int64_t separate_tiles(SegmentContext& context);

}  // namespace systole::network
