// SPDX-License-Identifier: Apache-2.0
// Compares the outputs of `systole run`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "input_samples.hpp"
#include "run.hpp"

namespace systole::cli {

/// Compares outputs with those of --expect or, for the first sample, with the host's; the latter only if a device takes
/// part, otherwise the host would be compared with itself.
class OutputComparison {
 public:
  /// `expected` are the files of --expect, `tolerance` the values of --tolerance, empty for the default. The graph must
  /// outlive this object.
  OutputComparison(const graph::Graph& graph, const std::vector<std::string>& expected, std::vector<double> tolerance,
                   bool device_takes_part, bool no_compare);

  /// Run::against
  const std::string& against() const { return against_; }
  bool with_host() const { return with_host_; }

  /// Compares a sample's outputs with `expected`, unless that is empty, and adds the result to the run. Returns false
  /// if they differ.
  bool take(std::size_t sample, const std::vector<graph::Value>& outputs, const std::vector<graph::Value>& expected,
            Run& run);

  /// What to do about differing outputs: the text `waves`; not for real numbers, which the host computes.
  std::string remedy(const std::string& waves) const;

 private:
  Tolerance tolerance_of(const graph::Tensor& tensor) const;

  const graph::Graph& graph_;
  const bool given_;  ///< whether --expect is given
  const std::vector<double> tolerance_;
  bool with_host_ = false;
  bool reals_differ_ = false;
  std::string against_;
};

}  // namespace systole::cli
