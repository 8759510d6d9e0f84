// SPDX-License-Identifier: Apache-2.0
#include "output_comparison.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace systole::cli {

OutputComparison::OutputComparison(const graph::Graph& graph, const std::vector<std::string>& expected,
                                   std::vector<double> tolerance, bool device_takes_part, bool no_compare)
    : graph_(graph), given_(!expected.empty()), tolerance_(std::move(tolerance)) {
  if (given_) {
    against_ = fmt::format("{}", fmt::join(expected, ", "));
  } else if (!device_takes_part) {
    against_ =
        "every operator ran on the host, and would be compared with itself; --expect compares with results from "
        "elsewhere";
  } else if (no_compare) {
    against_ = "--no-compare";
  } else {
    with_host_ = true;
    against_ = "the host's, of the first sample";
  }
}

/// The tolerance of the command line, or the default for results of another program. Operators that the host computes
/// on both sides give equal results.
Tolerance OutputComparison::tolerance_of(const graph::Tensor& tensor) const {
  if (!tolerance_.empty()) {
    return {tolerance_[0], tolerance_.size() > 1 ? tolerance_[1] : 0};
  }
  return given_ ? usual_tolerance(tensor.type) : Tolerance{};
}

bool OutputComparison::take(std::size_t sample, const std::vector<graph::Value>& outputs,
                            const std::vector<graph::Value>& expected, Run& run) {
  bool same = true;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const graph::Tensor& tensor = graph_.tensor(graph_.outputs[i]);
    const Deviation found = deviation(sample, tensor, expected[i], outputs[i], tolerance_of(tensor));
    run.values += static_cast<std::size_t>(graph::count(outputs[i].shape));
    run.within = run.within || found.within;
    run.largest_difference = std::max(run.largest_difference, found.largest);
    same = same && found.first.empty();
    if (run.difference.empty() && !found.first.empty()) {
      run.difference = found.first;
      reals_differ_ = !usual_tolerance(tensor.type).exact();
    }
  }
  return same;
}

std::string OutputComparison::remedy(const std::string& waves) const {
  return reals_differ_ && given_ ? "the host computes this output in floating point: --tolerance ABSOLUTE,RELATIVE "
                                   "allows such differences; "
                                   "without --expect, device and host are compared bit for bit"
                                 : waves;
}

}  // namespace systole::cli
