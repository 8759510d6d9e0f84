// SPDX-License-Identifier: Apache-2.0
// Tests with every outcome, for the tests of main.cpp.
#include <gtest/gtest.h>

TEST(Probe, Passes) {}
TEST(Probe, Fails) { FAIL() << "on purpose"; }
TEST(Probe, Skips) { GTEST_SKIP() << "on purpose"; }
