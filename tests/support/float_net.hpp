// SPDX-License-Identifier: Apache-2.0
// Small graphs of float32, run on devices and compared with the host bit for bit.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph_builder.hpp"
#include "systole/execute.hpp"
#include "systole/graph_value.hpp"
#include "systole/network.hpp"

namespace systole::test {

/// A graph that grows operator by operator. Constants and inputs are random.
class FloatNet : public graph::GraphBuilder {
 public:
  explicit FloatNet(std::uint32_t seed) : GraphBuilder(std::string()), random_(seed) {}

  using Shape = graph::Shape;
  using TensorId = graph::TensorId;
  using Arithmetic = graph::Arithmetic;

  TensorId input(const Shape& shape) {
    return GraphBuilder::input(constant_name(), graph::ElementType::kFloat32, shape);
  }
  TensorId weights_input(const Shape& shape) {
    const TensorId id = input(shape);
    GraphBuilder::graph().tensor(id).as_weights = true;
    return id;
  }
  /// Constant indices.
  TensorId indices(const std::vector<std::int32_t>& values) {
    const Shape shape{static_cast<std::int64_t>(values.size())};
    return GraphBuilder::constant(graph::make_value(graph::ElementType::kInt32, shape, values));
  }
  TensorId constant(const Shape& shape, float low = -2, float high = 2) {
    return GraphBuilder::constant(values(shape, low, high));
  }
  TensorId append(graph::OperatorKind kind, std::vector<TensorId> inputs, const Shape& shape,
                  Arithmetic arithmetic = Arithmetic::kOnnx) {
    return append_all({{}, {}, std::move(kind), arithmetic, std::move(inputs), {}},
                      {{{}, graph::ElementType::kFloat32, shape, {}, nullptr}})
        .at(0);
  }
  TensorId sigmoid(TensorId a) {
    return append(graph::Unary{graph::UnaryKind::kSigmoid}, {a}, shape(a), Arithmetic::kBlocks);
  }
  /// Of the last axis.
  std::vector<TensorId> split(TensorId a, const std::vector<std::int64_t>& sizes) {
    return GraphBuilder::split(a, static_cast<int>(shape(a).size()) - 1, sizes);
  }
  /// With these outputs.
  graph::Graph graph(const std::vector<TensorId>& outputs) const {
    graph::Graph graph = GraphBuilder::graph();
    graph.outputs = outputs;
    return graph;
  }
  std::uint32_t number(std::uint32_t below) { return random_() % below; }
  /// Of the compiler's transformations, the last time: how often each was applied.
  const TransformationCounts& counts() const { return counts_; }

  /// Layers on the functional model of configuration `default`, all of the graph's operators. Compares in every
  /// configuration.
  std::size_t expect_equal(const std::vector<TensorId>& outputs) {
    for (const char* name : {"tiny", "small", "large"}) {
      expect_equal_on("model", name, outputs);
    }
    return expect_equal_on("model", "default", outputs);
  }

  std::size_t expect_equal_on(const char* backend, const char* configuration, const std::vector<TensorId>& outputs) {
    const graph::Graph net = graph(outputs);
    std::vector<graph::Value> inputs;
    for (const TensorId id : net.inputs) {
      inputs.push_back(values(shape(id), -3, 3));
    }
    const auto wanted = graph::execute(net, inputs);
    BackendOptions options;
    options.configuration = configuration;
    Device device = Device::open(options, backend);
    Network network(device, net);
    RunOptions checked;
    checked.check = true;
    const auto seen = network.run(inputs, checked);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(seen[i].data, wanted[i].data) << configuration << ", output " << i;
    }
    counts_ = network.transformations();
    const StepReport &first = network.steps().front(), &last = network.steps().back();
    EXPECT_EQ(network.steps().size(), 1U) << configuration << first.reason << last.reason;
    EXPECT_TRUE(first.on_device) << configuration << first.reason << last.reason;
    return first.layers.size();
  }

 private:
  std::string constant_name() override { return fmt::format("t{}", GraphBuilder::graph().tensors.size()); }
  std::string result_name(const graph::Operator&, std::size_t) override { return constant_name(); }
  std::string operator_name(const std::string&) override {
    return fmt::format("op{}", GraphBuilder::graph().operators.size());
  }
  graph::Value values(const Shape& shape, float low, float high) {
    std::uniform_real_distribution<float> uniform(low, high);
    std::vector<float> numbers(static_cast<std::size_t>(graph::count(shape)));
    for (float& number : numbers) {
      number = uniform(random_);
    }
    return graph::make_value(graph::ElementType::kFloat32, shape, numbers);
  }

  std::mt19937 random_;
  TransformationCounts counts_;
};

}  // namespace systole::test
