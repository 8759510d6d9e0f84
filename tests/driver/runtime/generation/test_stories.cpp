// SPDX-License-Identifier: Apache-2.0
// stories260K, a published language model: folder models/llama2_stories260K of SYSTOLE_SHARED with the checkpoint, the
// tokenizer and greedy.txt, its text in float32, line breaks written <0x0A>.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "block_execution.hpp"
#include "generate.hpp"
#include "language_model_files.hpp"
#include "systole/network.hpp"

namespace systole::generation {
namespace {

constexpr int kTokens = 256;

class Stories260K : public testing::Test {
 protected:
  void SetUp() override {
    if (!exists(folder_ / "stories260K.bin")) {
      GTEST_SKIP() << folder_ << " is not there; -DSYSTOLE_SHARED=FOLDER names another place";
    }
    ModelFiles files = read_model_files((folder_ / "stories260K.bin").string(), (folder_ / "tok512.bin").string());
    checkpoint_ = std::move(files.checkpoint);
    tokenizer_ = std::move(files.tokenizer);
  }

  /// Room for what is asked for and no more, to save time.
  LanguageModel model(Prepare prepare) const { return {*checkpoint_, std::move(prepare), kTokens}; }

  void device_agrees(Products products) const;
  /// At least so many of the most probable tokens are the exact model's.
  void agrees(LanguageModel& other_model, const char* name, int least) const;

  const std::filesystem::path folder_ = std::filesystem::path(SYSTOLE_SHARED) / "models" / "llama2_stories260K";
  std::optional<llama2::Checkpoint> checkpoint_;
  std::unique_ptr<const llama2::Tokenizer> tokenizer_;
};

TEST_F(Stories260K, GreedyText) {
  std::ifstream file(folder_ / "greedy.txt", std::ios::binary);
  std::string expected;
  ASSERT_TRUE(std::getline(file, expected));
  LanguageModel language_model = model(on_host);
  std::string text;
  const auto tell = [&](std::size_t, int, const std::string& piece) { text += piece == "\n" ? "<0x0A>" : piece; };
  const Text tokens = generate(language_model, *tokenizer_, {""}, kTokens, {}, tell)[0];
  EXPECT_EQ(text, expected);
  EXPECT_EQ(tokens.tokens.size(), static_cast<std::size_t>(kTokens));
}

/// The same in blocks leaves the published text at the 65th token or later.
TEST_F(Stories260K, GreedyTextOfBlocks) {
  constexpr int kSame = 64;
  LanguageModel exact = model(on_host), blocks{*checkpoint_, on_host, kTokens, 8, Products::kBlocks};
  const std::vector<int> wanted = generate(exact, *tokenizer_, {""}, kSame, {})[0].tokens;
  ASSERT_EQ(wanted.size(), static_cast<std::size_t>(kSame));
  EXPECT_EQ(generate(blocks, *tokenizer_, {""}, kSame, {})[0].tokens, wanted);
}

/// A prompt in a batch, then single tokens, on the functional model: all operators, with the host's bits.
TEST_F(Stories260K, DeviceAgrees) {
  for (const Products products : {Products::kFloat32, Products::kBlocks, Products::kInt8}) {
    device_agrees(products);
  }
}

void Stories260K::device_agrees(Products products) const {
  Device device = Device::open({}, "model");
  std::size_t of_host = 0;
  const Prepare prepare = [&](const graph::Graph& graph) -> generation::Run {
    const auto network = std::make_shared<Network>(device, graph);
    for (const StepReport& step : network->steps()) {
      of_host += step.on_device ? 0 : 1;
    }
    return [network](const std::vector<graph::Value>& inputs) { return network->run(inputs); };
  };
  LanguageModel wanted(*checkpoint_, on_host, 0, 8, products), seen(*checkpoint_, prepare, 0, 8, products);
  for (std::vector<int> tokens = tokenizer_->encode("Once upon a time, there was a"); seen.position() < 20;) {
    const auto logits = wanted.read(tokens);
    ASSERT_EQ(seen.read(tokens), logits) << seen.position();
    tokens = {static_cast<int>(std::max_element(logits.begin(), logits.end()) - logits.begin())};
  }
  EXPECT_EQ(of_host, 0U);
}

/// The most probable token, and its logit less the next one's.
struct Best {
  int token;
  float margin;
};
Best best_of(const std::vector<float>& logits) {
  const auto first = std::max_element(logits.begin(), logits.end());
  float second = -INFINITY;
  for (auto at = logits.begin(); at != logits.end(); ++at) {
    second = at == first ? second : std::max(second, *at);
  }
  return {static_cast<int>(first - logits.begin()), *first - second};
}

/// Both models read the text of the exact one. Where the other chooses another token, the exact model nearly had, too.
void Stories260K::agrees(LanguageModel& other_model, const char* name, int least) const {
  LanguageModel exact = model(on_host);
  int token = tokenizer_->begin(), same = 0, first_other = kTokens;
  double squares = 0, worst = 0, widest = 0;
  for (int i = 0; i < kTokens; ++i) {
    const auto wanted = exact.read({token}), seen = other_model.read({token});
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      const double off = std::abs(double{seen[j]} - double{wanted[j]});
      worst = std::max(worst, off);
      squares += off * off / static_cast<double>(kTokens * wanted.size());
    }
    const Best best = best_of(wanted), other = best_of(seen);
    same += best.token == other.token ? 1 : 0;
    if (best.token != other.token) {
      first_other = std::min(first_other, i);
      widest = std::max(widest, double{best.margin});
      fmt::print("token {}: {} by {:.3f} in float32, {} by {:.3f} in {}\n", i, best.token, best.margin, other.token,
                 other.margin, name);
    }
    token = best.token;
  }
  fmt::print(
      "{} of {} tokens equal, the first {} of them; logits off by {:.3f} (root of mean square), at most {:.3f}\n", same,
      kTokens, first_other, std::sqrt(squares), worst);
  EXPECT_GE(same, least);
  EXPECT_LT(widest, 2 * worst);
}

TEST_F(Stories260K, BlockProducts) {
  LanguageModel blocks = model(test::in_blocks);
  agrees(blocks, "blocks", kTokens * 9 / 10);
}

TEST_F(Stories260K, WeightsOfInt8) {
  LanguageModel int8{*checkpoint_, on_host, kTokens, 8, Products::kInt8};
  agrees(int8, "int8", kTokens * 9 / 10);
}

}  // namespace
}  // namespace systole::generation
