// SPDX-License-Identifier: Apache-2.0
#include "llama2_graph.hpp"

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

/// The rows of a matrix for which heads are rotated: of each pair of neighbours in a head the first ones, of all heads,
/// then the second ones. The two halves of the product are then real and imaginary parts, without moving a number.
Weights parts_apart(const Weights& rows, int columns) {
  const std::size_t size = static_cast<std::size_t>(columns) * sizeof(float), pairs = rows->size() / size / 2;
  graph::Bytes apart(rows->size());
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    std::memcpy(apart.data() + pair * size, rows->data() + 2 * pair * size, size);
    std::memcpy(apart.data() + (pairs + pair) * size, rows->data() + (2 * pair + 1) * size, size);
  }
  return std::make_shared<const graph::Bytes>(std::move(apart));
}

class Transformer {
 public:
  Transformer(const Checkpoint& checkpoint, const Step& step)
      : checkpoint_(checkpoint), sizes_(checkpoint.sizes), step_(step), net_(checkpoint.name) {}

  graph::Graph build() {
    const std::int64_t rows = step_.rows();
    TensorId x = net_.input("embeddings", {rows, sizes_.width});
    cosines_ = net_.input("cosines", {rows, 1, sizes_.head_width() / 2});
    sines_ = net_.input("sines", {rows, 1, sizes_.head_width() / 2});
    mask_ = net_.input("mask", {1, rows, step_.context});
    std::vector<TensorId> added;
    for (std::size_t i = 0; i < checkpoint_.layers.size(); ++i) {
      const Layer& layer = checkpoint_.layers[i];
      net_.begin(fmt::format("layer{}.", i));
      x = net_.binary(BinaryKind::kAdd, x, attention(normed(x, layer.attention_norm), layer, added));
      x = net_.binary(BinaryKind::kAdd, x, feed_forward(normed(x, layer.feed_norm), layer));
    }
    net_.begin("");
    const TensorId logits = dense(normed(x, checkpoint_.final_norm), checkpoint_.classifier, sizes_.vocabulary);
    added.insert(added.begin(), logits);
    return net_.finish(added);
  }

 private:
  TensorId dense(TensorId x, const Weights& weights, int outputs) {
    return net_.dense(x, net_.constant({outputs, net_.shape(x).back()}, weights));
  }

  /// x / sqrt(mean of x^2 + epsilon) * weights.
  TensorId normed(TensorId x, const Weights& weights) {
    const TensorId mean = net_.mean(net_.binary(BinaryKind::kMultiply, x, x));
    const TensorId epsilon = net_.number(sizes_.norm_epsilon);
    const TensorId root = net_.unary(UnaryKind::kSqrt, net_.binary(BinaryKind::kAdd, mean, epsilon));
    return net_.binary(BinaryKind::kMultiply, net_.binary(BinaryKind::kDivide, x, root),
                       net_.constant({sizes_.width}, weights));
  }

  /// Each head as complex numbers, turned by angles that depend on the position: [heads, tokens, head].
  TensorId rotated(TensorId x, const Weights& weights, int heads) {
    const std::int64_t rows = step_.rows(), half = sizes_.head_width() / 2;
    const TensorId apart = dense(x, parts_apart(weights, sizes_.width), heads * sizes_.head_width());
    const auto [left, right] = net_.halves(apart);
    const TensorId real = net_.reshape(left, {rows, heads, half}), imaginary = net_.reshape(right, {rows, heads, half});
    const auto times = [&](TensorId part, TensorId table) { return net_.binary(BinaryKind::kMultiply, part, table); };
    const TensorId to_imaginary = net_.binary(BinaryKind::kAdd, times(real, sines_), times(imaginary, cosines_));
    const TensorId to_real = net_.binary(BinaryKind::kSubtract, times(real, cosines_), times(imaginary, sines_));
    return net_.transpose(net_.concat({to_real, to_imaginary}, 2), {1, 0, 2});
  }

  TensorId attention(TensorId x, const Layer& layer, std::vector<TensorId>& added) {
    const std::int64_t rows = step_.rows(), head = sizes_.head_width();
    const TensorId scale = net_.number(1 / std::sqrt(static_cast<float>(head)));
    const TensorId queries = net_.binary(BinaryKind::kMultiply, rotated(x, layer.query, sizes_.heads), scale);
    const TensorId keys = rotated(x, layer.key, sizes_.key_heads);
    const TensorId value = net_.reshape(dense(x, layer.value, sizes_.key_width()), {rows, sizes_.key_heads, head});
    const TensorId values = net_.transpose(value, {1, 0, 2});
    added.push_back(keys);
    added.push_back(values);
    const auto query = of_sequences(queries), mask = of_sequences(mask_);
    const auto all_keys = with_caches("keys", keys), all_values = with_caches("values", values);
    std::vector<TensorId> mixed;
    for (std::size_t i = 0; i < query.size(); ++i) {
      mixed.push_back(mean_values(query[i], all_keys[i], all_values[i], mask[i]));
    }
    return dense(mixed.size() == 1 ? mixed[0] : net_.concat(mixed, 0), layer.output, sizes_.width);
  }

  /// The rows of each sequence, which are along axis 1.
  std::vector<TensorId> of_sequences(TensorId x) {
    return step_.sequences == 1
               ? std::vector{x}
               : net_.split(x, 1, std::vector<std::int64_t>(static_cast<std::size_t>(step_.sequences), 1));
  }

  /// The cache of each sequence and what its tokens add to it: [key heads, context, head].
  std::vector<TensorId> with_caches(const char* name, TensorId added) {
    std::vector<TensorId> all = of_sequences(added);
    for (std::size_t i = 0; step_.cached() > 0 && i < all.size(); ++i) {
      const std::string own = step_.sequences == 1 ? name : fmt::format("{}.{}", name, i);
      const Shape cached{sizes_.key_heads, step_.cached(), sizes_.head_width()};
      all[i] = net_.concat({net_.input(net_.name(own), cached), all[i]}, 1);
    }
    return all;
  }

  /// The values that a sequence's queries [heads, tokens, head] see, by how much they see them: [tokens, width].
  TensorId mean_values(TensorId queries, TensorId keys, TensorId values, TensorId mask) {
    const std::int64_t tokens = step_.tokens, head = sizes_.head_width();
    const Shape by_key{sizes_.key_heads, sizes_.heads / sizes_.key_heads * tokens, head};  // queries that share keys
    const TensorId scores = net_.product(net_.reshape(queries, by_key), keys, true);
    const TensorId seen =
        net_.binary(BinaryKind::kAdd, net_.reshape(scores, {sizes_.heads, tokens, step_.context}), mask);
    const TensorId shares = net_.reshape(net_.softmax(seen), {by_key[0], by_key[1], step_.context});
    const TensorId mixed = net_.reshape(net_.product(shares, values, false), {sizes_.heads, tokens, head});
    return net_.reshape(net_.transpose(mixed, {1, 0, 2}), {tokens, sizes_.width});
  }

  TensorId feed_forward(TensorId x, const Layer& layer) {
    const TensorId gate = dense(x, layer.gate, sizes_.hidden);
    const TensorId open = net_.binary(BinaryKind::kMultiply, gate, net_.unary(UnaryKind::kSigmoid, gate));
    return dense(net_.binary(BinaryKind::kMultiply, open, dense(x, layer.up, sizes_.hidden)), layer.down, sizes_.width);
  }

  const Checkpoint& checkpoint_;
  const Sizes& sizes_;
  const Step step_;
  Builder net_;
  TensorId cosines_ = graph::kNoTensor, sines_ = graph::kNoTensor, mask_ = graph::kNoTensor;
};

}  // namespace

void check_sequences(int sequences, int tokens) {
  if (sequences < 1 || (sequences > 1 && tokens > 1)) {
    throw graph::GraphError(fmt::format(
        "a step of {} sequences of {} tokens; legal are 1 sequence, or several of 1 token each", sequences, tokens));
  }
}

graph::Graph step_graph(const Checkpoint& checkpoint, const Step& step) {
  if (step.tokens < 1 || step.context < step.tokens || step.context > checkpoint.sizes.context) {
    throw graph::GraphError(
        fmt::format("a step of {} tokens in a context of {} positions; legal are 1 token up to the "
                    "context, and a context up to the model's {}",
                    step.tokens, step.context, checkpoint.sizes.context));
  }
  check_sequences(step.sequences, step.tokens);
  return Transformer(checkpoint, step).build();
}

RotaryTables rotary_tables(const Sizes& sizes, int first, int count) {
  const int head_width = sizes.head_width();
  RotaryTables tables;
  for (int position = first; position < first + count; ++position) {
    for (int i = 0; i < head_width / 2; ++i) {
      const double angle = position * std::pow(sizes.rotary_base, -2.0 * i / head_width);
      tables.cosines.push_back(static_cast<float>(std::cos(angle)));
      tables.sines.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return tables;
}

}  // namespace systole::llama2
