// SPDX-License-Identifier: Apache-2.0
// What the outputs of `systole run` are compared with, and what comes of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "input_samples.hpp"
#include "run.hpp"

namespace systole::cli {

/// Outputs are compared with those of --expect, or of the first sample with the host's: but only where a device takes
/// part, as the host would be compared with itself.
class OutputComparison {
 public:
  /// `expected` are the files of --expect, `tolerance` what --tolerance says, empty for the usual one. The graph stays.
  OutputComparison(const graph::Graph& graph, const std::vector<std::string>& expected, std::vector<double> tolerance,
                   bool device_takes_part, bool no_compare);

  /// Run::against
  const std::string& against() const { return against_; }
  bool with_host() const { return with_host_; }

  /// Compares a sample's outputs with `expected`, unless that is empty, and adds what it found to the run. False where
  /// they differ.
  bool take(std::size_t sample, const std::vector<graph::Value>& outputs, const std::vector<graph::Value>& expected,
            Run& run);

  /// What to do about outputs that differ: what `waves` says, but of real numbers, which are the host's work.
  std::string remedy(const std::string& waves) const;

 private:
  Tolerance tolerance_of(const graph::Tensor& tensor) const;

  const graph::Graph& graph_;
  const bool given_;  ///< by --expect
  const std::vector<double> tolerance_;
  bool with_host_ = false;
  bool reals_differ_ = false;
  std::string against_;
};

}  // namespace systole::cli
