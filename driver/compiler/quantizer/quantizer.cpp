// SPDX-License-Identifier: Apache-2.0
#include "systole/quantizer.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "emit_quantized.hpp"
#include "equalize.hpp"
#include "loss_report.hpp"
#include "prepare.hpp"

namespace systole::quantizer {
namespace {

/// Number of samples for the report.
std::size_t compared(const graph::Graph& graph, std::size_t samples, const Options& options) {
  constexpr std::uint64_t kCheap = 10'000'000'000;
  constexpr std::size_t kPart = 4;
  const std::size_t count = std::min(samples, options.compared_samples);
  std::uint64_t macs = 0;
  for (const graph::Operator& op : graph.operators) {
    macs += useful_macs(graph, op);
  }
  return macs * count > kCheap ? std::min(count, std::max<std::size_t>(1, samples / kPart)) : count;
}

}  // namespace

Result quantize(const graph::Graph& model, const std::vector<Sample>& samples, const Options& options) {
  if (samples.empty()) {
    throw graph::GraphError("quantization needs at least one calibration sample; some hundred are recommended");
  }
  if (!(options.percentile > 50 && options.percentile <= 100)) {
    throw graph::GraphError(
        fmt::format("a percentile of {}; it is above 50 and at most 100, such as 99.99", options.percentile));
  }
  if (!model.states.empty()) {
    throw graph::GraphError(
        fmt::format("'{}' keeps variables from sample to sample; such networks are not quantized: convert it to int8 "
                    "where it comes from",
                    model.name));
  }
  Result result;
  result.prepared = prepare(model);
  const std::vector<LayerPair> pairs =
      options.equalization == Equalization::kOff ? std::vector<LayerPair>{} : find_pairs(result.prepared);
  Observations observations =
      calibrate(result.prepared, samples, divided_tensors(result.prepared, pairs), options.progress);
  std::vector<std::string> equalized = equalize(result.prepared, pairs, observations, options);
  const Scheme scheme = choose_scheme(result.prepared, observations, options);
  Emitted emitted = emit(result.prepared, scheme, options.border);
  result.report = compare(result.prepared, scheme, emitted, samples, compared(result.prepared, samples.size(), options),
                          options.progress);
  result.report.equalized = std::move(equalized);
  result.graph = std::move(emitted.graph);
  return result;
}

}  // namespace systole::quantizer
