// SPDX-License-Identifier: Apache-2.0
// The standard workloads, listed once: `systole bench`, the recorded cycle counts (tests/bench/baseline.json) and the
// test of the utilization targets all run these.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "workloads.hpp"

namespace systole::cli {

/// How long a workload takes on the RTL.
enum class Length {
  kSmall,  ///< thousands of cycles: a moment in every configuration; edge shapes that the others do not have
  kShort,  ///< seconds at most
  kLong,
};

struct Work {
  std::string name;
  Length length = Length::kSmall;
  std::variant<MatmulShape, ConvShape> shape;
  double target = 0;      ///< utilization to reach in configuration `default`; 0 without one
  bool standard = false;  ///< in the table that `systole bench` makes
};

/// All of them, the standard ones first.
const std::vector<Work>& all_works();

/// The workload whose simulation speed is compared with the bare array's, and networks' with it.
inline constexpr const char* kYardstick = "matmul_512";
inline constexpr MatmulShape kYardstickShape = {512, 512, 512, false};

/// As run_matmul() and run_conv().
Run run_work(Device& device, const Work& work, const RunSettings& settings);

}  // namespace systole::cli
