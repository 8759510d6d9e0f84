// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "trainable_network.hpp"

namespace systole::training {

/// A number that tells a network from others: of its operators and constants, without the values of its parameters.
std::uint64_t digest_of(const Network& network);

}  // namespace systole::training
