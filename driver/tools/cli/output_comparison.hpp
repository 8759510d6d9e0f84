// SPDX-License-Identifier: Apache-2.0
// Compares the outputs of `systole run`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "input_samples.hpp"
#include "run.hpp"

namespace systole::cli {

/// How much outputs may differ from those of --expect.
struct OutputLimits {
  std::vector<double> tolerance = {};  ///< values of --tolerance, empty for the default
  /// In dB: an output of real numbers is right if its signal to noise is not below it, whatever single values differ
  /// by.
  std::optional<double> signal_to_noise = {};
};

/// The limit for networks whose products are in block floating point: an error of a tenth of the values' size.
inline constexpr double kBlocksSignalToNoise = 20;

/// Compares outputs with those of --expect or, for the first sample, with the host's; the latter only if a device takes
/// part, otherwise the host would be compared with itself.
class OutputComparison {
 public:
  /// The sides that compute the operators.
  struct Parts {
    bool device = false, host = false;
  };

  /// `expected` are the files of --expect. The graph must outlive this object.
  OutputComparison(const graph::Graph& graph, const std::vector<std::string>& expected, OutputLimits limits,
                   Parts parts, bool no_compare);

  /// Run::against
  const std::string& against() const { return against_; }
  bool with_host() const { return with_host_; }

  /// Compares a sample's outputs with `expected`, unless that is empty, and adds the result to the run. Returns false
  /// if they differ.
  bool take(std::size_t sample, const std::vector<graph::Value>& outputs, const std::vector<graph::Value>& expected,
            Run& run);

  /// The advice about differing outputs: the text `waves`, unless real numbers differ from those of another program.
  std::string remedy(const std::string& waves) const;

 private:
  Tolerance tolerance_of(const graph::Tensor& tensor) const;
  Deviation judged(std::size_t sample, const graph::Tensor& tensor, const graph::Value& expected,
                   const graph::Value& actual, Run& run) const;

  const graph::Graph& graph_;
  const bool given_;  ///< whether --expect is given
  const OutputLimits limits_;
  const Parts parts_;
  bool with_host_ = false;
  bool reals_differ_ = false;
  std::string against_;
};

}  // namespace systole::cli
