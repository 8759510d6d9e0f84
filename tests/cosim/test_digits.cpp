// SPDX-License-Identifier: Apache-2.0
// Several operators in one program, with tensors in device memory: two branches that are concatenated in place (outputs
// with a pixel pitch), a residual addition, pooling and a dense layer. Only the builder orders them.
#include <gtest/gtest.h>

#include <memory>

#include "cases.hpp"
#include "compare.hpp"
#include "convolution.hpp"
#include "elementwise.hpp"
#include "kernels.hpp"
#include "matmul.hpp"
#include "pooling.hpp"
#include "seed.hpp"
#include "systole/backends.hpp"

namespace systole::cosim {
namespace {

using compiler::Builder;
using compiler::TensorView;

struct Layer {
  std::vector<std::int8_t> weights;
  std::vector<std::int32_t> bias;
  Requantize stage;
  golden::Tensor8 golden_weights;
};

class Network {
 public:
  Network(Source& source, int dim) : source_(source), dim_(dim) {}

  Layer layer(int out, int kernel, int in) {
    Layer l;
    l.weights = source_.bytes(static_cast<std::size_t>(out) * static_cast<std::size_t>(kernel * kernel * in));
    l.bias = source_.words(static_cast<std::size_t>(out), 3000);
    l.stage.scale = source_.scales(kernel * kernel * in, out);
    l.golden_weights = golden::Tensor8(golden::NhwcShape{out, kernel, kernel, in}, l.weights);
    return l;
  }

  std::optional<std::string> run(Device& device, const RunOptions& options) {
    const int c = dim_;
    const Window same{3, 3, 1, 1, 1, 1, 1, 1, 1, 1};
    const Window pool{2, 2, 2, 2, 1, 1, 0, 0, 0, 0};
    const Layer left = layer(c, 3, 3), right = layer(c, 1, 3), middle = layer(2 * c, 3, 2 * c),
                head = layer(10, 1, 2 * c * 16);
    AddParams sum;
    sum.lhs_scale = sum.rhs_scale = source_.scale(0.2, 0.5);
    sum.output_scale = source_.scale(1.5 / (1 << 20), 2.0 / (1 << 20));
    const auto image = source_.bytes(2 * 8 * 8 * 3);

    Builder b(device.configuration());
    const std::uint32_t input = b.binding(image.size()), output = b.binding(20);
    const auto pixels = [&](int side, int channels, int pitch) {
      return TensorView{
          b.temporary(static_cast<std::uint64_t>(2 * side * side * pitch)), 2, side, side, channels, pitch};
    };
    const TensorView in{input, 2, 8, 8, 3, 0};
    const TensorView both = pixels(8, 2 * c, 2 * c);
    TensorView first = both, second = both;
    first.channels = second.channels = c;
    second.address += static_cast<std::uint32_t>(c);
    const TensorView conv = pixels(8, 2 * c, 3 * c);
    const TensorView added = pixels(8, 2 * c, 2 * c);
    const TensorView pooled = pixels(4, 2 * c, 2 * c);
    compiler::conv2d(b, in, left.weights.data(), left.bias, {same, 1, 0}, left.stage, first);
    compiler::conv2d(b, in, right.weights.data(), right.bias, {{}, 1, 0}, right.stage, second);
    compiler::conv2d(b, both, middle.weights.data(), middle.bias, {same, 1, 0}, middle.stage, conv);
    compiler::add(b, both, conv, sum, added);
    compiler::max_pool(b, added, pool, -128, 127, pooled);
    compiler::dense(b, {pooled.address, 2, 32 * c, 0}, head.weights.data(), head.bias, 0, head.stage,
                    {output, 2, 10, 0});
    Program program = b.finish();
    device.place(program);
    device.write(program.bindings(), image.data(), image.size(), compiler::ProgramRanges::offset(input));
    device.run(program, options);
    std::vector<std::int8_t> result(20);
    device.read(program.bindings(), result.data(), result.size(), compiler::ProgramRanges::offset(output));

    const golden::Tensor8 x(golden::NhwcShape{2, 8, 8, 3}, image);
    const Window window{3, 3, 1, 1, 1, 1, 1, 1, 1, 1};
    const auto l = golden::conv2d(x, left.golden_weights, left.bias, {window, 1, 0, 0}, left.stage);
    const auto r = golden::conv2d(x, right.golden_weights, right.bias, {{}, 1, 0, 0}, right.stage);
    golden::Tensor8 joined(golden::NhwcShape{2, 8, 8, 2 * c});
    for (std::size_t pixel = 0; pixel < 128; ++pixel) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(c); ++i) {
        joined.data[pixel * 2 * static_cast<std::size_t>(c) + i] = l.data[pixel * static_cast<std::size_t>(c) + i];
        joined.data[(pixel * 2 + 1) * static_cast<std::size_t>(c) + i] =
            r.data[pixel * static_cast<std::size_t>(c) + i];
      }
    }
    const auto m = golden::conv2d(joined, middle.golden_weights, middle.bias, {window, 1, 0, 0}, middle.stage);
    const auto p = golden::max_pool(golden::add(joined, m, sum), {2, 2, 2, 2, 1, 1, 0, 0, 0, 0});
    const auto expected = golden::dense({2, 32 * c, p.data}, {10, 32 * c, head.weights}, head.bias, head.stage);
    return golden::difference(expected, golden::Matrix8{2, 10, result});
  }

 private:
  Source& source_;
  int dim_;
};

struct Fused {
  int batch, height, width, channels, out_channels, kernel, stride;
};

/// A convolution with the residual addition in its output stage.
std::optional<std::string> run_fused(Device& device, const RunOptions& options, Source& source, const Fused& f) {
  const int pad = f.kernel / 2;
  const Window window{f.kernel, f.kernel, f.stride, f.stride, 1, 1, pad, pad, pad, pad};
  const golden::NhwcShape in{f.batch, f.height, f.width, f.channels};
  const golden::Tensor8 x(in, source.bytes(in.size()));
  const golden::NhwcShape out = golden::output_shape(in, window, f.out_channels);
  const golden::Tensor8 residual(out, source.bytes(out.size()));
  const golden::NhwcShape filter{f.out_channels, f.kernel, f.kernel, f.channels};
  const golden::Tensor8 weights(filter, source.bytes(filter.size()));
  const auto bias = source.words(static_cast<std::size_t>(f.out_channels), 3000);
  Requantize stage;
  stage.scale = source.scales(f.kernel * f.kernel * f.channels, f.out_channels);
  stage.zero_point = source.range(-20, 20);
  stage.clamp_min = -100;
  stage.rounding = static_cast<Rounding>(source.range(0, 2));
  AddParams sum;
  sum.lhs_zero_point = stage.zero_point;
  sum.rhs_zero_point = source.range(-128, 127);
  sum.output_zero_point = source.range(-20, 20);
  sum.lhs_scale = source.scale(0.2, 0.5);
  sum.rhs_scale = source.scale(0.2, 0.5);
  sum.output_scale = source.scale(1.5 / (1 << 20), 2.0 / (1 << 20));
  sum.clamp_min = static_cast<std::int8_t>(sum.output_zero_point);
  sum.rounding = stage.rounding;

  Builder b(device.configuration());
  const std::uint32_t input = b.binding(x.data.size()), second = b.binding(residual.data.size()),
                      output = b.binding(out.size());
  const auto view = [](std::uint32_t address, const golden::NhwcShape& s) {
    return TensorView{address, s.batch, s.height, s.width, s.channels, 0};
  };
  compiler::conv2d_add(b, view(input, in), weights.data.data(), bias, {window, 1, 7}, stage, view(second, out), sum,
                       view(output, out));
  Program program = b.finish();
  device.place(program);
  device.write(program.bindings(), x.data.data(), x.data.size(), compiler::ProgramRanges::offset(input));
  device.write(program.bindings(), residual.data.data(), residual.data.size(), compiler::ProgramRanges::offset(second));
  device.run(program, options);
  golden::Tensor8 result(out);
  device.read(program.bindings(), result.data.data(), out.size(), compiler::ProgramRanges::offset(output));

  const auto conv = golden::conv2d(x, weights, bias, {window, 1, 7, 0}, stage);
  return golden::difference(golden::add(conv, residual, sum), result);
}

void run_on(const std::string& backend, int configuration) {
  if (!has_backend(backend)) {
    GTEST_SKIP() << "this build has no back end " << backend;
  }
  BackendOptions options;
  options.configuration = kConfigurations[static_cast<std::size_t>(configuration)].name;
  options.memory_bytes = std::uint64_t{16} << 20;
  Device device = Device::open(options, backend);
  RunOptions run;
  run.check = true;
  Source source(test::seed());
  const auto difference = Network(source, device.configuration().dim).run(device, run);
  EXPECT_FALSE(difference.has_value()) << difference.value_or("");
  const int dim = device.configuration().dim;
  for (const Fused& f : {Fused{1, 6, 7, dim, 2 * dim, 1, 1}, Fused{2, 7, 5, dim + 1, 3 * dim + 1, 3, 1},
                         Fused{1, 9, 8, 3, dim, 3, 2}, Fused{1, 20, 20, 2 * dim, 4 * dim, 1, 1}}) {
    const auto fused = run_fused(device, run, source, f);
    EXPECT_FALSE(fused.has_value()) << f.height << "x" << f.width << ": " << fused.value_or("");
  }
}

TEST(model_tiny, Network) { run_on("model", 0); }
TEST(model_small, Network) { run_on("model", 1); }
TEST(model_default, Network) { run_on("model", 2); }
TEST(model_large, Network) { run_on("model", 3); }
TEST(model_nano, Network) { run_on("model", 4); }
TEST(model_default_int8, Network) { run_on("model", 5); }
TEST(rtl_tiny, Network) { run_on("rtl", 0); }
TEST(rtl_small, Network) { run_on("rtl", 1); }
TEST(rtl_default, Network) { run_on("rtl", 2); }
TEST(rtl_large, Network) { run_on("rtl", 3); }
TEST(rtl_nano, Network) { run_on("rtl", 4); }
TEST(rtl_default_int8, Network) { run_on("rtl", 5); }

}  // namespace
}  // namespace systole::cosim
