// SPDX-License-Identifier: Apache-2.0
// Tokens of byte pairs in GGUF files: words, pairs, and what is wrong with a file.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "byte_pair_tokenizer.hpp"
#include "gguf_tokenizer.hpp"
#include "made_gguf.hpp"
#include "text_words.hpp"

namespace systole::gguf {
namespace {

using graph::Bytes;
using test::MadeFile;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Words, OfGpt2) {
  const auto words = [](std::string_view text) { return words_of(text, WordRules::kGpt2); };
  EXPECT_TRUE(words("").empty());
  EXPECT_THAT(words("Once upon"), ElementsAre("Once", " upon"));
  EXPECT_THAT(words("a1b 23"), ElementsAre("a", "1", "b", " 23"));
  EXPECT_THAT(words("x=?! y"), ElementsAre("x", "=?!", " y"));
  EXPECT_THAT(words("I'm they've 'T"), ElementsAre("I", "'m", " they", "'ve", " '", "T"));
  EXPECT_THAT(words("a   b"), ElementsAre("a", "  ", " b"));
  EXPECT_THAT(words("a\n\nb \n"), ElementsAre("a", "\n", "\n", "b", " \n"));
  EXPECT_THAT(words("\t1"), ElementsAre("\t", "1"));
  EXPECT_THAT(words("gr\xC3\xB6\xC3\x9F"
                    "e"),
              ElementsAre("gr\xC3\xB6\xC3\x9F"
                          "e"));
  EXPECT_THAT(words("a\xFF\xE2\x82"), ElementsAre("a", "\xFF\xE2\x82"));  // not UTF-8
}

TEST(Words, OfSmolLm) {
  EXPECT_THAT(words_of("a 123  4", WordRules::kSmolLm), ElementsAre("a", " ", "1", "2", "3", "  ", "4"));
}

TEST(Words, OfLlama3) {
  const auto words = [](std::string_view text) { return words_of(text, WordRules::kLlama3); };
  EXPECT_THAT(words("Once upon"), ElementsAre("Once", " upon"));
  EXPECT_THAT(words("12345 6"), ElementsAre("123", "45", " ", "6"));
  EXPECT_THAT(words("I'M (so)"), ElementsAre("I", "'M", " (", "so", ")"));
  EXPECT_THAT(words("'\xC5\xBF"), ElementsAre("'\xC5\xBF"));  // the long s
  EXPECT_THAT(words("(a\ta"), ElementsAre("(a", "\ta"));
  EXPECT_THAT(words("a!\r\n\nb"), ElementsAre("a", "!\r\n\n", "b"));
  EXPECT_THAT(words("a \n \n  b"), ElementsAre("a", " \n \n", " ", " b"));
  EXPECT_THAT(words("a  \t"), ElementsAre("a", "  \t"));
}

RC_GTEST_PROP(Words, AreTheText, (const std::string& text)) {
  for (const WordRules rules : {WordRules::kGpt2, WordRules::kSmolLm, WordRules::kLlama3}) {
    std::string joined;
    for (const std::string_view word : words_of(text, rules)) {
      RC_ASSERT(!word.empty());
      joined += word;
    }
    RC_ASSERT(joined == text);
  }
}

TEST(BytePairs, BytesAreWrittenAsCharacters) {
  EXPECT_EQ(bytes_of_written("a\xC4\xA0"), "a ");                             // U+0120
  EXPECT_EQ(bytes_of_written("\xC4\x80\xC5\x83"), std::string("\0\xAD", 2));  // U+0100, U+0143
  EXPECT_EQ(bytes_of_written("\xC3\xBF"), "\xFF");
  EXPECT_EQ(bytes_of_written("a b"), "");
  EXPECT_EQ(bytes_of_written("\xC5\x84"), "");  // U+0144
}

#define SPACE "\xC4\xA0"

/// <|end|>, space, a, b, c, " a", ab, "abc", "bc", <user>
MadeFile made(const char* words = "gpt-2") {
  MadeFile file = test::made_llama();
  file.keys.erase("tokenizer.ggml.scores");
  file.text("tokenizer.ggml.model", "gpt2")
      .text("tokenizer.ggml.pre", words)
      .array<std::string>("tokenizer.ggml.tokens", test::kText,
                          {"<|end|>", SPACE, "a", "b", "c", SPACE "a", "ab", "abc", "bc", "<user>"})
      .array<std::int32_t>("tokenizer.ggml.token_type", test::kInt32, {3, 1, 1, 1, 1, 1, 1, 1, 1, 4})
      .array<std::string>("tokenizer.ggml.merges", test::kText, {"b c", SPACE " a", "a b"})
      .size("tokenizer.ggml.bos_token_id", 0)
      .size("tokenizer.ggml.eos_token_id", 0);
  return file;
}

std::unique_ptr<const llama2::Tokenizer> read(const MadeFile& file) {
  const Bytes bytes = file.bytes();
  return tokenizer_of(File(bytes), 10);
}

TEST(BytePairs, UniteInTheOrderOfTheList) {
  const auto tokenizer = read(made());
  EXPECT_THAT(tokenizer->encode("abc"), ElementsAre(2, 8));
  EXPECT_THAT(tokenizer->encode("ab a"), ElementsAre(6, 5));
  EXPECT_THAT(tokenizer->encode("a  a"), ElementsAre(2, 1, 5));
  EXPECT_THAT(tokenizer->encode(" ab"), ElementsAre(5, 3));
  EXPECT_THAT(tokenizer->encode(""), ElementsAre(0));
  EXPECT_THAT(tokenizer->encode("a<user>b <user>"), ElementsAre(2, 9, 3, 1, 9));
  EXPECT_EQ(tokenizer->decode(llama2::kNoToken, 5), " a");
  EXPECT_EQ(tokenizer->decode(2, 9), "<user>");
  EXPECT_EQ(tokenizer->decode(2, 0), "");
  EXPECT_THROW(tokenizer->decode(2, 10), OutOfRange);
  try {
    tokenizer->encode("ad");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("the tokenizer has no token for byte 0x64, in 'ad': leave it out of the text"));
  }
}

TEST(BytePairs, OfLlama3BeginTextsAndTakeWholeWords) {
  const auto tokenizer = read(made("llama-bpe"));
  EXPECT_THAT(tokenizer->encode("abc"), ElementsAre(0, 7));
  EXPECT_THAT(tokenizer->encode("abcc"), ElementsAre(0, 2, 8, 4));
}

TEST(BytePairs, NamesWhatIsWrong) {
  const auto complaint = [](const std::function<void(MadeFile&)>& change) {
    MadeFile file = made();
    change(file);
    try {
      read(file);
      return std::string("nothing");
    } catch (const graph::GraphError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(complaint([](MadeFile&) {}), "nothing");
  EXPECT_THAT(complaint([](MadeFile& file) { file.text("tokenizer.ggml.pre", "default"); }),
              HasSubstr("key 'tokenizer.ggml.pre' is 'default'; legal are 'gpt-2', 'smollm' and 'llama-bpe': give a"));
  for (const char* needed : {"tokenizer.ggml.pre", "tokenizer.ggml.merges", "tokenizer.ggml.token_type"}) {
    EXPECT_THAT(complaint([&](MadeFile& file) { file.keys.erase(needed); }),
                HasSubstr(fmt::format("key '{}' is missing", needed)));
  }
  for (const char* pair : {"a", "", "a b c", "a  b", "c a", "a d", "<|end|> a"}) {
    EXPECT_THAT(
        complaint([&](MadeFile& file) {
          file.array<std::string>("tokenizer.ggml.merges", test::kText, {"a b", pair});
        }),
        HasSubstr(fmt::format("key 'tokenizer.ggml.merges': pair 1 is '{}'; legal are the texts of two", pair)));
  }
  EXPECT_THAT(complaint([](MadeFile& file) {
                file.array<std::int32_t>("tokenizer.ggml.token_type", test::kInt32, {3, 1, 6, 1, 1, 1, 1, 1, 1, 4});
              }),
              HasSubstr("the type of token 2 is 6; legal are 1 to 5"));
  EXPECT_THAT(complaint([](MadeFile& file) {
                file.array<std::string>("tokenizer.ggml.tokens", test::kText,
                                        {"<|end|>", " ", "a", "b", "c", SPACE "a", "ab", "abc", "bc", "<user>"});
              }),
              HasSubstr("token 1, a text by its type, is ' '; legal are characters that stand for bytes"));
}

}  // namespace
}  // namespace systole::gguf
