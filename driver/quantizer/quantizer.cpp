// SPDX-License-Identifier: Apache-2.0
#include "quantizer/quantizer.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "quantizer/prepare.hpp"

namespace systole::quantizer {

Result quantize(const graph::Graph& model, const std::vector<Sample>& samples, const Options& options) {
  if (samples.empty()) {
    throw graph::GraphError("quantization needs at least one calibration sample; some hundred are usual");
  }
  if (!(options.percentile > 50 && options.percentile <= 100)) {
    throw graph::GraphError(fmt::format("a percentile of {}; it is above 50 and at most 100, such as 99.99", options.percentile));
  }
  Result result;
  result.prepared = prepare(model);
  std::vector<std::string> equalized =
      equalize(result.prepared, samples, options.equalization, options.calibration, options.percentile);
  const Scheme scheme =
      choose_scheme(result.prepared, calibrate(result.prepared, samples), options.calibration, options.percentile);
  Emitted emitted = emit(result.prepared, scheme, options.border);
  const auto compared = static_cast<std::ptrdiff_t>(std::min(samples.size(), options.compared_samples));
  result.report = compare(result.prepared, scheme, emitted, {samples.begin(), samples.begin() + compared});
  result.report.equalized = std::move(equalized);
  result.graph = std::move(emitted.graph);
  return result;
}

}  // namespace systole::quantizer
