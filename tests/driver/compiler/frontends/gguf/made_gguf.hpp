// SPDX-License-Identifier: Apache-2.0
// GGUF files, made for tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "systole/graph.hpp"

namespace systole::gguf::test {

using Bytes = graph::Bytes;

enum ValueNumber : std::uint32_t {
  kUint8 = 0,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kText = 8,
  kArray = 9,
  kUint64 = 10,
  kFloat64 = 12
};
enum TensorNumber : std::uint32_t { kF32 = 0, kF16 = 1, kQ4_0 = 2, kQ8_0 = 8, kBf16 = 30 };

template <class Number>
void put(Bytes& bytes, const Number& value) {
  bytes.resize(bytes.size() + sizeof value);
  std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
}
inline void put_text(Bytes& bytes, const std::string& text) {
  put(bytes, std::uint64_t{text.size()});
  bytes.insert(bytes.end(), text.begin(), text.end());
}

struct MadeTensor {
  std::vector<std::uint64_t> dimensions;  ///< the fastest first
  std::uint32_t type = kF32;
  Bytes data;
};

/// A file, part by part; each may be replaced before bytes() is called.
class MadeFile {
 public:
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  std::map<std::string, Bytes> keys;  ///< the type and the value
  std::map<std::string, MadeTensor> tensors;
  std::map<std::string, std::uint64_t> offsets;  ///< of tensors, instead of the right ones

  template <class Number>
  MadeFile& number(const std::string& key, std::uint32_t type, Number value) {
    Bytes& bytes = keys[key] = {};
    put(bytes, type);
    put(bytes, value);
    return *this;
  }
  MadeFile& size(const std::string& key, std::uint32_t value) { return number(key, kUint32, value); }
  MadeFile& real(const std::string& key, float value) { return number(key, kFloat32, value); }
  MadeFile& flag(const std::string& key, bool value) { return number(key, kBool, std::uint8_t{value}); }
  MadeFile& text(const std::string& key, const std::string& value) {
    Bytes& bytes = keys[key] = {};
    put(bytes, std::uint32_t{kText});
    put_text(bytes, value);
    return *this;
  }
  template <class Element>
  MadeFile& array(const std::string& key, std::uint32_t type, const std::vector<Element>& elements) {
    Bytes& bytes = keys[key] = {};
    put(bytes, std::uint32_t{kArray});
    put(bytes, type);
    put(bytes, std::uint64_t{elements.size()});
    for (const Element& element : elements) {
      if constexpr (std::is_same_v<Element, std::string>) {
        put_text(bytes, element);
      } else {
        put(bytes, element);
      }
    }
    return *this;
  }

  Bytes bytes() const {
    Bytes file{'G', 'G', 'U', 'F'};
    put(file, version);
    put(file, std::uint64_t{tensors.size()});
    put(file, std::uint64_t{keys.size()});
    for (const auto& [key, value] : keys) {
      put_text(file, key);
      file.insert(file.end(), value.begin(), value.end());
    }
    Bytes data;
    for (const auto& [name, tensor] : tensors) {
      put_text(file, name);
      put(file, static_cast<std::uint32_t>(tensor.dimensions.size()));
      for (const std::uint64_t size : tensor.dimensions) {
        put(file, size);
      }
      put(file, tensor.type);
      const auto other = offsets.find(name);
      put(file, other == offsets.end() ? std::uint64_t{data.size()} : other->second);
      data.insert(data.end(), tensor.data.begin(), tensor.data.end());
      data.resize((data.size() + alignment - 1) / alignment * alignment);
    }
    file.resize((file.size() + alignment - 1) / alignment * alignment);
    file.insert(file.end(), data.begin(), data.end());
    return file;
  }
};

inline MadeTensor of_floats(const std::vector<std::uint64_t>& dimensions, const std::vector<float>& values) {
  MadeTensor tensor{dimensions, kF32, Bytes(values.size() * sizeof(float))};
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

struct MadeSizes {
  std::uint32_t width = 8, hidden = 12, layers = 2, heads = 4, key_heads = 2, context = 16;
};

/// Random weights for these tokens. Types: 1 text, 2 unknown, 3 control, 6 a byte.
inline MadeFile made_llama(const MadeSizes& sizes, const std::vector<std::string>& tokens,
                           const std::vector<float>& scores, const std::vector<std::int32_t>& types) {
  MadeFile file;
  file.text("general.architecture", "llama")
      .size("llama.block_count", sizes.layers)
      .size("llama.embedding_length", sizes.width)
      .size("llama.feed_forward_length", sizes.hidden)
      .size("llama.attention.head_count", sizes.heads)
      .size("llama.attention.head_count_kv", sizes.key_heads)
      .size("llama.context_length", sizes.context)
      .real("llama.attention.layer_norm_rms_epsilon", 1e-6F)
      .real("llama.rope.freq_base", 500.0F)
      .text("tokenizer.ggml.model", "llama")
      .array("tokenizer.ggml.tokens", kText, tokens)
      .array("tokenizer.ggml.scores", kFloat32, scores)
      .array("tokenizer.ggml.token_type", kInt32, types)
      .size("tokenizer.ggml.bos_token_id", 1)
      .size("tokenizer.ggml.eos_token_id", 2);
  std::mt19937_64 random(1);
  const auto add = [&](const std::string& name, const std::vector<std::uint64_t>& dimensions) {
    std::uint64_t count = 1;
    for (const std::uint64_t size : dimensions) {
      count *= size;
    }
    std::vector<float> values(count);
    for (float& value : values) {
      value = static_cast<float>(static_cast<double>(random() >> 11) / static_cast<double>(1ULL << 53) - 0.5);
    }
    file.tensors[name] = of_floats(dimensions, values);
  };
  const std::uint64_t width = sizes.width, keys = sizes.width / sizes.heads * sizes.key_heads, hidden = sizes.hidden;
  add("token_embd.weight", {width, tokens.size()});
  for (std::uint32_t i = 0; i < sizes.layers; ++i) {
    const std::string layer = "blk." + std::to_string(i) + ".";
    add(layer + "attn_norm.weight", {width});
    add(layer + "attn_q.weight", {width, width});
    add(layer + "attn_k.weight", {width, keys});
    add(layer + "attn_v.weight", {width, keys});
    add(layer + "attn_output.weight", {width, width});
    add(layer + "ffn_norm.weight", {width});
    add(layer + "ffn_gate.weight", {width, hidden});
    add(layer + "ffn_down.weight", {hidden, width});
    add(layer + "ffn_up.weight", {width, hidden});
  }
  add("output_norm.weight", {width});
  return file;
}

/// With the three tokens that stand for no text, two bytes, and pieces of texts of "a", "b" and spaces.
inline MadeFile made_llama(const MadeSizes& sizes = {}) {
  return made_llama(sizes,
                    {"<unk>", "<s>", "</s>", "<0x0A>", "<0xFF>", "\xE2\x96\x81", "a", "b",
                     "\xE2\x96\x81"
                     "a",
                     "ab"},
                    {0, 0, 0, 0, 0, -9, -9, -9, -1, -2}, {2, 3, 3, 6, 6, 1, 1, 1, 1, 1});
}

}  // namespace systole::gguf::test
