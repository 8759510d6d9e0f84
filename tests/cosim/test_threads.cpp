// SPDX-License-Identifier: Apache-2.0
// Devices on several threads at the same time. Those on the RTL share SystemC's kernel and take turns.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "seed.hpp"
#include "systole/backends.hpp"
#include "systole/device.hpp"
#include "systole/golden.hpp"
#include "systole/operators.hpp"

namespace systole::cosim {
namespace {

constexpr int kThreads = 3, kDevices = 3, kProducts = 4;

/// Opens devices one after another, multiplies on each, and counts the correct products.
void multiply(const std::string& backend, std::uint64_t seed, int& right) {
  std::mt19937_64 random(seed);
  const auto bytes = [&](int count) {
    std::vector<std::int8_t> data(static_cast<std::size_t>(count));
    for (std::int8_t& value : data) value = static_cast<std::int8_t>(random());
    return data;
  };
  BackendOptions options;
  options.configuration = "tiny";
  options.memory_bytes = std::uint64_t{1} << 20;
  for (int i = 0; i < kDevices; ++i) {
    Device device = Device::open(options, backend);
    for (int j = 0; j < kProducts; ++j) {
      const auto size = [&] { return static_cast<int>(1 + random() % 12); };
      const int m = size(), n = size(), k = size();
      const std::vector<std::int8_t> a = bytes(m * k), b = bytes(k * n);
      if (matmul_raw(device, a, b, m, k, n).tensor.data == golden::matmul_raw(a, b, m, k, n).data) ++right;
    }
  }
}

void on_threads(const std::string& backend) {
  if (!has_backend(backend)) {
    GTEST_SKIP() << "this build has no back end " << backend;
  }
  std::vector<int> right(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back(multiply, backend, test::seed() + static_cast<std::uint64_t>(i),
                         std::ref(right[static_cast<std::size_t>(i)]));
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : right) EXPECT_EQ(count, kDevices * kProducts);
}

TEST(model_tiny, Threads) { on_threads("model"); }
TEST(rtl_tiny, Threads) { on_threads("rtl"); }

}  // namespace
}  // namespace systole::cosim
