// SPDX-License-Identifier: Apache-2.0
// main() of every GoogleTest program. GoogleTest itself succeeds when its filter matches nothing and when every test
// was skipped; here the former is a failure, and the latter has its own exit code. RapidCheck, where used, takes the
// seed of the other randomized tests and prints it.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "seed.hpp"

namespace {

/// Value of CTest's property SKIP_RETURN_CODE for tests that may skip; otherwise it is a failure.
constexpr int kSkipped = 77;

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("RC_PARAMS", fmt::format("seed={} max_success=200", systole::test::quiet_seed()).c_str(), /*overwrite=*/0);
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  if (failed != 0 || testing::GTEST_FLAG(list_tests)) {
    return failed;
  }
  if (tests.test_to_run_count() == 0) {
    fmt::print(stderr, "no test matches --gtest_filter={}\n", std::string(testing::GTEST_FLAG(filter)));
    return 1;
  }
  return tests.skipped_test_count() > 0 ? kSkipped : 0;
}
