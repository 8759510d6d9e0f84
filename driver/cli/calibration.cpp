// SPDX-License-Identifier: Apache-2.0
#include "calibration.hpp"

#include <fmt/core.h>

#include "errors.hpp"
#include "quantizer/samples.hpp"

namespace systole::cli {

Calibrated calibrated(const graph::Graph& model, const Calibration& calibration, const quantizer::Options& options) {
  std::vector<quantizer::Sample> samples;
  try {
    samples = quantizer::read_samples(calibration.path, model, calibration.count);
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("--calibrate: {}", error.what()));
  }
  return {quantizer::quantize(model, samples, options), samples.size()};
}

}  // namespace systole::cli
