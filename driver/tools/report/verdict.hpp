// SPDX-License-Identifier: Apache-2.0
// What a run's results were compared with, in words.
#pragma once

#include <optional>
#include <string>

#include "run_file.hpp"

namespace systole::report {

struct FoundVerdict {
  std::optional<bool> exact;  ///< none where nothing was compared
  std::string text;           ///< "bit-exact", "DIFFERENT", "2 DIFFERENT", "not compared"
  std::string note;           ///< how many values against what, or why none; may be empty
};

/// Of the results as a whole where the file says so, else of its layers.
FoundVerdict find_verdict(const RunFile& run);

/// "bit-exact", "DIFFERENT", or "not compared".
const char* verdict_word(const std::optional<bool>& exact);

/// Whether any layer was compared by itself.
bool has_layer_verdicts(const RunFile& run);

}  // namespace systole::report
