// SPDX-License-Identifier: Apache-2.0
// Functional models on threads of their own, side by side: operators, networks, files, programs that fail.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "systole/backends.hpp"
#include "systole/container.hpp"
#include "systole/execute.hpp"
#include "systole/golden.hpp"
#include "systole/network.hpp"
#include "systole/operators.hpp"
#include "systole/zoo.hpp"

namespace systole {
namespace {

constexpr int kThreads = 4;

/// Calls work(i) on kThreads threads at once; each says whether all was right.
void on_threads(const std::function<bool(int)>& work) {
  std::atomic<int> waiting = kThreads, right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      if (work(i)) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kThreads);
}

BackendOptions tiny() {
  BackendOptions options;
  options.configuration = "tiny";
  options.memory_bytes = std::uint64_t{1} << 24;
  return options;
}

std::vector<std::int8_t> numbers(int count, int step) {
  std::vector<std::int8_t> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(static_cast<std::int8_t>(i * step % 255 - 127));
  }
  return values;
}

TEST(ModelThreads, Operators) {
  on_threads([](int i) {
    Device device = Device::open(tiny(), "model");
    bool right = true;
    for (int k = 1; k < 20; ++k) {
      const HostMatrix8 a{9, k, numbers(9 * k, 37 + i)}, b{k, 6, numbers(k * 6, 59)};
      right = matmul_raw(device, a, b).tensor.data == golden::matmul_raw(a.data, b.data, 9, k, 6).data && right;
    }
    return right;
  });
}

TEST(ModelThreads, Networks) {
  on_threads([](int i) {
    const graph::Graph graph = zoo::ad(static_cast<std::uint64_t>(i));
    Device device = Device::open(tiny(), "model");
    const container::Container file(container::save(compile_network(graph, device.configuration())));
    Network network(device, file.network(device.configuration()));
    const graph::Tensor& tensor = graph.tensor(graph.inputs.front());
    const graph::Value input =
        graph::make_value(tensor.type, tensor.shape, numbers(static_cast<int>(graph::count(tensor.shape)), 41 + i));
    return network.run({input}).front().data == graph::execute(graph, {input}).front().data;
  });
}

TEST(ModelThreads, ProgramsThatFail) {
  on_threads([](int) {
    Device device = Device::open(tiny(), "model");
    int caught = 0;
    for (int i = 0; i < 20; ++i) {
      Program program;
      program.instructions = {isa::Instruction{{0xEE}}};
      program.label_of = {0};
      program.labels = {"illegal"};
      try {
        device.run(program);
      } catch (const DeviceError& error) {
        caught += error.code != isa::ErrorCode::kNone ? 1 : 0;
      }
    }
    return caught == 20;
  });
}

}  // namespace
}  // namespace systole
