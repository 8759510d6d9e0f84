// SPDX-License-Identifier: Apache-2.0
// Verdict of a run's comparison, as text.
#pragma once

#include <optional>
#include <string>

#include "run_file.hpp"

namespace systole::report {

struct FoundVerdict {
  std::optional<bool> exact;  ///< none if nothing was compared
  std::string text;           ///< "bit-exact", "DIFFERENT", "2 DIFFERENT", "not compared"
  std::string note;           ///< number of values and reference, or why nothing was compared; may be empty
};

/// The verdict on the whole result if the file has one, otherwise on its layers.
FoundVerdict find_verdict(const RunFile& run);

/// "bit-exact", "DIFFERENT", or "not compared".
const char* verdict_word(const std::optional<bool>& exact);

/// Whether any layer was compared separately.
bool has_layer_verdicts(const RunFile& run);

}  // namespace systole::report
