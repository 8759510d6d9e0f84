// SPDX-License-Identifier: Apache-2.0
#include "gguf_llama.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor_types.hpp"

namespace systole::gguf {
namespace {

using graph::GraphError;
using llama2::Checkpoint;
using llama2::Layer;
using llama2::Sizes;
using llama2::Weights;

constexpr std::string_view kArchitecture = "llama";
constexpr std::int64_t kMostWidth = 1 << 16, kMostHidden = 1 << 20, kMostLayers = 1 << 10, kMostTokens = 1 << 20,
                       kMostPositions = 1 << 20;

constexpr const char* kEmbedding = "token_embd.weight";
constexpr const char* kFinalNorm = "output_norm.weight";
constexpr const char* kOutput = "output.weight";
constexpr const char* kFactors = "rope_freqs.weight";

[[noreturn]] void refuse(const std::string& what) { throw GraphError(fmt::format("{}: {}", what, kConvert)); }

/// The model's keys, of which it knows those that nobody asked for: they may change its numbers.
class Keys {
 public:
  explicit Keys(const File& file) : file_(file) {}

  bool has(const char* key) { return file_.has(full(key)); }
  int size(const char* key, std::int64_t most) { return static_cast<int>(file_.integer(full(key), {1, most})); }
  double real(const char* key, Range<double> legal) { return file_.real(full(key), legal); }
  std::string_view text(const char* key) { return file_.text(full(key)); }

  // Keys with only one legal value, if they are there.
  void integer_is(const char* key, std::int64_t legal, const char* remedy) {
    constexpr Range<std::int64_t> kAll{std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max()};
    if (has(key)) {
      check_equal(key, file_.integer(full(key), kAll), legal, remedy);
    }
  }
  void real_is(const char* key, double legal, const char* remedy) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (has(key)) {
      check_equal(key, real(key, {-kInfinity, kInfinity}), legal, remedy);
    }
  }
  void flag_is(const char* key, bool legal, const char* remedy) {
    if (has(key)) {
      check_equal(key, file_.flag(full(key)), legal, remedy);
    }
  }
  void text_is(const char* key, std::initializer_list<std::string_view> legal, const char* remedy) {
    if (has(key) && std::find(legal.begin(), legal.end(), text(key)) == legal.end()) {
      throw GraphError(fmt::format("key '{}' is {}; legal is '{}': {}", full(key), shown(text(key)),
                                   fmt::join(legal, "' or '"), remedy));
    }
  }
  void does_not_matter(const char* key) { full(key); }

  void check_all_known() const {
    const std::string prefix = fmt::format("{}.", kArchitecture);
    for (const auto& [key, value] : file_.values()) {
      if (key.compare(0, prefix.size(), prefix) == 0 && known_.count(key) == 0) {
        throw GraphError(
            fmt::format("key {} is not supported, and may change the model's numbers: take a model without "
                        "it",
                        shown(key)));
      }
    }
  }

 private:
  template <class Value>
  void check_equal(const char* key, Value value, Value legal, const char* remedy) {
    if (value != legal) {
      throw GraphError(fmt::format("key '{}' is {}; legal is {}: {}", full(key), value, legal, remedy));
    }
  }
  std::string full(const char* key) { return *known_.insert(fmt::format("{}.{}", kArchitecture, key)).first; }

  const File& file_;
  std::set<std::string> known_;
};

void check_kind(const File& file) {
  constexpr const char* kArchitectureKey = "general.architecture";
  if (const std::string_view found = file.text(kArchitectureKey); found != kArchitecture) {
    throw GraphError(fmt::format("key '{}' is {}; legal is '{}': take a model of this architecture", kArchitectureKey,
                                 shown(found), kArchitecture));
  }
  constexpr const char* kTypeKey = "general.type";
  if (file.has(kTypeKey) && file.text(kTypeKey) != "model") {
    throw GraphError(fmt::format("key '{}' is {}; legal is 'model': merge an adapter with its model", kTypeKey,
                                 shown(file.text(kTypeKey))));
  }
  constexpr const char* kPartsKey = "split.count";
  if (file.has(kPartsKey) && file.integer(kPartsKey, {0, kMostTokens}) > 1) {
    throw GraphError(
        fmt::format("key '{}' is {}; legal is 1: merge the parts, with llama.cpp's llama-gguf-split "
                    "--merge",
                    kPartsKey, file.integer(kPartsKey, {0, kMostTokens})));
  }
}

int vocabulary_of(const File& file) {
  const auto found = file.tensors().find(kEmbedding);
  if (found == file.tensors().end() || found->second.dimensions.size() != 2) {
    refuse(fmt::format("tensor '{}', with a row for each token, is missing", kEmbedding));
  }
  const std::uint64_t tokens = found->second.dimensions[1];
  if (tokens > static_cast<std::uint64_t>(kMostTokens)) {
    refuse(fmt::format("tensor '{}' has {} rows; legal are 1 to {}", kEmbedding, tokens, kMostTokens));
  }
  return static_cast<int>(tokens);
}

Sizes read_sizes(const File& file, Keys& keys) {
  constexpr Range<double> kEpsilons{1e-12, 1}, kBases{1, 1e12};
  Sizes sizes;
  sizes.layers = keys.size("block_count", kMostLayers);
  sizes.width = keys.size("embedding_length", kMostWidth);
  sizes.hidden = keys.size("feed_forward_length", kMostHidden);
  sizes.heads = keys.size("attention.head_count", kMostWidth);
  sizes.context = keys.size("context_length", kMostPositions);
  constexpr const char* kKeyHeads = "attention.head_count_kv";
  sizes.key_heads = keys.has(kKeyHeads) ? keys.size(kKeyHeads, sizes.heads) : sizes.heads;
  sizes.vocabulary = vocabulary_of(file);
  sizes.norm_epsilon = static_cast<float>(keys.real("attention.layer_norm_rms_epsilon", kEpsilons));
  constexpr const char* kBase = "rope.freq_base";
  sizes.rotary_base = keys.has(kBase) ? keys.real(kBase, kBases) : sizes.rotary_base;
  if (sizes.width % sizes.heads != 0 || sizes.head_width() % 2 != 0) {
    refuse(
        fmt::format("key 'llama.embedding_length' is {} and 'llama.attention.head_count' {}; legal is a length that "
                    "is an even multiple of the count",
                    sizes.width, sizes.heads));
  }
  if (sizes.heads % sizes.key_heads != 0) {
    refuse(
        fmt::format("key 'llama.attention.head_count_kv' is {}; legal are divisors of "
                    "'llama.attention.head_count', {}",
                    sizes.key_heads, sizes.heads));
  }
  return sizes;
}

void check_other_keys(Keys& keys, const Sizes& sizes) {
  constexpr const char* kUnscaled = "take a model whose positions are not scaled";
  constexpr const char* kOtherHeads =
      "take a model whose heads have llama.embedding_length / "
      "llama.attention.head_count numbers, all of which are rotated";
  constexpr const char* kOtherLayers = "take a model whose layers are those of Llama 2";
  keys.integer_is("rope.dimension_count", sizes.head_width(), kOtherHeads);
  keys.integer_is("attention.key_length", sizes.head_width(), kOtherHeads);
  keys.integer_is("attention.value_length", sizes.head_width(), kOtherHeads);
  keys.integer_is("vocab_size", sizes.vocabulary, kConvert);
  keys.integer_is("expert_count", 0, kOtherLayers);
  keys.integer_is("expert_used_count", 0, kOtherLayers);
  keys.flag_is("attention.causal", true, kOtherLayers);
  keys.flag_is("use_parallel_residual", false, kOtherLayers);
  keys.text_is("rope.scaling.type", {"none", "linear"}, kUnscaled);  // "linear" divides positions by the factor
  keys.real_is("rope.scaling.factor", 1, kUnscaled);
  keys.real_is("rope.scaling.attn_factor", 1, kUnscaled);
  keys.real_is("rope.scale_linear", 1, kUnscaled);
  keys.text_is("tensor_data_layout", {"Meta AI original pth", "reference"}, kConvert);
  // They say what the model was before it was trained further.
  keys.does_not_matter("rope.scaling.original_context_length");
  keys.does_not_matter("rope.scaling.finetuned");
  keys.check_all_known();
}

/// A tensor of each layer.
struct Part {
  const char* name;
  Weights Layer::*weights;
  int (*rows)(const Sizes&);
  int (*columns)(const Sizes&);
};
int width(const Sizes& sizes) { return sizes.width; }
int key_width(const Sizes& sizes) { return sizes.key_width(); }
int hidden(const Sizes& sizes) { return sizes.hidden; }
const std::array<Part, 9> kParts{{
    {"attn_norm", &Layer::attention_norm, nullptr, width},
    {"attn_q", &Layer::query, width, width},
    {"attn_k", &Layer::key, key_width, width},
    {"attn_v", &Layer::value, key_width, width},
    {"attn_output", &Layer::output, width, width},
    {"ffn_norm", &Layer::feed_norm, nullptr, width},
    {"ffn_gate", &Layer::gate, hidden, width},
    {"ffn_down", &Layer::down, width, hidden},
    {"ffn_up", &Layer::up, hidden, width},
}};
std::string name_in_layer(int layer, const Part& part) { return fmt::format("blk.{}.{}.weight", layer, part.name); }

void check_all_known(const File& file, const Sizes& sizes) {
  std::set<std::string> known{kEmbedding, kFinalNorm, kOutput, kFactors};
  for (int layer = 0; layer < sizes.layers; ++layer) {
    for (const Part& part : kParts) {
      known.insert(name_in_layer(layer, part));
    }
  }
  for (const auto& [name, tensor] : file.tensors()) {
    if (known.count(name) == 0) {
      throw GraphError(
          fmt::format("tensor {} ({}) is not supported: take a model of {} layers without biases, experts "
                      "and other parts that Llama 2 does not have",
                      shown(name), shape_text(tensor.dimensions), sizes.layers));
    }
  }
}

std::uint64_t wide(int size) { return static_cast<std::uint64_t>(size); }

/// Checks that the factors, which divide the angle of each pair, are all 1.
void check_factors(const File& file, const Sizes& sizes) {
  if (file.tensors().count(kFactors) == 0) {
    return;
  }
  const int pairs = sizes.head_width() / 2;
  const Weights factors = numbers(file, kFactors, {wide(pairs)});
  for (int i = 0; i < pairs; ++i) {
    float factor = 0;
    std::memcpy(&factor, factors->data() + wide(i) * sizeof factor, sizeof factor);
    if (factor != 1) {
      throw GraphError(
          fmt::format("tensor '{}': the value in column {} is {}; legal is 1: take a model whose positions "
                      "are not scaled",
                      kFactors, i, factor));
    }
  }
}

}  // namespace

Checkpoint checkpoint_of(const File& file, const std::string& name) {
  check_kind(file);
  Keys keys(file);
  Checkpoint checkpoint;
  checkpoint.name = name;
  checkpoint.sizes = read_sizes(file, keys);
  const Sizes& sizes = checkpoint.sizes;
  check_other_keys(keys, sizes);
  check_all_known(file, sizes);
  check_factors(file, sizes);
  const std::vector<std::uint64_t> by_token{wide(sizes.width), wide(sizes.vocabulary)};
  checkpoint.embedding = numbers(file, kEmbedding, by_token);
  for (int i = 0; i < sizes.layers; ++i) {
    Layer layer;
    for (const Part& part : kParts) {
      std::vector<std::uint64_t> dimensions{wide(part.columns(sizes))};
      if (part.rows != nullptr) {
        dimensions.push_back(wide(part.rows(sizes)));
      }
      layer.*part.weights = numbers(file, name_in_layer(i, part), dimensions);
    }
    checkpoint.layers.push_back(std::move(layer));
  }
  checkpoint.final_norm = numbers(file, kFinalNorm, {wide(sizes.width)});
  checkpoint.classifier = file.tensors().count(kOutput) > 0 ? numbers(file, kOutput, by_token) : checkpoint.embedding;
  return checkpoint;
}

}  // namespace systole::gguf
