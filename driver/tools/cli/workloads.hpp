// SPDX-License-Identifier: Apache-2.0
// Operators on seeded random data, run on a device and compared with the golden model.
#pragma once

#include <cstdint>
#include <string>

#include "options.hpp"
#include "run.hpp"
#include "systole/operators.hpp"

namespace systole::cli {

struct MatmulShape {
  int m = 64, n = 64, k = 64;
  bool raw = false;  ///< int32 sums instead of requantized int8
};

struct ConvShape {
  int batch = 1, height = 16, width = 16;
  int cin = 16, cout = 16;
  Window window;
  int groups = 1;
  bool raw = false;
};

/// When the golden model runs.
enum class GoldenTime {
  kAlongside,  ///< in a second thread while the device runs: finishes sooner
  kBefore,     ///< before the device, so that its speed is measured undisturbed
};

struct RunSettings {
  std::uint64_t seed = 1;
  GoldenTime golden = GoldenTime::kAlongside;
  RunOptions run;  ///< its `progress` is replaced by a progress bar
};

/// The settings for a command's options.
RunSettings settings_of(const DeviceOptions& options);

/// Draws a progress bar during the run. Throws std::invalid_argument for an impossible shape, and what Device::run
/// throws.
Run run_matmul(Device& device, const std::string& name, const MatmulShape& shape, const RunSettings& settings);
Run run_conv(Device& device, const std::string& name, const ConvShape& shape, const RunSettings& settings);

}  // namespace systole::cli
