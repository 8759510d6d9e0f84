// SPDX-License-Identifier: Apache-2.0
#include "verdict.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "terminal.hpp"

namespace systole::report {

const char* verdict_word(const std::optional<bool>& exact) {
  return !exact ? "not compared" : *exact ? "bit-exact" : "DIFFERENT";
}

bool has_layer_verdicts(const RunFile& run) {
  return std::any_of(run.layers.begin(), run.layers.end(),
                     [](const Layer& layer) { return layer.bit_exact.has_value(); });
}

FoundVerdict find_verdict(const RunFile& run) {
  FoundVerdict verdict;
  const auto wrong =
      std::count_if(run.layers.begin(), run.layers.end(), [](const Layer& layer) { return layer.bit_exact == false; });
  verdict.exact = has_layer_verdicts(run) ? total(run).bit_exact : run.bit_exact;
  if (wrong > 0) {
    verdict.exact = false;
  }
  verdict.text = wrong > 1 ? fmt::format("{} DIFFERENT", wrong) : verdict_word(verdict.exact);
  if (run.values > 0) {
    verdict.note = fmt::format("{} against {}", cli::counted(run.values, "value"), run.against);
  } else {
    verdict.note = run.against;
  }
  return verdict;
}

}  // namespace systole::report
