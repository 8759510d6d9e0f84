// SPDX-License-Identifier: Apache-2.0
// `systole generate` with a language model of random weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../../compiler/frontends/gguf/made_gguf.hpp"
#include "../../compiler/frontends/llama2/made_llama.hpp"
#include "cores.hpp"
#include "exit_codes.hpp"
#include "program_fixture.hpp"
#include "step_networks.hpp"

namespace systole::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Generate : public ProgramTest {
 protected:
  Generate() : ProgramTest("systole_generate") {
    const auto pieces = llama2::test::pieces_with({{" ", -9}, {"a", -9}, {"b", -9}, {" a", -1}, {"\x1B", -9}});
    llama2::test::Header header = llama2::test::kSmall;
    header[5] = -static_cast<std::int32_t>(pieces.size());
    write("model.bin", llama2::test::checkpoint_bytes(header));
    write("tokens.bin", llama2::test::tokenizer_bytes(pieces));
  }

  int generate(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"generate", "--model", path("model.bin"), "--tokenizer", path("tokens.bin")});
    return systole(std::move(arguments));
  }
  nlohmann::json report(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json", "-"});
    EXPECT_EQ(generate(std::move(arguments)), kOk) << errors_;
    return nlohmann::json::parse(output_);
  }
  std::string error_of(std::vector<std::string> arguments) {
    EXPECT_EQ(generate(std::move(arguments)), kBadInput) << output_;
    return errors_;
  }
};

TEST_F(Generate, ContinuesPrompt) {
  ASSERT_EQ(generate({"--prompt", "ab", "--tokens", "3"}), kOk) << errors_;
  EXPECT_THAT(output_, StartsWith("ab"));
  EXPECT_EQ(output_.back(), '\n');
  EXPECT_THAT(errors_, HasSubstr("3 tokens after 3 of the prompt in"));
}

TEST_F(Generate, ReportsTokens) {
  const auto json = report({"--prompt", "ab", "--tokens", "4"});
  EXPECT_EQ(json.at("prompt_tokens"), (std::vector<int>{1, 262, 261}));
  EXPECT_EQ(json.at("tokens").size(), 4U);
  EXPECT_EQ(json.at("ending"), "tokens");
  EXPECT_EQ(json.at("model").at("vocabulary"), 264);
  EXPECT_EQ(errors_, "");
  EXPECT_EQ(report({"--prompt", "ab", "--tokens", "4"}).at("tokens"), json.at("tokens"));
  EXPECT_EQ(report({"--tokens", "100"}).at("ending"), "context");
  EXPECT_EQ(report({"--tokens", "100", "--context", "5"}).at("tokens").size(), 5U);
}

TEST_F(Generate, OneFileHasWeightsAndTokens) {
  write("model.gguf", gguf::test::made_llama().bytes());
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"generate", "--model", path("model.gguf"), "--prompt", "ab", "--json", "-"});
    EXPECT_EQ(systole(std::move(arguments)), kOk) << errors_;
    return nlohmann::json::parse(output_);
  };
  const auto json = with({"--tokens", "4"});
  EXPECT_EQ(json.at("prompt_tokens"), (std::vector<int>{1, 8, 7}));
  EXPECT_EQ(json.at("model").at("vocabulary"), 10);
  const auto device = with({"--tokens", "4", "--device", "model", "--config", "tiny"});
  EXPECT_EQ(device.at("tokens"), json.at("tokens"));
  EXPECT_EQ(device.at("core").at("different"), 0);
  write("ten.bin",
        llama2::test::tokenizer_bytes(
            {{"", 0}, {"", 0}, {"", 0}, {" ", 0}, {"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}, {"e", 0}, {"f", 0}}));
  EXPECT_EQ(with({"--tokenizer", path("ten.bin")}).at("prompt_tokens"), (std::vector<int>{1, 3, 4, 5}));
  ASSERT_EQ(systole({"generate", "--model", path("model.bin")}), kBadInput);
  EXPECT_THAT(errors_, HasSubstr("model.bin: a checkpoint of llama2.c has no tokens in it: give its tokenizer"));
}

TEST_F(Generate, DeviceComputesAllTheSame) {
  const auto host = report({"--prompt", "ab ab", "--tokens", "3"});
  const auto device = report({"--prompt", "ab ab", "--tokens", "3", "--device", "model", "--config", "tiny"});
  EXPECT_EQ(device.at("tokens"), host.at("tokens"));
  EXPECT_TRUE(host.at("core").is_null());
  EXPECT_EQ(device.at("core").at("operators_on_host"), 0);
  EXPECT_EQ(device.at("core").at("different"), 0);
  // Keys and values of two layers, and the logits: of a batch of 8 tokens, then of two single ones.
  EXPECT_EQ(device.at("core").at("compared"), (8 + 1 + 1) * (2 * 2 * 4 + 264));
  ASSERT_EQ(generate({"--tokens", "2", "--device", "model", "--no-compare"}), kOk) << errors_;
  EXPECT_THAT(errors_, HasSubstr("not compared"));
}

TEST_F(Generate, PrintsTheLayersOfTheLastStep) {
  ASSERT_EQ(generate({"--tokens", "2", "--device", "model", "--config", "tiny", "--layers"}), kOk) << errors_;
  EXPECT_THAT(errors_, HasSubstr("step  on model, 4 x 4, tiny configuration"));
  EXPECT_THAT(errors_, HasSubstr("0 on the host"));
  EXPECT_THAT(errors_, HasSubstr("bit-exact, " + std::to_string(2 * 2 * 4 + 264) + " values against the host"));
  ASSERT_EQ(generate({"--tokens", "2", "--device", "model", "--layers", "--no-compare"}), kOk) << errors_;
  EXPECT_THAT(errors_, HasSubstr("not compared: --no-compare"));
}

TEST(StepNetworks, EveryBitCounts) {
  const auto values = [](const std::vector<float>& numbers) {
    return graph::make_value(graph::ElementType::kFloat32, {static_cast<std::int64_t>(numbers.size())}, numbers);
  };
  StepFigures figures;
  count_differences({values({1, 2}), values({0})}, {values({1, 2}), values({0})}, figures);
  EXPECT_EQ(figures.compared, 3U);
  EXPECT_EQ(figures.different, 0U);
  count_differences({values({1, 2.0000002F}), values({-0.0F})}, {values({1, 2}), values({0})}, figures);
  EXPECT_EQ(figures.compared, 6U);
  EXPECT_EQ(figures.different, 2U);
}

TEST_F(Generate, ProductsInBlocksRunOnTheDevice) {
  const auto json = report({"--prompt", "ab", "--tokens", "3", "--precision", "mx", "--device", "model"});
  EXPECT_EQ(json.at("precision"), "mx");
  EXPECT_EQ(json.at("core").at("operators_on_host"), 0);
  EXPECT_EQ(json.at("core").at("different"), 0);
  EXPECT_GT(json.at("core").at("compared"), 0);
  EXPECT_EQ(report({"--prompt", "ab", "--tokens", "3", "--precision", "mx"}).at("tokens"), json.at("tokens"));
  EXPECT_EQ(report({"--prompt", "ab", "--tokens", "3"}).at("precision"), "float32");
}

TEST_F(Generate, WeightsOfInt8RunOnTheDevice) {
  const std::vector<std::string> options = {"--prompt", "ab", "--prompt", "b", "--tokens", "3", "--precision", "int8"};
  for (const char* config : {"default", "tiny"}) {
    auto on_device = options;
    on_device.insert(on_device.end(), {"--device", "model", "--config", config});
    const auto json = report(on_device);
    EXPECT_EQ(json.at("precision"), "int8");
    EXPECT_EQ(json.at("core").at("operators_on_host"), 0);
    EXPECT_EQ(json.at("core").at("different"), 0);
    EXPECT_EQ(report(options).at("texts"), json.at("texts"));
  }
}

TEST_F(Generate, TellsCyclesOfTokens) {
  if (!test::is_built("tiny")) {
    GTEST_SKIP() << "this build has no core of configuration tiny";
  }
  const std::vector<std::string> on_core = {"--prompt", "ab", "--tokens", "3", "--device", "rtl", "--config", "tiny"};
  const auto core = report(on_core).at("core");
  const std::uint64_t first = core.at("cycles_to_first_token"), each = core.at("cycles_per_token");
  EXPECT_GT(first, 0U);
  EXPECT_GT(each, 0U);
  EXPECT_EQ(first + 2 * each, core.at("cycles")) << "both tokens after the first take the same step";
  ASSERT_EQ(generate(on_core), kOk) << errors_;
  EXPECT_THAT(errors_, HasSubstr(" to the first token, "));
  EXPECT_THAT(errors_, HasSubstr("working  LOAD "));
}

TEST_F(Generate, ContinuesSeveralPromptsAtOnce) {
  const std::vector<std::string> sampled = {"--tokens", "4", "--temperature", "1", "--seed", "5"};
  const std::vector<std::string> device = {"--device", "model", "--config", "tiny"};
  auto options = sampled;
  options.insert(options.end(), {"--prompt", "ab", "--prompt", "", "--prompt", "b a"});
  ASSERT_EQ(generate(options), kOk) << errors_;
  EXPECT_THAT(output_, StartsWith("ab"));
  EXPECT_THAT(output_, HasSubstr("\n\nb a"));
  EXPECT_THAT(errors_, HasSubstr("12 tokens after 8 of 3 prompts in"));
  for (const bool on_device : {false, true}) {
    if (on_device) {
      options.insert(options.end(), device.begin(), device.end());
    }
    const auto all = report(options);
    ASSERT_EQ(all.at("texts").size(), 3U);
    for (const auto& text : all.at("texts")) {
      auto alone = sampled;
      alone.insert(alone.end(), {"--prompt", text.at("prompt")});
      EXPECT_EQ(report(alone).at("tokens"), text.at("tokens"));
    }
    if (on_device) {
      EXPECT_EQ(all.at("core").at("different"), 0);
      EXPECT_EQ(all.at("core").at("operators_on_host"), 0);
      EXPECT_EQ(all.at("core").at("steps_after_first_token"), 3);
      EXPECT_EQ(all.at("core").at("tokens_after_first"), 9);
    }
  }
}

TEST_F(Generate, SeedChoosesText) {
  const auto tokens = [&](const char* seed) {
    return report({"--tokens", "12", "--temperature", "2", "--seed", seed}).at("tokens");
  };
  EXPECT_EQ(tokens("3"), tokens("3"));
  EXPECT_NE(tokens("3"), tokens("4"));
  // One token has the whole probability: the most probable.
  EXPECT_EQ(report({"--tokens", "12", "--temperature", "2", "--top-p", "1e-9"}).at("tokens"),
            report({"--tokens", "12"}).at("tokens"));
}

TEST_F(Generate, ControlCharactersStayOffTheTerminal) {
  ASSERT_EQ(generate({"--prompt",
                      "a\x1B"
                      "b\xFF",
                      "--tokens", "1"}),
            kOk)
      << errors_;
  EXPECT_THAT(output_, StartsWith("ab"));
  EXPECT_EQ(output_.find('\x1B'), std::string::npos);
  EXPECT_EQ(report({"--prompt",
                    "a\x1B"
                    "b\xFF",
                    "--tokens", "1"})
                .at("prompt"),
            "a\x1B"
            "b\xEF\xBF\xBD");
}

TEST_F(Generate, RefusesWhatIsWrong) {
  EXPECT_THAT(error_of({"--tokens", "0"}), HasSubstr("--tokens"));
  EXPECT_THAT(error_of({"--temperature", "-1"}), HasSubstr("--temperature: '-1' is no number from 0 to 100"));
  EXPECT_THAT(error_of({"--top-p", "2"}), HasSubstr("--top-p: '2' is no number from 0 to 1"));
  EXPECT_THAT(error_of({"--seed", "0"}), HasSubstr("the seed is 0"));
  EXPECT_THAT(error_of({"--context", "17"}), HasSubstr("the context is 17; legal are 1 to 16"));
  EXPECT_THAT(error_of({"--prompt", std::string(40, 'b')}), HasSubstr("shorten it"));
  EXPECT_EQ(systole({"generate", "--model", path("none.bin"), "--tokenizer", path("tokens.bin")}), kBadInput);
  EXPECT_THAT(errors_, HasSubstr(path("none.bin") + ": No such file"));
  EXPECT_EQ(systole({"generate", "--model", path("tokens.bin"), "--tokenizer", path("tokens.bin")}), kBadInput);
  EXPECT_THAT(errors_, HasSubstr("export the model again"));
  EXPECT_EQ(systole({"generate", "--model", path("model.bin"), "--tokenizer", path("model.bin")}), kBadInput);
  EXPECT_THAT(errors_, HasSubstr(path("model.bin") + ": "));
  EXPECT_EQ(systole({"generate", "--model", path("model.bin")}), kBadInput);
  EXPECT_THAT(errors_, HasSubstr("--tokenizer"));
}

}  // namespace
}  // namespace systole::cli
