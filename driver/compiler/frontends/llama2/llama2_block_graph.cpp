// SPDX-License-Identifier: Apache-2.0
#include "llama2_block_graph.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
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
  void append_zeros(int rows) { values_.resize(values_.size() + static_cast<std::size_t>(rows) * columns_); }
  std::int64_t count() const { return static_cast<std::int64_t>(values_.size() / columns_); }
  graph::Shape shape() const { return {count(), static_cast<std::int64_t>(columns_)}; }
  const std::vector<float>& values() const { return values_; }

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
    const std::int64_t rows = step_.rows(), turned = sizes_.width + sizes_.key_width();
    TensorId x = net_.input("embeddings", {rows, sizes_.width});
    const std::vector<std::int64_t> queries_and_keys{sizes_.width, sizes_.key_width()};
    cosines_ = net_.split(net_.input("cosines", {rows, turned}), queries_and_keys);
    sines_ = net_.split(net_.input("sines", {rows, turned}), queries_and_keys);
    mask_ = net_.input("mask", {rows, 1, step_.columns()});
    heads_ = own_heads();
    std::vector<TensorId> added;
    for (std::size_t i = 0; i < checkpoint_.layers.size(); ++i) {
      const Layer& layer = checkpoint_.layers[i];
      net_.begin(fmt::format("layer{}.", i));
      x = net_.binary(BinaryKind::kAdd, x, attention(normed(x, layer.attention_norm), layer));
      x = net_.binary(BinaryKind::kAdd, x, feed_forward(normed(x, layer.feed_norm), layer, added));
    }
    net_.begin("");
    const TensorId last = times(times(x, root_of(x)), net_.constant({sizes_.width}, checkpoint_.final_norm));
    added.insert(added.begin(), weighed(last, {sizes_.vocabulary, sizes_.width}, checkpoint_.classifier));
    return net_.finish(added);
  }

 private:
  TensorId times(TensorId a, TensorId b) { return net_.binary(BinaryKind::kMultiply, a, b); }

  /// The rows of x, multiplied by a matrix.
  TensorId weighed(TensorId x, const Shape& shape, const Weights& matrix) {
    if (step_.weights == WeightType::kBlocks) {
      return net_.dense(x, net_.constant(shape, matrix));
    }
    const auto known = in_steps_.find(x);
    const Builder::Steps steps = known != in_steps_.end() ? known->second : net_.in_steps(x);
    in_steps_[x] = steps;
    return net_.int8_dense(steps, shape, *matrix);
  }
  TensorId weighed(TensorId x, const Rows& rows) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(rows.values().data());
    return weighed(x, rows.shape(),
                   std::make_shared<const graph::Bytes>(first, first + rows.values().size() * sizeof(float)));
  }

  TensorId root_of(TensorId x) {
    const TensorId mean = net_.mean(times(x, x));
    const TensorId epsilon = net_.number(sizes_.norm_epsilon);
    return net_.unary(UnaryKind::kReciprocalSqrt, net_.binary(BinaryKind::kAdd, mean, epsilon));
  }
  /// x / sqrt(mean of x^2 + epsilon) * weights. One token's comes in two factors: its products are those of x *
  /// weights, so that the array does not wait for the root.
  struct Normed {
    TensorId x = graph::kNoTensor, root = graph::kNoTensor;
  };
  Normed normed(TensorId x, const Weights& weights) {
    const TensorId gain = net_.constant({sizes_.width}, weights);
    if (step_.tokens > 1) {
      return {times(times(x, root_of(x)), gain), graph::kNoTensor};
    }
    const TensorId product = times(x, gain);
    return {product, root_of(x)};
  }
  /// With the second factor.
  TensorId scaled(TensorId product, const Normed& x) {
    return x.root == graph::kNoTensor ? product : times(product, x.root);
  }

  /// For each key's head ones at its own numbers, and zeros at the others: [key heads, key width].
  TensorId own_heads() {
    std::vector<float> ones;
    for (int head = 0; head < sizes_.key_heads; ++head) {
      for (const PlaceInHead& place : in_order(sizes_, 1)) {
        ones.push_back(place.head == head ? 1.0F : 0.0F);
      }
    }
    return net_.numbers({sizes_.key_heads, sizes_.key_width()}, ones);
  }

  /// Queries, with `group` of them for each key's head, or keys: the product, turned by the positions' angles. Real and
  /// imaginary parts are exchanged for that: of one token rows of lanes, of several by a second product.
  TensorId rotated(const Normed& x, const Weights& weights, std::int64_t group, float scale, std::size_t table) {
    Rows rows(sizes_.width);
    for (const int exchanged : {0, 1}) {
      for (const PlaceInHead& place : in_order(sizes_, static_cast<int>(group))) {
        const int row = place.head * sizes_.head_width() + 2 * place.pair + (place.part ^ exchanged);
        if (exchanged == 0 || step_.tokens > 1) {
          rows.append(weights, static_cast<std::size_t>(row), scale);
        }
      }
    }
    const TensorId product = scaled(weighed(x.x, rows), x);
    const auto [straight, exchanged] =
        step_.tokens == 1 ? std::pair{product, net_.exchanged(product, sizes_.key_width() / 2)} : net_.halves(product);
    return net_.binary(BinaryKind::kAdd, times(straight, cosines_[table]), times(exchanged, sines_[table]));
  }

  TensorId with_cache(const char* name, const Shape& cached, TensorId added, int axis) {
    return step_.cached == 0 ? added : net_.concat({net_.input(net_.name(name), cached), added}, axis);
  }

  TensorId attention(const Normed& x, const Layer& layer) {
    const std::int64_t rows = step_.rows(), width = sizes_.width, key_width = sizes_.key_width();
    const std::int64_t all_queries = rows * sizes_.heads;
    const TensorId query =
        rotated(x, layer.query, group_of(sizes_), 1 / std::sqrt(static_cast<float>(sizes_.head_width())), 0);
    const Shape by_key{rows * group_of(sizes_), 1, key_width};
    const TensorId queries = net_.reshape(times(net_.reshape(query, by_key), heads_), {all_queries, key_width});
    const TensorId key = rotated(x, layer.key, 1, 1, 1);
    const TensorId product = weighed(x.x, {key_width, width}, layer.value);
    const TensorId value = scaled(product, x);
    own_key_ = key;
    own_value_ = {product, x.root};
    const bool several = step_.tokens > 1;
    const TensorId mixed = several ? mixed_of_several(queries, key, value) : mixed_of_one(queries, key, value);
    return weighed(net_.gather(mixed, of_own_heads(several), {rows, width}), {width, width}, output_weights(layer));
  }

  /// The means of the values of each sequence's one token's queries: [queries, key width]. What its own key and value
  /// add, which are not in the cache, is in binary32.
  TensorId mixed_of_one(TensorId queries, TensorId key, TensorId value) {
    const std::int64_t sequences = step_.sequences, heads = sizes_.heads, key_width = sizes_.key_width(),
                       columns = step_.columns();
    const auto apart = [&](TensorId x) { return net_.reshape(x, {sequences, heads, net_.shape(x).back()}); };
    const auto together = [&](TensorId x) { return net_.reshape(x, {sequences * heads, net_.shape(x).back()}); };
    const auto one_row = [&](TensorId x) { return net_.reshape(x, {sequences, 1, key_width}); };
    const TensorId products = net_.mean(times(apart(queries), one_row(key)));
    const TensorId own = times(products, net_.number(static_cast<float>(key_width)));
    const TensorId scores =
        apart(of_each(queries, "keys", [&](TensorId x, TensorId keys) { return net_.dense(x, keys); }));
    const TensorId seen = net_.binary(BinaryKind::kAdd, scores, mask_);
    const TensorId shares = net_.softmax(net_.binary(BinaryKind::kAdd, seen, net_.pad_before(own, columns - 1)));
    const TensorId own_values = times(net_.split(shares, {columns - 1, 1})[1], one_row(value));
    const TensorId means =
        of_each(together(shares), "values", [&](TensorId x, TensorId values) { return net_.product(x, values, false); });
    return together(net_.binary(BinaryKind::kAdd, apart(means), own_values));
  }

  /// The rows of each sequence, multiplied by what it has cached: product(rows, cached).
  template <class Product>
  TensorId of_each(TensorId x, const char* cached, const Product& product) {
    const std::int64_t rows = sizes_.heads;
    const std::vector<std::int64_t> sizes(static_cast<std::size_t>(step_.sequences), rows);
    std::vector<TensorId> products;
    for (const TensorId part : step_.sequences == 1 ? std::vector{x} : net_.split(x, 0, sizes)) {
      const std::string name = step_.sequences == 1 ? cached : fmt::format("{}.{}", cached, products.size());
      products.push_back(product(part, net_.weights_input(net_.name(name), {step_.columns(), sizes_.key_width()})));
    }
    return products.size() == 1 ? products[0] : net_.concat(products, 0);
  }

  /// The same of several tokens behind the cache, transposed: keys and values, of which there are more, are the left
  /// operands.
  TensorId mixed_of_several(TensorId queries, TensorId key, TensorId value) {
    const std::int64_t rows = step_.tokens, key_width = sizes_.key_width(), columns = step_.columns();
    const TensorId keys = with_cache("keys", {step_.cached, key_width}, key, 0);
    const TensorId scores = net_.transpose(net_.product(keys, queries, true), {1, 0});
    const TensorId seen = net_.binary(BinaryKind::kAdd, net_.reshape(scores, {rows, sizes_.heads, columns}), mask_);
    const TensorId shares = net_.reshape(net_.softmax(seen), {rows * sizes_.heads, columns});
    const TensorId values = with_cache("values", {key_width, step_.cached}, net_.transpose(value, {1, 0}), 1);
    return net_.product(values, shares, true);
  }

  /// Of the means of all values for all queries, [queries, key width] or transposed, those of the query's own head: for
  /// each token and each query of a group, head by head.
  std::vector<std::int32_t> of_own_heads(bool transposed) const {
    std::vector<std::int32_t> elements;
    const int heads = sizes_.key_heads, head = sizes_.head_width(), all = step_.rows() * sizes_.heads;
    for (int query = 0; query < step_.rows() * static_cast<int>(group_of(sizes_)); ++query) {
      for (int key = 0; key < heads; ++key) {
        for (int i = 0; i < head; ++i) {
          const int row = query * heads + key, column = key * head + i;
          elements.push_back(transposed ? column * all + row : row * sizes_.key_width() + column);
        }
      }
    }
    return elements;
  }

  /// With the columns in that order.
  Weights output_weights(const Layer& layer) const {
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
    return std::make_shared<const graph::Bytes>(std::move(bytes));
  }

  /// In two parts of whole blocks, so that the vector unit computes one while the array multiplies the other. Rows and
  /// columns of zeros fill the last block.
  TensorId feed_forward(const Normed& x, const Layer& layer, std::vector<TensorId>& added) {
    const int blocks = (sizes_.hidden + kBlockElements - 1) / kBlockElements;
    const int middle = std::min(sizes_.hidden, (blocks + 1) / 2 * kBlockElements);
    std::vector<std::pair<int, int>> parts{{0, middle}};
    if (middle < sizes_.hidden) {
      parts.emplace_back(middle, sizes_.hidden);
    }
    std::vector<TensorId> open;
    for (const auto& [begin, end] : parts) {
      const auto [gates, ups] = net_.halves(weighed(x.x, gate_and_up(layer, begin, end)));
      const TensorId gate = scaled(gates, x);
      open.push_back(times(times(gate, net_.unary(UnaryKind::kSigmoid, gate)), scaled(ups, x)));
      if (begin == 0) {  // while the array has much to do
        const TensorId one = net_.number(1);
        added.push_back(times(own_key_, one));
        added.push_back(times(own_value_.x, own_value_.root == graph::kNoTensor ? one : own_value_.root));
      }
    }
    TensorId sum = graph::kNoTensor;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto [begin, end] = parts[i];
      const TensorId part = weighed(open[i], {sizes_.width, whole_blocks(end - begin)}, down(layer, begin, end));
      sum = i == 0 ? part : net_.binary(BinaryKind::kAdd, sum, part);
    }
    return sum;
  }

  static int whole_blocks(int count) { return (count + kBlockElements - 1) / kBlockElements * kBlockElements; }

  /// Rows of both matrices.
  Rows gate_and_up(const Layer& layer, int begin, int end) const {
    Rows rows(sizes_.width);
    for (const Weights& matrix : {layer.gate, layer.up}) {
      for (int row = begin; row < end; ++row) {
        rows.append(matrix, static_cast<std::size_t>(row));
      }
      rows.append_zeros(whole_blocks(end - begin) - (end - begin));
    }
    return rows;
  }

  /// Columns.
  Weights down(const Layer& layer, int begin, int end) const {
    const auto hidden = static_cast<std::size_t>(sizes_.hidden), first = static_cast<std::size_t>(begin);
    const auto count = static_cast<std::size_t>(end - begin),
               padded = static_cast<std::size_t>(whole_blocks(end - begin));
    graph::Bytes bytes(static_cast<std::size_t>(sizes_.width) * padded * sizeof(float));
    for (std::size_t row = 0; row < static_cast<std::size_t>(sizes_.width); ++row) {
      std::memcpy(bytes.data() + row * padded * sizeof(float),
                  layer.down->data() + (row * hidden + first) * sizeof(float), count * sizeof(float));
    }
    return std::make_shared<const graph::Bytes>(std::move(bytes));
  }

  const Checkpoint& checkpoint_;
  const Sizes& sizes_;
  const BlockStep step_;
  Builder net_;
  std::vector<TensorId> cosines_, sines_;  ///< of the queries and the keys
  TensorId mask_ = graph::kNoTensor, heads_ = graph::kNoTensor;
  TensorId own_key_ = graph::kNoTensor;  ///< of the layer
  Normed own_value_;                     ///< and its value, also as two factors
  std::map<TensorId, Builder::Steps> in_steps_;
};

}  // namespace

graph::Graph block_step_graph(const Checkpoint& checkpoint, const BlockStep& step) {
  const int least = step.tokens == 1 ? 1 : 0;
  if (step.tokens < 1 || step.cached < least) {
    throw graph::GraphError(
        fmt::format("a step of {} tokens with a cache of {} positions; legal are 1 token or more, and {} positions or "
                    "more, one of which is the token's if there is only one",
                    step.tokens, step.cached, least));
  }
  check_sequences(step.sequences, step.tokens);
  return Transformer(checkpoint, step).build();
}

RotaryTables block_rotary_tables(const Sizes& sizes, int first, int count) {
  const RotaryTables angles = rotary_tables(sizes, first, count);
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
