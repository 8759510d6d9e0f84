// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "network_builder.hpp"
#include "systole/zoo.hpp"

namespace systole::zoo {
namespace {

/// Sizes of an encoder layer.
struct Encoder {
  int heads, width, hidden;  ///< channels of all heads, and of the layer between
};

/// Every head sees its share of the channels. Operands of products of computed matrices are symmetric.
TensorId attention(NetworkBuilder& net, TensorId from, int tokens, const Encoder& encoder) {
  const int width = encoder.width / encoder.heads;
  const auto projected = [&] {
    const TensorId all = net.symmetric(net.dense(from, encoder.width, Activation::kNone));
    return net.transpose(net.reshape(all, {1, tokens, encoder.heads, width}), {0, 2, 1, 3});
  };
  const TensorId keys = projected(), values = projected(), queries = projected();
  const TensorId scores = net.product(queries, keys, true);
  const TensorId shares = net.softmax(scores, 1 / std::sqrt(static_cast<float>(width)));
  const TensorId mixed = net.transpose(net.product(shares, values), {0, 2, 1, 3});
  return net.dense(net.reshape(mixed, {1, tokens, encoder.width}), encoder.width, Activation::kNone);
}

TensorId perceptron(NetworkBuilder& net, TensorId from, const Encoder& encoder) {
  const TensorId hidden = net.gelu(net.dense(from, encoder.hidden, Activation::kNone));
  return net.dense(hidden, encoder.width, Activation::kNone);
}

TensorId post_norm(NetworkBuilder& net, TensorId x, int tokens, const Encoder& encoder) {
  x = net.layer_norm(net.add(x, attention(net, x, tokens, encoder), Activation::kNone));
  return net.layer_norm(net.add(x, perceptron(net, x, encoder), Activation::kNone));
}

TensorId pre_norm(NetworkBuilder& net, TensorId x, int tokens, const Encoder& encoder) {
  x = net.add(x, attention(net, net.layer_norm(x), tokens, encoder), Activation::kNone);
  return net.add(x, perceptron(net, net.layer_norm(x), encoder), Activation::kNone);
}

/// The class token before the others, and the positions.
TensorId embedded(NetworkBuilder& net, TensorId patches, int tokens, int width) {
  const TensorId all = net.concat(net.constant_like(patches, {1, 1, width}), patches, 1);
  return net.add(all, net.constant_like(all, {1, tokens, width}), Activation::kNone);
}

TensorId class_token(NetworkBuilder& net, TensorId from, int width) {
  return net.reshape(net.slice(from, {0, 0, 0}, {1, 1, width}), {1, width});
}

}  // namespace

graph::Graph bert_base_128(std::uint64_t seed) {
  constexpr int kLayers = 12, kTokens = 128;
  const Encoder encoder{12, 768, 3072};
  NetworkBuilder net("bert_base_128", seed);
  TensorId x = net.input({1, kTokens, encoder.width});
  for (int layer = 0; layer < kLayers; ++layer) {
    x = post_norm(net, x, kTokens, encoder);
  }
  return net.finish(x);
}

graph::Graph vit_tiny(std::uint64_t seed) {
  constexpr int kLayers = 12, kSize = 224, kPatch = 16, kClasses = 1000;
  constexpr int kPatches = (kSize / kPatch) * (kSize / kPatch);
  const Encoder encoder{3, 192, 768};
  NetworkBuilder net("vit_tiny", seed);
  TensorId x = net.input({1, kSize, kSize, 3});
  x = net.conv(x, encoder.width, kPatch, kPatch, Border::kValid, Activation::kNone);
  x = embedded(net, net.reshape(x, {1, kPatches, encoder.width}), kPatches + 1, encoder.width);
  for (int layer = 0; layer < kLayers; ++layer) {
    x = pre_norm(net, x, kPatches + 1, encoder);
  }
  return net.finish(net.dense(class_token(net, net.layer_norm(x), encoder.width), kClasses, Activation::kNone));
}

graph::Graph kwt1(std::uint64_t seed) {
  constexpr int kLayers = 12, kFrames = 98, kFeatures = 40, kClasses = 12;
  const Encoder encoder{1, 64, 256};
  NetworkBuilder net("kwt1", seed);
  TensorId x = net.dense(net.input({1, kFrames, kFeatures}), encoder.width, Activation::kNone);
  x = embedded(net, x, kFrames + 1, encoder.width);
  for (int layer = 0; layer < kLayers; ++layer) {
    x = post_norm(net, x, kFrames + 1, encoder);
  }
  return net.finish(net.dense(class_token(net, x, encoder.width), kClasses, Activation::kNone));
}

}  // namespace systole::zoo
