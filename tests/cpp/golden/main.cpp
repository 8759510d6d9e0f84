// SPDX-License-Identifier: Apache-2.0
// GoogleTest's main, with the property tests seeded like every other randomized test.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "seed.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const auto seed = systole::test::seed();
  ::setenv("RC_PARAMS", fmt::format("seed={} max_success=200", seed).c_str(), /*overwrite=*/0);
  return RUN_ALL_TESTS();
}
