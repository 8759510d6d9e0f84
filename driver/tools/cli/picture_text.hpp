// SPDX-License-Identifier: Apache-2.0
// Digit pictures in letters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "idx.hpp"
#include "terminal.hpp"

namespace systole::cli {

inline constexpr std::size_t kMostPictures = 20;

/// The first `count` pictures, several side by side as the width allows, each with its answer below; an answer that is
/// not the label is marked. `labels` is empty or has one per picture. Margins that are empty in all of them are cut
/// off.
std::string draw_pictures(const digits::Pictures& pictures, std::size_t count, const std::vector<int>& answers,
                          const std::vector<std::uint8_t>& labels, const Style& style);

}  // namespace systole::cli
