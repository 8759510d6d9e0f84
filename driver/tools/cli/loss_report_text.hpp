// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "loss_report.hpp"
#include "terminal.hpp"

namespace systole::quantizer {

/// A table of the layers, and what is to be said below.
std::string text(const Report& report, const cli::Style& style);

}  // namespace systole::quantizer
