// SPDX-License-Identifier: Apache-2.0
// Runs that the caller cancels, on every back end: the device can be used afterwards.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "systole/backends.hpp"
#include "systole/device.hpp"
#include "systole/errors.hpp"
#include "systole/observer.hpp"
#include "systole/operators.hpp"

namespace systole {
namespace {

constexpr int kSize = 48;  // tens of thousands of cycles on `tiny`

struct Asked {
  int calls = 0;
  RunOptions stop_at(int call) {
    RunOptions options;
    options.cancel = [this, call] { return ++calls >= call; };
    return options;
  }
};

class Cancel : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!has_backend(GetParam())) {
      GTEST_SKIP() << "no back end " << GetParam() << " in this build";
    }
    BackendOptions options;
    options.configuration = "tiny";
    device_.emplace(Device::open(options, GetParam()));
  }
  std::vector<std::int32_t> multiply(const RunOptions& options) {
    const std::vector<std::int8_t> a(kSize * kSize, 3), b(kSize * kSize, -2);
    return matmul_raw(*device_, a, b, kSize, kSize, kSize, options).tensor.data;
  }
  std::optional<Device> device_;
};

TEST_P(Cancel, EndsTheRunAndLeavesTheDeviceUsable) {
  Asked never;
  const auto expected = multiply(never.stop_at(1 << 30));
  ASSERT_GT(never.calls, 4) << "the run is too short to be cancelled within it";
  for (const int call : {1, never.calls / 2, never.calls}) {
    Asked asked;
    EXPECT_THROW(multiply(asked.stop_at(call)), Cancelled);
    EXPECT_EQ(asked.calls, call) << "asked again after it was cancelled";
    EXPECT_EQ(multiply({}), expected);
  }
}

/// An observer that cannot write its file, for example.
class FailsAtTheEnd : public Observer {
 public:
  void run_ended(std::uint64_t /*cycle*/) override { throw Failure("observer: cannot end"); }
};

TEST_P(Cancel, LeavesTheDeviceUsableWhereAnObserverFails) {
  const auto expected = multiply({});
  const auto observer = std::make_shared<FailsAtTheEnd>();
  device_->attach(observer);
  Asked asked;
  EXPECT_THROW(multiply(asked.stop_at(3)), Cancelled);
  device_->detach(*observer);
  EXPECT_EQ(multiply({}), expected);
}

INSTANTIATE_TEST_SUITE_P(All, Cancel, testing::Values("model", "rtl"));

}  // namespace
}  // namespace systole
