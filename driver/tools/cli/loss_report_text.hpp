// SPDX-License-Identifier: Apache-2.0
// What quantization cost, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "systole/quantizer.hpp"
#include "terminal.hpp"

namespace systole::quantizer {

/// A table of the layers, and what is to be said below.
std::string text(const Report& report, const cli::Style& style);
nlohmann::ordered_json to_json(const Report& report);

}  // namespace systole::quantizer
