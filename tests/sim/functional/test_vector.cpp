// SPDX-License-Identifier: Apache-2.0
// The vector instructions against the operator-level golden model, or, where that has no such operator, against a few
// lines written from the reference page.
#include "elementwise.hpp"
#include "model_bench.hpp"
#include "pooling.hpp"
#include "seed.hpp"
#include "whole_configurations.hpp"

namespace systole {
namespace {

class Vector : public testing::TestWithParam<Configuration> {};

constexpr std::uint16_t kIn = 10, kIn2 = 80, kOut = 160;

/// Fields that all pooling and element-wise instructions have.
template <typename Op>
void place(Op& op, int in_width, int out_height, int out_width) {
  op.src = kIn;
  op.dst = kOut;
  op.src_stride = static_cast<std::uint16_t>(in_width);
  op.out_height = static_cast<std::uint16_t>(out_height);
  op.out_width = op.dst_stride = static_cast<std::uint16_t>(out_width);
}

template <typename Op>
Op pool(test::Bench& bench, const golden::Tensor8& in, const Window& w, golden::Clamp& clamp) {
  const auto shape = golden::output_shape(in.shape, w, bench.dim());
  Op op;
  place(op, in.shape.width, shape.height, shape.width);
  op.in_height = static_cast<std::uint16_t>(in.shape.height);
  op.in_width = static_cast<std::uint16_t>(in.shape.width);
  op.y0 = static_cast<std::int16_t>(-w.pad_top);
  op.x0 = static_cast<std::int16_t>(-w.pad_left);
  op.kernel_h = static_cast<std::uint8_t>(w.kernel_h);
  op.kernel_w = static_cast<std::uint8_t>(w.kernel_w);
  op.stride_h = static_cast<std::uint8_t>(w.stride_h);
  op.stride_w = static_cast<std::uint8_t>(w.stride_w);
  op.dilation_h = static_cast<std::uint8_t>(w.dilation_h);
  op.dilation_w = static_cast<std::uint8_t>(w.dilation_w);
  clamp = {static_cast<std::int8_t>(bench.uniform(-128, -50)), static_cast<std::int8_t>(bench.uniform(50, 127))};
  op.clamp_min = clamp.min;
  op.clamp_max = clamp.max;
  return op;
}

/// The golden model refuses windows wholly outside; without dilation, pads below the kernel avoid them.
Window random_window(test::Bench& bench) {
  Window w;
  w.kernel_h = bench.uniform(1, 3);
  w.kernel_w = bench.uniform(1, 3);
  w.stride_h = bench.uniform(1, 2);
  w.stride_w = bench.uniform(1, 3);
  w.dilation_h = bench.uniform(1, 2);
  w.dilation_w = bench.uniform(1, 2);
  w.pad_top = w.pad_bottom = bench.uniform(0, (w.kernel_h - 1) / 2);
  w.pad_left = w.pad_right = bench.uniform(0, (w.kernel_w - 1) / 2);
  return w;
}

TEST_P(Vector, MaxPool) {
  test::Bench bench(GetParam(), test::seed());
  for (int round = 0; round < 20; ++round) {
    const auto in = bench.random_tensor(bench.uniform(5, 8), bench.uniform(5, 8), bench.dim());
    const auto w = random_window(bench);
    golden::Clamp clamp;
    const auto op = pool<isa::Maxpool>(bench, in, w, clamp);
    bench.put_planes(kIn, in);
    bench.execute(op);
    EXPECT_EQ(bench.get_plane(kOut, op.out_height, op.out_width).data, golden::max_pool(in, w, clamp).data);
  }
}

TEST_P(Vector, MaxPoolOfNothingIsTheSmallestOutput) {
  test::Bench bench(GetParam());
  isa::Maxpool op;
  op.src = op.dst = 5;
  op.y0 = 1;
  op.clamp_min = -7;
  op.clamp_max = 9;
  bench.execute(op);
  EXPECT_EQ(bench.state().scratch(5)[0], -7);
}

TEST_P(Vector, AveragePool) {
  test::Bench bench(GetParam(), test::seed());
  for (int round = 0; round < 20; ++round) {
    const auto in = bench.random_tensor(bench.uniform(5, 8), bench.uniform(5, 8), bench.dim());
    const auto w = random_window(bench);
    golden::Clamp clamp;
    auto op = pool<isa::Avgpool>(bench, in, w, clamp);
    op.scalars = 3;
    op.rounding = static_cast<std::uint8_t>(Rounding::kSingle);
    op.count_padding = round % 2;
    op.zero1 = bench.byte();
    const int taps = w.kernel_h * w.kernel_w;
    for (int missing = 0; missing < taps; ++missing)
      bench.put_scale(3 + 2 * missing, average_pool_reciprocal(taps - missing));
    bench.put_planes(kIn, in);
    bench.execute(op);
    const auto counting = op.count_padding ? golden::PaddingCount::kInclude : golden::PaddingCount::kExclude;
    EXPECT_EQ(bench.get_plane(kOut, op.out_height, op.out_width).data,
              golden::average_pool(in, w, clamp, counting, op.zero1).data);
  }
}

template <typename Op, typename Params>
void element_wise_fields(test::Bench& bench, Op& op, Params& p) {
  p.lhs_zero_point = op.zero1 = bench.byte();
  p.rhs_zero_point = op.zero2 = bench.byte();
  p.output_zero_point = op.zero_point = bench.byte();
  p.clamp_min = op.clamp_min = static_cast<std::int8_t>(bench.uniform(-128, -60));
  p.clamp_max = op.clamp_max = static_cast<std::int8_t>(bench.uniform(60, 127));
  op.rounding = static_cast<std::uint8_t>(bench.uniform(0, 2));
  p.rounding = static_cast<Rounding>(op.rounding);
}

TEST_P(Vector, Add) {
  test::Bench bench(GetParam(), test::seed());
  for (int round = 0; round < 30; ++round) {
    const auto lhs = bench.random_tensor(4, 5, bench.dim());
    const auto rhs = bench.random_tensor(4, 5, bench.dim());
    AddParams p;
    isa::Add op;
    element_wise_fields(bench, op, p);
    place(op, 5, 4, 5);
    op.src2 = kIn2;
    op.src2_stride = 5;
    op.scalars = 9;
    p.lhs_scale = bench.random_scale(-3, 0);
    p.rhs_scale = bench.random_scale(-3, 0);
    p.output_scale = bench.random_scale(-22, -16);
    bench.put_scale(9, p.lhs_scale);
    bench.put_scale(11, p.rhs_scale);
    bench.put_scale(13, p.output_scale);
    bench.put_planes(kIn, lhs);
    bench.put_planes(kIn2, rhs);
    bench.execute(op);
    EXPECT_EQ(bench.get_plane(kOut, 4, 5).data, golden::add(lhs, rhs, p).data);
  }
}

TEST_P(Vector, Multiply) {
  test::Bench bench(GetParam(), test::seed());
  for (int round = 0; round < 30; ++round) {
    const auto lhs = bench.random_tensor(4, 5, bench.dim());
    const auto rhs = bench.random_tensor(4, 5, bench.dim());
    MultiplyParams p;
    isa::Multiply op;
    element_wise_fields(bench, op, p);
    place(op, 5, 4, 5);
    op.src2 = kIn2;
    op.src2_stride = 5;
    op.scalars = 9;
    p.output_scale = bench.random_scale(-9, -4);
    bench.put_scale(9, p.output_scale);
    bench.put_planes(kIn, lhs);
    bench.put_planes(kIn2, rhs);
    bench.execute(op);
    EXPECT_EQ(bench.get_plane(kOut, 4, 5).data, golden::multiply(lhs, rhs, p).data);
  }
}

TEST_P(Vector, TableAndMap) {
  test::Bench bench(GetParam(), test::seed());
  const int dim = bench.dim();
  std::array<std::int8_t, 256> values;
  for (int i = 0; i < 256; ++i) {
    values[static_cast<std::size_t>(i)] = bench.byte();
    bench.state().param(static_cast<std::uint16_t>(2 + i / dim))[i % dim] = values[static_cast<std::size_t>(i)];
  }
  isa::Table table;
  table.params = 2;
  bench.execute(table);
  const auto in = bench.random_tensor(3, 4, dim);
  bench.put_planes(kIn, in);
  for (const bool use_table : {false, true}) {
    isa::Map op;
    place(op, 4, 3, 4);
    op.table = use_table;
    op.clamp_min = -100;
    op.clamp_max = 90;
    bench.execute(op);
    const auto out = bench.get_plane(kOut, 3, 4);
    for (std::size_t i = 0; i < out.data.size(); ++i) {
      const int looked_up = use_table ? values[static_cast<std::size_t>(in.data[i] + 128)] : in.data[i];
      ASSERT_EQ(out.data[i], std::min(90, std::max(-100, looked_up)));
    }
  }
}

TEST_P(Vector, Drain32AndPreloadAreInverse) {
  test::Bench bench(GetParam(), test::seed());
  bench.randomize();
  isa::Drain32 out;
  out.src = 2;
  out.dst = 20;
  out.out_height = 3;
  out.out_width = 4;
  out.dst_stride = 5;
  out.plane_stride = 16;
  bench.execute(out);
  for (int w = 0; w < 4; ++w)
    for (int l = 0; l < bench.dim(); ++l) {  // byte w*DIM+l of the row, little-endian int32
      const int at = w * bench.dim() + l;
      const auto word = static_cast<std::uint32_t>(bench.state().accumulator(2 + 1 * 4 + 3)[at / 4]);
      ASSERT_EQ(bench.state().scratch(static_cast<std::uint16_t>(20 + 5 + 3 + 16 * w))[l],
                static_cast<std::int8_t>(word >> (at % 4 * 8)));
    }
  isa::Preload in;
  in.src = out.dst;
  in.dst = 30;
  in.out_height = 3;
  in.out_width = 4;
  in.src_stride = 5;
  in.plane_stride = 16;
  bench.execute(in);
  for (int p = 0; p < 12; ++p)
    for (int n = 0; n < bench.dim(); ++n)
      ASSERT_EQ(bench.state().accumulator(30 + p)[n], bench.state().accumulator(2 + p)[n]);
}

TEST_P(Vector, DrainWithTableAndResidual) {
  test::Bench bench(GetParam(), test::seed());
  for (int round = 0; round < 20; ++round) {
    bench.randomize();
    const int dim = bench.dim();
    isa::Drain op;
    op.table = round & 1;
    op.residual = round >> 1 & 1;
    op.src = 1;
    op.dst = kOut;
    op.src2 = kIn2;
    op.out_height = 2;
    op.out_width = 3;
    op.dst_stride = 4;
    op.src2_stride = 7;
    op.rounding = static_cast<std::uint8_t>(bench.uniform(0, 2));
    op.zero_point = bench.byte();
    op.zero1 = bench.byte();
    op.zero2 = bench.byte();
    op.clamp_min = static_cast<std::int8_t>(bench.uniform(-128, -60));
    op.clamp_max = static_cast<std::int8_t>(bench.uniform(60, 127));
    op.mid_min = static_cast<std::int8_t>(bench.uniform(-128, -60));
    op.mid_max = static_cast<std::int8_t>(bench.uniform(60, 127));
    op.params = 30;
    op.scalars = 50;
    const auto rounding = static_cast<Rounding>(op.rounding);
    std::array<QuantParam, 3> entry = {bench.random_scale(-3, 0), bench.random_scale(-3, 0),
                                       bench.random_scale(-22, -16)};
    for (int i = 0; i < 3; ++i) bench.put_scale(50 + 2 * i, entry[static_cast<std::size_t>(i)]);
    std::vector<QuantParam> scale;
    for (int n = 0; n < dim; ++n) {
      scale.push_back(bench.random_scale(-30, -20));
      auto* row = bench.state().param(static_cast<std::uint16_t>(34 + 4 * n / dim));
      std::memcpy(row + 4 * n % dim, &scale.back().multiplier, 4);
      bench.state().param(38)[n] = static_cast<std::int8_t>(scale.back().shift);
    }
    bench.execute(op);
    for (int oy = 0; oy < 2; ++oy)
      for (int ox = 0; ox < 3; ++ox)
        for (int n = 0; n < dim; ++n) {
          std::int32_t bias;
          std::memcpy(&bias, bench.state().param(static_cast<std::uint16_t>(30 + 4 * n / dim)) + 4 * n % dim, 4);
          const auto sum = golden::wrap_to_int32(std::int64_t{bench.state().accumulator(1 + oy * 3 + ox)[n]} + bias);
          const auto& s = scale[static_cast<std::size_t>(n)];
          std::int8_t q = op.residual ? requantize(sum, s, op.zero1, op.mid_min, op.mid_max, rounding)
                                      : requantize(sum, s, op.zero_point, op.clamp_min, op.clamp_max, rounding);
          if (op.table) q = bench.state().table()[static_cast<std::size_t>(q + 128)];
          if (op.residual) {
            const AddParams p{op.zero1, op.zero2,     op.zero_point, entry[0], entry[1],
                              entry[2], op.clamp_min, op.clamp_max,  rounding};
            const golden::Tensor8 a({}, {q}),
                b({}, {bench.state().scratch(static_cast<std::uint16_t>(kIn2 + 7 * oy + ox))[n]});
            q = golden::add(a, b, p).data[0];
          }
          ASSERT_EQ(bench.state().scratch(static_cast<std::uint16_t>(kOut + 4 * oy + ox))[n], q) << "round " << round;
        }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Vector, testing::ValuesIn(test::whole_configurations()), test::ConfigurationName());

}  // namespace
}  // namespace systole
