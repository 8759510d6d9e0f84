// SPDX-License-Identifier: Apache-2.0
// Quantizes float networks with samples from files.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "systole/quantizer.hpp"

namespace systole::cli {

struct Calibration {
  std::vector<std::string> files;  ///< sample files, one for each input, in the forms of quantizer::read_samples()
  std::size_t count = 512;         ///< samples at most; 0: all
};

struct Calibrated {
  quantizer::Result result;
  std::size_t samples = 0;  ///< number of samples used
};

/// Shows progress on a terminal. Throws InputError, beginning with --calibrate, for samples that cannot be read or do
/// not fit the network.
Calibrated calibrated(const graph::Graph& model, const Calibration& calibration,
                      const quantizer::Options& options = {});

}  // namespace systole::cli
