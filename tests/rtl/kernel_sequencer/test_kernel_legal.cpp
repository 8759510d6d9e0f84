// SPDX-License-Identifier: Apache-2.0
// The legality of micro-instructions against kernel::illegal(): every operation with every way of choosing operands and
// every single further bit, legal words with a few bits changed, and words of random bits.
#include <gtest/gtest.h>
#include <verilated.h>

#include "Vkernel_legal_noblocks.h"
#include "Vkernel_legal_only.h"
#include "block_model.hpp"
#include "random_kernels.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

using kernel::with;
using kernel::Word;

class KernelLegal : public testing::Test {
 protected:
  ~KernelLegal() override {
    top_.final();
    without_blocks_.final();
  }

  void check(Word word) {
    top_.valid_i = 1;
    top_.word_i = word;
    top_.eval();
    const bool legal = kernel::illegal(word).empty();
    ASSERT_EQ(top_.legal_o, legal) << std::hex << word << ": " << kernel::illegal(word);
    without_blocks_.valid_i = 1;
    without_blocks_.word_i = word;
    without_blocks_.eval();
    const bool blocks = legal && kernel::has_memory(word) &&
                        kernel::get(word, kernel::kFormatField) == static_cast<std::uint32_t>(kernel::Format::kBlocks);
    ASSERT_EQ(without_blocks_.legal_o, legal && !blocks) << kernel::disassemble(word);
    (legal ? legal_ : illegal_) += 1;
    if (!legal) return;
    const kernel::Group group = kernel::find(word)->group;
    const bool vector =
        group == kernel::Group::kVector1 || group == kernel::Group::kVector2 || group == kernel::Group::kLanes;
    ASSERT_EQ(top_.vector_o, vector) << kernel::disassemble(word);
    ASSERT_EQ(top_.memory_o, vector && kernel::has_memory(word)) << kernel::disassemble(word);
  }

  VerilatedContext context_;
  BlockModel<Vkernel_legal_only> top_{&context_};
  BlockModel<Vkernel_legal_noblocks> without_blocks_{&context_};
  int legal_ = 0, illegal_ = 0;
};

TEST_F(KernelLegal, EveryChoiceOfOperandsWithEveryFurtherBit) {
  for (std::uint32_t choice = 0; choice < 1u << 14 && !HasFatalFailure(); ++choice) {
    Word word = with(0, kernel::kOpField, choice);
    word = with(word, kernel::kAKindField, choice >> 6);
    word = with(word, kernel::kBKindField, choice >> 8);
    word = with(word, kernel::kStoreField, choice >> 10);
    word = with(word, kernel::kFormatField, choice >> 11);
    check(word);
    for (int bit = 0; bit < 64; ++bit) check(word ^ Word{1} << bit);
  }
  EXPECT_GT(legal_, 10000);
  EXPECT_GT(illegal_, 100000);
}

TEST_F(KernelLegal, LegalWordsWithFewBitsChanged) {
  RandomKernels random(seed());
  for (int i = 0; i < 200000 && !HasFatalFailure(); ++i) {
    const Word word = random.pick(4) ? random.vector_word() : random.scalar_word();
    ASSERT_EQ(kernel::illegal(word), "");
    check(word);
    check(random.pick(8) ? random.spoilt(word) : random.contradiction());
  }
  EXPECT_EQ(legal_, illegal_);
}

TEST_F(KernelLegal, RandomWords) {
  std::mt19937_64 rng(seed());
  for (int i = 0; i < 200000 && !HasFatalFailure(); ++i) check(rng() & rng() & rng());
  EXPECT_GT(illegal_, 100000);
}

TEST_F(KernelLegal, WithoutAWordNothingIsLegal) {
  top_.valid_i = 0;
  top_.word_i = 0;
  top_.eval();
  EXPECT_FALSE(top_.legal_o);
}

}  // namespace
}  // namespace systole::test
