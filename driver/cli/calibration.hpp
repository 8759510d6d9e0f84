// SPDX-License-Identifier: Apache-2.0
// Float networks quantized by samples in files.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "quantizer/quantizer.hpp"

namespace systole::cli {

struct Calibration {
  std::string path;          ///< of the samples, in the forms of quantizer::read_samples()
  std::size_t count = 512;   ///< of them, at most; 0: all
};

struct Calibrated {
  quantizer::Result result;
  std::size_t samples = 0;  ///< that were used
};

/// Throws InputError, beginning with --calibrate, for samples that cannot be read or do not fit the network.
Calibrated calibrated(const graph::Graph& model, const Calibration& calibration, const quantizer::Options& options = {});

}  // namespace systole::cli
