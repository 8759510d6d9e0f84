// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference.hpp"

namespace systole::test {

/// Memories of the verilated variants: small, so that ranges are crossed often.
inline VectorSizes sizes_of(int dim) { return {dim, 768, 64, 384}; }

}  // namespace systole::test
