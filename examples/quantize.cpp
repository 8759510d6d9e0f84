// SPDX-License-Identifier: Apache-2.0
// Quantizes a float network to int8 and runs it on the device: quantize [BACKEND]
//
// The network is built here, layer by layer, so that the example needs no file; graph::import_model() reads .onnx and
// .tflite files.
#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "systole/backends.hpp"
#include "systole/network.hpp"
#include "systole/quantizer.hpp"

using namespace systole;

std::mt19937 random_numbers(1);

std::vector<float> numbers(std::int64_t count, float magnitude) {
  std::vector<float> result;
  for (std::int64_t i = 0; i < count; ++i) {
    result.push_back(magnitude * (static_cast<float>(random_numbers() % 2001) / 1000 - 1));
  }
  return result;
}

/// A float32 tensor. A constant tensor contains its values.
graph::TensorId add_tensor(graph::Graph& graph, const std::string& name, const graph::Shape& shape,
                           const std::vector<float>& constant = {}) {
  graph::Tensor tensor{name, graph::ElementType::kFloat32, shape, {}, {}};
  if (!constant.empty()) {
    tensor.constant = std::make_shared<const graph::Bytes>(graph::make_value(tensor.type, shape, constant).data);
  }
  graph.tensors.push_back(std::move(tensor));
  return static_cast<graph::TensorId>(graph.tensors.size() - 1);
}

graph::TensorId add_operator(graph::Graph& graph, const std::string& name, graph::OperatorKind kind,
                             std::vector<graph::TensorId> inputs, const graph::Shape& shape) {
  graph::Operator op;
  op.name = op.origin = name;
  op.kind = std::move(kind);
  op.inputs = std::move(inputs);
  op.outputs = {add_tensor(graph, name, shape)};
  graph.operators.push_back(op);
  return op.outputs[0];
}

/// A network with 32 inputs, a hidden layer of 64, and 10 classes.
graph::Graph network() {
  graph::Graph graph;
  graph.name = "classifier";
  const auto input = add_tensor(graph, "input", {1, 32});
  const auto hidden = add_operator(graph, "hidden", graph::Dense{Activation::kRelu},
                                   {input, add_tensor(graph, "w1", {64, 32}, numbers(64 * 32, 0.3F)),
                                    add_tensor(graph, "b1", {64}, numbers(64, 0.1F))},
                                   {1, 64});
  const auto scores = add_operator(graph, "scores", graph::Dense{},
                                   {hidden, add_tensor(graph, "w2", {10, 64}, numbers(10 * 64, 0.3F)),
                                    add_tensor(graph, "b2", {10}, numbers(10, 0.1F))},
                                   {1, 10});
  graph.inputs = {input};
  graph.outputs = {add_operator(graph, "classes", graph::Softmax{}, {scores}, {1, 10})};
  validate(graph);
  return graph;
}

int run(const std::string& backend) {
  const graph::Graph model = network();
  // Typical inputs of the network. They determine the range of each tensor.
  std::vector<quantizer::Sample> samples;
  for (int i = 0; i < 100; ++i) {
    samples.push_back({graph::make_value(graph::ElementType::kFloat32, {1, 32}, numbers(32, 1))});
  }
  const quantizer::Result result = quantizer::quantize(model, samples);
  fmt::print("{}, over {} of {} samples\n", model.name, result.report.samples, samples.size());
  for (const quantizer::LayerReport& layer : result.report.layers) {
    if (layer.int8) {
      fmt::print("  {:<8} int8, {:.1f} dB above its error\n", layer.name, layer.signal_to_noise());
    } else {
      fmt::print("  {:<8} float: {}\n", layer.name, layer.reason);
    }
  }
  Device device = Device::open({}, backend);
  Network network(device, result.graph);
  const graph::Value classes = network.run(samples.front()).front();
  const bool exact = classes.data == graph::execute(result.graph, samples.front()).front().data;
  fmt::print("on {}, {} as on the host:", backend, exact ? "bit for bit" : "NOT");
  for (const float part : graph::elements<float>(classes)) {
    fmt::print(" {:.3f}", part);
  }
  fmt::print("\nas float on the host:");
  for (const float part : graph::elements<float>(graph::execute(model, samples.front()).front())) {
    fmt::print(" {:.3f}", part);
  }
  fmt::print("\n");
  return exact ? 0 : 1;
}

int main(int count, char** arguments) {
  try {
    return run(count > 1 ? arguments[1] : has_backend("rtl") ? "rtl" : "model");
  } catch (const std::exception& error) {
    fmt::print(stderr, "quantize: {}\n", error.what());
    return 2;
  }
}
