// SPDX-License-Identifier: Apache-2.0
// Data for the page's script: figures, names and complete sentences; the page computes only coordinates.
#pragma once

#include <nlohmann/json.hpp>

#include "run_file.hpp"

namespace systole::report {

/// `before` is the run to compare with, or null.
nlohmann::ordered_json page_data(const RunFile& run, const RunFile* before);

}  // namespace systole::report
