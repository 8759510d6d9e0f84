// SPDX-License-Identifier: Apache-2.0
// Array utilization of the Verilated core (doorbell to interrupt, memory latency 100, dense operands in device memory)
// against its targets, and against the cost model's prediction.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include "benchmark_suite.hpp"
#include "seed.hpp"
#include "systole/backends.hpp"

namespace systole::cosim {
namespace {

constexpr double kModelError = 0.03;  // maximum error of the cost model

std::vector<cli::Work> works_with_target() {
  std::vector<cli::Work> list;
  for (const cli::Work& work : cli::benchmark_suite()) {
    if (work.target > 0) {
      list.push_back(work);
    }
  }
  return list;
}

class Utilization : public ::testing::TestWithParam<cli::Work> {};

TEST_P(Utilization, ReachesItsTarget) {
  if (!has_backend("rtl")) {
    GTEST_SKIP() << "this build has no RTL back end";
  }
  const cli::Work& work = GetParam();
  Device device = Device::open({}, "rtl");
  cli::RunSettings settings;
  settings.seed = test::seed();
  const cli::Run run = cli::run_work(device, work, settings);
  fmt::print("{}: {} cycles, {:.2f} % of the array (target {:.0f} %), estimated {}\n", run.name, run.stats.cycles,
             100 * run.utilization(), 100 * work.target, run.estimated_cycles);
  EXPECT_EQ(run.verdict(), cli::Verdict::kExact) << run.difference;
  EXPECT_GE(run.utilization(), work.target);
  const auto cycles = static_cast<double>(run.stats.cycles);
  EXPECT_NEAR(static_cast<double>(run.estimated_cycles), cycles, kModelError * cycles);
  for (const auto& engine : run.stats.causes) {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : engine) {
      sum += count;
    }
    EXPECT_EQ(sum, run.stats.cycles);
  }
}

INSTANTIATE_TEST_SUITE_P(rtl_default, Utilization, ::testing::ValuesIn(works_with_target()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace systole::cosim
