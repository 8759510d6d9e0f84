// SPDX-License-Identifier: Apache-2.0
#include "output_comparison.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "signal_to_noise.hpp"

namespace systole::cli {

OutputComparison::OutputComparison(const graph::Graph& graph, const std::vector<std::string>& expected,
                                   OutputLimits limits, Parts parts, bool no_compare)
    : graph_(graph), given_(!expected.empty()), limits_(std::move(limits)), parts_(parts) {
  if (given_) {
    against_ = fmt::format("{}", fmt::join(expected, ", "));
  } else if (!parts.device) {
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
  if (const std::vector<double>& given = limits_.tolerance; !given.empty()) {
    return {given[0], given.size() > 1 ? given[1] : 0};
  }
  return given_ ? usual_tolerance(tensor.type) : Tolerance{};
}

Deviation OutputComparison::judged(std::size_t sample, const graph::Tensor& tensor, const graph::Value& expected,
                                   const graph::Value& actual, Run& run) const {
  const bool reals = !usual_tolerance(tensor.type).exact();
  if (!given_ || !limits_.signal_to_noise || !reals || expected.data == actual.data) {
    return deviation(sample, tensor, expected, actual, tolerance_of(tensor));
  }
  const double found = signal_to_noise(expected, actual);
  run.least_signal_to_noise = *limits_.signal_to_noise;
  run.signal_to_noise = std::min(run.signal_to_noise, found);
  Deviation result;
  result.within = found >= *limits_.signal_to_noise;
  if (!result.within) {
    result.first = fmt::format("sample {}, output '{}': signal to noise of {:.1f} dB; at least {:g} dB is asked for",
                               sample, tensor.name, found, *limits_.signal_to_noise);
  }
  return result;
}

bool OutputComparison::take(std::size_t sample, const std::vector<graph::Value>& outputs,
                            const std::vector<graph::Value>& expected, Run& run) {
  bool same = true;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const graph::Tensor& tensor = graph_.tensor(graph_.outputs[i]);
    const Deviation found = judged(sample, tensor, expected[i], outputs[i], run);
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
  if (!reals_differ_ || !given_) {
    return waves;
  }
  const char* kBitForBit = "without --expect, device and host are compared bit for bit";
  if (limits_.signal_to_noise) {
    return fmt::format("--min-sqnr DB sets another limit, --tolerance ABSOLUTE,RELATIVE judges value by value; {}",
                       kBitForBit);
  }
  return fmt::format(
      "{}: --tolerance ABSOLUTE,RELATIVE allows such differences, --min-sqnr DB judges the output as a "
      "whole; {}",
      parts_.host ? "the host computes operators of this network in floating point"
                  : "this output is in floating point, where programs sum in different orders",
      kBitForBit);
}

}  // namespace systole::cli
