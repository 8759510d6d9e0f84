// SPDX-License-Identifier: Apache-2.0
// Registers and memories without reset start with random contents in every Verilated model (--x-initial unique).
// Nothing may depend on them: the same program takes the same cycles and gives the same result from any initial state.
#include <gtest/gtest.h>

#include "cases.hpp"
#include "seed.hpp"
#include "systole/backends.hpp"

namespace systole::cosim {
namespace {

constexpr int kSeeds = 6;
constexpr const char* kCases[] = {"matmul_9x8x11", "conv_k3s2c3", "conv_dilated", "max_pool_3x3_padded", "add_2x5x3x5"};

class InitialState : public ::testing::TestWithParam<const char*> {};

TEST_P(InitialState, ChangesNeitherResultNorCycles) {
  const std::uint64_t base = test::seed();
  std::uint64_t expected = 0;
  for (int i = 0; i < kSeeds; ++i) {
    BackendOptions options;
    options.configuration = "tiny";
    options.memory_bytes = std::uint64_t{1} << 20;
    options.seed = base + static_cast<std::uint64_t>(i);  // seed of the contents: nothing stalls
    Device device = Device::open(options, "rtl");
    const Case test = operator_case(device.configuration().dim, GetParam());
    EXPECT_EQ(test.run(device, {}, base), std::nullopt) << "contents of seed " << options.seed;
    const std::uint64_t cycles = device.backend().simulated_cycles();
    if (i == 0) expected = cycles;
    EXPECT_EQ(cycles, expected) << "contents of seed " << options.seed << " against those of seed " << base;
  }
}

INSTANTIATE_TEST_SUITE_P(rtl_tiny, InitialState, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(InitialState);

}  // namespace
}  // namespace systole::cosim
