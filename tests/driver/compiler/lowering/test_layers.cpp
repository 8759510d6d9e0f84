// SPDX-License-Identifier: Apache-2.0
// The layers of a program: one label each, whatever instructions they consist of, and figures that add up. Each rule
// about the figures is violated once.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "check_macs.hpp"
#include "cycle_owner.hpp"
#include "float_net.hpp"
#include "graph_listing.hpp"
#include "layer_accounting.hpp"
#include "make_steps.hpp"
#include "network_builder.hpp"
#include "systole/configurations.hpp"
#include "systole/container.hpp"
#include "systole/network.hpp"
#include "systole/throughput.hpp"
#include "systole/zoo.hpp"

namespace systole {
namespace {

using compiler::CycleOwner;
using network::Layer;
using zoo::Border;
using zoo::NetworkBuilder;

/// Two matrices with zero points, computed, and their product: moves and products, matrix by matrix.
graph::Graph product() {
  NetworkBuilder net("product", 1);
  const graph::TensorId image = net.input({1, 6, 6, 8});
  const graph::TensorId a = net.reshape(net.conv(image, 8, 1, 1, Border::kSame, Activation::kNone), {3, 12, 8});
  const graph::TensorId b = net.reshape(net.conv(image, 8, 3, 1, Border::kSame, Activation::kNone), {3, 8, 12});
  return net.finish(net.product(a, b));
}

const DeviceStep& only_step(const CompiledNetwork& network) { return std::get<DeviceStep>(network.steps.at(0)); }

TEST(Layers, HaveOneLabelEach) {
  const CompiledNetwork network = compile_network(product(), find_configuration("tiny"));
  ASSERT_EQ(network.steps.size(), 1u);
  const DeviceStep& step = only_step(network);
  ASSERT_EQ(step.program.labels.size(), step.layers.size());
  for (std::size_t i = 0; i < step.layers.size(); ++i) {
    EXPECT_EQ(step.program.labels[i], step.layers[i].name);
  }
  const container::Container saved(container::save(network));
  const CompiledNetwork loaded = saved.network(find_configuration("tiny"));
  EXPECT_EQ(only_step(loaded).layers.size(), step.layers.size());
}

/// Zero points take three more products, which do not count as useful.
TEST(Layers, HaveMacsOfTheirOperators) {
  const graph::Graph graph = product();
  const CompiledNetwork network = compile_network(graph, find_configuration("tiny"));
  const DeviceStep& step = only_step(network);
  EXPECT_EQ(step.layers.back().macs, 3u * 12 * 8 * 12);
  EXPECT_EQ(step.program.useful_macs, graph::total_macs(graph));
}

/// A product of float32 is several kernels; those that add have fewer cycles than its multiplications would take.
TEST(Layers, HaveMacsWhereAKernelMultiplies) {
  test::FloatNet net(4012);
  const graph::TensorId x = net.input({9, 40}), weights = net.constant({40, 50}), bias = net.constant({50});
  const graph::Graph graph = net.graph({net.append(graph::MatMul{}, {x, weights, bias}, {9, 50})});
  const CompiledNetwork network = compile_network(graph, find_configuration("tiny"));
  std::vector<std::string> multiplying;
  for (const CompiledLayer& layer : only_step(network).layers) {
    if (layer.macs != 0) {
      EXPECT_EQ(layer.macs, 9u * 40 * 50);
      multiplying.push_back(layer.name);
    }
  }
  ASSERT_EQ(multiplying.size(), 1u);
  EXPECT_NE(multiplying[0].find("multiply"), std::string::npos) << multiplying[0];
}

TEST(Layers, HavePredictionsThatAddUp) {
  for (const char* name : {"resnet8", "kws", "ad"}) {
    const CompiledNetwork network = compile_network(zoo::network(name, 1), find_configuration("default"));
    const Program& program = only_step(network).program;
    EXPECT_EQ(std::accumulate(program.label_cycles.begin(), program.label_cycles.end(), std::int64_t{0}),
              program.estimated_cycles)
        << name;
  }
}

/// Cycles of a program without layers would belong to no layer.
TEST(Layers, OmitEmptyPrograms) {
  NetworkBuilder net("idle", 1);
  const graph::TensorId input = net.input({1, 9000});  // too long a row for softmax on the device
  net.reshape(input, {2, 4500});                       // result unused
  const CompiledNetwork network = compile_network(net.finish(net.softmax(input)), find_configuration("tiny"));
  ASSERT_EQ(network.steps.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<HostStep>(network.steps[0]));
}

TEST(Layers, RejectsFileWithWrongMacs) {
  CompiledNetwork network = compile_network(product(), find_configuration("tiny"));
  std::get<DeviceStep>(network.steps[0]).layers[0].macs += 1;
  const container::Container saved(container::save(network));
  EXPECT_THROW(saved.network(find_configuration("tiny")), container::ContainerError);
}

TEST(OwnerOfACycle, IsLayerOfProductOrFirstUnfinished) {
  CycleOwner owner({0, 0, 2, 3, 2}, 5);  // label 1 has no instruction, 4 is beyond the last
  EXPECT_EQ(owner.owner(), 0u);
  owner.retired(0);
  EXPECT_EQ(owner.owner(), 0u);
  owner.computes(3);
  EXPECT_EQ(owner.owner(), 3u);
  owner.computes(std::nullopt);
  EXPECT_EQ(owner.owner(), 0u);
  owner.retired(1);
  EXPECT_EQ(owner.owner(), 2u);
  owner.retired(2);
  owner.retired(3);  // out of turn: 2 is not done
  EXPECT_EQ(owner.owner(), 2u);
  owner.retired(4);
  EXPECT_EQ(owner.owner(), 3u);
  owner.retired(5);  // END
  EXPECT_EQ(owner.owner(), 3u);
}

constexpr auto kMxu = static_cast<std::size_t>(isa::Engine::kMxu);
constexpr auto kWorking = static_cast<std::size_t>(isa::Cause::kWorking);
constexpr auto kIdle = static_cast<std::size_t>(isa::Cause::kIdle);
constexpr int kDim = 4;

/// A program of 150 cycles, of whose matrix unit 30 + 20 worked.
StepReport balanced() {
  StepReport step;
  step.on_device = true;
  for (const auto& [name, cycles, working] : {std::tuple{"first", 100, 30}, std::tuple{"second", 50, 20}}) {
    LayerReport layer;
    layer.name = name;
    layer.macs = static_cast<std::uint64_t>(working) * kDim * kDim;
    layer.cycles = static_cast<std::uint64_t>(cycles);
    for (auto& causes : layer.causes) {
      causes[kIdle] = layer.cycles;
    }
    layer.causes[kMxu][kIdle] -= static_cast<std::uint64_t>(working);
    layer.causes[kMxu][kWorking] = static_cast<std::uint64_t>(working);
    step.stats.cycles += layer.cycles;
    step.stats.useful_macs += layer.macs;
    add(step.stats.causes, layer.causes);
    step.layers.push_back(layer);
  }
  return step;
}

/// The message for the balanced program after a change, and the layers it names.
std::pair<std::string, std::vector<std::string>> complaint(const std::function<void(StepReport&)>& change,
                                                           std::uint64_t vectors = 50) {
  StepReport step = balanced();
  change(step);
  try {
    network::check_balance(step, vectors, kDim);
  } catch (const LayerAccountingError& error) {
    return {error.what(), error.layers};
  }
  return {};
}

void expect_complaint(const std::function<void(StepReport&)>& change, const std::string& text,
                      const std::vector<std::string>& layers) {
  const auto [said, named] = complaint(change);
  EXPECT_NE(said.find(text), std::string::npos) << said;
  EXPECT_EQ(named, layers) << said;
}

TEST(Balance, AcceptsConsistentLayers) {
  EXPECT_EQ(complaint([](StepReport&) {}).first, "");
  EXPECT_EQ(complaint([](StepReport& step) {  // the functional model has no time
              step.stats.cycles = 0;
              step.layers[0].cycles = step.layers[1].cycles = 0;
            })
                .first,
            "");
}

/// A layer of the vector unit that ended in cycles of the layer ahead of it.
TEST(Balance, AcceptsProductsOfTheVectorUnitWithoutCycles) {
  EXPECT_EQ(complaint([](StepReport& step) {
              LayerReport layer;
              layer.name = "third";
              layer.macs = 1;
              step.stats.useful_macs += layer.macs;
              step.layers.push_back(layer);
            }).first,
            "");
}

TEST(Balance, ReportsInconsistentLayers) {
  const std::vector<std::string> both = {"first", "second"};
  expect_complaint([](StepReport& step) { step.layers[0].macs -= 1; },
                   "the layers have 799 multiply-accumulates, their program 800", both);
  expect_complaint([](StepReport& step) { step.stats.cycles += 1; }, "the layers have 150 cycles, their program 151",
                   both);
  expect_complaint([](StepReport& step) { step.layers[1].causes[0][kIdle] += 1; },
                   "the causes of LOAD in layer 'second' add up to 51 cycles, the layer has 50", {"second"});
  expect_complaint(
      [](StepReport& step) {  // cycles of one row counted as another cause
        step.layers[1].causes[2][kIdle] -= 5;
        step.layers[1].causes[2][kWorking] += 5;
      },
      "the layers' causes of VPU", both);
  // A row with cycles of another: 576 multiply-accumulates in 10 cycles of 52 multipliers.
  expect_complaint(
      [](StepReport& step) {
        step.layers[0].macs += 256;
        step.layers[1].macs -= 256;
        for (LayerReport* layer : {&step.layers[0], &step.layers[1]}) {
          const bool first = layer == &step.layers[0];
          layer->cycles = first ? 10 : 140;
          for (auto& causes : layer->causes) {
            causes = {};
            causes[kIdle] = layer->cycles;
          }
          std::swap(layer->causes[kMxu][kIdle], layer->causes[kMxu][kWorking]);
        }
      },
      "layer 'first' has 736 multiply-accumulates in 10 cycles, where 52 multipliers can do 520", {"first"});
  expect_complaint([](StepReport& step) { step.layers[1].read_bytes = 201; },
                   "layer 'second' reads 201 bytes and writes 0 in 50 cycles", {"second"});
  const auto [said, named] = complaint([](StepReport&) {}, 51);
  EXPECT_NE(said.find("the matrix unit worked in 50 cycles, its instructions are of 51 vectors"), std::string::npos)
      << said;
  EXPECT_EQ(named, both);
}

TEST(Balance, ChecksMacsOfOperators) {
  const graph::Graph graph = product();
  network::Segment segment;
  Layer layer;
  layer.name = "conv";
  layer.operators = {0};
  layer.macs = graph::useful_macs(graph, graph.operators[0]);
  segment.layers = {layer};
  EXPECT_NO_THROW(network::check_macs(segment, graph));
  segment.layers[0].macs *= 2;
  EXPECT_THROW(network::check_macs(segment, graph), LayerAccountingError);
}

TEST(Throughput, CountsTheDepthwiseUnit) {
  EXPECT_EQ(multipliers(16), 256u + 144u);
  EXPECT_DOUBLE_EQ(utilization(512, 4, 16), 0.5);
  EXPECT_DOUBLE_EQ(macs_per_cycle(512, 4), 128);
  EXPECT_DOUBLE_EQ(multiplier_share(512, 4, 16), 0.32);
  EXPECT_DOUBLE_EQ(utilization(0, 0, 16), 0);
}

}  // namespace
}  // namespace systole
