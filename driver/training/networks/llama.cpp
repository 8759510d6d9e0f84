// SPDX-License-Identifier: Apache-2.0
#include "llama.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>

#include "llama2_graph.hpp"
#include "network_writer.hpp"
#include "sizes_text.hpp"
#include "systole/errors.hpp"

namespace systole::training {
namespace {

using graph::ReduceKind;
using graph::UnaryKind;

constexpr std::string_view kPrefix = "llama:";
constexpr double kUnseen = -1e30;  // added to the scores of later tokens, whose shares are then 0

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw InvalidArgument(
      fmt::format("{}: {}; write llama:WIDTH-LAYERS-HEADS-CONTEXT, such as llama:64-2-4-128", name, what));
}

/// Two thirds of four times the width, in whole blocks of block floating point.
int hidden_of(int width) {
  constexpr int kBlock = 16;
  return (width * 8 / 3 + kBlock - 1) / kBlock * kBlock;
}

class Transformer {
 public:
  Transformer(const llama2::Sizes& sizes, const NetworkOptions& options)
      : sizes_(sizes),
        batch_(options.batch),
        head_(sizes.head_width()),
        w_(network_, options.seed, options.micro_batch) {}

  Network build() {
    network_.graph.name = "llama";
    network_.predictions = sizes_.context;
    const TensorId tokens = w_.input("tokens", ElementType::kInt32, {batch_, sizes_.context});
    network_.inputs = {tokens};
    const TensorId embedding = matrix("embedding", sizes_.vocabulary, sizes_.width);
    const auto tables = llama2::rotary_tables(sizes_, 0, sizes_.context);
    cosines_ = table(tables.cosines);
    sines_ = table(tables.sines);
    mask_ = mask();
    TensorId x = w_.append(graph::Gather{0}, {embedding, tokens});
    for (int layer = 0; layer < sizes_.layers; ++layer) {
      prefix_ = fmt::format("layer{}.", layer);
      x = w_.add(x, attention(normed("attention_norm", x)));
      x = w_.add(x, feed_forward(normed("feed_norm", x)));
    }
    prefix_.clear();
    const TensorId scores = w_.append(graph::Dense{}, {normed("final_norm", x), embedding});
    network_.scores = w_.reshape(scores, {batch_ * sizes_.context, sizes_.vocabulary});
    return std::move(network_);
  }

 private:
  /// Uniform, with the deviation of 0.02 that such models begin with.
  TensorId matrix(const char* name, std::int64_t outputs, std::int64_t inputs) {
    constexpr double kBound = 0.035;
    return w_.drawn(prefix_ + name, {outputs, inputs}, kBound);
  }
  TensorId dense(const char* name, TensorId x, std::int64_t outputs) {
    return w_.append(graph::Dense{}, {x, matrix(name, outputs, w_.shape(x).back())});
  }

  TensorId table(const std::vector<float>& numbers) {
    return w_.constant(make_value(ElementType::kFloat32, {sizes_.context, 1, head_ / 2}, numbers));
  }
  TensorId mask() {
    const auto length = static_cast<std::size_t>(sizes_.context);
    std::vector<float> numbers(length * length);
    for (std::size_t token = 0; token < length; ++token) {
      for (std::size_t later = token + 1; later < length; ++later) {
        numbers[token * length + later] = static_cast<float>(kUnseen);
      }
    }
    return w_.constant(make_value(ElementType::kFloat32, {sizes_.context, sizes_.context}, numbers));
  }

  /// x / sqrt(mean of x^2 + epsilon) * weights.
  TensorId normed(const char* name, TensorId x) {
    const int last = static_cast<int>(w_.shape(x).size()) - 1;
    const TensorId mean = w_.reduce(ReduceKind::kMean, w_.multiply(x, x), {last});
    const TensorId root = w_.unary(UnaryKind::kSqrt, w_.plus(mean, double{sizes_.norm_epsilon}));
    return w_.multiply(w_.divide(x, root), w_.filled(prefix_ + name, {sizes_.width}, 1));
  }

  /// The real parts of all heads, then the imaginary ones, turned by angles that depend on the position.
  TensorId rotated(const char* name, TensorId x) {
    const std::int64_t half = sizes_.width / 2;
    const std::vector<TensorId> halves = w_.split(dense(name, x, sizes_.width), 2, {half, half});
    const Shape parts{batch_, sizes_.context, sizes_.heads, head_ / 2};
    const TensorId real = w_.reshape(halves[0], parts), imaginary = w_.reshape(halves[1], parts);
    const TensorId to_real = w_.subtract(w_.multiply(real, cosines_), w_.multiply(imaginary, sines_));
    const TensorId to_imaginary = w_.add(w_.multiply(real, sines_), w_.multiply(imaginary, cosines_));
    return w_.transpose(w_.concat({to_real, to_imaginary}, 3), {0, 2, 1, 3});
  }

  TensorId attention(TensorId x) {
    const TensorId queries = w_.scaled(rotated("query", x), 1 / std::sqrt(static_cast<double>(head_)));
    const TensorId keys = rotated("key", x);
    const Shape by_head{batch_, sizes_.context, sizes_.heads, head_};
    const TensorId values = w_.transpose(w_.reshape(dense("value", x, sizes_.width), by_head), {0, 2, 1, 3});
    const TensorId scores = w_.add(w_.product(queries, keys, false, true), mask_);
    const TensorId mixed = w_.product(w_.append(graph::Softmax{}, {scores}), values);
    const TensorId joined = w_.reshape(w_.transpose(mixed, {0, 2, 1, 3}), {batch_, sizes_.context, sizes_.width});
    return dense("output", joined, sizes_.width);
  }

  TensorId feed_forward(TensorId x) {
    const TensorId gate = dense("gate", x, sizes_.hidden);
    const TensorId open = w_.multiply(gate, w_.unary(UnaryKind::kSigmoid, gate));
    return dense("down", w_.multiply(open, dense("up", x, sizes_.hidden)), sizes_.width);
  }

  const llama2::Sizes sizes_;
  const std::int64_t batch_, head_;
  Network network_;
  NetworkWriter w_;
  std::string prefix_;
  TensorId cosines_ = graph::kNoTensor, sines_ = graph::kNoTensor, mask_ = graph::kNoTensor;
};

llama2::Weights shared(const graph::Value& value) { return std::make_shared<const graph::Bytes>(value.data); }

/// Rows for pairs of neighbours in a head, from those that rotated() has.
llama2::Weights pairs_together(const graph::Value& value) {
  const std::size_t size = static_cast<std::size_t>(value.shape.at(1)) * sizeof(float);
  const std::size_t pairs = value.data.size() / size / 2;
  graph::Bytes together(value.data.size());
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    for (const std::size_t part : {std::size_t{0}, std::size_t{1}}) {
      std::memcpy(together.data() + (2 * pair + part) * size, value.data.data() + (part * pairs + pair) * size, size);
    }
  }
  return std::make_shared<const graph::Bytes>(std::move(together));
}

}  // namespace

bool is_llama(const std::string& name) { return name.compare(0, kPrefix.size(), kPrefix) == 0; }

llama2::Sizes parse_llama(const std::string& name, std::int64_t vocabulary) {
  constexpr std::size_t kNumbers = 4;
  constexpr std::int64_t kMost = 1 << 16;
  std::array<int, kNumbers> numbers{};
  const std::vector<std::string> parts = parts_of(std::string_view(name).substr(kPrefix.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto size = size_in(parts[i]);
    if (!size || *size > kMost || i >= kNumbers) {
      refuse(name, fmt::format("'{}' is not one of four numbers from 1 to {}", parts[i], kMost));
    }
    numbers[i] = static_cast<int>(*size);
  }
  if (parts.size() < kNumbers) {
    refuse(name, fmt::format("{} of four numbers", parts.size()));
  }
  const auto [width, layers, heads, context] = numbers;
  if (width % (2 * heads) != 0) {
    refuse(name, fmt::format("a width of {} for {} heads; each has the same even number of numbers", width, heads));
  }
  return {width, hidden_of(width), layers, heads, heads, static_cast<int>(vocabulary), context};
}

Network llama(const llama2::Sizes& sizes, const NetworkOptions& options) { return Transformer(sizes, options).build(); }

llama2::Checkpoint checkpoint_of(const llama2::Sizes& sizes, const std::vector<graph::Value>& parameters) {
  auto next = parameters.begin();
  llama2::Checkpoint checkpoint;
  checkpoint.name = "llama";
  checkpoint.sizes = sizes;
  checkpoint.embedding = checkpoint.classifier = shared(*next++);
  for (int i = 0; i < sizes.layers; ++i) {
    llama2::Layer layer;
    layer.attention_norm = shared(*next++);
    layer.query = pairs_together(*next++);
    layer.key = pairs_together(*next++);
    layer.value = shared(*next++);
    layer.output = shared(*next++);
    layer.feed_norm = shared(*next++);
    layer.gate = shared(*next++);
    layer.up = shared(*next++);
    layer.down = shared(*next++);
    checkpoint.layers.push_back(std::move(layer));
  }
  checkpoint.final_norm = shared(*next);
  return checkpoint;
}

}  // namespace systole::training
