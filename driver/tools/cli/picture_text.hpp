// SPDX-License-Identifier: Apache-2.0
// Digit pictures as ASCII art.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "idx.hpp"
#include "terminal.hpp"

namespace systole::cli {

inline constexpr std::size_t kMostPictures = 20;

/// The first `count` pictures, side by side as the width allows, each with its answer below; wrong answers are marked.
/// `labels` is empty or has one per picture. Common empty margins are cropped.
std::string draw_pictures(const digits::Pictures& pictures, std::size_t count, const std::vector<int>& answers,
                          const std::vector<std::uint8_t>& labels, const Style& style);

}  // namespace systole::cli
