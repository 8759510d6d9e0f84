// SPDX-License-Identifier: Apache-2.0
// CONV and DRAIN against the operator-level golden model.
#include "convolution.hpp"
#include "model_bench.hpp"
#include "seed.hpp"
#include "whole_configurations.hpp"

namespace systole {
namespace {

class Convolution : public testing::TestWithParam<Configuration> {};

/// Weight tiles in the order CONV takes them: block, kernel row, kernel column; tile row = input lane, byte = output
/// lane.
void put_weights(test::Bench& bench, int row, const golden::Tensor8& ohwi) {
  const int dim = bench.dim();
  const int blocks = (ohwi.shape.channels + dim - 1) / dim;
  for (int kb = 0; kb < blocks; ++kb)
    for (int ky = 0; ky < ohwi.shape.height; ++ky)
      for (int kx = 0; kx < ohwi.shape.width; ++kx)
        for (int k = 0; k < dim; ++k, ++row)
          for (int n = 0; n < dim; ++n) {
            const int channel = kb * dim + k;
            bench.state().weight(row)[n] = channel < ohwi.shape.channels ? ohwi.at(n, ky, kx, channel) : std::int8_t{0};
          }
}

TEST_P(Convolution, AgreesWithGolden) {
  test::Bench bench(GetParam(), test::seed());
  const int dim = bench.dim();
  for (int round = 0; round < 12; ++round) {
    golden::Convolution conv;
    Window& w = conv.window;
    w.kernel_h = bench.uniform(1, 3);
    w.kernel_w = bench.uniform(1, 3);
    w.stride_h = bench.uniform(1, 2);
    w.stride_w = bench.uniform(1, 2);
    w.dilation_h = bench.uniform(1, 2);
    w.dilation_w = bench.uniform(1, 2);
    w.pad_top = w.pad_bottom = bench.uniform(0, w.kernel_h - 1);
    w.pad_left = w.pad_right = bench.uniform(0, w.kernel_w - 1);
    conv.input_zero_point = bench.uniform(-128, 127);
    const auto input = bench.random_tensor(bench.uniform(5, 7), bench.uniform(5, 7), bench.uniform(1, 2 * dim));
    golden::Tensor8 weights(golden::NhwcShape{dim, w.kernel_h, w.kernel_w, input.shape.channels});
    for (auto& v : weights.data) v = bench.byte();
    golden::Bias bias(static_cast<std::size_t>(dim));
    for (auto& b : bias) b = bench.uniform(-5000, 5000);
    Requantize stage;
    stage.scale.clear();
    stage.rounding = static_cast<Rounding>(bench.uniform(0, 2));
    stage.zero_point = bench.uniform(-20, 20);
    for (int n = 0; n < dim; ++n) stage.scale.push_back(bench.random_scale(-12, -4));
    const auto expected = golden::conv2d(input, weights, bias, conv, stage);

    isa::Conv op;
    op.act_row = 16;
    const int rows = bench.put_planes(op.act_row, input);
    op.weight_row =
        static_cast<std::uint16_t>(bench.uniform(0, bench.configuration().weight_rows - 1));  // the ring wraps
    put_weights(bench, op.weight_row, weights);
    op.acc_row = 3;
    op.blocks = static_cast<std::uint16_t>((input.shape.channels + dim - 1) / dim);
    op.row_stride = op.in_width = static_cast<std::uint16_t>(input.shape.width);
    op.in_height = static_cast<std::uint16_t>(input.shape.height);
    op.plane_stride = static_cast<std::uint16_t>(input.shape.width * input.shape.height);
    op.y0 = static_cast<std::int16_t>(-w.pad_top);
    op.x0 = static_cast<std::int16_t>(-w.pad_left);
    op.out_height = static_cast<std::uint16_t>(expected.shape.height);
    op.out_width = static_cast<std::uint16_t>(expected.shape.width);
    op.kernel_h = static_cast<std::uint8_t>(w.kernel_h);
    op.kernel_w = static_cast<std::uint8_t>(w.kernel_w);
    op.stride_h = static_cast<std::uint8_t>(w.stride_h);
    op.stride_w = static_cast<std::uint8_t>(w.stride_w);
    op.dilation_h = static_cast<std::uint8_t>(w.dilation_h);
    op.dilation_w = static_cast<std::uint8_t>(w.dilation_w);
    op.pad_value = static_cast<std::int8_t>(conv.input_zero_point);
    bench.execute(op);

    const auto folded = golden::fold_input_zero_point(weights, bias, conv.input_zero_point);
    isa::Drain drain;
    drain.src = op.acc_row;
    drain.dst = static_cast<std::uint16_t>(op.act_row + rows);
    drain.dst_stride = drain.out_width = op.out_width;
    drain.out_height = op.out_height;
    drain.rounding = static_cast<std::uint8_t>(stage.rounding);
    drain.zero_point = static_cast<std::int8_t>(stage.zero_point);
    drain.clamp_min = stage.clamp_min;
    drain.clamp_max = stage.clamp_max;
    drain.params = 7;
    for (int n = 0; n < dim; ++n) {
      const auto lane = static_cast<std::size_t>(n);
      const int per_row = dim / 4;
      std::memcpy(bench.state().param(static_cast<std::uint16_t>(7 + n / per_row)) + n % per_row * 4, &folded[lane], 4);
      std::memcpy(bench.state().param(static_cast<std::uint16_t>(11 + n / per_row)) + n % per_row * 4,
                  &stage.scale[lane].multiplier, 4);
      bench.state().param(15)[n] = static_cast<std::int8_t>(stage.scale[lane].shift);
    }
    bench.execute(drain);
    EXPECT_EQ(bench.get_plane(drain.dst, op.out_height, op.out_width).data, expected.data) << "round " << round;
  }
}

TEST_P(Convolution, AccumulatesOverInstructions) {
  test::Bench whole(GetParam());
  whole.randomize();
  test::Bench parts(GetParam());
  parts.randomize();
  isa::Conv op;
  op.blocks = 3;
  op.in_height = op.in_width = op.row_stride = 4;
  op.out_height = op.out_width = 4;
  op.plane_stride = 16;
  whole.execute(op);
  op.blocks = 1;
  parts.execute(op);
  op.accumulate = 1;
  op.act_row = 16;
  op.weight_row = static_cast<std::uint16_t>(parts.dim());
  op.blocks = 2;
  parts.execute(op);
  EXPECT_TRUE(test::same_contents(whole, parts));
}

/// Sizes small enough to stay on chip, positions and strides that often leave it.
isa::Conv random_conv(test::Bench& bench) {
  isa::Conv op;
  const Configuration& c = bench.configuration();
  const auto u16 = [&](int low, int high) { return static_cast<std::uint16_t>(bench.uniform(low, high)); };
  const auto u8 = [&](int low, int high) { return static_cast<std::uint8_t>(bench.uniform(low, high)); };
  op.accumulate = u8(0, 1);
  op.block_float = u8(0, 1);
  op.act_row = u16(0, c.scratch_rows / 4);
  op.weight_row = u16(0, 65535);
  op.acc_row = u16(0, c.acc_rows / 3);
  op.row_stride = u16(0, 12);
  op.plane_stride = bench.uniform(0, 7) == 0 ? u16(65500, 65535) : u16(0, 150);
  op.blocks = u16(1, 3);
  op.in_height = u16(1, 10);
  op.in_width = u16(1, 10);
  op.y0 = static_cast<std::int16_t>(bench.uniform(-4, 3));
  op.x0 = static_cast<std::int16_t>(bench.uniform(-4, 3));
  op.out_height = u16(1, 7);
  op.out_width = u16(1, 7);
  op.kernel_h = u8(1, 4);
  op.kernel_w = u8(1, 4);
  op.stride_h = u8(1, 3);
  op.stride_w = u8(1, 3);
  op.dilation_h = u8(1, 3);
  op.dilation_w = u8(1, 3);
  op.pad_value = bench.byte();
  return op;
}

TEST_P(Convolution, FastPathEqualsThePage) {
  const std::uint64_t seed = test::seed();
  test::Bench fast(GetParam(), seed);
  fast.randomize();
  test::Bench plain(GetParam(), seed);
  plain.randomize();
  plain.machine.use_fast_paths(false);
  int done = 0;
  for (int round = 0; round < 150; ++round) {
    const auto i = random_conv(fast).encode();
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
  EXPECT_GT(done, 50);
}

/// A DEPTHWISE is the CONV of every block whose weight tiles are diagonal.
TEST_P(Convolution, DepthwiseIsAConvolutionWithDiagonalTiles) {
  const std::uint64_t seed = test::seed();
  test::Bench lanes(GetParam(), seed), array(GetParam(), seed);
  const int dim = lanes.dim();
  int done = 0;
  for (int round = 0; round < 60; ++round) {
    lanes.randomize();
    array.random = lanes.random;
    isa::Conv conv = random_conv(lanes);
    conv.block_float = 0;
    conv.dilation_h = conv.dilation_w = 1;
    conv.kernel_h = static_cast<std::uint8_t>(std::min<int>(conv.kernel_h, 3));
    conv.kernel_w = static_cast<std::uint8_t>(std::min<int>(conv.kernel_w, 3));
    const int taps = conv.kernel_h * conv.kernel_w;
    conv.weight_row = 0;
    isa::Depthwise op;
    op.accumulate = conv.accumulate;
    op.act_row = conv.act_row;
    op.weight_row = static_cast<std::uint16_t>(lanes.uniform(0, 65535));
    op.acc_row = conv.acc_row;
    op.row_stride = conv.row_stride;
    op.plane_stride = conv.plane_stride;
    op.blocks = conv.blocks;
    op.in_height = conv.in_height;
    op.in_width = conv.in_width;
    op.y0 = conv.y0;
    op.x0 = conv.x0;
    op.out_height = conv.out_height;
    op.out_width = conv.out_width;
    op.kernel_h = conv.kernel_h;
    op.kernel_w = conv.kernel_w;
    op.stride_h = conv.stride_h;
    op.stride_w = conv.stride_w;
    op.pad_value = conv.pad_value;
    for (int r = 0; r < GetParam().scratch_end(); ++r) {
      std::memcpy(array.state().scratch(static_cast<std::uint16_t>(r)),
                  lanes.state().scratch(static_cast<std::uint16_t>(r)), static_cast<std::size_t>(dim));
    }
    for (int r = 0; r < GetParam().acc_rows; ++r) {
      std::memcpy(array.state().accumulator(r), lanes.state().accumulator(r), 4 * static_cast<std::size_t>(dim));
    }
    if (lanes.machine.execute(op.encode()) != model::Machine::Outcome::kDone) {
      lanes.machine.reset();
      continue;
    }
    ++done;
    conv.blocks = 1;
    for (int kb = 0; kb < op.blocks; ++kb) {
      for (int t = 0; t < taps; ++t) {
        for (int k = 0; k < dim; ++k) {
          for (int n = 0; n < dim; ++n) {
            array.state().weight(t * dim + k)[n] =
                k == n ? lanes.state().weight(op.weight_row + kb * taps + t)[n] : std::int8_t{0};
          }
        }
      }
      array.execute(conv);
      conv.act_row = static_cast<std::uint16_t>(conv.act_row + conv.plane_stride);
      conv.acc_row = static_cast<std::uint16_t>(conv.acc_row + op.out_height * op.out_width);
    }
    for (int r = 0; r < GetParam().acc_rows; ++r) {
      ASSERT_EQ(
          std::memcmp(array.state().accumulator(r), lanes.state().accumulator(r), 4 * static_cast<std::size_t>(dim)), 0)
          << "row " << r << ", round " << round;
    }
  }
  EXPECT_GT(done, 10);
}

INSTANTIATE_TEST_SUITE_P(All, Convolution, testing::ValuesIn(test::whole_configurations()), test::ConfigurationName());

}  // namespace
}  // namespace systole
