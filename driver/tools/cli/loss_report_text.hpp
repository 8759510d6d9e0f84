// SPDX-License-Identifier: Apache-2.0
// The quantization loss as text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "systole/quantizer.hpp"
#include "terminal.hpp"

namespace systole::quantizer {

/// A table of the layers, with notes below.
std::string text(const Report& report, const cli::Style& style);
nlohmann::ordered_json to_json(const Report& report);

}  // namespace systole::quantizer
