// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sampler.hpp"
#include "systole/errors.hpp"

namespace systole::generation {
namespace {

using testing::HasSubstr;

const std::vector<float> kLogits{1, 3, 3, 0, 2};

/// How often each token is chosen.
std::array<int, 5> counts(const Sampling& sampling, int rounds) {
  Sampler sampler(sampling);
  std::array<int, 5> result{};
  for (int i = 0; i < rounds; ++i) {
    ++result.at(static_cast<std::size_t>(sampler.choose(kLogits)));
  }
  return result;
}

TEST(Sampler, ColdIsTheFirstOfTheMostProbable) { EXPECT_EQ(counts({}, 10), (std::array<int, 5>{0, 10, 0, 0, 0})); }

TEST(Sampler, FollowsProbabilities) {
  constexpr int kRounds = 20'000;
  for (const double temperature : {0.5, 1.0, 3.0}) {
    double sum = 0;
    for (const float logit : kLogits) {
      sum += std::exp(logit / temperature);
    }
    const auto seen = counts({temperature, 1, 7}, kRounds);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const double wanted = kRounds * std::exp(kLogits[i] / temperature) / sum;
      EXPECT_NEAR(seen[i], wanted, 5 * std::sqrt(wanted) + 1) << temperature << ", " << i;
    }
  }
}

TEST(Sampler, TopPKeepsTheMostProbable) {
  // Shares 0.055, 0.406, 0.406, 0.020, 0.149... of the sum, in order of probability: 1, 2, 4, 0, 3.
  EXPECT_EQ(counts({1, 0.3, 7}, 1000)[1], 1000);
  const auto two = counts({1, 0.6, 7}, 1000);
  EXPECT_EQ(two[1] + two[2], 1000);
  EXPECT_GT(two[2], 400);
  const auto four = counts({1, 0.97, 7}, 10'000);
  EXPECT_EQ(four[3], 0);
  EXPECT_GT(four[0], 0);
}

TEST(Sampler, SeedDecides) {
  const auto choices = [](std::uint64_t seed) {
    Sampler sampler({1, 1, seed});
    std::vector<int> result(20);
    for (int& choice : result) {
      choice = sampler.choose(kLogits);
    }
    return result;
  };
  EXPECT_EQ(choices(3), choices(3));
  EXPECT_NE(choices(3), choices(4));
}

TEST(Sampler, RefusesWhatIsOutOfRange) {
  const auto error_of = [](const Sampling& sampling) {
    try {
      Sampler sampler(sampling);
      return std::string("nothing");
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(error_of({-1, 1, 1}), HasSubstr("the temperature is -1; legal are 0"));
  EXPECT_THAT(error_of({101, 1, 1}), HasSubstr("the temperature is 101"));
  EXPECT_THAT(error_of({std::nan(""), 1, 1}), HasSubstr("the temperature is nan"));
  EXPECT_THAT(error_of({1, 0, 1}), HasSubstr("top-p is 0; legal are"));
  EXPECT_THAT(error_of({1, 1.5, 1}), HasSubstr("top-p is 1.5"));
  EXPECT_THAT(error_of({1, 1, 0}), HasSubstr("the seed is 0"));
}

}  // namespace
}  // namespace systole::generation
