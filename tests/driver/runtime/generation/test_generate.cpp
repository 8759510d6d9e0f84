// SPDX-License-Identifier: Apache-2.0
// Texts: what is read and told, and how they end. The model is a stand-in that wants certain tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../compiler/frontends/llama2/made_llama.hpp"
#include "generate.hpp"
#include "llama2_tokenizer.hpp"

namespace systole::generation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// With 263 tokens; 259 and on: space, "a", "b", " a".
class Generate : public testing::Test {
 protected:
  static constexpr int kVocabulary = 263;

  /// A model that wants the tokens one after another, whatever it reads.
  LanguageModel wanting(std::vector<int> tokens, int context = 0) const {
    const Prepare prepare = [tokens](graph::Graph graph) -> generation::Run {
      return [tokens, graph, next = std::size_t{0}](const std::vector<graph::Value>&) mutable {
        std::vector<graph::Value> outputs;
        for (const graph::TensorId id : graph.outputs) {
          const graph::Tensor& tensor = graph.tensor(id);
          outputs.push_back({tensor.type, tensor.shape,
                             graph::Bytes(static_cast<std::size_t>(graph::count(tensor.shape)) * sizeof(float))});
        }
        std::vector<float> logits(static_cast<std::size_t>(graph::count(outputs[0].shape)));
        const auto token = static_cast<std::size_t>(tokens.at(next++ % tokens.size()));
        for (std::size_t row = 0; row < logits.size(); row += kVocabulary) {
          logits[row + token] = 1;
        }
        outputs[0] = graph::make_value(outputs[0].type, outputs[0].shape, logits);
        return outputs;
      };
    };
    return {llama2::parse_checkpoint(llama2::test::checkpoint_bytes({4, 2, 1, 1, 1, kVocabulary, 8}), "made"), prepare,
            context};
  }

  Text run(LanguageModel model, const std::string& prompt, int most) {
    text_.clear();
    const auto tell = [&](std::size_t, int, const std::string& piece) { text_ += piece; };
    return generate(model, *tokenizer_, {prompt}, most, {}, tell)[0];
  }

  const std::unique_ptr<const llama2::Tokenizer> tokenizer_ = llama2::parse_tokenizer(
      llama2::test::tokenizer_bytes(llama2::test::pieces_with({{" ", -3}, {"a", -3}, {"b", -3}, {" a", -1}})),
      kVocabulary);
  std::string text_;
};

TEST_F(Generate, ContinuesPrompt) {
  const Text text = run(wanting({261, 262, 260}), "ab", 3);
  EXPECT_THAT(text.prompt, ElementsAre(1, 262, 261));
  EXPECT_THAT(text.tokens.size(), 3U);
  EXPECT_EQ("ab" + text.continuation, text_);
  EXPECT_EQ(text.ending, Ending::kTokens);
  EXPECT_EQ(text_.substr(0, 2), "ab");
}

TEST_F(Generate, WithoutPromptLosesTheFirstSpace) {
  const Text text = run(wanting({262, 262, 13}), "", 3);
  EXPECT_THAT(text.prompt, ElementsAre(1));
  EXPECT_THAT(text.tokens, ElementsAre(262, 262, 13));
  EXPECT_EQ(text_, "a a\n");
}

TEST_F(Generate, ModelEndsText) {
  for (const int end : {1, 2}) {
    const Text text = run(wanting({260, 261, end}), "", 6);
    EXPECT_THAT(text.tokens, ElementsAre(260, 261));
    EXPECT_EQ(text.ending, Ending::kText);
    EXPECT_EQ(text_, "ab");
  }
}

TEST_F(Generate, ContextEndsText) {
  const Text text = run(wanting({260}, 4), "b", 100);
  EXPECT_THAT(text.prompt, ElementsAre(1, 259, 261));
  EXPECT_THAT(text.tokens, ElementsAre(260, 260));  // the first from the prompt, the second from the last place
  EXPECT_EQ(text.ending, Ending::kContext);
}

TEST_F(Generate, NothingAskedNothingRead) {
  EXPECT_TRUE(run(wanting({260}), "a", 0).tokens.empty());
  EXPECT_EQ(text_, "a");
}

TEST_F(Generate, PromptFitsContext) {
  try {
    run(wanting({260}, 4), "bbb", 1);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("the prompt has 5 tokens, its beginning included; the model's context has room "
                                        "for 4: shorten it"));
  }
}

}  // namespace
}  // namespace systole::generation
