// SPDX-License-Identifier: Apache-2.0
// What the page's script draws: figures, names and finished sentences; nothing is worked out in the page but
// coordinates.
#pragma once

#include <nlohmann/json.hpp>

#include "run_file.hpp"

namespace systole::report {

/// `before` is the run to compare with, or null.
nlohmann::ordered_json page_data(const RunFile& run, const RunFile* before);

}  // namespace systole::report
