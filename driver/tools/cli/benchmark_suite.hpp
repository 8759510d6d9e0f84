// SPDX-License-Identifier: Apache-2.0
// The standard workloads, listed once: `systole bench`, the recorded cycle counts (tests/bench/baseline.json) and the
// test of the utilization targets all use this list.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "workloads.hpp"

namespace systole::cli {

/// Simulation time of a workload on the RTL.
enum class Length {
  kSmall,  ///< thousands of cycles: quick in every configuration; covers edge shapes that the others do not
  kShort,  ///< seconds at most
  kLong,
};

struct Work {
  std::string name;
  Length length = Length::kSmall;
  std::variant<MatmulShape, ConvShape> shape;
  double target = 0;      ///< required utilization in configuration `default`; 0 without a requirement
  bool standard = false;  ///< listed in the table of `systole bench`
};

/// All workloads, the standard ones first.
const std::vector<Work>& benchmark_suite();

/// The workload whose simulation speed is compared with that of the bare array, and that of networks with it.
inline constexpr const char* kYardstick = "matmul_512";
inline constexpr MatmulShape kYardstickShape = {512, 512, 512, false};

/// As run_matmul() and run_conv().
Run run_work(Device& device, const Work& work, const RunSettings& settings);

}  // namespace systole::cli
