// SPDX-License-Identifier: Apache-2.0
// A queue of the core against one of the library: every output in every cycle, under random idle and back-pressure at
// several rates. A word appears kLatency cycles after it was accepted.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "block_model.hpp"
#include "seed.hpp"
#include "stream_checker.hpp"

namespace systole::test {

using Word = std::vector<std::uint8_t>;

template <class Model, int kWidth, int kDepth, int kLatency>
class Bench {
 public:
  static constexpr int kCapacity = kDepth, kDelay = kLatency;

  explicit Bench(std::uint64_t seed) : rng(seed), top(&context) { reset(); }
  ~Bench() { top.final(); }

  void reset() {
    top.rst_ni = 0;
    top.wr_valid_i = top.rd_ready_i = 0;
    edge();
    top.rst_ni = 1;
    held.clear();
    accepted.clear();
    output.reset();
  }

  bool chance(int percent) { return static_cast<int>(rng() % 100) < percent; }

  /// One cycle: a word is offered with one probability (and then held), taken with the other.
  void cycle(int offer_percent, int take_percent) {
    if (!top.wr_valid_i) {
      next = random_word();
      std::memcpy(&top.wr_data_i, next.data(), next.size());
      top.wr_valid_i = chance(offer_percent);
    }
    top.rd_ready_i = chance(take_percent);
    top.eval();
    check_outputs();
    outputs_ignore_inputs();
    const bool push = top.wr_valid_i && top.wr_ready_o, pop = top.rd_valid_o && top.rd_ready_i;
    output.observe(top.rd_valid_o, top.rd_ready_i, front());
    ASSERT_FALSE(log.any()) << log.text();
    edge();
    if (pop) held.pop_front(), accepted.pop_front();
    if (push) {
      held.push_back(next);
      accepted.push_back(now);
      top.wr_valid_i = 0;
    }
    moved += push + pop;
    ++now;
  }

  std::mt19937_64 rng;
  VerilatedContext context;
  BlockModel<Model> top;
  std::deque<Word> held;
  std::deque<long> accepted;  ///< the cycle in which each was
  long moved = 0, now = 0;
  check::ViolationLog log;

 private:
  void edge() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
  }

  Word random_word() {
    Word word(sizeof top.wr_data_i);
    for (int bit = 0; bit < kWidth; bit += 8) {
      const int left = kWidth - bit;
      word[bit / 8] = static_cast<std::uint8_t>(rng() & (left < 8 ? (1u << left) - 1 : 255u));
    }
    return word;
  }

  Word front() const {
    Word word(sizeof top.rd_data_o);
    std::memcpy(word.data(), &top.rd_data_o, word.size());
    return word;
  }

  void check_outputs() {
    ASSERT_EQ(top.level_o, held.size());
    ASSERT_EQ(top.wr_ready_o, held.size() < kDepth);
    const bool visible = !held.empty() && now - accepted.front() >= kLatency;
    ASSERT_EQ(top.rd_valid_o, visible);
    if (visible) {
      ASSERT_EQ(front(), held.front());
    }
  }

  /// Both handshakes are registered: changing the inputs changes no output within the cycle.
  void outputs_ignore_inputs() {
    top.wr_valid_i ^= 1;
    top.rd_ready_i ^= 1;
    top.eval();
    check_outputs();
    top.wr_valid_i ^= 1;
    top.rd_ready_i ^= 1;
    top.eval();
  }

  Word next;
  check::StreamChecker<Word> output{"output", log};
};

template <class T>
class Fifo : public testing::Test {};
TYPED_TEST_SUITE_P(Fifo);

TYPED_TEST_P(Fifo, AnswersLikeAQueueAtAllRates) {
  TypeParam bench(seed());
  for (int offer : {100, 70, 20, 0}) {
    for (int take : {0, 20, 70, 100}) {
      for (int i = 0; i < 1500 && !this->HasFatalFailure(); ++i) bench.cycle(offer, take);
    }
  }
  EXPECT_GT(bench.moved, 5000);
  EXPECT_FALSE(bench.log.any()) << bench.log.text();
}

TYPED_TEST_P(Fifo, MovesOneWordInAndOneOutPerCycle) {
  TypeParam bench(seed());
  for (int i = 0; i < TypeParam::kDelay; ++i) bench.cycle(100, 0);
  const long before = bench.moved;
  for (int i = 0; i < 200; ++i) bench.cycle(100, 100);
  EXPECT_EQ(bench.moved - before, 400);
}

TYPED_TEST_P(Fifo, FillsToItsDepthAndResetEmptiesIt) {
  TypeParam bench(seed());
  for (int i = 0; i < 2 * TypeParam::kCapacity; ++i) bench.cycle(100, 0);
  EXPECT_EQ(bench.top.level_o, TypeParam::kCapacity);
  bench.reset();
  for (int i = 0; i < 100; ++i) bench.cycle(50, 50);
}

REGISTER_TYPED_TEST_SUITE_P(Fifo, AnswersLikeAQueueAtAllRates, MovesOneWordInAndOneOutPerCycle,
                            FillsToItsDepthAndResetEmptiesIt);

}  // namespace systole::test
