// SPDX-License-Identifier: Apache-2.0
// Compiled networks written to a file and read back, and files that are refused because of their contents.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "graph_builder.hpp"
#include "network_builder.hpp"
#include "systole/configurations.hpp"
#include "systole/container.hpp"
#include "systole/generated/isa.hpp"
#include "systole/network.hpp"
#include "systole/zoo.hpp"

namespace systole::container {
namespace {

/// A convolution and a softmax, which is a kernel; then a conversion to float64, which runs on the host.
graph::Graph small_graph() {
  zoo::NetworkBuilder net("small", 1);
  const graph::TensorId image = net.input({2, 6, 6, 3});
  graph::Graph graph =
      net.finish(net.softmax(net.flatten(net.conv(image, 5, 3, 1, zoo::Border::kSame, Activation::kRelu))));
  graph::GraphBuilder more(graph, "more");
  graph.outputs = {more.append(graph::Convert{}, {graph.outputs[0]}, graph::ElementType::kFloat64)};
  return graph;
}

CompiledNetwork small_network() { return compile_network(small_graph(), find_configuration("tiny")); }

DeviceStep& first_step(CompiledNetwork& network) { return std::get<DeviceStep>(network.steps.at(0)); }

/// The message with which the changed network is refused.
std::string refusal(const std::function<void(CompiledNetwork&)>& change) {
  CompiledNetwork network = small_network();
  change(network);
  const Container contents(save(network));
  try {
    contents.network(find_configuration("tiny"));
  } catch (const ContainerError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Programs, RoundTrip) {
  for (const char* name : {"resnet8", "vww", "kws", "ad"}) {
    for (const char* configuration : {"tiny", "default"}) {
      SCOPED_TRACE(fmt::format("{} {}", name, configuration));
      BackendOptions options;
      options.configuration = configuration;
      Device compiled_on = Device::open(options, "model");
      CompiledNetwork compiled = compile_network(zoo::network(name, 1), compiled_on.configuration());
      const graph::Bytes file = save(compiled);
      Device device = Device::open(options, "model");
      const Container contents(file);
      EXPECT_EQ(contents.configuration(), configuration);
      CompiledNetwork loaded = contents.network(device.configuration());
      EXPECT_EQ(save(loaded), file);

      const graph::Tensor& input = compiled.graph.tensor(compiled.graph.inputs[0]);
      std::mt19937_64 random(9);
      graph::Value value{input.type, input.shape, graph::Bytes(static_cast<std::size_t>(graph::count(input.shape)))};
      for (std::uint8_t& byte : value.data) {
        byte = static_cast<std::uint8_t>(random());
      }
      Network before(compiled_on, std::move(compiled));
      Network after(device, std::move(loaded));
      EXPECT_EQ(before.run({value}).at(0).data, after.run({value}).at(0).data);
      ASSERT_EQ(before.steps().size(), after.steps().size());
      for (std::size_t i = 0; i < before.steps().size(); ++i) {
        EXPECT_EQ(before.steps()[i].reason, after.steps()[i].reason);
        EXPECT_EQ(before.steps()[i].predicted_cycles, after.steps()[i].predicted_cycles);
        EXPECT_EQ(before.steps()[i].layers.size(), after.steps()[i].layers.size());
      }
    }
  }
}

TEST(Programs, RoundTripOfLongerElements) {
  for (const graph::ElementType type : {graph::ElementType::kInt32, graph::ElementType::kInt64}) {
    graph::Graph graph;
    graph.tensors = {{"x", graph::ElementType::kInt8, {2, 5}, {}, nullptr}, {"y", type, {2, 1}, {}, nullptr}};
    graph::Operator op;
    op.name = "best";
    op.kind = graph::ArgExtreme{true, 1, true, false};
    op.inputs = graph.inputs = {0};
    op.outputs = graph.outputs = {1};
    graph.operators = {op};
    BackendOptions options;
    options.configuration = "tiny";
    Device compiled_on = Device::open(options, "model");
    const Container contents(save(compile_network(graph, compiled_on.configuration())));
    Device device = Device::open(options, "model");
    Network network(device, contents.network(device.configuration()));
    ASSERT_TRUE(network.steps().at(0).on_device);
    const graph::Value value{graph::ElementType::kInt8, {2, 5}, {3, 9, 1, 9, 2, 0, 0, 0, 0, 7}};
    const graph::Value found = network.run({value}).at(0);
    EXPECT_EQ(found.type, type);
    EXPECT_EQ(found.data.size(), 2 * graph::element_size(type));
    EXPECT_EQ(found.data.at(0), 1);
    EXPECT_EQ(found.data.at(graph::element_size(type)), 4);
  }
}

/// A network that adds up its samples, from 10 on.
TEST(Programs, HaveStates) {
  const auto values = [](float number) {
    return graph::make_value(graph::ElementType::kFloat32, {2}, std::vector<float>(2, number));
  };
  graph::Graph graph;
  for (const char* name : {"sample", "before", "after"}) {
    graph.tensors.push_back({name, graph::ElementType::kFloat32, {2}, {}, nullptr});
  }
  graph.operators = {{"add", "ADD", graph::Binary{graph::BinaryKind::kAdd}, graph::Arithmetic::kOnnx, {0, 1}, {2}}};
  graph.inputs = {0, 1};
  graph.outputs = {2, 2};
  graph.states = {std::make_shared<const graph::Bytes>(values(10).data)};
  BackendOptions options;
  options.configuration = "tiny";
  Device device = Device::open(options, "model");
  const Container contents(save(compile_network(graph, device.configuration())));
  Network network(device, contents.network(device.configuration()));
  const auto sum_after = [&](float number) {
    const std::vector<graph::Value> results = network.run({values(number)});
    EXPECT_EQ(results.size(), 1U);
    return graph::elements<float>(results.at(0)).at(1);
  };
  EXPECT_EQ(sum_after(1), 11);
  EXPECT_EQ(sum_after(2), 13);
  EXPECT_THROW(network.run({}), InvalidArgument);
  EXPECT_EQ(sum_after(4), 17) << "a run that fails changes no state";
  network.reset_state();
  EXPECT_EQ(sum_after(1), 11);
}

TEST(Programs, RejectsOtherConfiguration) {
  const Container contents(save(small_network()));
  try {
    contents.network(find_configuration("default"));
    ADD_FAILURE();
  } catch (const ContainerError& error) {
    expect_part(error.what(),
                "compiled for configuration tiny, not default: run it with --config tiny, or compile again");
  }
  expect_part(refusal([](CompiledNetwork& network) { network.configuration.acc_rows = 128; }),
              "acc_rows is 128; here it is 64");
  expect_part(refusal([](CompiledNetwork& network) { network.configuration.dim = 5; }), "dim is 5; here it is 4");
}

TEST(Programs, RejectsFileWithoutPrograms) {
  const Container contents(save(small_graph()));
  EXPECT_THROW(contents.network(find_configuration("tiny")), ContainerError);
}

/// The network's result for random bytes.
graph::Bytes result_of(Network& network, std::uint64_t seed) {
  const graph::Tensor& input = network.graph().tensor(network.graph().inputs[0]);
  std::mt19937_64 random(seed);
  graph::Value value{input.type, input.shape, graph::Bytes(static_cast<std::size_t>(graph::count(input.shape)))};
  for (std::uint8_t& byte : value.data) {
    byte = static_cast<std::uint8_t>(random());
  }
  return network.run({value}).at(0).data;
}

TEST(Programs, ManyFilesShareADevice) {
  const Container small(save(small_network()));
  const Container other(save(compile_network(zoo::ad(1), find_configuration("tiny"))));
  BackendOptions options;
  options.configuration = "tiny";
  const auto alone = [&](const Container& file, std::uint64_t seed) {
    Device device = Device::open(options, "model");
    Network network(device, file.network(device.configuration()));
    return result_of(network, seed);
  };
  Device device = Device::open(options, "model");
  {
    Network first(device, small.network(device.configuration())), second(device, other.network(device.configuration())),
        third(device, small.network(device.configuration()));  // the first file again
    for (const std::uint64_t seed : {1, 2}) {
      EXPECT_EQ(result_of(first, seed), alone(small, seed));
      EXPECT_EQ(result_of(second, seed), alone(other, seed));
      EXPECT_EQ(result_of(third, seed + 5), alone(small, seed + 5));
    }
  }
  const std::uint64_t free = device.memory()->free_bytes();
  { const Network later(device, small.network(device.configuration())); }
  EXPECT_EQ(device.memory()->free_bytes(), free) << "a network's memory is free again";
}

TEST(Programs, NeedMemory) {
  BackendOptions options;
  options.configuration = "tiny";
  options.memory_bytes = 1 << 17;
  Device device = Device::open(options, "model");
  const Container contents(save(compile_network(zoo::ad(1), device.configuration())));
  const std::uint64_t free = device.memory()->free_bytes();
  EXPECT_THROW(Network(device, contents.network(device.configuration())), Failure);
  EXPECT_EQ(device.memory()->free_bytes(), free) << "memory reserved before the failure is free again";
}

TEST(Programs, RejectsPartsBesideTheirRange) {
  expect_part(refusal([](CompiledNetwork& n) { first_step(n).program.constants[1].offset += 1; }), "multiple of 64");
  expect_part(refusal([](CompiledNetwork& n) { first_step(n).program.constants[1].offset = 0; }), "overlap others");
  expect_part(refusal([](CompiledNetwork& n) { first_step(n).program.constants[1].offset = ~std::uint64_t{63}; }),
              "of the constants, which have");
  expect_part(refusal([](CompiledNetwork& n) { first_step(n).inputs.begin()->second.offset = 1 << 20; }),
              "of the bindings, which have");
  expect_part(refusal([](CompiledNetwork& n) {
                first_step(n).inputs.begin()->second.offset = first_step(n).outputs.begin()->second.offset;
              }),
              "overlap others");
  for (const std::uint64_t bytes : {std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    expect_part(refusal([&](CompiledNetwork& n) { first_step(n).program.scratch_bytes = bytes; }),
                "bytes of scratch; the limit is");
  }
}

TEST(Programs, RejectsIllegalInstructions) {
  expect_part(refusal([](CompiledNetwork& n) { first_step(n).program.instructions[3].words[0] = 0xEE; }),
              "no instruction has this opcode");
  expect_part(refusal([](CompiledNetwork& n) { first_step(n).program.instructions[0] = isa::End{}.encode(); }),
              "a program in a file must not contain END or JUMP");
  expect_part(refusal([](CompiledNetwork& n) { first_step(n).program.instructions[0] = isa::Jump{}.encode(); }),
              "must not contain END or JUMP");
  expect_part(refusal([](CompiledNetwork& n) {
                isa::Load load;
                load.src = 0xFFFF'0000;
                load.valid_to = 1;
                first_step(n).program.instructions.push_back(load.encode());
                first_step(n).program.label_of.push_back(0);
              }),
              "leave window 0 of ");
  expect_part(refusal([](CompiledNetwork& n) {
                isa::Load load;
                load.count0 = load.count1 = load.pieces = load.slot_bytes = 65535;
                first_step(n).program.instructions.push_back(load.encode());
                first_step(n).program.label_of.push_back(0);
              }),
              "more bytes are written than one instruction may write");
  expect_part(refusal([](CompiledNetwork& n) {  // each is legal, but checking that many accesses would take too long
                isa::Load load;
                load.pieces = 8192;
                load.slot_bytes = 1;
                load.count0 = 32768;
                for (int i = 0; i < 100; ++i) {
                  first_step(n).program.instructions.push_back(load.encode());
                  first_step(n).program.label_of.push_back(0);
                }
              }),
              "rows and ranges of memory; a program of");
  expect_part(refusal([](CompiledNetwork& n) {  // a wait without its signal
                isa::Load load;
                load.sem.wait0_amount = 1;
                first_step(n).program.instructions.push_back(load.encode());
                first_step(n).program.label_of.push_back(0);
              }),
              "waits for 1 of semaphore 0, which holds 0");
  expect_part(refusal([](CompiledNetwork& n) { first_step(n).program.label_of[0] = 99; }), "belongs to layer 99");
  expect_part(refusal([](CompiledNetwork& n) { first_step(n).program.label_of.pop_back(); }), "each has one");
  expect_part(refusal([](CompiledNetwork& n) { first_step(n).program.constants[0].bytes.resize(100'000); }),
              "100000 bytes at 0x0 of the constants, which have");
}

/// The VECTOR of the network's softmax.
isa::Instruction& vector_of(DeviceStep& step) {
  for (isa::Instruction& instruction : step.program.instructions) {
    if (static_cast<isa::Opcode>(isa::get(instruction, 0, 8)) == isa::Opcode::kVector) {
      return instruction;
    }
  }
  throw std::logic_error("no VECTOR");
}

TEST(Programs, RejectsKernelsThatAreNotThoseOfTheFile) {
  EXPECT_EQ(refusal([](CompiledNetwork& n) { vector_of(first_step(n)); }), "accepted");
  expect_part(refusal([](CompiledNetwork& n) {
                isa::Vector vector = isa::Vector::decode(vector_of(first_step(n)));
                vector.entry = 900;
                vector_of(first_step(n)) = vector.encode();
              }),
              "runs word 900 of the kernel memory, whose content this check does not know");
  expect_part(refusal([](CompiledNetwork& n) {
                for (Program::Constant& constant : first_step(n).program.constants) {
                  std::fill(constant.bytes.begin(), constant.bytes.end(), 0x3F);
                }
              }),
              "kernel word 0");
  expect_part(refusal([](CompiledNetwork& n) {
                isa::Vector vector = isa::Vector::decode(vector_of(first_step(n)));
                vector.arg0 = 0xFFF0;
                vector_of(first_step(n)) = vector.encode();
              }),
              "reads scratchpad row");
  expect_part(refusal([](CompiledNetwork& n) {  // each is legal, but checking that many words would take too long
                isa::Vector vector = isa::Vector::decode(vector_of(first_step(n)));
                vector.sem = {};
                vector.arg4 = 0;    // rows
                vector.arg5 = 400;  // strips
                for (int i = 0; i < 100; ++i) {
                  first_step(n).program.instructions.push_back(vector.encode());
                  first_step(n).program.label_of.push_back(0);
                }
              }),
              "words of kernels; at most");
}

TEST(Programs, RejectsUseBeforeProduction) {
  expect_part(refusal([](CompiledNetwork& n) { n.steps.pop_back(); }), "is used before a step produces it");
  expect_part(refusal([](CompiledNetwork& n) { std::swap(n.steps[0], n.steps[1]); }),
              "is used before a step produces it");
  expect_part(refusal([](CompiledNetwork& n) { std::get<HostStep>(n.steps[1]).op = 77; }), "operator 77 of");
  expect_part(refusal([](CompiledNetwork& n) { std::get<HostStep>(n.steps[1]).op = -1; }), "operator -1 of");
  expect_part(refusal([](CompiledNetwork& n) {
                auto node = first_step(n).inputs.extract(first_step(n).inputs.begin());
                node.key() = 1000;
                first_step(n).inputs.insert(std::move(node));
              }),
              "tensor 1000");
}

TEST(Programs, RejectsTilesThatAreNotTheInput) {
  for (const WrittenTiles& tiles : {WrittenTiles{3, 36}, WrittenTiles{-3, 36, true}, WrittenTiles{0, 0}}) {
    expect_part(refusal([&](CompiledNetwork& n) { first_step(n).tiles[first_step(n).inputs.begin()->first] = tiles; }),
                "bytes for weight tiles of");
  }
}

}  // namespace
}  // namespace systole::container
