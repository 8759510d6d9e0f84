// SPDX-License-Identifier: Apache-2.0
#include "networks.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "freeze.hpp"
#include "network_writer.hpp"

namespace systole::training {
namespace {

std::int64_t channels(const NetworkOptions& options, int full) {
  return std::max<std::int64_t>(1, std::llround(options.scale * full));
}

double dropout_of(const NetworkOptions& options) { return options.training ? options.dropout : 0; }

/// The pictures between 0 and 1, channels last.
TensorId pixels(NetworkWriter& w, Network& network, const NetworkOptions& o) {
  constexpr double kWhite = 255;
  const TensorId images = w.input("images", ElementType::kFloat32, {o.batch, o.channels, o.height, o.width});
  network.inputs = {images};
  const TensorId last =
      o.channels == 1 ? w.reshape(images, {o.batch, o.height, o.width, 1}) : w.transpose(images, {0, 2, 3, 1});
  return w.scaled(last, 1 / kWhite);
}

TensorId flat(NetworkWriter& w, TensorId x) {
  const Shape shape = w.shape(x);
  return w.reshape(x, {shape[0], graph::count(shape) / shape[0]});
}

}  // namespace

Network cnn(const NetworkOptions& options) {
  Network network;
  network.graph.name = "cnn";
  NetworkWriter w(network, options.seed, options.micro_batch);
  TensorId x = pixels(w, network, options);
  for (const auto& [name, outputs] : {std::pair{"conv1", 32}, std::pair{"conv2", 64}}) {
    x = w.convolution(name, x, channels(options, outputs), 3, 1, Initial::kHe);
    if (options.batch_normalization) {
      const std::string norm = fmt::format("{}.norm", name);
      const bool frozen = are_statistics_frozen(options.frozen, norm + ".mean", norm + ".variance");
      x = w.batch_normalization(norm, x, options.training && !frozen);
    }
    x = w.relu(w.max_pool(x, 2));  // the same as in the other order, for a quarter of the elements
  }
  x = w.relu(w.dense("dense1", flat(w, x), channels(options, 128), Initial::kHe));
  network.scores = w.dense("dense2", w.dropped(x, dropout_of(options)), options.classes, Initial::kGlorot);
  return network;
}

Network lstm(const NetworkOptions& options) {
  using graph::UnaryKind;
  Network network;
  network.graph.name = "lstm";
  NetworkWriter w(network, options.seed, options.micro_batch);
  const std::int64_t units = channels(options, 64), batch = options.batch, row = options.width * options.channels;
  const TensorId rows = w.reshape(pixels(w, network, options), {batch, options.height, row});
  // The gates input, forget, cell and output side by side; the inputs' part of all steps at once.
  const TensorId inputs = w.dense("lstm.input", rows, 4 * units, Initial::kGlorot);
  const TensorId recurrent =
      w.drawn("lstm.hidden.weight", {4 * units, units}, std::sqrt(1.0 / static_cast<double>(units)));
  TensorId hidden = graph::kNoTensor, cell = graph::kNoTensor;
  for (std::int64_t step = 0; step < options.height; ++step) {
    TensorId gates = w.reshape(w.slice(inputs, {0, step, 0}, {1, 1, 1}, {batch, 1, 4 * units}), {batch, 4 * units});
    if (hidden != graph::kNoTensor) {
      gates = w.add(gates, w.append(graph::Dense{}, {hidden, recurrent}));
    }
    const auto gate = [&](std::int64_t number, UnaryKind function) {
      return w.unary(function, w.slice(gates, {0, number * units}, {1, 1}, {batch, units}));
    };
    const TensorId added = w.multiply(gate(0, UnaryKind::kSigmoid), gate(2, UnaryKind::kTanh));
    cell = cell == graph::kNoTensor ? added : w.add(w.multiply(cell, gate(1, UnaryKind::kSigmoid)), added);
    hidden = w.multiply(gate(3, UnaryKind::kSigmoid), w.unary(UnaryKind::kTanh, cell));
  }
  network.scores = w.dense("scores", w.dropped(hidden, dropout_of(options)), options.classes, Initial::kGlorot);
  return network;
}

Network vit(const NetworkOptions& options) {
  constexpr int kPatches = 4, kHeads = 3, kLayers = 2;
  if (options.height % kPatches != 0 || options.width % kPatches != 0 || options.height != options.width) {
    throw InvalidArgument(
        fmt::format("pictures of {} x {}; the vision transformer takes squares whose side is a multiple of {}",
                    options.height, options.width, kPatches));
  }
  Network network;
  network.graph.name = "vit";
  NetworkWriter w(network, options.seed, options.micro_batch);
  const std::int64_t batch = options.batch, head = channels(options, 16), width = head * kHeads;
  const std::int64_t patches = std::int64_t{kPatches} * kPatches, tokens = patches + 1;
  const int side = static_cast<int>(options.height / kPatches);
  const TensorId grid = w.convolution("patches", pixels(w, network, options), width, side, side, Initial::kGlorot);
  const TensorId first = w.broadcast(w.filled("class_token", {1, 1, width}, 0), {batch, 1, width});
  constexpr double kSmall = 0.035;  // a deviation of 0.02
  TensorId x = w.concat({first, w.reshape(grid, {batch, patches, width})}, 1);
  x = w.add(x, w.drawn("positions", {1, tokens, width}, kSmall));
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string name = fmt::format("layer{}", layer);
    const TensorId normal = w.layer_normalization(name + ".norm1", x);
    const auto heads = [&](const char* what) {
      const TensorId y = w.dense(fmt::format("{}.{}", name, what), normal, width, Initial::kGlorot);
      return w.transpose(w.reshape(y, {batch, tokens, kHeads, head}), {0, 2, 1, 3});
    };
    const TensorId query = heads("query"), key = heads("key"), value = heads("value");
    const TensorId scores = w.scaled(w.product(query, key, false, true), 1 / std::sqrt(static_cast<double>(head)));
    const TensorId mixed = w.product(w.append(graph::Softmax{}, {scores}), value);
    const TensorId joined = w.reshape(w.transpose(mixed, {0, 2, 1, 3}), {batch, tokens, width});
    x = w.add(x, w.dropped(w.dense(name + ".output", joined, width, Initial::kGlorot), dropout_of(options)));
    const TensorId wide = w.dense(name + ".dense1", w.layer_normalization(name + ".norm2", x), 2 * width, Initial::kHe);
    const TensorId narrow = w.dense(name + ".dense2", w.unary(graph::UnaryKind::kGelu, wide), width, Initial::kGlorot);
    x = w.add(x, w.dropped(narrow, dropout_of(options)));
  }
  const TensorId answer = w.reshape(w.slice(x, {0, 0, 0}, {1, 1, 1}, {batch, 1, width}), {batch, width});
  network.scores = w.dense("scores", w.layer_normalization("norm", answer), options.classes, Initial::kGlorot);
  return network;
}

const std::vector<std::string>& network_names() {
  static const std::vector<std::string> names = {"cnn", "vit", "lstm"};
  return names;
}

Network network(const std::string& name, const NetworkOptions& options) {
  if (name == "cnn") {
    return cnn(options);
  }
  if (name == "vit") {
    return vit(options);
  }
  if (name == "lstm") {
    return lstm(options);
  }
  throw InvalidArgument(fmt::format("no network '{}'; there are {}", name, fmt::join(network_names(), ", ")));
}

}  // namespace systole::training
