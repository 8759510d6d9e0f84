// SPDX-License-Identifier: Apache-2.0
// Small graphs of float32, run on devices and compared with the host bit for bit.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "systole/execute.hpp"
#include "systole/graph_value.hpp"
#include "systole/network.hpp"

namespace systole::test {

/// A graph that grows operator by operator. Constants and inputs are random.
class FloatNet {
 public:
  explicit FloatNet(std::uint32_t seed) : random_(seed) {}

  using Shape = graph::Shape;
  using TensorId = graph::TensorId;
  using Arithmetic = graph::Arithmetic;

  TensorId input(Shape shape) {
    const TensorId id = tensor(std::move(shape));
    graph_.inputs.push_back(id);
    return id;
  }
  TensorId weights_input(Shape shape) {
    const TensorId id = input(std::move(shape));
    graph_.tensors.back().as_weights = true;
    return id;
  }
  /// Constant indices.
  TensorId indices(const std::vector<std::int32_t>& values) {
    const TensorId id = tensor({static_cast<std::int64_t>(values.size())});
    graph_.tensors.back().type = graph::ElementType::kInt32;
    graph_.tensors.back().constant = std::make_shared<const graph::Bytes>(
        graph::make_value(graph::ElementType::kInt32, graph_.tensors.back().shape, values).data);
    return id;
  }
  TensorId constant(const Shape& shape, float low = -2, float high = 2) {
    const TensorId id = tensor(shape);
    graph_.tensors.back().constant = std::make_shared<const graph::Bytes>(values(shape, low, high).data);
    return id;
  }
  TensorId append(graph::OperatorKind kind, std::vector<TensorId> inputs, Shape shape,
                  Arithmetic arithmetic = Arithmetic::kOnnx) {
    const TensorId id = tensor(std::move(shape));
    graph_.operators.push_back(
        {fmt::format("op{}", graph_.operators.size()), "", std::move(kind), arithmetic, std::move(inputs), {id}});
    return id;
  }
  TensorId binary(graph::BinaryKind kind, TensorId a, TensorId b) {
    return append(graph::Binary{kind}, {a, b}, graph::count(shape(a)) < graph::count(shape(b)) ? shape(b) : shape(a));
  }
  TensorId compare(graph::BinaryKind kind, TensorId a, TensorId b) {
    const TensorId id = binary(kind, a, b);
    graph_.tensors.back().type = graph::ElementType::kBool;
    return id;
  }
  TensorId less(TensorId a, TensorId b) { return compare(graph::BinaryKind::kLess, a, b); }
  TensorId select(TensorId condition, TensorId a, TensorId b) {
    return append(graph::Select{}, {condition, a, b}, shape(condition));
  }
  TensorId sigmoid(TensorId a) {
    return append(graph::Unary{graph::UnaryKind::kSigmoid}, {a}, shape(a), Arithmetic::kBlocks);
  }
  std::vector<TensorId> split(TensorId a, const std::vector<std::int64_t>& sizes) {
    Shape part = shape(a);
    std::vector<TensorId> parts;
    for (const std::int64_t size : sizes) {
      part.back() = size;
      parts.push_back(tensor(part));
    }
    graph_.operators.push_back({fmt::format("op{}", graph_.operators.size()),
                                "",
                                graph::Split{static_cast<int>(part.size()) - 1},
                                Arithmetic::kOnnx,
                                {a},
                                parts});
    return parts;
  }
  const Shape& shape(TensorId id) const { return graph_.tensor(id).shape; }
  /// With these outputs.
  graph::Graph graph(const std::vector<TensorId>& outputs) const {
    graph::Graph graph = graph_;
    graph.outputs = outputs;
    return graph;
  }
  std::uint32_t number(std::uint32_t below) { return random_() % below; }

  /// Layers on the functional model of configuration `default`, all of the graph's operators. Compares in every
  /// configuration.
  std::size_t expect_equal(const std::vector<TensorId>& outputs) {
    std::size_t layers = 0;
    for (const char* name : {"tiny", "small", "default", "large"}) {
      const std::size_t of_this = expect_equal_on("model", name, outputs);
      layers = std::string(name) == "default" ? of_this : layers;
    }
    return layers;
  }

  std::size_t expect_equal_on(const char* backend, const char* configuration, const std::vector<TensorId>& outputs) {
    graph_.outputs = outputs;
    std::vector<graph::Value> inputs;
    for (const TensorId id : graph_.inputs) {
      inputs.push_back(values(shape(id), -3, 3));
    }
    const auto wanted = graph::execute(graph_, inputs);
    BackendOptions options;
    options.configuration = configuration;
    Device device = Device::open(options, backend);
    Network network(device, graph_);
    RunOptions checked;
    checked.check = true;
    const auto seen = network.run(inputs, checked);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(seen[i].data, wanted[i].data) << configuration << ", output " << i;
    }
    const StepReport &first = network.steps().front(), &last = network.steps().back();
    EXPECT_EQ(network.steps().size(), 1U) << configuration << first.reason << last.reason;
    EXPECT_TRUE(first.on_device) << configuration << first.reason << last.reason;
    return first.layers.size();
  }

 private:
  TensorId tensor(Shape shape) {
    graph_.tensors.push_back({fmt::format("t{}", graph_.tensors.size()), graph::ElementType::kFloat32, std::move(shape),
                              std::nullopt, nullptr});
    return static_cast<TensorId>(graph_.tensors.size()) - 1;
  }
  graph::Value values(const Shape& shape, float low, float high) {
    std::uniform_real_distribution<float> uniform(low, high);
    std::vector<float> numbers(static_cast<std::size_t>(graph::count(shape)));
    for (float& number : numbers) {
      number = uniform(random_);
    }
    return graph::make_value(graph::ElementType::kFloat32, shape, numbers);
  }

  graph::Graph graph_;
  std::mt19937 random_;
};

}  // namespace systole::test
