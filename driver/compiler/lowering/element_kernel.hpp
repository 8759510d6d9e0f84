// SPDX-License-Identifier: Apache-2.0
// The source of the kernel that computes a chain of element-wise operators: what is between them stays in registers.
#pragma once

#include <cstdint>
#include <string>

#include "element_chain.hpp"

namespace systole::network {

/// For rows of words that are `step` apart. The operands are the chain's tensors, then its numbers, which are the first
/// lanes of rows of their own.
std::string element_kernel(const graph::Graph& graph, const ElementChain& chain, std::int64_t step);

}  // namespace systole::network
