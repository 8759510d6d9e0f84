// SPDX-License-Identifier: Apache-2.0
// Descriptions of networks by numbers between dashes: "8-10-1".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systole::training {

/// What is between the dashes.
std::vector<std::string> parts_of(std::string_view text);

/// A number from 1 to 2^20; none of any other text.
std::optional<std::int64_t> size_in(const std::string& part);

}  // namespace systole::training
