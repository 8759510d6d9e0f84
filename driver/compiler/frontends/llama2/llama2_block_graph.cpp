// SPDX-License-Identifier: Apache-2.0
#include "llama2_block_graph.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "llama2_builder.hpp"

namespace systole::llama2 {
namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::TensorId;
using graph::UnaryKind;

constexpr int kBlockElements = 16;

std::int64_t group_of(const Sizes& sizes) { return sizes.heads / sizes.key_heads; }

/// A row of the queries or the keys: the head, the number of the pair, and which of the pair.
struct PlaceInHead {
  int head, pair, part;
};

/// Queries of the first head of each key's group, of the second, ... Each has the real parts of all keys' heads, then
/// the imaginary ones. `queries` in each group: 1 for the keys themselves.
std::vector<PlaceInHead> in_order(const Sizes& sizes, int queries) {
  std::vector<PlaceInHead> places;
  for (int query = 0; query < queries; ++query) {
    for (const int part : {0, 1}) {
      for (int key = 0; key < sizes.key_heads; ++key) {
        for (int pair = 0; pair < sizes.head_width() / 2; ++pair) {
          places.push_back({key * queries + query, pair, part});
        }
      }
    }
  }
  return places;
}

/// Rows of matrices of `columns` numbers.
class Rows {
 public:
  explicit Rows(int columns) : columns_(static_cast<std::size_t>(columns)) {}

  void append(const Weights& matrix, std::size_t row, float factor = 1) {
    std::vector<float> numbers(columns_);
    std::memcpy(numbers.data(), matrix->data() + row * columns_ * sizeof(float), columns_ * sizeof(float));
    for (const float number : numbers) {
      values_.push_back(number * factor);
    }
  }
  /// All rows.
  void append(const Weights& matrix) {
    for (std::size_t row = 0; row < matrix->size() / (columns_ * sizeof(float)); ++row) {
      append(matrix, row);
    }
  }
  void append_zeros(int rows) { values_.resize(values_.size() + static_cast<std::size_t>(rows) * columns_); }
  std::int64_t count() const { return static_cast<std::int64_t>(values_.size() / columns_); }
  TensorId constant(Builder& net) const {
    graph::Bytes bytes(values_.size() * sizeof(float));
    std::memcpy(bytes.data(), values_.data(), bytes.size());
    return net.constant({count(), static_cast<std::int64_t>(columns_)},
                        std::make_shared<const graph::Bytes>(std::move(bytes)));
  }

 private:
  std::size_t columns_;
  std::vector<float> values_;
};

class Transformer {
 public:
  Transformer(const Checkpoint& checkpoint, const BlockStep& step)
      : checkpoint_(checkpoint), sizes_(checkpoint.sizes), step_(step), net_(checkpoint.name) {
    net_.set_arithmetic(graph::Arithmetic::kBlocks);
  }

  graph::Graph build() {
    const std::int64_t rows = step_.tokens, turned = sizes_.width + sizes_.key_width();
    TensorId x = net_.input("embeddings", {rows, sizes_.width});
    cosines_ = net_.input("cosines", {rows, turned});
    sines_ = net_.input("sines", {rows, turned});
    mask_ = net_.input("mask", {rows, 1, step_.context()});
    own_ = own_heads();
    std::vector<TensorId> added;
    for (std::size_t i = 0; i < checkpoint_.layers.size(); ++i) {
      const Layer& layer = checkpoint_.layers[i];
      net_.begin(fmt::format("layer{}.", i));
      x = net_.binary(BinaryKind::kAdd, x, attention(normed(x, layer.attention_norm), layer, added));
      x = net_.binary(BinaryKind::kAdd, x, feed_forward(normed(x, layer.feed_norm), layer));
    }
    net_.begin("");
    const TensorId classifier = net_.constant({sizes_.vocabulary, sizes_.width}, checkpoint_.classifier);
    added.insert(added.begin(), net_.dense(normed(x, checkpoint_.final_norm), classifier));
    return net_.finish(added);
  }

 private:
  TensorId times(TensorId a, TensorId b) { return net_.binary(BinaryKind::kMultiply, a, b); }

  /// x / sqrt(mean of x^2 + epsilon) * weights.
  TensorId normed(TensorId x, const Weights& weights) {
    const TensorId mean = net_.mean(times(x, x));
    const TensorId root =
        net_.unary(UnaryKind::kReciprocalSqrt, net_.binary(BinaryKind::kAdd, mean, net_.number(kNormEpsilon)));
    return times(times(x, root), net_.constant({sizes_.width}, weights));
  }

  /// For each key's head ones at its own numbers, and zeros at the others: [key heads, key width].
  TensorId own_heads() {
    std::vector<float> ones;
    for (int head = 0; head < sizes_.key_heads; ++head) {
      for (const PlaceInHead& place : in_order(sizes_, 1)) {
        ones.push_back(place.head == head ? 1.0F : 0.0F);
      }
    }
    graph::Bytes bytes(ones.size() * sizeof(float));
    std::memcpy(bytes.data(), ones.data(), bytes.size());
    return net_.constant({sizes_.key_heads, sizes_.key_width()},
                         std::make_shared<const graph::Bytes>(std::move(bytes)));
  }

  /// Weights of queries, keys, and both with their parts exchanged.
  TensorId projection(const Layer& layer) {
    Rows rows(sizes_.width);
    const float scale = 1 / std::sqrt(static_cast<float>(sizes_.head_width()));
    const auto append = [&](int exchanged) {
      const auto row = [&](const PlaceInHead& place) {
        return static_cast<std::size_t>(place.head * sizes_.head_width() + 2 * place.pair + (place.part ^ exchanged));
      };
      for (const PlaceInHead& place : in_order(sizes_, static_cast<int>(group_of(sizes_)))) {
        rows.append(layer.query, row(place), scale);
      }
      for (const PlaceInHead& place : in_order(sizes_, 1)) {
        rows.append(layer.key, row(place));
      }
    };
    append(0);
    append(1);
    return rows.constant(net_);
  }

  TensorId with_cache(const char* name, const Shape& cached, TensorId added, int axis) {
    return step_.cached == 0 ? added : net_.concat(net_.input(net_.name(name), cached), added, axis);
  }

  TensorId attention(TensorId x, const Layer& layer, std::vector<TensorId>& added) {
    const std::int64_t rows = step_.tokens, width = sizes_.width, key_width = sizes_.key_width();
    const std::int64_t all_queries = rows * sizes_.heads, context = step_.context();
    const TensorId value = net_.dense(x, net_.constant({key_width, width}, layer.value));
    const auto parts = net_.split(net_.dense(x, projection(layer)), {width + key_width, width + key_width});
    const TensorId turned = net_.binary(BinaryKind::kAdd, times(parts[0], cosines_), times(parts[1], sines_));
    const auto queries_and_keys = net_.split(turned, {width, key_width});
    const TensorId key = queries_and_keys[1];
    added.insert(added.end(), {key, value});

    const Shape by_key{rows * group_of(sizes_), sizes_.key_heads, key_width};
    const TensorId queries =
        net_.binary(BinaryKind::kMultiply, net_.reshape(queries_and_keys[0], {by_key[0], 1, key_width}), own_, by_key);
    const TensorId keys = with_cache("keys", {step_.cached, key_width}, key, 0);
    const TensorId scores =
        net_.transpose(net_.product(keys, net_.reshape(queries, {all_queries, key_width}), true), {1, 0});
    const TensorId seen = net_.binary(BinaryKind::kAdd, net_.reshape(scores, {rows, sizes_.heads, context}), mask_);
    const TensorId shares = net_.reshape(net_.softmax(seen), {all_queries, context});
    const TensorId values = with_cache("values", {key_width, step_.cached}, net_.transpose(value, {1, 0}), 1);
    const TensorId mixed = net_.gather(net_.product(values, shares, true), of_own_heads(), {rows, width});
    return net_.dense(mixed, output_weights(layer));
  }

  /// Of the means of all values for all queries, [key width, queries], those of the query's own head: for each token
  /// and each query of a group, head by head.
  std::vector<std::int32_t> of_own_heads() const {
    std::vector<std::int32_t> elements;
    const int heads = sizes_.key_heads, head = sizes_.head_width(), all = step_.tokens * sizes_.heads;
    for (int query = 0; query < step_.tokens * static_cast<int>(group_of(sizes_)); ++query) {
      for (int key = 0; key < heads; ++key) {
        for (int i = 0; i < head; ++i) {
          elements.push_back((key * head + i) * all + query * heads + key);
        }
      }
    }
    return elements;
  }

  /// With the columns in that order.
  TensorId output_weights(const Layer& layer) {
    const auto width = static_cast<std::size_t>(sizes_.width), head = static_cast<std::size_t>(sizes_.head_width());
    const auto group = static_cast<std::size_t>(group_of(sizes_)), keys = static_cast<std::size_t>(sizes_.key_heads);
    graph::Bytes bytes(layer.output->size());
    std::uint8_t* to = bytes.data();
    for (std::size_t row = 0; row < width; ++row) {
      for (std::size_t query = 0; query < group; ++query) {
        for (std::size_t key = 0; key < keys; ++key, to += head * sizeof(float)) {
          const std::size_t from = row * width + (key * group + query) * head;
          std::memcpy(to, layer.output->data() + from * sizeof(float), head * sizeof(float));
        }
      }
    }
    return net_.constant({sizes_.width, sizes_.width}, std::make_shared<const graph::Bytes>(std::move(bytes)));
  }

  /// With rows of zeros, and columns of zeros for them, so that all blocks are full.
  TensorId feed_forward(TensorId x, const Layer& layer) {
    const int hidden = (sizes_.hidden + kBlockElements - 1) / kBlockElements * kBlockElements;
    Rows rows(sizes_.width);
    for (const Weights& matrix : {layer.gate, layer.up}) {
      rows.append(matrix);
      rows.append_zeros(hidden - sizes_.hidden);
    }
    const auto [gate, up] = net_.halves(net_.dense(x, rows.constant(net_)));
    const TensorId open = times(times(gate, net_.unary(UnaryKind::kSigmoid, gate)), up);
    const auto row = static_cast<std::size_t>(sizes_.hidden) * sizeof(float);
    graph::Bytes down(static_cast<std::size_t>(sizes_.width) * static_cast<std::size_t>(hidden) * sizeof(float));
    for (std::size_t i = 0; i < static_cast<std::size_t>(sizes_.width); ++i) {
      std::memcpy(down.data() + i * static_cast<std::size_t>(hidden) * sizeof(float), layer.down->data() + i * row,
                  row);
    }
    return net_.dense(open,
                      net_.constant({sizes_.width, hidden}, std::make_shared<const graph::Bytes>(std::move(down))));
  }

  const Checkpoint& checkpoint_;
  const Sizes& sizes_;
  const BlockStep step_;
  Builder net_;
  TensorId cosines_ = graph::kNoTensor, sines_ = graph::kNoTensor, mask_ = graph::kNoTensor, own_ = graph::kNoTensor;
};

}  // namespace

graph::Graph block_step_graph(const Checkpoint& checkpoint, const BlockStep& step) {
  if (step.tokens < 1 || step.cached < 0) {
    throw graph::GraphError(
        fmt::format("a step of {} tokens behind {} positions; legal are 1 token or more, behind 0 "
                    "positions or more",
                    step.tokens, step.cached));
  }
  graph::Graph graph = Transformer(checkpoint, step).build();
  validate(graph);
  return graph;
}

RotaryTables block_rotary_tables(const Sizes& sizes, int first, int count) {
  const RotaryTables angles = rotary_tables(sizes.head_width(), first, count);
  const int pairs = sizes.head_width() / 2;
  RotaryTables tables;
  for (int position = 0; position < count; ++position) {
    for (const int queries : {static_cast<int>(group_of(sizes)), 1}) {
      for (const PlaceInHead& place : in_order(sizes, queries)) {
        const auto at = static_cast<std::size_t>(position * pairs + place.pair);
        tables.cosines.push_back(angles.cosines[at]);
        tables.sines.push_back(place.part == 0 ? -angles.sines[at] : angles.sines[at]);
      }
    }
  }
  return tables;
}

}  // namespace systole::llama2
