// SPDX-License-Identifier: Apache-2.0
// Values that stay in device memory between runs: the same results as with values in the host's memory, no copies that
// nobody asked for, and no way out of the arena.
#include "systole/device_value.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "bindings.hpp"
#include "systole/array.hpp"
#include "systole/errors.hpp"
#include "systole/network.hpp"

namespace systole {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Value;

constexpr std::uint64_t kArena = std::uint64_t{1} << 20;  // bytes

struct Rig {
  explicit Rig(const char* backend = "model") : device(opened(backend)) {}

  static Device opened(const char* backend) {
    BackendOptions options;
    options.configuration = "tiny";
    return Device::open(options, backend);
  }

  std::vector<Value> on_host(const Graph& graph, const std::vector<Value>& inputs) {
    return Network(device, graph).run(inputs);
  }
  Network in_arena(const Graph& graph) { return {arena, compile_network(graph, device.configuration())}; }

  Device device;
  std::shared_ptr<Arena> arena = std::make_shared<Arena>(device, kArena);
};

Value floats(const graph::Shape& shape, float first) {
  std::vector<float> elements(static_cast<std::size_t>(graph::count(shape)));
  std::iota(elements.begin(), elements.end(), first);
  for (float& element : elements) {
    element /= 7;
  }
  return graph::make_value(ElementType::kFloat32, shape, elements);
}

SharedDeviceValue shared(const Value& value) { return std::make_shared<const DeviceValue>(value); }

void expect_equal(const Value& a, const Value& b) {
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.shape, b.shape);
  EXPECT_EQ(a.data, b.data);
}

/// A step of gradient descent on w: x w should become y. Returns the new w and the sum of squares.
Graph step_graph() {
  return record("step",
                {{ElementType::kFloat32, {5, 3}}, {ElementType::kFloat32, {8, 5}}, {ElementType::kFloat32, {8, 3}}},
                [](const std::vector<Array>& in) {
                  const Array error = in[1].matmul(in[0]) - in[2];
                  return std::vector{in[0] - 0.01 * in[1].transpose({1, 0}).matmul(error),
                                     (error * error).reduce(graph::ReduceKind::kSum, {})};
                });
}

void expect_state_stays(const char* backend) {
  Rig rig(backend);
  const Graph graph = step_graph();
  Network network = rig.in_arena(graph);
  const Value x = floats({8, 5}, -20), y = floats({8, 3}, 3);
  Value w = floats({5, 3}, 0);
  const SharedDeviceValue shared_x = shared(x), shared_y = shared(y);
  SharedDeviceValue shared_w = shared(w);
  for (int i = 0; i < 4; ++i) {
    const std::vector<Value> expected = rig.on_host(graph, {w, x, y});
    const std::vector<SharedDeviceValue> results = network.run_in_arena({shared_w, shared_x, shared_y});
    w = expected[0];
    shared_w = results[0];
    if (i == 3) {
      EXPECT_EQ(rig.arena->copies().to_device, x.data.size() + y.data.size() + w.data.size());
      EXPECT_EQ(rig.arena->copies().to_host, 0u);
      expect_equal(results[0]->on_host(), expected[0]);
      expect_equal(results[1]->on_host(), expected[1]);
      EXPECT_EQ(rig.arena->copies().to_host, w.data.size() + sizeof(float));
    }
  }
}

TEST(DeviceValue, StateStaysOnTheDevice) { expect_state_stays("model"); }
TEST(DeviceValue, StateStaysOnTheRtl) { expect_state_stays("rtl"); }

TEST(DeviceValue, CyclesDoNotDependOnThePlace) {
  Rig rig("rtl");
  const Graph graph = record("sum", {{ElementType::kFloat32, {40, 50}}}, [](const std::vector<Array>& in) {
    return std::vector{in[0] + in[0].reduce(graph::ReduceKind::kSum, {1}, true)};
  });
  Network network = rig.in_arena(graph);
  SharedDeviceValue value = shared(floats({40, 50}, 0));
  std::vector<SharedDeviceValue> kept;
  std::vector<std::uint64_t> cycles;
  for (int i = 0; i < 3; ++i) {
    kept.push_back(shared(floats({1 + i}, 0)));  // moves the next results by some bytes
    kept.back()->on_device(rig.arena);
    kept.push_back(network.run_in_arena({value})[0]);
    cycles.push_back(network.steps()[0].stats.cycles);
  }
  EXPECT_GT(cycles[0], 0u);
  EXPECT_EQ(cycles[1], cycles[0]);
  EXPECT_EQ(cycles[2], cycles[0]);
}

TEST(DeviceValue, UnsignedBytesAreStoredAsTheDeviceHasThem) {
  Rig rig;
  const Graph graph = record("turned", {{ElementType::kUint8, {6, 9}}}, [](const std::vector<Array>& in) {
    return std::vector{in[0].transpose({1, 0})};
  });
  std::vector<std::uint8_t> bytes(54);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{100});
  const Value x = graph::make_value(ElementType::kUint8, {6, 9}, bytes);
  Network network = rig.in_arena(graph);
  ASSERT_TRUE(network.steps()[0].on_device);
  const SharedDeviceValue turned = network.run_in_arena({shared(x)})[0];
  expect_equal(turned->on_host(), rig.on_host(graph, {x})[0]);
  EXPECT_EQ(graph::elements<std::uint8_t>(turned->on_host())[1], 109);
}

TEST(DeviceValue, HostOperatorsBetweenPrograms) {
  Rig rig;
  const Graph graph = record("roots", {{ElementType::kFloat32, {30}}}, [](const std::vector<Array>& in) {
    return std::vector{(in[0] * 3.0).unary(graph::UnaryKind::kCbrt) + 1.0, in[0] * 2.0};
  });
  const Value x = floats({30}, -10);
  Network network = rig.in_arena(graph);
  ASSERT_EQ(network.steps().size(), 3u);
  const std::vector<Value> expected = rig.on_host(graph, {x});
  const std::vector<SharedDeviceValue> results = network.run_in_arena({shared(x)});
  expect_equal(results[0]->on_host(), expected[0]);
  expect_equal(results[1]->on_host(), expected[1]);
}

TEST(DeviceValue, WeightTilesAreWrittenOnce) {
  Rig rig;
  Graph graph = record("product", {{ElementType::kFloat32, {16, 32}}, {ElementType::kFloat32, {32, 16}}},
                       [](const std::vector<Array>& in) { return std::vector{in[0].matmul(in[1])}; });
  for (graph::Operator& op : graph.operators) {
    op.arithmetic = graph::Arithmetic::kBlocks;
  }
  const Value x = floats({16, 32}, 1), w = floats({32, 16}, -90);
  Network network = rig.in_arena(graph);
  const SharedDeviceValue weights = shared(w);
  const auto copied = [&] {
    const std::uint64_t before = rig.arena->copies().to_device;
    expect_equal(network.run_in_arena({shared(x), weights})[0]->on_host(), rig.on_host(graph, {x, w})[0]);
    return rig.arena->copies().to_device - before;
  };
  EXPECT_GT(copied(), x.data.size());
  EXPECT_EQ(copied(), x.data.size());
}

TEST(DeviceValue, MemoryIsFreeWhenNobodyHoldsTheValue) {
  Rig rig;
  const std::uint64_t all = rig.arena->free_bytes();
  Network network = rig.in_arena(step_graph());
  {
    const auto results =
        network.run_in_arena({shared(floats({5, 3}, 0)), shared(floats({8, 5}, 0)), shared(floats({8, 3}, 0))});
    EXPECT_LT(rig.arena->free_bytes(), all);
  }
  EXPECT_EQ(rig.arena->free_bytes(), all);
}

TEST(DeviceValue, NoRoom) {
  Rig rig;
  const SharedDeviceValue large = shared(floats({kArena / sizeof(float) - 1000}, 0));
  large->on_device(rig.arena);
  EXPECT_THROW(shared(floats({2000}, 0))->on_device(rig.arena), Failure);
  EXPECT_NO_THROW(shared(floats({200}, 0))->on_device(rig.arena));
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DeviceValue, RefusesWhatDoesNotBelongTogether) {
  Rig rig;
  const Graph graph = step_graph();
  const std::vector<SharedDeviceValue> inputs = {shared(floats({5, 3}, 0)), shared(floats({8, 5}, 0)),
                                                 shared(floats({8, 3}, 0))};
  Network apart(rig.device, graph);
  EXPECT_NE(refusal([&] { apart.run_in_arena(inputs); }).find("network 'step' was made without an arena"),
            std::string::npos);

  Value half = floats({5, 3}, 0);
  half.data.resize(30);
  EXPECT_EQ(refusal([&] { shared(half); }), "a value of 30 bytes; float32 of shape 5x3 has 60");

  const auto other = std::make_shared<Arena>(rig.device, kArena);
  inputs[1]->on_device(other);
  EXPECT_NE(refusal([&] { rig.in_arena(graph).run_in_arena(inputs); }).find("in the arena of another client"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              rig.in_arena(graph).run_in_arena({inputs[0], inputs[0], inputs[2]});
            }).find("input 'b'"),
            std::string::npos);
}

/// A step that loads `bytes` from `src` of its bindings and stores them behind its input.
DeviceStep copying_step(std::uint32_t src, std::uint32_t bytes) {
  isa::Load load;
  load.src = src;
  load.run_bytes = bytes;
  load.piece_bytes = load.slot_bytes = static_cast<std::uint16_t>(bytes);
  load.valid_to = 1;
  DeviceStep step;
  step.program.instructions = {load.encode()};
  step.program.label_of = {0};
  step.program.labels = {"by hand"};
  step.program.binding_bytes = 128;
  step.inputs = {{0, {0, 64}}};
  step.outputs = {{1, {64, 64}}};
  return step;
}

TEST(Bindings, RefusesAnAccessToTwoTensors) {
  Rig rig;
  DeviceStep good = copying_step(32, 32), bad = copying_step(33, 32);
  EXPECT_NO_THROW(network::Bindings(good, rig.device.configuration()));
  EXPECT_THROW(network::Bindings(bad, rig.device.configuration()), InternalError);
}

TEST(Bindings, TheWindowIsTheArena) {
  Rig rig;
  DeviceStep step = copying_step(0, 32);
  network::Bindings bindings(step, rig.device.configuration());
  rig.device.place(step.program, {rig.arena, &rig.arena->range()});
  bindings.move(0, kArena - 32);
  EXPECT_NO_THROW(rig.device.run(step.program));
  bindings.move(0, kArena - 31);
  try {
    rig.device.run(step.program);
    FAIL() << "read behind the arena";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code, isa::ErrorCode::kWindow);
  }
}

}  // namespace
}  // namespace systole
