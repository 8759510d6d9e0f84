// SPDX-License-Identifier: Apache-2.0
// Float transformers, as converters of frameworks write them.
#pragma once

#include <cmath>

#include "float_network.hpp"

namespace systole::quantizer::test {

/// TensorFlow Lite's form for one head: tokens [T,C].
inline TensorId lite_attention(FloatNetwork& network, TensorId tokens) {
  const std::int64_t count = network.shape(tokens)[0];
  const auto channels = static_cast<int>(network.shape(tokens)[1]);
  const auto transposed = [&](TensorId id, const std::vector<int>& permutation) {
    return network.add(graph::Transpose{permutation}, {id});
  };
  const auto reshaped = [&](TensorId id, const Shape& shape) { return network.add(graph::Reshape{}, {id}, {shape}); };
  const TensorId query = network.dense(tokens, channels);
  const TensorId head = reshaped(network.dense(tokens, channels), {1, 1, count, channels});
  const TensorId key = transposed(reshaped(transposed(head, {0, 1, 3, 2}), {channels, count}), {1, 0});
  const TensorId scores = network.add(graph::Dense{}, {query, key});
  const TensorId scaled = network.add(graph::Binary{graph::BinaryKind::kMultiply},
                                      {scores, network.constant({}, {2 / static_cast<float>(channels)})});
  const TensorId weights =
      reshaped(network.add(graph::Softmax{}, {reshaped(scaled, {1, 1, count, count})}), {count, count});
  return network.add(graph::Dense{}, {weights, transposed(network.dense(tokens, channels), {1, 0})});
}

/// PyTorch's form for several heads: tokens [N,T,C].
inline TensorId heads_attention(FloatNetwork& network, TensorId tokens, int heads) {
  const Shape shape = network.shape(tokens);
  const auto channels = static_cast<int>(shape[2]);
  const auto of_heads = [&](const std::vector<int>& permutation) {
    const Shape apart = {shape[0], shape[1], heads, channels / heads};
    return network.add(graph::Transpose{permutation},
                       {network.add(graph::Reshape{}, {network.dense(tokens, channels)}, {apart})});
  };
  const TensorId query = of_heads({0, 2, 1, 3}), key = of_heads({0, 2, 3, 1}), value = of_heads({0, 2, 1, 3});
  const TensorId scores = network.add(graph::MatMul{}, {query, key});
  const TensorId root = network.constant({}, {std::sqrt(static_cast<float>(channels / heads))});
  const TensorId scaled = network.add(graph::Binary{graph::BinaryKind::kDivide}, {scores, root});
  const TensorId mixed = network.add(graph::MatMul{}, {network.add(graph::Softmax{}, {scaled}), value});
  return network.add(graph::Reshape{}, {network.add(graph::Transpose{{0, 2, 1, 3}}, {mixed})}, {shape});
}

/// Along the last dimension, in elementary operators.
inline TensorId normalized(FloatNetwork& network, TensorId x) {
  const std::int64_t channels = network.shape(x).back();
  const auto binary = [&](graph::BinaryKind kind, TensorId a, TensorId b) {
    return network.add(graph::Binary{kind}, {a, b});
  };
  graph::Reduce mean;
  mean.axes = {static_cast<int>(network.shape(x).size()) - 1};
  const TensorId centered = binary(graph::BinaryKind::kSubtract, x, network.add(mean, {x}));
  const TensorId variance = network.add(mean, {binary(graph::BinaryKind::kMultiply, centered, centered)});
  const TensorId deviation =
      network.unary(graph::UnaryKind::kSqrt, binary(graph::BinaryKind::kAdd, variance, network.constant({}, {1e-5F})));
  const TensorId scaled = binary(graph::BinaryKind::kMultiply, binary(graph::BinaryKind::kDivide, centered, deviation),
                                 network.random_constant({channels}, 0.5F, 1.5F));
  return binary(graph::BinaryKind::kAdd, scaled, network.random_constant({channels}, 0.3F));
}

/// x (1 + erf(x / sqrt(2))) / 2
inline TensorId gelu(FloatNetwork& network, TensorId x) {
  const auto binary = [&](graph::BinaryKind kind, TensorId a, float b) {
    return network.add(graph::Binary{kind}, {a, network.constant({}, {b})});
  };
  const TensorId erf = network.unary(graph::UnaryKind::kErf, binary(graph::BinaryKind::kDivide, x, 1.41421356F));
  const TensorId product =
      network.add(graph::Binary{graph::BinaryKind::kMultiply}, {x, binary(graph::BinaryKind::kAdd, erf, 1)});
  return binary(graph::BinaryKind::kMultiply, product, 0.5F);
}

/// An encoder of 6 tokens of 16 channels, with a token of the class and positions, and a classifier.
inline Graph transformer(FloatNetwork& network, int layers) {
  constexpr std::int64_t kTokens = 6, kChannels = 16;
  const TensorId embedded = network.dense(network.input({1, kTokens - 1, 12}), kChannels);
  graph::Concat concat;
  concat.axis = 1;
  const TensorId tokens = network.add(concat, {network.random_constant({1, 1, kChannels}, 1), embedded});
  const auto sum = [&](TensorId a, TensorId b) { return network.add(graph::Binary{}, {a, b}); };
  TensorId x = sum(tokens, network.random_constant({1, kTokens, kChannels}, 0.5F));
  for (int i = 0; i < layers; ++i) {
    x = normalized(network, sum(x, network.dense(heads_attention(network, x, 2), kChannels)));
    x = normalized(network, sum(x, network.dense(gelu(network, network.dense(x, 2 * kChannels)), kChannels)));
  }
  const TensorId first = network.add(graph::Slice{{0, 0, 0}, {1, 1, 1}}, {x}, {{1, 1, kChannels}});
  return network.finish({network.dense(network.add(graph::Reshape{}, {first}, {{1, kChannels}}), 5)});
}

}  // namespace systole::quantizer::test
