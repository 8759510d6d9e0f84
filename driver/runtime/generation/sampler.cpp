// SPDX-License-Identifier: Apache-2.0
#include "sampler.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "systole/errors.hpp"

namespace systole::generation {
namespace {

constexpr double kHottest = 100;

}  // namespace

Sampler::Sampler(const Sampling& sampling) : sampling_(sampling), state_(sampling.seed) {
  if (!(sampling.temperature >= 0 && sampling.temperature <= kHottest)) {
    throw InvalidArgument(fmt::format("the temperature is {}; legal are 0 (always the most probable token) to {}",
                                      sampling.temperature, kHottest));
  }
  if (!(sampling.top_p > 0 && sampling.top_p <= 1)) {
    throw InvalidArgument(
        fmt::format("top-p is {}; legal are numbers above 0 and up to 1 (all tokens)", sampling.top_p));
  }
  if (sampling.seed == 0) {
    throw InvalidArgument("the seed is 0; legal are all other numbers of 64 bits");
  }
}

double Sampler::random() {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return static_cast<double>(state_ * 0x2545F4914F6CDD1DULL >> 40) / (1 << 24);
}

int Sampler::choose(const std::vector<float>& logits) {
  const auto most = std::max_element(logits.begin(), logits.end());
  if (sampling_.temperature == 0) {
    return static_cast<int>(most - logits.begin());
  }
  std::vector<double> shares(logits.size());
  std::transform(logits.begin(), logits.end(), shares.begin(),
                 [&](float logit) { return std::exp((double{logit} - *most) / sampling_.temperature); });
  std::vector<int> tokens(logits.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  const auto share = [&](int token) { return shares[static_cast<std::size_t>(token)]; };
  double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (sampling_.top_p < 1) {
    std::stable_sort(tokens.begin(), tokens.end(), [&](int a, int b) { return share(a) > share(b); });
    const double wanted = all * sampling_.top_p;
    std::size_t kept = 0;
    for (all = 0; all < wanted && kept < tokens.size(); ++kept) {
      all += share(tokens[kept]);
    }
    tokens.resize(kept);
  }
  const double place = random() * all;
  double below = 0;
  const auto chosen = std::find_if(tokens.begin(), tokens.end() - 1, [&](int token) {
    below += share(token);
    return place < below;
  });
  return *chosen;
}

}  // namespace systole::generation
