// SPDX-License-Identifier: Apache-2.0
// Lockstep on the correct core: reports nothing, and costs no cycle.
#include <gtest/gtest.h>

#include <algorithm>

#include "cases.hpp"
#include "classify.hpp"
#include "digits_network.hpp"
#include "idx.hpp"
#include "seed.hpp"
#include "systole/backends.hpp"
#include "systole/lockstep.hpp"

namespace systole::cosim {
namespace {

BackendOptions options_for(const char* configuration, bool lockstep, bool stalled = false) {
  BackendOptions options;
  options.configuration = configuration;
  options.memory_bytes = std::uint64_t{64} << 20;
  options.seed = test::seed();
  options.lockstep = lockstep;
  if (stalled) {
    options.stall_percent = 30;
    options.order = ResponseOrder::kRandom;
  }
  return options;
}

/// Runs every case with and without lockstep: both must be right, in the same number of cycles.
void run_both(const char* configuration, bool stalled, const std::vector<Case>& cases) {
  Device plain = Device::open(options_for(configuration, false, stalled), "rtl");
  Device lockstep = Device::open(options_for(configuration, true, stalled), "rtl");
  RunOptions checked;
  checked.check = true;  // lockstep requires race-free programs
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    const std::uint64_t seed = 77 + test.name.size();
    EXPECT_EQ(test.run(plain, {}, seed), std::nullopt);
    EXPECT_EQ(test.run(lockstep, checked, seed), std::nullopt);
    ASSERT_EQ(plain.backend().simulated_cycles(), lockstep.backend().simulated_cycles());
  }
}

TEST(Lockstep, FindsNothingInTheOperatorsOnTiny) { run_both("tiny", false, operator_cases(4)); }

TEST(Lockstep, FindsNothingOnAStalledMemory) {
  std::vector<Case> cases = operator_cases(4);
  std::size_t i = 0;
  cases.erase(std::remove_if(cases.begin(), cases.end(), [&](const Case&) { return i++ % 4 != 0; }), cases.end());
  run_both("tiny", true, cases);
}

#ifdef SYSTOLE_TEST_DEFAULT
TEST(Lockstep, FindsNothingOnDefault) {
  std::vector<Case> cases;
  for (const char* name : {"matmul_32x33x47", "conv_k3s1c17", "max_pool_3x3_padded", "add_2x5x3x17"}) {
    for (const Case& test : operator_cases(16)) {
      if (test.name == name) cases.push_back(test);
    }
  }
  ASSERT_EQ(cases.size(), 4u);
  run_both("default", false, cases);
}
#endif

TEST(Lockstep, FindsNothingInDigits) {
  const digits::Network network = digits::shipped_network();
  const digits::Pictures pictures = digits::parse_pictures(digits::shipped_pictures(), "shipped pictures", 1);
  std::uint64_t cycles[2] = {};
  for (const bool lockstep : {false, true}) {
    Device device = Device::open(options_for("tiny", lockstep), "rtl");
    digits::ClassifyOptions options;
    options.run.check = lockstep;
    const digits::Outcome outcome = digits::classify(device, network, pictures, options);
    EXPECT_TRUE(outcome.bit_exact());
    cycles[lockstep] = device.backend().simulated_cycles();
  }
  EXPECT_EQ(cycles[0], cycles[1]);
}

TEST(Lockstep, NeedsTheRtl) {
  try {
    Device::open(options_for("tiny", true), "model");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("lockstep: "), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace systole::cosim
