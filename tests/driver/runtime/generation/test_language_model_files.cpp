// SPDX-License-Identifier: Apache-2.0
// Files of language models: both formats, by their content, with tokens of their own or another file's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "../../compiler/frontends/gguf/made_gguf.hpp"
#include "../../compiler/frontends/llama2/made_llama.hpp"
#include "generate.hpp"
#include "language_model_files.hpp"
#include "systole/generation.hpp"

namespace systole::generation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class LanguageModelFiles : public testing::Test {
 protected:
  ~LanguageModelFiles() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const graph::Bytes& bytes) const {
    const std::string path = folder_ + name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  static std::string complaint(const std::string& model, const std::string& tokenizer) {
    try {
      read_model_files(model, tokenizer);
      return "nothing";
    } catch (const graph::GraphError& error) {
      return error.what();
    }
  }

  static std::string new_folder() {
    std::string path = testing::TempDir() + "/systole_language_model_files/";
    std::filesystem::create_directories(path);
    return path;
  }

  const std::string folder_ = new_folder();
  const std::string gguf_ = file("one.gguf", gguf::test::made_llama().bytes());
  const std::string checkpoint_ = file("two.bin", llama2::test::checkpoint_bytes({8, 12, 1, 2, 2, 10, 16}));
  const std::vector<llama2::test::Piece> pieces_{{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}, {" ", -9}, {"a", -9},
                                                 {"b", -9},    {"c", -9},  {"d", -9},   {"e", -9}, {"f", -9}};
  const std::string tokenizer_ = file("two.tokens", llama2::test::tokenizer_bytes(pieces_));
};

TEST_F(LanguageModelFiles, GgufHasItsTokens) {
  const ModelFiles files = read_model_files(gguf_, "");
  EXPECT_EQ(files.checkpoint.name, "one");
  EXPECT_EQ(files.checkpoint.sizes.rotary_base, 500);
  EXPECT_THAT(files.tokenizer->encode("a"), ElementsAre(1, 8));
}

TEST_F(LanguageModelFiles, AnotherTokenizerTakesItsPlace) {
  EXPECT_THAT(read_model_files(gguf_, tokenizer_).tokenizer->encode("a"), ElementsAre(1, 3, 4));
  EXPECT_THAT(read_model_files(checkpoint_, tokenizer_).tokenizer->encode("a"), ElementsAre(1, 3, 4));
  EXPECT_THAT(read_model_files(checkpoint_, gguf_).tokenizer->encode("a"), ElementsAre(1, 8));
}

/// Then the tokens in the model's own file do not matter.
TEST_F(LanguageModelFiles, AnotherTokenizerForOneThatIsNotSupported) {
  const std::string other = file("other.gguf", gguf::test::made_llama().text("tokenizer.ggml.model", "bert").bytes());
  EXPECT_THAT(complaint(other, ""), StartsWith(other + ": key 'tokenizer.ggml.model' is 'bert'"));
  EXPECT_EQ(complaint(other, tokenizer_), "nothing");
}

TEST_F(LanguageModelFiles, ErrorsBeginWithThePath) {
  EXPECT_THAT(complaint("/nowhere/x.gguf", ""), StartsWith("/nowhere/x.gguf: No such file"));
  EXPECT_THAT(complaint(testing::TempDir(), ""), HasSubstr("is a folder"));
  const std::string few = file("short", {'s', 'h', 'o', 'r', 't'});
  EXPECT_THAT(complaint(few, tokenizer_), StartsWith(few + ": 5 bytes are too few"));
  EXPECT_THAT(complaint(checkpoint_, ""),
              StartsWith(checkpoint_ + ": a checkpoint of llama2.c has no tokens in it: give its tokenizer, too "
                                       "(--tokenizer), or a GGUF file"));
  EXPECT_THAT(complaint(gguf_, few), StartsWith(few + ": the longest token has"));
  EXPECT_THAT(complaint(gguf_, file("eleven", llama2::test::tokenizer_bytes(llama2::test::pieces_with({})))),
              HasSubstr("bytes follow the last of the model's 10 tokens"));
}

/// The prompt's first token is told, too, if none stands before it.
TEST_F(LanguageModelFiles, TextsMayBeginWithoutAToken) {
  const std::string path =
      file("without.gguf", gguf::test::made_llama().flag("tokenizer.ggml.add_bos_token", false).bytes());
  Generator model(path);
  std::string told;
  const Text text = model.generate("a b", 2, {}, [&](int, const std::string& piece) { told += piece; });
  EXPECT_THAT(text.prompt, ElementsAre(8, 5, 7));
  EXPECT_EQ(told, "a b" + text.continuation);
}

}  // namespace
}  // namespace systole::generation
