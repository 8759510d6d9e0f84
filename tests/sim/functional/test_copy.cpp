// SPDX-License-Identifier: Apache-2.0
// LOAD and STORE: typical uses written out, and the fast paths against the loops of the reference page.
#include "model_bench.hpp"
#include "seed.hpp"
#include "whole_configurations.hpp"

namespace systole {
namespace {

class Copy : public testing::TestWithParam<Configuration> {};

std::vector<std::int8_t> memory_bytes(test::Bench& bench, std::uint64_t address, std::size_t bytes) {
  std::vector<std::int8_t> data(bytes);
  bench.memory.read(address, data.data(), bytes);
  return data;
}

TEST_P(Copy, DenseImageToPlanesWithPaddedChannels) {
  test::Bench bench(GetParam(), test::seed());
  bench.randomize();
  const int dim = bench.dim();
  const int height = 3, width = 4, channels = dim + 3;
  const auto image = memory_bytes(bench, 101, static_cast<std::size_t>(height * width * channels));
  isa::Load op;  // one run per image row, one piece per pixel, two blocks per piece
  op.src = 101;
  op.run_bytes = static_cast<std::uint32_t>(width * channels);
  op.pieces = width;
  op.piece_step = op.piece_bytes = static_cast<std::uint16_t>(channels);
  op.slot_bytes = static_cast<std::uint16_t>(2 * dim);
  op.fill = -9;
  op.count0 = op.valid_to = height;
  op.src_stride0 = width * channels;
  op.dst = 7;
  op.dst_piece = 1;
  op.dst_block = height * width;
  op.dst_stride0 = width;
  bench.execute(op);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 2 * dim; ++c) {
        const int row = 7 + c / dim * height * width + y * width + x;
        const int expected = c < channels ? image[static_cast<std::size_t>((y * width + x) * channels + c)] : -9;
        ASSERT_EQ(bench.state().scratch(static_cast<std::uint16_t>(row))[c % dim], expected);
      }
}

TEST_P(Copy, OverlappingWindowsOfARowWithPaddingOnEverySide) {
  test::Bench bench(GetParam(), test::seed());
  bench.randomize();
  const int dim = bench.dim();
  const int height = 4, width = 5, taps = 3;  // one channel, window of three columns, padding of one all around
  const auto image = memory_bytes(bench, 40, static_cast<std::size_t>(height * width));
  isa::Load op;
  op.src = static_cast<std::uint32_t>(40 - width);  // run 0 is the padding row above, which is not read
  op.run_bytes = width;
  op.piece_start = -1;
  op.pieces = width;
  op.piece_step = 1;
  op.piece_bytes = op.slot_bytes = taps;
  op.lane = 1;
  op.fill = 77;
  op.count0 = height + 2;
  op.valid_from = 1;
  op.valid_to = height + 1;
  op.src_stride0 = width;
  op.dst = 3;
  op.dst_piece = 1;
  op.dst_block = 1;
  op.dst_stride0 = width;
  bench.execute(op);
  for (int y = -1; y <= height; ++y)
    for (int x = 0; x < width; ++x)
      for (int t = 0; t < taps; ++t) {
        const int column = x + t - 1;
        const bool inside = y >= 0 && y < height && column >= 0 && column < width;
        const int lane = 1 + t;
        ASSERT_EQ(bench.state().scratch(static_cast<std::uint16_t>(3 + (y + 1) * width + x + lane / dim))[lane % dim],
                  inside ? image[static_cast<std::size_t>(y * width + column)] : 77);
      }
}

TEST_P(Copy, WeightsWrapAroundTheRing) {
  test::Bench bench(GetParam(), test::seed());
  bench.randomize();
  const int dim = bench.dim(), rows = bench.configuration().weight_rows;
  isa::Load op;
  op.space = static_cast<std::uint8_t>(isa::Space::kWeight);
  op.run_bytes = op.piece_bytes = op.slot_bytes = static_cast<std::uint16_t>(6 * dim);
  op.valid_to = 1;
  op.dst = static_cast<std::uint16_t>(rows - 2);
  op.dst_block = 1;
  bench.execute(op);
  const auto bytes = memory_bytes(bench, 0, static_cast<std::size_t>(6 * dim));
  for (int i = 0; i < 6 * dim; ++i)
    ASSERT_EQ(bench.state().weight((rows - 2 + i / dim) % rows)[i % dim], bytes[static_cast<std::size_t>(i)]);
}

TEST_P(Copy, PlanesToDenseImage) {
  test::Bench bench(GetParam(), test::seed());
  bench.randomize();
  const int dim = bench.dim(), height = 3, width = 4, channels = dim + 2;
  isa::Store op;
  op.dst = 333;
  op.pieces = width;
  op.piece_bytes = static_cast<std::uint16_t>(channels);
  op.count0 = height;
  op.dst_stride0 = width * channels;
  op.src = 9;
  op.src_piece = 1;
  op.src_block = height * width;
  op.src_stride0 = width;
  bench.execute(op);
  const auto image = memory_bytes(bench, 333, static_cast<std::size_t>(height * width * channels));
  for (int p = 0; p < height * width; ++p)
    for (int c = 0; c < channels; ++c)
      ASSERT_EQ(image[static_cast<std::size_t>(p * channels + c)],
                bench.state().scratch(static_cast<std::uint16_t>(9 + p + c / dim * height * width))[c % dim]);
}

isa::Load random_load(test::Bench& bench) {
  const auto u = [&](int low, int high) { return static_cast<std::uint16_t>(bench.uniform(low, high)); };
  isa::Load op;
  op.src = u(5000, 60000);
  op.run_bytes = u(1, 300);
  op.window = static_cast<std::uint8_t>(u(0, 3));
  op.space = static_cast<std::uint8_t>(u(0, 2));
  op.piece_start = static_cast<std::int16_t>(bench.uniform(-40, 60));
  op.pieces = u(1, 12);
  op.piece_step = u(0, 50);
  op.piece_bytes = u(0, 60);
  op.slot_bytes = static_cast<std::uint16_t>(op.piece_bytes + u(op.piece_bytes ? 0 : 1, 40));
  op.lane = static_cast<std::uint8_t>(u(0, bench.dim() - 1));
  op.fill = bench.byte();
  op.count0 = u(1, 6);
  op.count1 = u(1, 4);
  op.valid_from = u(0, op.count0);
  op.valid_to = u(op.valid_from, op.count0);
  op.src_stride0 = bench.uniform(-300, 300);
  op.src_stride1 = bench.uniform(-900, 900);
  op.dst = op.space == 1 ? u(0, 65535) : u(0, bench.configuration().param_rows / 2);
  op.dst_piece = u(0, 4);
  op.dst_block = u(0, 2);
  op.dst_stride0 = u(0, 7);
  op.dst_stride1 = bench.uniform(0, 5) == 0 ? 65535 : u(0, 15);
  return op;
}

isa::Store random_store(test::Bench& bench) {
  const auto u = [&](int low, int high) { return static_cast<std::uint16_t>(bench.uniform(low, high)); };
  isa::Store op;
  op.dst = u(5000, 60000);
  op.pieces = u(1, 9);
  op.window = static_cast<std::uint8_t>(u(0, 3));
  op.piece_bytes = u(1, 80);
  op.count0 = u(1, 5);
  op.count1 = u(1, 4);
  op.dst_stride0 = bench.uniform(-700, 700);
  op.dst_stride1 = bench.uniform(-900, 900);
  op.src = u(0, 400);
  op.src_piece = u(0, 9);
  op.src_block = u(0, 2);
  op.src_stride0 = u(0, 30);
  op.src_stride1 = bench.uniform(0, 5) == 0 ? 65530 : u(0, 30);
  return op;
}

TEST_P(Copy, FastPathsEqualThePages) {
  const std::uint64_t seed = test::seed();
  test::Bench fast(GetParam(), seed);
  fast.randomize();
  test::Bench plain(GetParam(), seed);
  plain.randomize();
  plain.machine.use_fast_paths(false);
  int done = 0;
  for (int round = 0; round < 400; ++round) {
    const auto i = round % 2 ? random_load(fast).encode() : random_store(fast).encode();
    const auto outcome = fast.machine.execute(i);
    ASSERT_EQ(outcome, plain.machine.execute(i));
    done += outcome == model::Machine::Outcome::kDone;
    if (fast.machine.halted()) {
      EXPECT_EQ(fast.machine.error().text, plain.machine.error().text);
      fast.machine.reset();
      plain.machine.reset();
    }
  }
  EXPECT_TRUE(test::same_contents(fast, plain));
  EXPECT_GT(done, 250);
}

INSTANTIATE_TEST_SUITE_P(All, Copy, testing::ValuesIn(test::whole_configurations()), test::ConfigurationName());

}  // namespace
}  // namespace systole
