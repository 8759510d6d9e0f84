// SPDX-License-Identifier: Apache-2.0
// Tokens in GGUF files: what becomes of texts, and what is wrong with a file.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "gguf_tokenizer.hpp"
#include "made_gguf.hpp"

namespace systole::gguf {
namespace {

using graph::Bytes;
using test::MadeFile;
using testing::ElementsAre;
using testing::HasSubstr;

#define SPACE "\xE2\x96\x81"

std::unique_ptr<const llama2::Tokenizer> read(const MadeFile& made, int vocabulary) {
  const Bytes bytes = made.bytes();
  return tokenizer_of(File(bytes), vocabulary);
}

/// Of tokens beside <unk>, <s>, </s>.
MadeFile with_tokens(std::vector<std::string> tokens, std::vector<float> scores, std::vector<std::int32_t> types) {
  for (const char* text : {"</s>", "<s>", "<unk>"}) {
    tokens.insert(tokens.begin(), text);
    scores.insert(scores.begin(), 0);
    types.insert(types.begin(), std::string(text) == "<unk>" ? 2 : 3);
  }
  return test::made_llama({}, tokens, scores, types);
}

std::string complaint(const std::function<void(MadeFile&)>& change) {
  MadeFile made = test::made_llama();
  change(made);
  try {
    read(made, 10);
    return "nothing";
  } catch (const graph::GraphError& error) {
    return error.what();
  }
}

/// <unk> <s> </s> <0x0A> <0xFF> space a b " a" ab
TEST(GgufTokenizer, Pieces) {
  const auto tokenizer = read(test::made_llama(), 10);
  EXPECT_EQ(tokenizer->vocabulary(), 10);
  EXPECT_THAT(tokenizer->encode(""), ElementsAre(1));
  EXPECT_THAT(tokenizer->encode("a"), ElementsAre(1, 8));
  EXPECT_THAT(tokenizer->encode("ba ab"), ElementsAre(1, 5, 7, 6, 8, 7));
  EXPECT_THAT(tokenizer->encode("bab\n"), ElementsAre(1, 5, 7, 9, 3));
  EXPECT_THAT(tokenizer->encode("b" SPACE "a"), ElementsAre(1, 5, 7, 8));  // written out, it is a space, too
  EXPECT_THROW(tokenizer->encode("z"), InvalidArgument);
  EXPECT_EQ(tokenizer->decode(1, 8), "a");
  EXPECT_EQ(tokenizer->decode(llama2::kNoToken, 8), "a");
  EXPECT_EQ(tokenizer->decode(6, 8), " a");
  EXPECT_EQ(tokenizer->decode(6, 3), "\n");
  EXPECT_EQ(tokenizer->decode(6, 1), "");
  EXPECT_THROW(tokenizer->decode(6, 10), OutOfRange);
  EXPECT_TRUE(tokenizer->ends_text(1));
  EXPECT_TRUE(tokenizer->ends_text(2));
  EXPECT_FALSE(tokenizer->ends_text(3));
}

TEST(GgufTokenizer, WithoutSpaceBefore) {
  MadeFile made = test::made_llama();
  made.flag("tokenizer.ggml.add_space_prefix", false);
  const auto tokenizer = read(made, 10);
  EXPECT_THAT(tokenizer->encode("a a"), ElementsAre(1, 6, 8));
  EXPECT_EQ(tokenizer->decode(1, 8), " a");
}

TEST(GgufTokenizer, BeginAndEndAreTheFiles) {
  MadeFile made = test::made_llama();
  made.size("tokenizer.ggml.bos_token_id", 6).size("tokenizer.ggml.eos_token_id", 7);
  made.size("tokenizer.ggml.eot_token_id", 8).number("tokenizer.ggml.eom_token_id", test::kUint64, std::uint64_t{9});
  auto tokenizer = read(made, 10);
  EXPECT_THAT(tokenizer->encode("b"), ElementsAre(6, 5, 7));
  for (int token = 0; token < 10; ++token) {
    EXPECT_EQ(tokenizer->ends_text(token), token >= 6) << token;
  }
  made.flag("tokenizer.ggml.add_bos_token", false);
  tokenizer = read(made, 10);
  EXPECT_THAT(tokenizer->encode("b"), ElementsAre(5, 7));
  EXPECT_THAT(tokenizer->encode(""), ElementsAre(6));
  made.keys.erase("tokenizer.ggml.bos_token_id");
  tokenizer = read(made, 10);
  EXPECT_EQ(tokenizer->begin(), llama2::kNoToken);
  EXPECT_THAT(tokenizer->encode("b"), ElementsAre(5, 7));
  try {
    tokenizer->encode("");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("no token that begins one: give a text"));
  }
}

/// Texts do not become tokens that stand for none, even if they look like them.
TEST(GgufTokenizer, ControlTokensAreNoText) {
  const auto tokenizer = read(with_tokens({"<", "s", ">", SPACE, "s>"}, {-9, -9, -9, -9, -1}, {1, 1, 1, 1, 1}), 8);
  EXPECT_THAT(tokenizer->encode("<s>"), ElementsAre(1, 6, 3, 7));
}

TEST(GgufTokenizer, UserTokensAreWhole) {
  const auto tokenizer =
      read(with_tokens({SPACE, "a", "b", "ab", "ba", "bab"}, {-9, -9, -9, -1, 0, 0}, {1, 1, 1, 1, 4, 4}), 9);
  EXPECT_THAT(tokenizer->encode("abab"), ElementsAre(1, 3, 4, 8));
  EXPECT_THAT(tokenizer->encode("abaab"), ElementsAre(1, 3, 4, 7, 6));
}

/// "ab" is a step to "abc", but becomes two tokens itself.
TEST(GgufTokenizer, UnusedTokensAreSplit) {
  const auto tokenizer =
      read(with_tokens({SPACE, "a", "b", "c", "ab", "abc"}, {-9, -9, -9, -9, -1, -2}, {1, 1, 1, 1, 5, 1}), 9);
  EXPECT_THAT(tokenizer->encode("abcab"), ElementsAre(1, 3, 8, 4, 5));
}

/// A character without a token of its own may still be part of one.
TEST(GgufTokenizer, CharactersWithoutTokenMayBeParts) {
  const auto tokenizer =
      read(with_tokens({SPACE, "\xC3\xB6\xC3\xB6", "<0xC3>", "<0xB6>"}, {0, 0, 0, 0}, {1, 1, 6, 6}), 7);
  EXPECT_THAT(tokenizer->encode("\xC3\xB6\xC3\xB6\xC3\xB6"), ElementsAre(1, 3, 4, 5, 6));
}

TEST(GgufTokenizer, NamesWhatIsWrong) {
  EXPECT_EQ(complaint([](MadeFile&) {}), "nothing");
  EXPECT_THAT(complaint([](MadeFile& file) { file.text("tokenizer.ggml.model", "bert"); }),
              HasSubstr("key 'tokenizer.ggml.model' is 'bert'; legal are 'llama' and 'gpt2': give a tokenizer"));
  for (const char* needed : {"tokenizer.ggml.model", "tokenizer.ggml.tokens", "tokenizer.ggml.scores",
                             "tokenizer.ggml.token_type", "tokenizer.ggml.bos_token_id"}) {
    EXPECT_THAT(complaint([&](MadeFile& file) { file.keys.erase(needed); }),
                HasSubstr(fmt::format("key '{}' is missing", needed)));
  }
  EXPECT_THAT(complaint([](MadeFile& file) {
                file.array<std::string>("tokenizer.ggml.tokens", test::kText, {"a", "b"});
              }),
              HasSubstr("key 'tokenizer.ggml.tokens' has 2 values; the model has 10 tokens, legal is one for each"));
  EXPECT_THAT(complaint([](MadeFile& file) { file.array<float>("tokenizer.ggml.scores", test::kFloat32, {1}); }),
              HasSubstr("key 'tokenizer.ggml.scores' has 1 values"));
  EXPECT_THAT(complaint([](MadeFile& file) {
                std::vector<float> scores(10, 0.0F);
                scores[3] = std::numeric_limits<float>::infinity();
                file.array("tokenizer.ggml.scores", test::kFloat32, scores);
              }),
              HasSubstr("the score of token 3 is inf; legal are finite numbers"));
  const auto with_type = [](std::int32_t type) {
    return complaint([&](MadeFile& file) {
      file.array<std::int32_t>("tokenizer.ggml.token_type", test::kInt32, {2, 3, 3, 6, 6, type, 1, 1, 1, 1});
    });
  };
  EXPECT_THAT(with_type(0), HasSubstr("key 'tokenizer.ggml.token_type': the type of token 5 is 0; legal are 1 to 6"));
  EXPECT_THAT(with_type(7), HasSubstr("the type of token 5 is 7; legal are 1 to 6"));
  EXPECT_THAT(with_type(6), HasSubstr("token 5, a byte by its type, is '" SPACE "'; legal are <0x00> to <0xFF>"));
  EXPECT_THAT(complaint([](MadeFile& file) {
                std::vector<std::string> tokens{"<unk>", "<s>", "</s>", "<0x0A>", "<0xFF>", "x", "a", "b", "x", "ab"};
                file.array("tokenizer.ggml.tokens", test::kText, tokens);
              }),
              HasSubstr("tokens 5 and 8 are both 'x'; legal are different texts"));
  EXPECT_THAT(complaint([](MadeFile& file) { file.size("tokenizer.ggml.bos_token_id", 10); }),
              HasSubstr("key 'tokenizer.ggml.bos_token_id': the value is 10; legal are 0 to 9"));
  EXPECT_THAT(complaint([](MadeFile& file) { file.size("tokenizer.ggml.eos_token_id", 10); }),
              HasSubstr("key 'tokenizer.ggml.eos_token_id': the value is 10"));
  EXPECT_THAT(complaint([](MadeFile& file) { file.flag("tokenizer.ggml.remove_extra_whitespaces", true); }),
              HasSubstr("key 'tokenizer.ggml.remove_extra_whitespaces' is true; legal is false"));
  EXPECT_THAT(complaint([](MadeFile& file) {
                file.array<std::uint8_t>("tokenizer.ggml.precompiled_charsmap", test::kUint8, {1});
              }),
              HasSubstr("key 'tokenizer.ggml.precompiled_charsmap', which replaces characters of texts, is not"));
}

}  // namespace
}  // namespace systole::gguf
