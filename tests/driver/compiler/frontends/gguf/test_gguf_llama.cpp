// SPDX-License-Identifier: Apache-2.0
// Weights and sizes of architecture llama in GGUF files; what would change the numbers and is not supported is named.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "gguf_llama.hpp"
#include "made_gguf.hpp"

namespace systole::gguf {
namespace {

using graph::Bytes;
using test::MadeFile;
using testing::HasSubstr;

llama2::Checkpoint read(const MadeFile& made) {
  const Bytes bytes = made.bytes();
  return checkpoint_of(File(bytes), "made");
}

std::string complaint(const std::function<void(MadeFile&)>& change) {
  MadeFile made = test::made_llama();
  change(made);
  try {
    read(made);
    return "nothing";
  } catch (const graph::GraphError& error) {
    return error.what();
  }
}

TEST(GgufLlama, ReadsSizesAndWeights) {
  const MadeFile made = test::made_llama();
  const llama2::Checkpoint model = read(made);
  const llama2::Sizes& sizes = model.sizes;
  EXPECT_EQ(model.name, "made");
  EXPECT_EQ(sizes.width, 8);
  EXPECT_EQ(sizes.hidden, 12);
  EXPECT_EQ(sizes.layers, 2);
  EXPECT_EQ(sizes.heads, 4);
  EXPECT_EQ(sizes.key_heads, 2);
  EXPECT_EQ(sizes.vocabulary, 10);
  EXPECT_EQ(sizes.context, 16);
  EXPECT_EQ(sizes.rotary_base, 500);
  EXPECT_EQ(sizes.norm_epsilon, 1e-6F);
  EXPECT_EQ(*model.embedding, made.tensors.at("token_embd.weight").data);
  EXPECT_EQ(model.classifier, model.embedding);
  EXPECT_EQ(*model.final_norm, made.tensors.at("output_norm.weight").data);
  ASSERT_EQ(model.layers.size(), 2U);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto data = [&](const char* part) { return made.tensors.at(fmt::format("blk.{}.{}.weight", i, part)).data; };
    const llama2::Layer& layer = model.layers[i];
    EXPECT_EQ(*layer.attention_norm, data("attn_norm"));
    EXPECT_EQ(*layer.query, data("attn_q"));
    EXPECT_EQ(*layer.key, data("attn_k"));
    EXPECT_EQ(*layer.value, data("attn_v"));
    EXPECT_EQ(*layer.output, data("attn_output"));
    EXPECT_EQ(*layer.feed_norm, data("ffn_norm"));
    EXPECT_EQ(*layer.gate, data("ffn_gate"));
    EXPECT_EQ(*layer.down, data("ffn_down"));
    EXPECT_EQ(*layer.up, data("ffn_up"));
  }
}

TEST(GgufLlama, WhatMayBeMissingHasADefault) {
  MadeFile made = test::made_llama({8, 12, 1, 2, 2, 16});
  made.keys.erase("llama.attention.head_count_kv");
  made.keys.erase("llama.rope.freq_base");
  made.tensors["output.weight"] = made.tensors.at("token_embd.weight");
  made.tensors["output.weight"].data[0] ^= 1;
  const llama2::Checkpoint model = read(made);
  EXPECT_EQ(model.sizes.key_heads, 2);
  EXPECT_EQ(model.sizes.rotary_base, 10'000);
  EXPECT_EQ(*model.classifier, made.tensors.at("output.weight").data);
}

TEST(GgufLlama, WhatChangesNothingIsLegal) {
  EXPECT_EQ(complaint([](MadeFile& file) {
              file.text("general.type", "model").size("split.count", 1).text("general.name", "m");
              file.size("llama.rope.dimension_count", 2)
                  .size("llama.attention.key_length", 2)
                  .size("llama.attention.value_length", 2)
                  .size("llama.vocab_size", 10)
                  .size("llama.expert_count", 0)
                  .size("llama.expert_used_count", 0)
                  .flag("llama.attention.causal", true)
                  .flag("llama.use_parallel_residual", false)
                  .text("llama.rope.scaling.type", "linear")
                  .real("llama.rope.scaling.factor", 1)
                  .real("llama.rope.scaling.attn_factor", 1)
                  .real("llama.rope.scale_linear", 1)
                  .size("llama.rope.scaling.original_context_length", 8)
                  .flag("llama.rope.scaling.finetuned", true)
                  .text("llama.tensor_data_layout", "Meta AI original pth")
                  .size("llama2.of_others", 3);
              file.tensors["rope_freqs.weight"] = test::of_floats({1}, {1});
            }),
            "nothing");
}

TEST(GgufLlama, NamesWhatItDoesNotSupport) {
  const auto with = [](const char* key, auto value) {
    return complaint([&](MadeFile& file) {
      if constexpr (std::is_same_v<decltype(value), const char*>) {
        file.text(key, value);
      } else if constexpr (std::is_same_v<decltype(value), bool>) {
        file.flag(key, value);
      } else if constexpr (std::is_same_v<decltype(value), float>) {
        file.real(key, value);
      } else {
        file.size(key, static_cast<std::uint32_t>(value));
      }
    });
  };
  EXPECT_THAT(with("general.architecture", "qwen2"), HasSubstr("'general.architecture' is 'qwen2'; legal is 'llama'"));
  EXPECT_THAT(with("general.type", "adapter"), HasSubstr("'general.type' is 'adapter'; legal is 'model': merge"));
  EXPECT_THAT(with("split.count", 2), HasSubstr("'split.count' is 2; legal is 1: merge the parts"));
  EXPECT_THAT(with("llama.rope.dimension_count", 4), HasSubstr("'llama.rope.dimension_count' is 4; legal is 2: take"));
  EXPECT_THAT(with("llama.attention.key_length", 4), HasSubstr("key_length' is 4; legal is 2"));
  EXPECT_THAT(with("llama.attention.value_length", 4), HasSubstr("value_length' is 4; legal is 2"));
  EXPECT_THAT(with("llama.vocab_size", 11), HasSubstr("'llama.vocab_size' is 11; legal is 10"));
  EXPECT_THAT(with("llama.expert_count", 8), HasSubstr("'llama.expert_count' is 8; legal is 0: take a model whose"));
  EXPECT_THAT(with("llama.expert_used_count", 2), HasSubstr("'llama.expert_used_count' is 2; legal is 0"));
  EXPECT_THAT(with("llama.attention.causal", false), HasSubstr("'llama.attention.causal' is false; legal is true"));
  EXPECT_THAT(with("llama.use_parallel_residual", true), HasSubstr("is true; legal is false"));
  EXPECT_THAT(with("llama.rope.scaling.type", "yarn"),
              HasSubstr("'llama.rope.scaling.type' is 'yarn'; legal is 'none' or 'linear': take a model whose"));
  EXPECT_THAT(with("llama.rope.scaling.factor", 2.0F), HasSubstr("'llama.rope.scaling.factor' is 2; legal is 1"));
  EXPECT_THAT(with("llama.rope.scaling.attn_factor", 0.5F), HasSubstr("attn_factor' is 0.5; legal is 1"));
  EXPECT_THAT(with("llama.rope.scale_linear", 4.0F), HasSubstr("'llama.rope.scale_linear' is 4; legal is 1"));
  EXPECT_THAT(with("llama.tensor_data_layout", "transposed"), HasSubstr("is 'transposed'; legal is 'Meta AI"));
  EXPECT_THAT(with("llama.attention.sliding_window", 4096),
              HasSubstr("key 'llama.attention.sliding_window' is not supported, and may change the model's numbers"));
  EXPECT_THAT(with("llama.logit_scale", 0.5F), HasSubstr("key 'llama.logit_scale' is not supported"));
}

TEST(GgufLlama, NamesWrongSizes) {
  const auto with = [](const char* key, std::uint32_t value) {
    return complaint([&](MadeFile& file) { file.size(key, value); });
  };
  EXPECT_THAT(with("llama.block_count", 0), HasSubstr("key 'llama.block_count': the value is 0; legal are 1 to 1024"));
  EXPECT_THAT(with("llama.block_count", 3), HasSubstr("tensor 'blk.2.attn_norm.weight' is missing"));
  EXPECT_THAT(with("llama.block_count", 1), HasSubstr("tensor 'blk.1.attn_k.weight' (4 x 8) is not supported: take a "
                                                      "model of 1 layers without biases"));
  EXPECT_THAT(with("llama.embedding_length", 1 << 20), HasSubstr("the value is 1048576; legal are 1 to 65536"));
  EXPECT_THAT(
      with("llama.embedding_length", 12),
      HasSubstr("key 'llama.embedding_length' is 12 and 'llama.attention.head_count' 4; legal is a length that"));
  EXPECT_THAT(with("llama.embedding_length", 16), HasSubstr("tensor 'token_embd.weight' has 10 x 8 numbers; by the "
                                                            "file's keys legal is 10 x 16"));
  EXPECT_THAT(with("llama.feed_forward_length", 13), HasSubstr("tensor 'blk.0.ffn_gate.weight' has 12 x 8 numbers"));
  EXPECT_THAT(with("llama.attention.head_count", 3), HasSubstr("legal is a length that is an even multiple"));
  EXPECT_THAT(with("llama.attention.head_count_kv", 3), HasSubstr("head_count_kv' is 3; legal are divisors of"));
  EXPECT_THAT(with("llama.attention.head_count_kv", 5), HasSubstr("the value is 5; legal are 1 to 4"));
  EXPECT_THAT(with("llama.context_length", 0), HasSubstr("'llama.context_length': the value is 0"));
  for (const char* needed :
       {"general.architecture", "llama.block_count", "llama.embedding_length", "llama.feed_forward_length",
        "llama.attention.head_count", "llama.context_length", "llama.attention.layer_norm_rms_epsilon"}) {
    EXPECT_THAT(complaint([&](MadeFile& file) { file.keys.erase(needed); }),
                HasSubstr(fmt::format("key '{}' is missing", needed)));
  }
  EXPECT_THAT(complaint([](MadeFile& file) { file.real("llama.rope.freq_base", 0); }),
              HasSubstr("'llama.rope.freq_base': the value is 0; legal are 1 to 1000000000000"));
  EXPECT_THAT(complaint([](MadeFile& file) { file.real("llama.attention.layer_norm_rms_epsilon", -1); }),
              HasSubstr("the value is -1; legal are 1e-12 to 1"));
  EXPECT_THAT(complaint([](MadeFile& file) {
                file.array<std::uint32_t>("llama.attention.head_count_kv", test::kUint32, {2, 2});
              }),
              HasSubstr("is an array of type uint32; legal is an integer"));
}

TEST(GgufLlama, NamesWrongTensors) {
  EXPECT_THAT(complaint([](MadeFile& file) { file.tensors.erase("token_embd.weight"); }),
              HasSubstr("tensor 'token_embd.weight', with a row for each token, is missing"));
  EXPECT_THAT(complaint([](MadeFile& file) { file.tensors.erase("blk.1.ffn_up.weight"); }),
              HasSubstr("tensor 'blk.1.ffn_up.weight' is missing; by the file's keys it has 12 x 8 numbers"));
  for (const char* other : {"blk.0.attn_q.bias", "blk.0.ffn_gate_exps.weight", "blk.00.attn_q.weight", "unknown"}) {
    EXPECT_THAT(complaint([&](MadeFile& file) { file.tensors[other] = test::of_floats({1}, {1}); }),
                HasSubstr(fmt::format("tensor '{}' (1) is not supported", other)));
  }
  EXPECT_THAT(complaint([](MadeFile& file) { file.tensors["rope_freqs.weight"] = test::of_floats({1}, {8}); }),
              HasSubstr("tensor 'rope_freqs.weight': the value in column 0 is 8; legal is 1: take a model whose"));
}

}  // namespace
}  // namespace systole::gguf
