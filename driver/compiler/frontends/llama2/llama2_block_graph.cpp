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
    const bool several = step_.tokens > 1;
    TensorId x = net_.input("embeddings", {rows, sizes_.width});
    const std::vector<std::int64_t> queries_and_keys{sizes_.width, sizes_.key_width()};
    for (const TensorId cosines : of_sequences(net_.input("cosines", {rows, turned}))) {
      cosines_.push_back(net_.split(cosines, queries_and_keys));
    }
    for (const TensorId sines : of_sequences(net_.input("sines", {rows, turned}))) {
      sines_.push_back(net_.split(sines, queries_and_keys));
    }
    masks_ = of_sequences(net_.input("mask", {rows, 1, step_.columns()}));
    heads_ = own_heads();
    std::vector<TensorId> added;
    for (std::size_t i = 0; i < checkpoint_.layers.size(); ++i) {
      const Layer& layer = checkpoint_.layers[i];
      net_.begin(fmt::format("layer{}.", i));
      x = net_.binary(BinaryKind::kAdd, x, attention(normed(x, layer.attention_norm, several), layer));
      x = net_.binary(BinaryKind::kAdd, x, feed_forward(normed(x, layer.feed_norm, several), layer, added));
    }
    net_.begin("");
    const TensorId last = normed(x, checkpoint_.final_norm, true).x;
    added.insert(added.begin(), whole(weighed(last, {sizes_.vocabulary, sizes_.width}, checkpoint_.classifier)));
    return net_.finish(added);
  }

 private:
  TensorId times(TensorId a, TensorId b) { return net_.binary(BinaryKind::kMultiply, a, b); }

  /// The rows of each sequence.
  std::vector<TensorId> of_sequences(TensorId x) {
    return step_.sequences == 1
               ? std::vector{x}
               : net_.split(x, 0, std::vector<std::int64_t>(static_cast<std::size_t>(step_.sequences), 1));
  }
  TensorId of_all(const std::vector<TensorId>& rows) { return rows.size() == 1 ? rows[0] : net_.concat(rows, 0); }

  /// Rows of a product that are yet to be multiplied by a number each, if there is one.
  struct Product {
    TensorId rows = graph::kNoTensor, numbers = graph::kNoTensor;
  };
  /// The rows of x, multiplied by a matrix.
  Product weighed(TensorId x, const Shape& shape, const Weights& matrix) {
    if (step_.weights == WeightType::kBlocks) {
      return {net_.dense(x, net_.constant(shape, matrix))};
    }
    const auto known = in_steps_.find(x);
    const Builder::Steps steps = known != in_steps_.end() ? known->second : net_.in_steps(x);
    in_steps_[x] = steps;
    return {net_.int8_dense(steps.values, shape, *matrix), steps.size};
  }
  Product weighed(TensorId x, const Rows& rows) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(rows.values().data());
    return weighed(x, rows.shape(),
                   std::make_shared<const graph::Bytes>(first, first + rows.values().size() * sizeof(float)));
  }
  Product with_numbers(const Product& product, TensorId numbers) {
    const bool both = product.numbers != graph::kNoTensor && numbers != graph::kNoTensor;
    return {product.rows, both                                  ? times(product.numbers, numbers)
                          : product.numbers != graph::kNoTensor ? product.numbers
                                                                : numbers};
  }
  TensorId whole(const Product& product) {
    return product.numbers == graph::kNoTensor ? product.rows : times(product.rows, product.numbers);
  }
  std::vector<Product> of_sequences(const Product& product) {
    std::vector<Product> products;
    for (const TensorId rows : of_sequences(product.rows)) {
      products.push_back({rows});
    }
    const bool has_numbers = product.numbers != graph::kNoTensor;
    const auto numbers = has_numbers ? of_sequences(product.numbers) : std::vector<TensorId>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      products[i].numbers = numbers[i];
    }
    return products;
  }

  TensorId root_of(TensorId x) {
    const TensorId mean = net_.mean(times(x, x));
    const TensorId epsilon = net_.number(sizes_.norm_epsilon);
    return net_.unary(UnaryKind::kReciprocalSqrt, net_.binary(BinaryKind::kAdd, mean, epsilon));
  }
  /// x / sqrt(mean of x^2 + epsilon) * weights, whole or in two factors: products are then those of x * weights, so
  /// that the array does not wait for the root.
  struct Normed {
    TensorId x = graph::kNoTensor, root = graph::kNoTensor;
  };
  Normed normed(TensorId x, const Weights& weights, bool is_whole) {
    const TensorId gain = net_.constant({sizes_.width}, weights);
    if (is_whole) {
      return {times(times(x, root_of(x)), gain), graph::kNoTensor};
    }
    const TensorId product = times(x, gain);
    return {product, root_of(x)};
  }
  TensorId scaled(const Product& product, const Normed& x) { return whole(with_numbers(product, x.root)); }

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

  /// Queries, with `group` of them for each key's head, or keys, before they are turned by the positions' angles. Real
  /// and imaginary parts are exchanged for that: of one token rows of lanes, of several by a second product.
  Product before_rotation(const Normed& x, const Weights& weights, std::int64_t group, float scale) {
    Rows rows(sizes_.width);
    for (const int exchanged : {0, 1}) {
      for (const PlaceInHead& place : in_order(sizes_, static_cast<int>(group))) {
        const int row = place.head * sizes_.head_width() + 2 * place.pair + (place.part ^ exchanged);
        if (exchanged == 0 || step_.tokens > 1) {
          rows.append(weights, static_cast<std::size_t>(row), scale);
        }
      }
    }
    return with_numbers(weighed(x.x, rows), x.root);
  }
  TensorId rotated(const Product& both, TensorId cosines, TensorId sines) {
    const TensorId product = whole(both);
    const auto [straight, exchanged] =
        step_.tokens == 1 ? std::pair{product, net_.exchanged(product, sizes_.key_width() / 2)} : net_.halves(product);
    return net_.binary(BinaryKind::kAdd, times(straight, cosines), times(exchanged, sines));
  }

  TensorId with_cache(const char* name, const Shape& cached, TensorId added, int axis) {
    return step_.cached == 0 ? added : net_.concat({net_.input(net_.name(name), cached), added}, axis);
  }

  TensorId attention(const Normed& x, const Layer& layer) {
    const std::int64_t width = sizes_.width, key_width = sizes_.key_width();
    const float scale = 1 / std::sqrt(static_cast<float>(sizes_.head_width()));
    // For each sequence. In this order the array has work while the vector unit turns queries and keys.
    std::vector<TensorId> queries, keys, values, read;
    for (const Product& query : of_sequences(before_rotation(x, layer.query, group_of(sizes_), scale))) {
      const std::size_t i = queries.size();
      queries.push_back(by_heads(rotated(query, cosines_[i][0], sines_[i][0])));
    }
    for (const Product& key : of_sequences(before_rotation(x, layer.key, 1, 1))) {
      const std::size_t i = keys.size();
      keys.push_back(rotated(key, cosines_[i][1], sines_[i][1]));
    }
    const Product all_values = with_numbers(weighed(x.x, {key_width, width}, layer.value), x.root);
    for (const Product& value : of_sequences(all_values)) {
      values.push_back(whole(value));
    }
    own_key_ = of_all(keys);
    own_value_ = all_values;
    const auto cached_keys = caches("keys"), cached_values = caches("values");
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const TensorId mixed =
          step_.tokens == 1 ? mixed_of_one(queries[i], keys[i], values[i], masks_[i], cached_keys[i], cached_values[i])
                            : mixed_of_several(queries[i], keys[i], values[i]);
      read.push_back(net_.gather(mixed, of_own_heads(step_.tokens > 1), {step_.tokens, width}));
    }
    return whole(weighed(of_all(read), {width, width}, output_weights(layer)));
  }

  /// What is cached of each sequence, as weights; none for several tokens.
  std::vector<TensorId> caches(const char* name) {
    std::vector<TensorId> inputs;
    for (int i = 0; step_.tokens == 1 && i < step_.sequences; ++i) {
      const std::string full = step_.sequences == 1 ? name : fmt::format("{}.{}", name, i);
      inputs.push_back(net_.weights_input(net_.name(full), {step_.columns(), sizes_.key_width()}));
    }
    return inputs;
  }

  /// A row for each query, with zeros beside its own head's numbers.
  TensorId by_heads(TensorId query) {
    const std::int64_t tokens = step_.tokens, key_width = sizes_.key_width();
    const TensorId rows = net_.reshape(query, {tokens * group_of(sizes_), 1, key_width});
    return net_.reshape(times(rows, heads_), {tokens * sizes_.heads, key_width});
  }

  /// The means of the values of one token's queries: [queries, key width]. What its own key and value add, which are
  /// not in the cache, is in binary32.
  TensorId mixed_of_one(TensorId queries, TensorId key, TensorId value, TensorId mask, TensorId cached_keys,
                        TensorId cached_values) {
    const std::int64_t key_width = sizes_.key_width(), columns = step_.columns();
    const TensorId own = times(net_.mean(times(queries, key)), net_.number(static_cast<float>(key_width)));
    const TensorId scores = net_.dense(queries, cached_keys);
    const TensorId seen = net_.binary(BinaryKind::kAdd, scores, net_.reshape(mask, {1, columns}));
    const TensorId shares = net_.softmax(net_.binary(BinaryKind::kAdd, seen, net_.pad_before(own, columns - 1)));
    const TensorId own_share = net_.split(shares, {columns - 1, 1})[1];
    const TensorId own_values = times(own_share, value);
    return net_.binary(BinaryKind::kAdd, net_.product(shares, cached_values, false), own_values);
  }

  /// The same of several tokens behind the cache, transposed: keys and values, of which there are more, are the left
  /// operands.
  TensorId mixed_of_several(TensorId queries, TensorId key, TensorId value) {
    const std::int64_t rows = step_.tokens, key_width = sizes_.key_width(), columns = step_.columns();
    const TensorId keys = with_cache("keys", {step_.cached, key_width}, key, 0);
    const TensorId scores = net_.transpose(net_.product(keys, queries, true), {1, 0});
    const TensorId seen = net_.binary(BinaryKind::kAdd, net_.reshape(scores, {rows, sizes_.heads, columns}), masks_[0]);
    const TensorId shares = net_.reshape(net_.softmax(seen), {rows * sizes_.heads, columns});
    const TensorId values = with_cache("values", {key_width, step_.cached}, net_.transpose(value, {1, 0}), 1);
    return net_.product(values, shares, true);
  }

  /// Of the means of all values for all queries, [queries, key width] or transposed, those of the query's own head: for
  /// each token and each query of a group, head by head.
  std::vector<std::int32_t> of_own_heads(bool transposed) const {
    std::vector<std::int32_t> elements;
    const int heads = sizes_.key_heads, head = sizes_.head_width(), all = step_.tokens * sizes_.heads;
    for (int query = 0; query < step_.tokens * static_cast<int>(group_of(sizes_)); ++query) {
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
      const Product both = weighed(x.x, gate_and_up(layer, begin, end));
      const auto [gates, ups] = net_.halves(both.rows);
      const TensorId gate = scaled({gates, both.numbers}, x);
      open.push_back(times(times(gate, net_.unary(UnaryKind::kSigmoid, gate)), scaled({ups, both.numbers}, x)));
      if (begin == 0) {  // while the array has much to do
        const TensorId one = net_.number(1);
        added.push_back(times(own_key_, one));
        added.push_back(times(own_value_.rows, own_value_.numbers == graph::kNoTensor ? one : own_value_.numbers));
      }
    }
    TensorId sum = graph::kNoTensor;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto [begin, end] = parts[i];
      const TensorId part = whole(weighed(open[i], {sizes_.width, whole_blocks(end - begin)}, down(layer, begin, end)));
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
  std::vector<std::vector<TensorId>> cosines_, sines_;  ///< of each sequence, those of the queries and the keys
  std::vector<TensorId> masks_;                         ///< of each sequence
  TensorId heads_ = graph::kNoTensor;
  TensorId own_key_ = graph::kNoTensor;  ///< of the layer
  Product own_value_;                    ///< and its value
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
