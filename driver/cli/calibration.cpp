// SPDX-License-Identifier: Apache-2.0
#include "calibration.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "errors.hpp"
#include "progress_bar.hpp"
#include "quantizer/samples.hpp"

namespace systole::cli {

Calibrated calibrated(const graph::Graph& model, const Calibration& calibration, const quantizer::Options& options) {
  std::vector<quantizer::Sample> samples;
  try {
    samples = quantizer::read_samples(calibration.files, model, calibration.count);
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("--calibrate: {}", error.what()));
  }
  ProgressBar bar("quantizing", ProgressBar::Unit::kSamples);
  quantizer::Options watched = options;
  if (const auto draw = bar.hook()) {
    // Both stages run networks over samples, the second one two.
    const std::size_t compared = std::min(options.compared_samples, samples.size());
    watched.progress = [draw, of = samples.size() + compared](const quantizer::Progress& progress) {
      const std::size_t before = progress.stage == quantizer::Progress::Stage::kCalibration ? 0 : of - progress.of;
      draw(before + progress.done, static_cast<std::int64_t>(of));
    };
  }
  return {quantizer::quantize(model, samples, watched), samples.size()};
}

}  // namespace systole::cli
