// SPDX-License-Identifier: Apache-2.0
// Language models of random weights against a transformer in double: token by token, in batches, with a cache.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "language_model.hpp"
#include "llama_reference.hpp"

namespace systole::generation {
namespace {

using llama2::test::Header;
using testing::HasSubstr;

std::vector<int> some_tokens(int count, int vocabulary) {
  std::vector<int> tokens;
  for (int i = 0; i < count; ++i) {
    tokens.push_back((1 + 7 * i * i) % vocabulary);
  }
  return tokens;
}

void expect_near(const std::vector<float>& seen, const std::vector<double>& wanted, const std::string& where) {
  ASSERT_EQ(seen.size(), wanted.size()) << where;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ASSERT_NEAR(seen[i], wanted[i], 1e-5 * (1 + std::abs(wanted[i]))) << where << ", token " << i;
  }
}

/// The squares of what logits are off, by those of what they should be.
double error_of(const std::vector<float>& logits, const std::vector<double>& wanted) {
  double error = 0, signal = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    error += (logits[i] - wanted[i]) * (logits[i] - wanted[i]);
    signal += wanted[i] * wanted[i];
  }
  return error / signal;
}

struct Case {
  const char* name;
  Header header;
  test::Unwritten unwritten{};

  llama2::Checkpoint checkpoint(const graph::Bytes& file) const {
    llama2::Checkpoint checkpoint = llama2::parse_checkpoint(file, "made");
    checkpoint.sizes.rotary_base = unwritten.base;
    checkpoint.sizes.norm_epsilon = static_cast<float>(unwritten.epsilon);
    return checkpoint;
  }
};

class Models : public testing::TestWithParam<Case> {};

TEST_P(Models, AgreeWithReference) {
  const graph::Bytes file = llama2::test::checkpoint_bytes(GetParam().header);
  const llama2::Checkpoint checkpoint = GetParam().checkpoint(file);
  const int count = checkpoint.sizes.context;
  const auto tokens = some_tokens(count, checkpoint.sizes.vocabulary);
  const auto wanted = test::reference_logits(file, tokens, GetParam().unwritten);
  LanguageModel single(checkpoint, on_host);
  for (int i = 0; i < count; ++i) {
    expect_near(single.read({tokens[static_cast<std::size_t>(i)]}), wanted[static_cast<std::size_t>(i)],
                fmt::format("position {}", i));
  }
  // In parts that fill batches, that do not, and that find no room for a batch any more.
  for (const int batch : {2, 5, count}) {
    LanguageModel model(checkpoint, on_host, 0, batch);
    for (const int end : {3, 4, count}) {
      const auto logits = model.read({tokens.begin() + model.position(), tokens.begin() + end});
      expect_near(logits, wanted[static_cast<std::size_t>(end - 1)], fmt::format("batch {}, end {}", batch, end));
    }
    EXPECT_EQ(model.position(), count);
  }
}

/// Blocks of 16 numbers and steps of int8 are coarse: a wrong head, angle or position is off by much more than they
/// are.
TEST_P(Models, BlocksAgreeWithReference) {
  const graph::Bytes file = llama2::test::checkpoint_bytes(GetParam().header);
  const llama2::Checkpoint checkpoint = GetParam().checkpoint(file);
  const int count = checkpoint.sizes.context;
  const auto tokens = some_tokens(count, checkpoint.sizes.vocabulary);
  const auto wanted = test::reference_logits(file, tokens, GetParam().unwritten);
  for (const Products products : {Products::kBlocks, Products::kInt8}) {
    LanguageModel single(checkpoint, on_host, 0, 1, products), batches(checkpoint, on_host, 0, 5, products);
    for (int i = 0; i < count; ++i) {
      const auto logits = single.read({tokens[static_cast<std::size_t>(i)]});
      EXPECT_LT(error_of(logits, wanted[static_cast<std::size_t>(i)]), 0.002) << "position " << i;
    }
    for (const int end : {3, 4, count}) {
      const auto logits = batches.read({tokens.begin() + batches.position(), tokens.begin() + end});
      EXPECT_LT(error_of(logits, wanted[static_cast<std::size_t>(end - 1)]), 0.002) << "end " << end;
    }
    EXPECT_EQ(batches.position(), count);
  }
}

/// Sequences of several lengths at once, some of which end before others: each has the bits of its tokens alone.
TEST_P(Models, SequencesAreIndependent) {
  const llama2::Checkpoint checkpoint =
      llama2::parse_checkpoint(llama2::test::checkpoint_bytes(GetParam().header), "made");
  const std::vector<std::vector<int>> sequences{
      some_tokens(3, checkpoint.sizes.vocabulary), {4, 1, 0, 5, 2, 2}, {7}, {2, 3, 9, 9, 9}};
  const std::vector<std::size_t> prompts{2, 4, 1, 1};
  for (const Products products : {Products::kFloat32, Products::kBlocks, Products::kInt8}) {
    LanguageModel together(checkpoint, on_host, 0, 3, products);
    together.forget(sequences.size());
    std::deque<LanguageModel> alone;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      alone.emplace_back(checkpoint, on_host, 0, 3, products);
    }
    for (std::size_t step = 0; step < 6; ++step) {
      std::vector<std::vector<int>> next(sequences.size());
      for (std::size_t i = 0; i < sequences.size(); ++i) {
        const auto begin = sequences[i].begin();
        if (step == 0) {
          next[i] = {begin, begin + static_cast<std::ptrdiff_t>(prompts[i])};
        } else if (prompts[i] + step <= sequences[i].size()) {
          next[i] = {sequences[i][prompts[i] + step - 1]};
        }
      }
      const auto logits = together.read_each(next);
      for (std::size_t i = 0; i < sequences.size(); ++i) {
        EXPECT_EQ(logits[i], next[i].empty() ? std::vector<float>{} : alone[i].read(next[i]))
            << "sequence " << i << ", step " << step;
        EXPECT_EQ(together.position(static_cast<int>(i)), alone[i].position());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Models,
                         testing::Values(Case{"Grouped", {8, 12, 2, 4, 2, 30, 12}},
                                         Case{"KeysOfTheirOwn", {12, 7, 1, 3, 3, 19, 9}},
                                         Case{"OneKeyForAll", {16, 20, 3, 4, 1, 11, 10}},
                                         Case{"OwnClassifier", {8, 5, 1, 1, 1, -13, 7}},
                                         // The weights' squares have a mean of about 0.1.
                                         Case{"OtherBaseAndEpsilon", {8, 12, 2, 4, 2, 30, 12}, {100, 0.25}}),
                         [](const auto& info) { return info.param.name; });

TEST(LanguageModel, SmallerContextIsEnough) {
  const graph::Bytes file = llama2::test::checkpoint_bytes();
  const auto tokens = some_tokens(6, 300);
  LanguageModel model(llama2::parse_checkpoint(file, "made"), on_host, 6, 4);
  expect_near(model.read(tokens), test::reference_logits(file, tokens).back(), "last");
  EXPECT_EQ(model.context(), 6);
}

TEST(LanguageModel, PreparesOnlyWhatItNeeds) {
  std::vector<std::int64_t> prepared;
  const auto prepare = [&](graph::Graph graph) {
    prepared.push_back(graph.tensor(graph.outputs[llama2::kLogits]).shape[0]);
    return on_host(std::move(graph));
  };
  LanguageModel model(llama2::parse_checkpoint(llama2::test::checkpoint_bytes(), "made"), prepare, 0, 4);
  EXPECT_TRUE(prepared.empty());
  model.read({1, 2, 3});
  model.read({1, 2, 3, 4});
  EXPECT_EQ(prepared, (std::vector<std::int64_t>{4}));
  model.read({5});
  model.read({6});
  EXPECT_EQ(prepared, (std::vector<std::int64_t>{4, 1}));
  model.forget(3);
  model.read_each({{5}, {6}, {}});
  model.read_each({{5}, {}, {}});
  model.forget(3);
  model.read_each({{5}, {6, 7}, {1}});
  EXPECT_EQ(prepared, (std::vector<std::int64_t>{4, 1, 3}));
}

TEST(LanguageModel, ErrorsNameTheRange) {
  const auto checkpoint = llama2::parse_checkpoint(llama2::test::checkpoint_bytes(), "made");
  const auto error_of = [](const auto& call) {
    try {
      call();
      return std::string("nothing");
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
  };
  LanguageModel model(checkpoint, on_host);
  EXPECT_THAT(error_of([&] { model.read({}); }), HasSubstr("0 tokens to read after 0; legal are 1 to 16"));
  EXPECT_THAT(error_of([&] { model.read(std::vector<int>(17)); }), HasSubstr("17 tokens to read"));
  EXPECT_THAT(error_of([&] { model.read({300}); }), HasSubstr("token 300; the model has 0 to 299"));
  EXPECT_THAT(error_of([&] { model.read({-1}); }), HasSubstr("token -1"));
  EXPECT_THAT(error_of([&] { model.forget(0); }), HasSubstr("0 sequences; legal are 1 to 256"));
  EXPECT_THAT(error_of([&] { model.forget(257); }), HasSubstr("257 sequences"));
  model.forget(2);
  EXPECT_THAT(error_of([&] { model.read({1}); }), HasSubstr("2 sequences; read_each()"));
  EXPECT_THAT(error_of([&] { model.read_each({{1}}); }), HasSubstr("tokens of 1 sequences; the model has 2"));
  EXPECT_THAT(error_of([&] { model.read_each({{1}, {300}}); }), HasSubstr("token 300"));
  EXPECT_EQ(model.position(0), 0);
  EXPECT_THAT(error_of([&] { LanguageModel(checkpoint, on_host, 17); }),
              HasSubstr("the context is 17; legal are 1 to 16"));
  llama2::Checkpoint large = checkpoint;
  large.sizes.context = (1 << 26) + 1;
  EXPECT_THAT(error_of([&] { LanguageModel(large, on_host); }),
              HasSubstr("keys and values of the model's 67108865 positions take 4294967360 bytes; legal without a "
                        "context are 4294967296: give a context"));
  EXPECT_EQ(error_of([&] { LanguageModel(large, on_host, 16); }), "nothing");
  EXPECT_THAT(error_of([&] { LanguageModel(checkpoint, on_host, -1); }), HasSubstr("the context is -1"));
  EXPECT_THAT(error_of([&] { LanguageModel(checkpoint, on_host, 0, 0); }), HasSubstr("the batch is 0"));
}

}  // namespace
}  // namespace systole::generation
