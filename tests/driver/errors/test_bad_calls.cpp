// SPDX-License-Identifier: Apache-2.0
// Public calls with values that they cannot take: each throws a systole::Error, and a text.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "systole/backends.hpp"
#include "systole/configurations.hpp"
#include "systole/container.hpp"
#include "systole/execute.hpp"
#include "systole/execution_plan.hpp"
#include "systole/golden.hpp"
#include "systole/import_model.hpp"
#include "systole/network.hpp"
#include "systole/operators.hpp"
#include "systole/quantizer.hpp"
#include "systole/zoo.hpp"

namespace systole {
namespace {

BackendOptions small() {
  BackendOptions options;
  options.configuration = "tiny";
  options.memory_bytes = std::uint64_t{1} << 20;
  return options;
}

/// What the calls work on.
struct Place {
  Device device = Device::open(small(), "model");
  Device other = Device::open(small(), "model");
  HostTensor8 image{1, 4, 4, 2, std::vector<std::int8_t>(32)};
  std::vector<std::int8_t> bytes = std::vector<std::int8_t>(12);
  std::vector<std::int8_t> weights = std::vector<std::int8_t>(2 * 3 * 3 * 2);
  ConvOptions convolution = [] {
    ConvOptions options;
    options.window.kernel_h = options.window.kernel_w = 3;
    return options;
  }();
  Requantize scale;
  Buffer buffer = device.allocate(64);

  Requantize scaled(const std::function<void(Requantize&)>& change) const {
    Requantize changed = scale;
    change(changed);
    return changed;
  }
  ConvOptions window(const std::function<void(ConvOptions&)>& change) const {
    ConvOptions changed = convolution;
    change(changed);
    return changed;
  }
};

struct BadCall {
  const char* name;
  std::function<void(Place&)> call;
};

BackendOptions with(const std::function<void(BackendOptions&)>& change) {
  BackendOptions options = small();
  change(options);
  return options;
}

std::string damaged_file(const std::string& ending, const std::string& content) {
  const std::string path = (std::filesystem::temp_directory_path() / ("systole_bad_calls" + ending)).string();
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

/// A program of one instruction word that no engine knows.
Program unknown_instruction() {
  Program program;
  program.instructions = {isa::Instruction{{0xEE}}};
  program.label_of = {0};
  program.labels = {"unknown"};
  return program;
}

Program waits_for_nobody() {
  isa::Conv conv;
  conv.in_width = conv.out_width = 1;
  conv.sem = {3, 1, 0, 0, 0, 0, 0, 0};
  Program program = unknown_instruction();
  program.instructions = {conv.encode()};
  return program;
}

const std::vector<BadCall>& bad_calls() {
  constexpr int kHuge = std::numeric_limits<int>::max();
  static const std::vector<BadCall> calls = {
      {"open: back end", [](Place&) { Device::open(small(), "fpga"); }},
      {"open: configuration",
       [](Place&) { Device::open(with([](auto& o) { o.configuration = "colossal"; }), "model"); }},
      {"open: no memory", [](Place&) { Device::open(with([](auto& o) { o.memory_bytes = 0; }), "model"); }},
      {"open: odd memory", [](Place&) { Device::open(with([](auto& o) { o.memory_bytes = 4097; }), "model"); }},
      {"open: too much memory",
       [](Place&) { Device::open(with([](auto& o) { o.memory_bytes = std::uint64_t{1} << 62; }), "model"); }},
      {"open: lockstep of the model", [](Place&) { Device::open(with([](auto& o) { o.lockstep = true; }), "model"); }},
      {"find_configuration", [](Place&) { find_configuration(""); }},
      {"zoo", [](Place&) { zoo::network("alexnet", 1); }},
      {"allocate", [](Place& p) { p.device.allocate(std::uint64_t{1} << 40); }},
      {"allocate: all bits", [](Place& p) { p.device.allocate(~std::uint64_t{0}); }},
      {"write: beyond", [](Place& p) { p.device.write(p.buffer, p.bytes.data(), 12, 60); }},
      {"read: beyond", [](Place& p) { p.device.read(p.buffer, p.bytes.data(), 12, ~std::uint64_t{0}); }},
      {"read: empty buffer", [](Place& p) { p.device.read(Buffer(), p.bytes.data(), 1); }},
      {"read_memory", [](Place& p) { p.device.backend().read_memory(~std::uint64_t{0}, p.bytes.data(), 8); }},
      {"read_register", [](Place& p) { p.device.backend().read_register(0xFFC); }},
      {"write_register", [](Place& p) { p.device.backend().write_register(0xFFC, 1); }},
      {"run: unknown instruction",
       [](Place& p) {
         Program program = unknown_instruction();
         p.device.run(program);
       }},
      {"run: unknown instruction, checked",
       [](Place& p) {
         Program program = unknown_instruction();
         RunOptions options;
         options.check = true;
         p.device.run(program, options);
       }},
      {"run: deadlock",
       [](Place& p) {
         Program program = waits_for_nobody();
         p.device.run(program);
       }},
      {"run: deadlock admitted",
       [](Place& p) {
         Program program = waits_for_nobody();
         RunOptions options;
         options.admit_deadlocks = true;
         p.device.run(program, options);
       }},
      {"run: another device's program",
       [](Place& p) {
         Program program = unknown_instruction();
         program.scratch_bytes = 64;
         p.other.place(program);
         p.device.run(program);
       }},
      {"run: longer than the ring",
       [](Place& p) {
         Program program = unknown_instruction();
         program.instructions.resize(std::size_t{1} << 20);
         program.label_of.resize(std::size_t{1} << 20);
         RunOptions options;
         options.admit_deadlocks = true;
         p.device.run(program, options);
       }},
      {"encode: field too wide",
       [](Place&) {
         isa::Instruction i{};
         isa::put(i, 0, 4, 16);
       }},
      {"encode: signed field",
       [](Place&) {
         isa::Instruction i{};
         isa::put_signed(i, 0, 4, 8);
       }},
      {"matmul: too few elements", [](Place& p) { matmul(p.device, p.bytes, p.bytes, 3, 4, 4, {}, p.scale); }},
      {"matmul: no rows", [](Place& p) { matmul(p.device, {}, p.bytes, 0, 4, 3, {}, p.scale); }},
      {"matmul: negative rows", [](Place& p) { matmul(p.device, p.bytes, p.bytes, -3, -4, -3, {}, p.scale); }},
      {"matmul: sizes that overflow", [](Place& p) { matmul_raw(p.device, p.bytes, p.bytes, kHuge, kHuge, kHuge); }},
      {"matmul: bias",
       [](Place& p) {
         matmul(p.device, p.bytes, p.bytes, 3, 4, 3, {1, 2}, p.scale);
       }},
      {"matmul: zero point", [](Place& p) { matmul(p.device, p.bytes, p.bytes, 3, 4, 3, {}, p.scale, 999); }},
      {"matmul: clamp",
       [](Place& p) {
         matmul(p.device, p.bytes, p.bytes, 3, 4, 3, {}, p.scaled([](auto& r) { r.clamp_min = 5, r.clamp_max = 4; }));
       }},
      {"matmul: output zero point",
       [](Place& p) {
         matmul(p.device, p.bytes, p.bytes, 3, 4, 3, {}, p.scaled([](auto& r) { r.zero_point = 300; }));
       }},
      {"matmul: scales",
       [](Place& p) { matmul(p.device, p.bytes, p.bytes, 3, 4, 3, {}, p.scaled([](auto& r) { r.scale.resize(2); })); }},
      {"matmul: no scale",
       [](Place& p) { matmul(p.device, p.bytes, p.bytes, 3, 4, 3, {}, p.scaled([](auto& r) { r.scale.clear(); })); }},
      {"matmul: shift",
       [](Place& p) {
         matmul(p.device, p.bytes, p.bytes, 3, 4, 3, {}, p.scaled([](auto& r) { r.scale = {{1 << 30, 99}}; }));
       }},
      {"conv2d: weights", [](Place& p) { conv2d(p.device, p.image, p.bytes, 2, {}, p.convolution, p.scale); }},
      {"conv2d: no channels", [](Place& p) { conv2d(p.device, p.image, {}, 0, {}, p.convolution, p.scale); }},
      {"conv2d: negative channels",
       [](Place& p) { conv2d(p.device, p.image, p.weights, -2, {}, p.convolution, p.scale); }},
      {"conv2d: groups",
       [](Place& p) { conv2d(p.device, p.image, p.weights, 2, {}, p.window([](auto& c) { c.groups = 3; }), p.scale); }},
      {"conv2d: no groups",
       [](Place& p) { conv2d(p.device, p.image, p.weights, 2, {}, p.window([](auto& c) { c.groups = 0; }), p.scale); }},
      {"conv2d: stride",
       [](Place& p) {
         conv2d(p.device, p.image, p.weights, 2, {}, p.window([](auto& c) { c.window.stride_h = 0; }), p.scale);
       }},
      {"conv2d: kernel",
       [](Place& p) {
         conv2d(p.device, p.image, p.weights, 2, {}, p.window([](auto& c) { c.window.kernel_h = -1; }), p.scale);
       }},
      {"conv2d: padding",
       [](Place& p) {
         conv2d_raw(p.device, p.image, p.weights, 2, {}, p.window([](auto& c) { c.window.pad_top = -1; }));
       }},
      {"conv2d: image",
       [](Place& p) {
         p.image.data.pop_back();
         conv2d_raw(p.device, p.image, p.weights, 2, {}, p.convolution);
       }},
      {"dense", [](Place& p) { dense(p.device, p.bytes, p.bytes, 3, 5, 3, {}, 0, p.scale); }},
      {"max_pool",
       [](Place& p) {
         Window window;
         window.kernel_h = 9;
         max_pool(p.device, p.image, window);
       }},
      {"max_pool: padding alone",
       [](Place& p) {
         Window window;
         window.pad_top = 3;
         max_pool(p.device, p.image, window);
       }},
      {"average_pool: taps",
       [](Place& p) {
         Window window;
         window.kernel_h = window.kernel_w = 100;
         window.pad_top = window.pad_bottom = window.pad_left = window.pad_right = 50;
         average_pool(p.device, p.image, window);
       }},
      {"add: shapes",
       [](Place& p) {
         add(p.device, p.image, HostTensor8{1, 1, 1, 1, {0}}, AddParams{});
       }},
      {"add: zero point",
       [](Place& p) {
         AddParams params;
         params.lhs_zero_point = 200;
         add(p.device, p.image, p.image, params);
       }},
      {"multiply: clamp",
       [](Place& p) {
         MultiplyParams params;
         params.clamp_min = 1, params.clamp_max = 0;
         multiply(p.device, p.image, p.image, params);
       }},
      {"lookup",
       [](Place& p) {
         lookup(p.device, HostTensor8{1, 1, 1, 2, {0}}, {});
       }},
      {"golden::matmul", [](Place& p) { golden::matmul_raw(p.bytes, p.bytes, 3, 5, 3); }},
      {"golden::matmul: negative", [](Place& p) { golden::matmul_raw(p.bytes, p.bytes, -3, -4, -3); }},
      {"golden::conv2d", [](Place& p) { golden::conv2d_raw(p.image, p.bytes, 2, {}, p.convolution); }},
      {"golden::add",
       [](Place& p) {
         golden::add(p.image, HostTensor8{1, 3, 1, 1, {0, 0, 0}}, AddParams{});
       }},
      {"quantize_multiplier", [](Place&) { quantize_multiplier(-1); }},
      {"quantize_multiplier: not a number",
       [](Place&) { quantize_multiplier(std::numeric_limits<double>::quiet_NaN()); }},
      {"import_model: no file", [](Place&) { graph::import_model("/nowhere/model.tflite"); }},
      {"import_model: a folder", [](Place&) { graph::import_model("/"); }},
      {"import_model: no format", [](Place&) { graph::import_model(damaged_file(".txt", "neither of them")); }},
      {"import_model: truncated", [](Place&) { graph::import_model(damaged_file(".tflite", "\x1c\0\0\0TFL3\1\2\3")); }},
      {"import_model: damaged ONNX", [](Place&) { graph::import_model(damaged_file(".onnx", "\x08\x07\xFF\xFF")); }},
      {"container: empty", [](Place&) { container::Container(graph::Bytes{}); }},
      {"container: damaged",
       [](Place&) {
         graph::Bytes file = container::save(zoo::ad(1));
         file[file.size() / 2] ^= 1;
         container::Container(file).graph();
       }},
      {"container: not compiled",
       [](Place& p) { container::Container(container::save(zoo::ad(1))).network(p.device.configuration()); }},
      {"Network: another configuration",
       [](Place& p) {
         Device large =
             Device::open(with([](auto& o) { o.configuration = "small", o.memory_bytes = 1 << 24; }), "model");
         Network(p.device, compile_network(zoo::ad(1), large.configuration()));
       }},
      {"Network: memory too small",
       [](Place&) {
         Device little = Device::open(with([](auto& o) { o.memory_bytes = 1 << 17; }), "model");
         Network(little, zoo::ad(1));
       }},
      {"Network::run: no inputs",
       [](Place&) {
         Device device = Device::open({}, "model");
         Network(device, zoo::ad(1)).run({});
       }},
      {"Network::run: shape",
       [](Place&) {
         Device device = Device::open({}, "model");
         Network(device, zoo::ad(1)).run({graph::Value{graph::ElementType::kInt8, {1}, graph::Bytes(1)}});
       }},
      {"Network::run: the root of a negative number",
       [](Place& p) {
         graph::Graph graph;
         graph::Tensor tensor;
         tensor.shape = {4};
         tensor.quantization = graph::Quantization{{0.5F}, {-3}, 0};
         graph.tensors = {tensor, tensor};
         graph.tensors[0].name = "x";
         graph.tensors[1].name = "y";
         graph.inputs = {0};
         graph.outputs = {1};
         graph::Operator root;
         root.name = "root";
         root.kind = graph::Unary{graph::UnaryKind::kReciprocalSqrt, 0, 0};
         root.inputs = {0};
         root.outputs = {1};
         graph.operators = {root};
         Network network(p.device, graph);
         EXPECT_TRUE(network.steps().at(0).on_device);
         network.run({graph::make_value(graph::ElementType::kInt8, {4}, std::vector<std::int8_t>{-3, 1, 2, 127})});
         network.run({graph::make_value(graph::ElementType::kInt8, {4}, std::vector<std::int8_t>{1, 2, -4, 3})});
       }},
      {"execute", [](Place&) { graph::execute(zoo::ad(1), {}); }},
      {"elements",
       [](Place&) {
         graph::elements<float>({graph::ElementType::kInt8, {1}, graph::Bytes(1)});
       }},
      {"count", [](Place&) { graph::count({-1}); }},
      {"count: overflow",
       [](Place&) {
         graph::count({kHuge, kHuge, kHuge});
       }},
      {"validate",
       [](Place&) {
         graph::Graph graph = zoo::ad(1);
         graph.inputs = {-7};
         validate(graph);
       }},
      {"plan_execution",
       [](Place& p) {
         graph::Graph graph = zoo::ad(1);
         graph.operators.front().outputs.clear();
         plan_execution(graph, p.device.configuration());
       }},
      {"save: not valid",
       [](Place&) {
         graph::Graph graph = zoo::ad(1);
         graph.outputs = {100'000};
         container::Container(container::save(graph)).graph();
       }},
      {"Graph::tensor: too large", [](Place&) { zoo::ad(1).tensor(100'000); }},
      {"Graph::tensor: none", [](Place&) { zoo::ad(1).tensor(graph::kNoTensor); }},
      {"quantize: no samples", [](Place&) { quantizer::quantize(zoo::ad(1), {}); }},
  };
  return calls;
}

class BadCalls : public testing::TestWithParam<BadCall> {};

TEST_P(BadCalls, ThrowError) {
  Place place;
  try {
    GetParam().call(place);
    FAIL() << GetParam().name << ": threw nothing";
  } catch (const Error& error) {
    EXPECT_GT(std::string(error.what()).size(), 10U) << error.what();
  } catch (const std::exception& error) {
    FAIL() << GetParam().name << ": no systole::Error, but " << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, BadCalls, testing::ValuesIn(bad_calls()), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      c = '_';
    }
  }
  return name;
});

}  // namespace
}  // namespace systole
