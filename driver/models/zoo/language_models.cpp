// SPDX-License-Identifier: Apache-2.0
// A step of a language model with random weights.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "llama2_block_graph.hpp"
#include "systole/zoo.hpp"

namespace systole::zoo {
namespace {

constexpr int kCached = 256;

/// Matrices of float32, each number uniform between -1 and 1 over the root of the row's length.
class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}

  llama2::Weights matrix(int rows, int columns) {
    const float most = 1 / std::sqrt(static_cast<float>(columns));
    return filled(rows, columns,
                  [&] { return static_cast<float>(static_cast<std::int32_t>(random_())) * 0x1p-31F * most; });
  }
  llama2::Weights ones(int count) {
    return filled(1, count, [] { return 1.0F; });
  }

 private:
  template <class Number>
  static llama2::Weights filled(int rows, int columns, const Number& number) {
    graph::Bytes bytes(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(float));
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
      const float value = number();
      std::memcpy(bytes.data() + at, &value, sizeof value);
    }
    return std::make_shared<const graph::Bytes>(std::move(bytes));
  }

  std::mt19937 random_;
};

graph::Graph token(const char* name, const llama2::Sizes& sizes, std::uint64_t seed) {
  Random random(seed);
  llama2::Checkpoint checkpoint;
  checkpoint.name = name;
  checkpoint.sizes = sizes;
  for (int i = 0; i < sizes.layers; ++i) {
    const auto square = [&] { return random.matrix(sizes.width, sizes.width); };
    const auto keys = [&] { return random.matrix(sizes.key_width(), sizes.width); };
    const auto hidden = [&] { return random.matrix(sizes.hidden, sizes.width); };
    llama2::Layer layer;
    layer.attention_norm = layer.feed_norm = random.ones(sizes.width);
    layer.query = square();
    layer.key = keys();
    layer.value = keys();
    layer.output = square();
    layer.gate = hidden();
    layer.up = hidden();
    layer.down = random.matrix(sizes.width, sizes.hidden);
    checkpoint.layers.push_back(std::move(layer));
  }
  checkpoint.final_norm = random.ones(sizes.width);
  checkpoint.classifier = random.matrix(sizes.vocabulary, sizes.width);
  return block_step_graph(checkpoint, {1, kCached, 1, llama2::WeightType::kInt8});
}

// Of llama2.c's checkpoints of these numbers of parameters.
constexpr llama2::Sizes k15M{288, 768, 6, 6, 6, 32000, 1024};
constexpr llama2::Sizes k110M{768, 2048, 12, 12, 12, 32000, 1024};

}  // namespace

graph::Graph llama_15m(std::uint64_t seed) { return token("llama_15m", k15M, seed); }
graph::Graph llama_110m(std::uint64_t seed) { return token("llama_110m", k110M, seed); }

}  // namespace systole::zoo
