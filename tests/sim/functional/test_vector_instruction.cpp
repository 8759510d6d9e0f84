// SPDX-License-Identifier: Apache-2.0
// VECTOR and what a program needs for it: a kernel in the kernel memory, its table, errors, and what END clears.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels.hpp"
#include "model_bench.hpp"
#include "row_formulas.hpp"
#include "seed.hpp"
#include "systole/configurations.hpp"
#include "systole/kernel.hpp"
#include "systole/kernel_sequencer.hpp"
#include "whole_configurations.hpp"

namespace systole::test {
namespace {

constexpr std::uint32_t kKernelAt = 0x1008, kTableAt = 0x4000, kInput = 0x8000, kOutput = 0xa000;

class VectorInstruction : public testing::TestWithParam<Configuration> {
 protected:
  /// A LOAD of consecutive bytes into consecutive rows.
  isa::Load load(isa::Space space, std::uint32_t src, std::size_t bytes, int row = 0) {
    isa::Load op;
    op.src = src;
    op.space = static_cast<std::uint8_t>(space);
    op.run_bytes = static_cast<std::uint32_t>(bytes);
    op.piece_step = op.piece_bytes = op.slot_bytes = static_cast<std::uint16_t>(bytes);
    op.dst = static_cast<std::uint16_t>(row);
    op.dst_block = 1;
    op.valid_to = 1;
    return op;
  }
  template <class T>
  void put(std::uint32_t address, const std::vector<T>& values) {
    bench_.memory.write(address, values.data(), values.size() * sizeof(T));
  }
  /// Executes a command that must fail; returns the error.
  template <class Op>
  model::ErrorRecord error_of(const Op& op) {
    EXPECT_EQ(bench_.machine.execute(op.encode()), model::Machine::Outcome::kError);
    const model::ErrorRecord record = bench_.machine.error();
    bench_.machine.reset();
    return record;
  }

  Bench bench_{GetParam(), seed()};
  const int dim_ = bench_.dim();
};

INSTANTIATE_TEST_SUITE_P(Configurations, VectorInstruction, testing::ValuesIn(test::whole_configurations()),
                         ConfigurationName());

TEST_P(VectorInstruction, RunsSoftmaxFromMemoryToMemory) {
  const std::vector<kernel::Word> words =
      compiler::kernel_of(network::softmax_bytes(dim_, kernel::Format::kI8), dim_).words;
  put(kKernelAt, words);
  // 2^31 * 2^d: halves for every step below the maximum, so that the result is known without a reference.
  std::vector<std::uint32_t> table(kernel::kTableWords);
  for (int d = 0; d > -31; --d) {
    table[static_cast<std::size_t>(d + 256) % 256] = d == 0 ? 0x7fffffff : 1U << (31 + d);
  }
  put(kTableAt, table);
  constexpr int kRows = 11;
  std::vector<std::int8_t> input(static_cast<std::size_t>(kRows * dim_), -100);
  for (int row = 0; row < kRows; ++row) {  // one lane at the maximum, one a step below it
    input[static_cast<std::size_t>(row * dim_ + row % dim_)] = 50;
    input[static_cast<std::size_t>(row * dim_ + (row + 1) % dim_)] = 49;
  }
  put(kInput, input);

  const int entry = 2 * std::max(dim_ / 8, 1);  // the first word of row `first`
  const int first = entry * 8 / dim_;
  bench_.execute(load(isa::Space::kKernel, kKernelAt, words.size() * 8, first));
  bench_.execute(load(isa::Space::kParam, kTableAt, table.size() * 4));
  bench_.execute(load(isa::Space::kScratch, kInput, input.size(), 3));
  isa::Table words_table;
  words_table.words = 1;
  bench_.execute(words_table);
  isa::Vector op;
  op.entry = static_cast<std::uint16_t>(entry);
  constexpr std::uint32_t kStrips = (kRows + 7) / 8;
  kernel::set_arguments(op, {3, kRows, 40, kRows, kRows, kStrips, 0, static_cast<std::uint32_t>(dim_)});
  bench_.execute(op);
  isa::Store store;
  store.dst = kOutput;
  store.src = 40;
  store.piece_bytes = static_cast<std::uint16_t>(input.size());
  store.src_block = 1;
  bench_.execute(store);

  std::vector<std::int8_t> output(input.size());
  bench_.memory.read(kOutput, output.data(), output.size());
  for (int row = 0; row < kRows; ++row) {
    for (int n = 0; n < dim_; ++n) {
      // 2/3 and 1/3 of 256, less 128.
      const int expected = n == row % dim_ ? 43 : n == (row + 1) % dim_ ? -43 : -128;
      ASSERT_EQ(output[static_cast<std::size_t>(row * dim_ + n)], expected) << "row " << row << " lane " << n;
    }
  }
}

TEST_P(VectorInstruction, KernelMemoryIsBytes) {
  bench_.randomize();
  std::vector<std::int8_t> bytes(std::size_t{kernel::kMemoryWords} * 8);
  for (auto& byte : bytes) byte = bench_.byte();
  put(kInput, bytes);
  isa::Load op = load(isa::Space::kKernel, kInput, bytes.size());
  for (const bool fast : {true, false}) {
    bench_.machine.use_fast_paths(fast);
    std::fill(bench_.state().kernels().begin(), bench_.state().kernels().end(), 0);
    bench_.execute(op);
    EXPECT_EQ(std::memcmp(bench_.state().kernels().data(), bytes.data(), bytes.size()), 0);
  }
  // Two bytes in the middle of a row.
  op = load(isa::Space::kKernel, kInput, 2, 5);
  op.lane = 1;
  std::memcpy(bytes.data() + 5 * dim_ + 1, bytes.data(), 2);
  bench_.execute(op);
  EXPECT_EQ(std::memcmp(bench_.state().kernels().data(), bytes.data(), bytes.size()), 0);
}

TEST_P(VectorInstruction, LoadBeyondTheKernelMemory) {
  const isa::Load op =
      load(isa::Space::kKernel, kInput, static_cast<std::size_t>(3 * dim_), kernel::memory_rows(dim_) - 2);
  for (const bool fast : {true, false}) {
    bench_.machine.use_fast_paths(fast);
    const model::ErrorRecord error = error_of(op);
    EXPECT_EQ(error.code, isa::ErrorCode::kKernelRange);
    EXPECT_EQ(error.engine, isa::Engine::kLoad);
    EXPECT_EQ(error.address, static_cast<std::uint32_t>(kernel::memory_rows(dim_)));
  }
}

TEST_P(VectorInstruction, KernelsThatFail) {
  isa::Vector op;
  op.entry = kernel::kMemoryWords;
  model::ErrorRecord error = error_of(op);
  EXPECT_EQ(error.code, isa::ErrorCode::kKernel);
  EXPECT_EQ(error.engine, isa::Engine::kVpu);
  EXPECT_EQ(error.address, 1024U);
  EXPECT_THAT(error.text, testing::AllOf(testing::HasSubstr("VECTOR entry=1024"),
                                         testing::HasSubstr("the kernel memory has 1024 words")));

  // What comes before the word is done.
  bench_.put_kernel(20, kernel::assemble("kernel k(sums)\nmove acc[sums], 9\nend\n").words);
  bench_.state().kernels()[21] = 63;
  op.entry = 20;
  op.arg0 = 4;
  error = error_of(op);
  EXPECT_EQ(error.code, isa::ErrorCode::kKernel);
  EXPECT_EQ(error.address, 21U);
  EXPECT_THAT(error.text, testing::HasSubstr("there is no operation 63"));
  EXPECT_EQ(bench_.state().accumulator(11)[0], 9);

  op.arg0 = static_cast<std::uint32_t>(GetParam().acc_rows) - 3;
  error = error_of(op);
  EXPECT_EQ(error.code, isa::ErrorCode::kAccRange);
  EXPECT_EQ(error.address, static_cast<std::uint32_t>(GetParam().acc_rows));
  EXPECT_EQ(bench_.state().accumulator(GetParam().acc_rows - 1)[0], 9);

  bench_.put_kernel(30, kernel::assemble("kernel k(often)\nloop often\n  rows often\nend\nend\n").words);
  op.entry = 30;
  op.arg0 = 0x7fffffff;
  error = error_of(op);
  EXPECT_EQ(error.code, isa::ErrorCode::kKernel);
  EXPECT_EQ(error.address, 31U);
  EXPECT_THAT(error.text, testing::HasSubstr("does not end within 1048576 words"));
}

TEST_P(VectorInstruction, TableOfWords) {
  const auto before = bench_.state().table();
  std::vector<std::uint32_t> words(kernel::kTableWords);
  for (auto& word : words) word = static_cast<std::uint32_t>(bench_.word());
  put(kTableAt, words);
  bench_.execute(load(isa::Space::kParam, kTableAt, words.size() * 4));
  isa::Table op;
  op.words = 1;
  bench_.execute(op);
  EXPECT_THAT(bench_.state().words(), testing::ElementsAreArray(words));
  EXPECT_EQ(bench_.state().table(), before);
  op.params = static_cast<std::uint16_t>(GetParam().param_rows - 1024 / dim_ + 1);
  const model::ErrorRecord error = error_of(op);
  EXPECT_EQ(error.code, isa::ErrorCode::kParamRange);
  EXPECT_EQ(error.address, static_cast<std::uint32_t>(GetParam().param_rows));
}

TEST_P(VectorInstruction, RegistersStayFromKernelToKernelUntilTheyAreCleared) {
  bench_.put_kernel(0, kernel::assemble("kernel k(value)\nvector x\nmove x, value\nend\n").words);
  const auto reader = kernel::assemble("kernel k(sums)\nvector x\nmove acc[sums], x\nend\n").words;
  bench_.put_kernel(10, reader);
  bench_.state().words().fill(5);
  isa::Vector write, read;
  write.arg0 = 77;
  read.entry = 10;
  read.arg0 = 2;
  bench_.execute(write);
  bench_.execute(read);
  EXPECT_EQ(bench_.state().accumulator(9)[dim_ - 1], 77);

  isa::End end;
  end.clear = 1;
  bench_.execute(end);
  EXPECT_THAT(bench_.state().kernels(), testing::Each(0));
  EXPECT_THAT(bench_.state().words(), testing::Each(0));
  bench_.put_kernel(10, reader);
  bench_.state().accumulator(9)[0] = 1;
  bench_.execute(read);
  EXPECT_EQ(bench_.state().accumulator(9)[0], 0);
}

}  // namespace
}  // namespace systole::test
