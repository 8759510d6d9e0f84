// SPDX-License-Identifier: Apache-2.0
#include "transformed_networks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>

#include "block_step.hpp"
#include "dataset.hpp"
#include "float_net.hpp"
#include "network_builder.hpp"
#include "networks.hpp"
#include "random_network.hpp"
#include "step.hpp"
#include "systole/quantizer.hpp"

namespace systole::test {
namespace {

using graph::Arithmetic;
using graph::BinaryKind;
using graph::ElementType;
using graph::Shape;
using graph::TensorId;
using graph::Unary;
using graph::UnaryKind;

std::vector<graph::Value> random_inputs(const graph::Graph& graph, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<graph::Value> values;
  for (const TensorId id : graph.inputs) {
    const graph::Tensor& tensor = graph.tensor(id);
    const auto count = static_cast<std::size_t>(graph::count(tensor.shape));
    if (tensor.type == ElementType::kFloat32) {
      std::uniform_real_distribution<float> uniform(-3, 3);
      std::vector<float> numbers(count);
      std::generate(numbers.begin(), numbers.end(), [&] { return uniform(random); });
      values.push_back(graph::make_value(tensor.type, tensor.shape, numbers));
    } else {
      graph::Bytes bytes(count * graph::element_size(tensor.type));
      std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
      values.push_back({tensor.type, tensor.shape, std::move(bytes)});
    }
  }
  return values;
}

NetworkCase with_random_inputs(std::string name, graph::Graph graph, std::uint32_t seed) {
  std::vector<graph::Value> inputs = random_inputs(graph, seed);
  return {std::move(name), std::move(graph), std::move(inputs)};
}

/// Channels that are shuffled behind a convolution and behind a pool, and planes that become channels.
graph::Graph shuffled(std::uint32_t seed) {
  zoo::NetworkBuilder net("shuffled", seed);
  const TensorId planes = net.input({1, 3, 8, 16});
  const TensorId picture = net.transpose(planes, {0, 2, 3, 1});
  const TensorId x = net.shuffle(net.conv(picture, 68, 3, 1, zoo::Border::kSame, Activation::kRelu), 4);
  return net.finish(net.shuffle(net.max_pool(x, 3, 2, zoo::Border::kSymmetric), 4));
}

/// Four heads on 64 tokens, int8.
graph::Graph attention(std::uint32_t seed) {
  zoo::NetworkBuilder net("attention", seed);
  const TensorId x = net.input({1, 64, 64});
  const auto heads = [&] {
    return net.transpose(net.reshape(net.dense(x, 64, Activation::kNone), {1, 64, 4, 16}), {0, 2, 1, 3});
  };
  const TensorId queries = heads(), keys = heads(), values = heads();
  const TensorId scores = net.product(queries, keys, true);
  const TensorId seen = net.product(net.softmax(scores), values);
  return net.finish(net.add(net.reshape(net.transpose(seen, {0, 2, 1, 3}), {1, 64, 64}), x, Activation::kNone));
}

/// Padding, a convolution, two tables, and a dense layer of the image.
graph::Graph image_network(std::uint32_t seed) {
  zoo::NetworkBuilder net("image", seed);
  const TensorId padded = net.input({1, 8, 8, 16});
  const TensorId image = net.gelu(net.gelu(net.conv(padded, 16, 3, 1, zoo::Border::kValid, Activation::kNone)));
  graph::Graph graph = net.finish(net.dense(net.flatten(image), 10, Activation::kNone));
  graph::Tensor inner = graph.tensor(padded);
  inner.name = "inner";
  inner.shape = {1, 6, 6, 16};
  graph.tensors.push_back(inner);
  graph::Operator pad;
  pad.name = "pad";
  pad.kind = graph::Pad{{0, 1, 1, 0}, {0, 1, 1, 0}};
  pad.inputs = graph.inputs = {static_cast<TensorId>(graph.tensors.size()) - 1};
  pad.outputs = {padded};
  graph.operators.insert(graph.operators.begin(), pad);
  return graph;
}

/// The work of a language model on one token's rows.
graph::Graph rows_of_a_token(std::uint32_t seed) {
  FloatNet net(seed);
  const auto times = [&](TensorId a, TensorId b) { return net.binary(BinaryKind::kMultiply, a, b); };
  const TensorId x = times(net.input({1, 64}), net.constant({64}));
  const TensorId product = net.append(graph::Dense{}, {x, net.constant({48, 64})}, {1, 48}, Arithmetic::kBlocks);
  const TensorId rows = net.input({9, 40});
  const TensorId mean = net.append(graph::Reduce{graph::ReduceKind::kMean, {1}, true},
                                   {times(rows, net.input({1, 40}))}, {9, 1}, Arithmetic::kBlocks);
  const TensorId sums = net.binary(BinaryKind::kAdd, net.input({8, 40}), net.input({1, 40}));
  const TensorId softmax = net.append(graph::Softmax{}, {sums}, {8, 40}, Arithmetic::kBlocks);
  const TensorId outer =
      net.append(graph::Binary{BinaryKind::kMultiply},
                 {net.split(net.input({9, 48}), {5, 1, 42})[1], times(net.input({1, 32}), net.input({1, 1}))}, {9, 32});
  return net.graph({product, mean, softmax, outer});
}

/// Chains of element-wise operators, transpositions of words, parts of rows and columns.
graph::Graph elements_and_moves(std::uint32_t seed) {
  FloatNet net(seed);
  const TensorId x = net.input({40, 60}), y = net.input({40, 60});
  const TensorId chain = net.binary(BinaryKind::kMultiply, net.binary(BinaryKind::kAdd, x, y), y);
  const TensorId turned = net.append(graph::Transpose{{1, 0}}, {chain}, {60, 40});
  const TensorId part = net.append(graph::Slice{{3, 20}, {1, 1}}, {x}, {7, 40});
  const TensorId softmax = net.append(graph::Softmax{}, {part}, {7, 40});
  const TensorId momentum = net.binary(BinaryKind::kAdd, net.input({64, 40}), net.input({64, 40}));
  const TensorId parameter = net.binary(BinaryKind::kSubtract, net.input({64, 40}), momentum);
  return net.graph({turned, softmax, momentum, parameter});
}

Window padded_window() {
  Window window{3, 3};
  window.pad_top = window.pad_bottom = window.pad_left = window.pad_right = 1;
  return window;
}

/// Convolutions and products in block floating point, maxima beside them.
graph::Graph blocks(std::uint32_t seed) {
  FloatNet net(seed);
  const Shape shape{1, 16, 16, 32};
  const TensorId x = net.input(shape);
  const auto convolved = [&](TensorId of) {
    return net.append(graph::Conv2d{padded_window()},
                      {of, net.constant({32, 3, 3, net.shape(of)[3]}), net.constant({32})}, shape, Arithmetic::kBlocks);
  };
  const TensorId limited = net.append(Unary{UnaryKind::kRelu}, {convolved(x)}, shape);
  const TensorId sum = net.binary(BinaryKind::kAdd, convolved(limited), x);
  const TensorId maxima =
      net.append(graph::Pool{graph::PoolKind::kMax, Window{2, 2, 2, 2}}, {convolved(sum)}, {1, 8, 8, 32});
  const TensorId above = net.append(Unary{UnaryKind::kRelu}, {maxima}, {1, 8, 8, 32});
  const TensorId wide =
      net.append(graph::Dense{}, {net.input({512, 256}), net.constant({64, 256})}, {512, 64}, Arithmetic::kBlocks);
  return net.graph({above, wide});
}

/// A gradient of weights, a sum over samples, and the weights that it moves.
graph::Graph update(std::uint32_t seed) {
  FloatNet net(seed);
  const TensorId gradient = net.append(graph::MatMul{true, false}, {net.input({32, 400}), net.input({32, 64})},
                                       {400, 64}, Arithmetic::kBlocks);
  const TensorId change = net.binary(BinaryKind::kMultiply, gradient, net.input({}));
  return net.graph({net.binary(BinaryKind::kSubtract, net.input({400, 64}), change)});
}

/// Maxima of an image of few channels, computed where the products leave their results.
graph::Graph first_maxima(std::uint32_t seed) {
  FloatNet net(seed);
  const TensorId image =
      net.append(graph::Conv2d{padded_window()}, {net.input({8, 26, 26, 1}), net.constant({32, 3, 3, 1})},
                 {8, 26, 26, 32}, Arithmetic::kBlocks);
  const TensorId maxima = net.append(graph::Pool{graph::PoolKind::kMax, Window{2, 2, 2, 2}}, {image}, {8, 13, 13, 32});
  return net.graph({image, maxima});
}

/// A step of the training of a CNN, as it runs on the device.
NetworkCase training_step() {
  constexpr std::int64_t kBatch = 32, kSide = 12;
  training::NetworkOptions options;
  options.batch = kBatch;
  options.height = options.width = kSide;
  options.scale = 0.5;
  const training::Step step = training::training_step(training::network("cnn", options), {});
  std::mt19937 random(1);
  std::vector<float> pixels(static_cast<std::size_t>(kBatch * kSide * kSide));
  std::generate(pixels.begin(), pixels.end(), [&] { return static_cast<float>(random() % 256); });
  std::vector<std::int32_t> labels(static_cast<std::size_t>(kBatch));
  std::generate(labels.begin(), labels.end(), [&] { return static_cast<std::int32_t>(random() % 10); });
  NetworkCase result{"training", quantizer::to_blocks(training::for_blocks(step.graph)), {}};
  result.inputs = {graph::make_value(ElementType::kFloat32, {kBatch, 1, kSide, kSide}, pixels),
                   graph::make_value(ElementType::kInt32, {kBatch}, labels),
                   graph::make_value(ElementType::kFloat32, {}, std::vector<float>{0.125F})};
  for (const training::Variable& variable : step.variables) {
    result.inputs.push_back(variable.initial);
  }
  return result;
}

}  // namespace

std::vector<NetworkCase> transformed_networks(std::uint32_t seed) {
  std::vector<NetworkCase> cases;
  for (std::uint32_t i = 0; i < 4; ++i) {
    cases.push_back(with_random_inputs(fmt::format("random_{}", seed + i), random_network(seed + i), seed + i));
  }
  cases.push_back(with_random_inputs("attention", attention(seed), seed));
  cases.push_back(with_random_inputs("shuffled", shuffled(seed), seed));
  cases.push_back(with_random_inputs("image", image_network(seed), seed));
  cases.push_back(with_random_inputs("rows", rows_of_a_token(seed), seed));
  cases.push_back(with_random_inputs("elements", elements_and_moves(seed), seed));
  cases.push_back(with_random_inputs("blocks", blocks(seed), seed));
  cases.push_back(with_random_inputs("maxima", first_maxima(seed), seed));
  cases.push_back(with_random_inputs("update", update(seed), seed));
  cases.push_back(training_step());
  return cases;
}

}  // namespace systole::test
