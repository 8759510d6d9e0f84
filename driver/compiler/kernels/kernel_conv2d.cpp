// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "activations.hpp"
#include "geometry.hpp"
#include "kernel_depthwise.hpp"
#include "kernels.hpp"
#include "params.hpp"
#include "plan.hpp"
#include "product_state.hpp"
#include "systole/errors.hpp"
#include "weights.hpp"

namespace systole::compiler {
namespace {

ConvGeometry check(const TensorView& in, const ConvOptions& options, const TensorView& out) {
  const ConvGeometry g = make_geometry("conv2d", in, options.window, options.input_zero_point, out);
  if (options.groups < 1 || in.channels % options.groups != 0 || out.channels % options.groups != 0) {
    throw InvalidArgument(fmt::format("conv2d: {} groups do not divide {} input and {} output channels", options.groups,
                                      in.channels, out.channels));
  }
  return g;
}

/// A 1x1 convolution is treated as one long row of pixels: its tiles need not end with a row of the image.
ConvGeometry flattened(ConvGeometry g) {
  if (g.chip && g.kernel_h == 1 && g.kernel_w == 1 && g.stride_h == 1 && g.stride_w == 1 && g.out_height == g.height &&
      g.out_width == g.width && g.height * g.width <= 32767) {
    g.width = g.out_width = g.height * g.width;
    g.height = g.out_height = 1;
  }
  return g;
}

void product(Builder& builder, const ConvGeometry& geometry, const ConvWeights& weights, int groups,
             const Output& output, const OutputStage& stage, ProductState& state) {
  if (builder.configuration().has(Part::kDepthwise) && is_depthwise(geometry, groups, output.columns) &&
      emit_depthwise(builder, geometry, weights, output, stage)) {
    return;
  }
  const ConvGeometry g = flattened(geometry);
  const int dim = builder.dim();
  const bool pixels_are_rows = g.kernel_h == 1 && g.kernel_w == 1 && g.stride_h == 1 && g.stride_w == 1 &&
                               g.out_height == g.height && g.out_width == g.width;
  const int depth = g.kernel_h * g.kernel_w * g.channels;
  const int blocks = ceil_div(g.channels, dim);
  const bool pack = groups == 1 && !pixels_are_rows && PackedWindows::possible(g, dim) &&
                    ceil_div(depth, dim) < blocks * g.kernel_h * g.kernel_w + (g.kernel_h * g.kernel_w == 1 ? 1 : 0);
  if (!state.weights) {
    state.weights = TiledWeights::convolution(builder, weights, output.columns, g.kernel_h, g.kernel_w,
                                              g.channels / groups, groups);
  }
  const TiledWeights& planes = *state.weights;
  builder.leave_out(static_cast<std::uint64_t>(planes.left_out() * g.batch * g.out_height * g.out_width));
  std::vector<Candidate> candidates;
  TiledWeights rows;
  if (g.chip) {
    for (const Cut& cut : cuts(g, builder.configuration())) {
      candidates.push_back({[&g, cut] { return std::make_unique<ChipImage>(g, cut); }, &planes, blocks});
    }
    emit_best_product(builder, candidates, output, stage, state.held);
    return;
  }
  if (pixels_are_rows) {
    const int count = g.batch * g.height * g.width;
    for (const int share : tile_heights(count, builder.configuration())) {
      candidates.push_back({[&g, count, share, dim] {
                              return std::make_unique<MatrixRows>(g.address, count, g.channels, g.pixel_pitch, share,
                                                                  dim);
                            },
                            &planes, blocks});
    }
  }
  for (const Cut& cut : cuts(g, builder.configuration())) {
    if (pixels_are_rows) {
      break;
    }
    if (pack) {
      if (candidates.empty()) {
        rows = TiledWeights::packed(builder, weights, output.columns, depth);
      }
      candidates.push_back(
          {[&g, cut, dim] { return std::make_unique<PackedWindows>(g, cut, dim); }, &rows, ceil_div(depth, dim)});
    }
    candidates.push_back({[&g, cut, dim] { return std::make_unique<ImagePlanes>(g, cut, dim); }, &planes, blocks});
  }
  emit_best_product(builder, candidates, output, stage, state.held);
}

/// bias[o] - zero_point * (sum of the weights of o): the matrix unit multiplies raw inputs and reads the zero point as
/// padding.
std::vector<std::int32_t> folded_bias(const ConvGeometry& g, const ConvWeights& weights, int out_channels,
                                      const std::vector<std::int32_t>& bias, const ConvOptions& options) {
  const auto count = static_cast<std::size_t>(out_channels);
  if (!bias.empty() && bias.size() != count) {
    throw InvalidArgument(fmt::format("conv2d: bias has {} values for {} output channels", bias.size(), out_channels));
  }
  const auto per_channel = static_cast<std::size_t>(g.kernel_h * g.kernel_w * (g.channels / options.groups));
  std::vector<std::int32_t> folded(count, 0);
  for (std::size_t o = 0; o < count; ++o) {
    std::int64_t sum = 0;
    for (std::size_t part = 0; part < static_cast<std::size_t>(weights.parts); ++part) {
      const std::int8_t* first = weights.values + (part * count + o) * per_channel;
      sum = std::accumulate(first, first + per_channel, sum);
    }
    const std::int64_t own = bias.empty() ? 0 : bias[o];
    folded[o] = static_cast<std::int32_t>(static_cast<std::uint32_t>(own - options.input_zero_point * sum));
  }
  return folded;
}

/// Without the residual's place.
ResidualStage residual_stage(Builder& builder, const AddParams& add) {
  ResidualStage stage;
  stage.scalars = builder.constant(scalar_params(builder.dim(), {add.lhs_scale, add.rhs_scale, add.output_scale}));
  stage.zero_point = static_cast<std::int8_t>(add.rhs_zero_point);
  stage.output_zero_point = static_cast<std::int8_t>(add.output_zero_point);
  stage.clamp_min = add.clamp_min;
  stage.clamp_max = add.clamp_max;
  return stage;
}

std::uint64_t macs(const ConvGeometry& g, int out_channels, int groups) {
  return static_cast<std::uint64_t>(g.batch) * static_cast<std::uint64_t>(g.out_height) *
         static_cast<std::uint64_t>(g.out_width) * static_cast<std::uint64_t>(g.kernel_h) *
         static_cast<std::uint64_t>(g.kernel_w) * static_cast<std::uint64_t>(g.channels / groups) *
         static_cast<std::uint64_t>(out_channels);
}

std::string name_of(const ConvGeometry& g, int out_channels) {
  return fmt::format("conv {}x{} {}x{}x{} to {}", g.kernel_h, g.kernel_w, g.height, g.width, g.channels, out_channels);
}

}  // namespace

void conv2d(Builder& builder, const TensorView& input, const ConvWeights& weights,
            const std::vector<std::int32_t>& bias, const ConvOptions& options, const Requantize& requantize,
            const TensorView& output, ProductState* shared, const LookupTable* table) {
  ProductState own;
  ProductState& state = shared != nullptr ? *shared : own;
  const ConvGeometry g = check(input, options, output);
  builder.begin_operator(name_of(g, output.channels), macs(g, output.channels, options.groups));
  if (!state.stage) {
    state.stage =
        make_stage(builder, output.channels, folded_bias(g, weights, output.channels, bias, options), requantize);
    state.stage->looks_up = table != nullptr;
  }
  if (table != nullptr) {
    place_lookup_table(builder, *table);
  }
  product(builder, g, weights, options.groups, {output.address, output.channels, output.pitch(), 1, output.chip},
          *state.stage, state);
}

void conv2d_add(Builder& builder, const TensorView& input, const ConvWeights& weights,
                const std::vector<std::int32_t>& bias, const ConvOptions& options, const Requantize& requantize,
                const TensorView& residual, const AddParams& add, const TensorView& output, ProductState* shared) {
  ProductState own;
  ProductState& state = shared != nullptr ? *shared : own;
  const ConvGeometry g = check(input, options, output);
  if (residual.batch != output.batch || residual.height != output.height || residual.width != output.width ||
      residual.channels != output.channels) {
    throw InvalidArgument(fmt::format("conv2d_add: the residual is {}x{}x{}x{}, the output {}x{}x{}x{}", residual.batch,
                                      residual.height, residual.width, residual.channels, output.batch, output.height,
                                      output.width, output.channels));
  }
  if (add.rounding != requantize.rounding || add.lhs_zero_point != requantize.zero_point) {
    throw InvalidArgument(
        "conv2d_add: the addition must have the rounding of the requantization, and its zero point first");
  }
  check_add("conv2d_add", add);
  builder.begin_operator(name_of(g, output.channels) + " + add", macs(g, output.channels, options.groups));
  if (!state.stage) {
    state.stage =
        make_stage(builder, output.channels, folded_bias(g, weights, output.channels, bias, options), requantize);
    state.stage->residual = residual_stage(builder, add);
  }
  OutputStage stage = *state.stage;
  stage.residual->address = residual.address;
  stage.residual->pitch = residual.pitch();
  stage.residual->chip = residual.chip;
  product(builder, g, weights, options.groups, {output.address, output.channels, output.pitch(), 1, output.chip}, stage,
          state);
}

void conv2d_raw(Builder& builder, const TensorView& input, const ConvWeights& weights,
                const std::vector<std::int32_t>& bias, const ConvOptions& options, const TensorView& output) {
  if (output.chip) {
    throw InvalidArgument("conv2d_raw: sums of 32 bits do not stay in the scratchpad");
  }
  const ConvGeometry g = check(input, options, output);
  builder.begin_operator("raw " + name_of(g, output.channels), macs(g, output.channels, options.groups));
  OutputStage stage;
  if (!bias.empty() || options.input_zero_point != 0) {
    stage.raw_bias = builder.constant(
        bias_rows(builder.dim(), output.channels, folded_bias(g, weights, output.channels, bias, options)));
  }
  const std::int64_t pitch = output.pixel_pitch == 0 ? 4 * std::int64_t{output.channels} : output.pixel_pitch;
  ProductState state;
  product(builder, g, weights, options.groups, {output.address, output.channels, pitch, 4}, stage, state);
}

}  // namespace systole::compiler
