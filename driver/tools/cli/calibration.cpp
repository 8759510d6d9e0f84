// SPDX-License-Identifier: Apache-2.0
#include "calibration.hpp"

#include <fmt/core.h>

#include "exit_codes.hpp"
#include "progress_bar.hpp"
#include "sample_files.hpp"

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
    watched.progress = [draw](const quantizer::Progress& progress) {
      draw(progress.done, static_cast<std::int64_t>(progress.of));
    };
  }
  return {quantizer::quantize(model, samples, watched), samples.size()};
}

}  // namespace systole::cli
