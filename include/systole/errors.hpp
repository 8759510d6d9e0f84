// SPDX-License-Identifier: Apache-2.0
// Errors that more than one part of the library raises.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// The core's counters contradict each other: the causes of an engine do not add up to the cycles, or its semaphores
/// not to their cause. The results of the run are not affected; the hardware is wrong.
class AccountingError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// The layers of a program do not add up to it, or one is beyond what the core can do: said of the first that is wrong.
/// `layers` names those concerned. Checked after every run; the results are not affected.
class LayerAccountingError : public AccountingError {
 public:
  LayerAccountingError(const std::string& text, std::vector<std::string> rows)
      : AccountingError(text), layers(std::move(rows)) {}
  std::vector<std::string> layers;
};

}  // namespace systole
