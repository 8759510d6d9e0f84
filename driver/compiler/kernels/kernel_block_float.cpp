// SPDX-License-Identifier: Apache-2.0
// Products in block floating point.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "block_activations.hpp"
#include "block_correlation.hpp"
#include "block_weights.hpp"
#include "converted_activations.hpp"
#include "float_results.hpp"
#include "geometry.hpp"
#include "kernels.hpp"
#include "plan.hpp"
#include "turned_tiles.hpp"

namespace systole::compiler {
namespace {

/// Of words on their way to the array, if the operand has any.
std::optional<WordsConversion> conversion_of(Builder& builder, const BlockRows& rows) {
  if (!rows.words) {
    return std::nullopt;
  }
  if (!rows.windows) {
    return WordsConversion(builder, *rows.words);
  }
  return WordsConversion(
      builder, make_geometry("blocks of windows", *rows.words, rows.windows->window, 0, rows.windows->positions));
}

/// A product of rows, all channels in one tap.
void row_product(Builder& builder, const BlockRows& rows, int count, const BlockWeights& weights, const Output& output,
                 const OutputStage& stage) {
  const BlockView& blocks = rows.blocks;
  const std::optional<WordsConversion> conversion = conversion_of(builder, rows);
  const int dim = builder.dim(), bytes = blocks.groups(BlockLanes(dim)) * BlockLanes(dim).group;
  const int line = stage.floats && stage.floats->maxima ? stage.floats->maxima->line() : 1;
  const int unit = std::lcm(line, rows.turned ? kBlockElements : conversion ? conversion->unit() : 1);
  const auto source = [&, dim, bytes](int height) -> std::unique_ptr<Activations> {
    if (rows.turned) {
      return std::make_unique<TurnedTiles>(*rows.turned, height);
    }
    if (blocks.chip) {
      return std::make_unique<ChipRows>(*blocks.chip, count, height);
    }
    const MatrixRows mantissas(conversion ? 0 : blocks.position(0), count, bytes, blocks.pitch(), height, dim,
                               PlaneForm::kBlocks);
    if (conversion) {
      return std::make_unique<ConvertedActivations<MatrixRows>>(mantissas, *conversion);
    }
    return std::make_unique<BlockActivations<MatrixRows>>(mantissas, blocks);
  };
  std::vector<Candidate> candidates;
  for (const int share : tile_heights(count, builder.configuration())) {
    const int height = std::max(unit, share / unit * unit);
    candidates.push_back({[source, height, line]() -> std::unique_ptr<Activations> {
                            if (line == 1) {
                              return source(height);
                            }
                            return std::make_unique<RowLines>(source(height), line);
                          },
                          &weights, weights.blocks(0).size()});
  }
  HeldWeights held;
  emit_best_product(builder, candidates, output, stage, held);
}

/// Where `outputs` channels of the results of `positions` go, and how.
struct Target {
  Output output;
  OutputStage stage;
};

Target target(Builder& builder, const BlockResults& results, const TensorView& to, std::int64_t positions,
              int outputs) {
  Target target{{to.address, outputs, to.pitch(), kWordPlanes, to.chip}, {}};
  if (!results.changes()) {
    return target;
  }
  FloatStage& floats = target.stage.floats.emplace();
  if (results.computed_bias) {
    floats.bias = *results.computed_bias;
  } else if (!results.bias.empty()) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(outputs) * sizeof(float));
    std::memcpy(bytes.data(), results.bias.data(), results.bias.size() * sizeof(float));
    floats.bias = builder.constant(std::move(bytes));
  }
  if (results.addend) {
    floats.addend = {*results.addend, std::int64_t{outputs} * kWordPlanes};
  }
  if (results.has_low()) {
    floats.low = results.low;
  }
  if (results.has_high()) {
    floats.high = results.high;
  }
  if (results.blocks) {
    floats.blocks = BlockView{to.address, positions, outputs};
    target.output.element_bytes = 1;
  }
  floats.maxima = results.maxima;
  floats.function = results.function;
  if (results.words) {
    floats.words = Output{*results.words, outputs, std::int64_t{outputs} * kWordPlanes, kWordPlanes};
  }
  return target;
}

std::uint64_t macs(std::int64_t positions, std::int64_t depth, std::int64_t columns) {
  return static_cast<std::uint64_t>(positions * depth * columns);
}

std::int64_t positions_of(const ConvGeometry& g) { return std::int64_t{g.batch} * g.out_height * g.out_width; }

/// Checks the convolution, and begins it.
ConvGeometry block_geometry(Builder& builder, const TensorView& image, const BlockView& input, const Window& window,
                            int outputs, const TensorView& output) {
  const BlockLanes lanes(builder.dim());
  TensorView mantissas = image;
  mantissas.address = input.address;
  mantissas.channels = input.groups(lanes) * lanes.group;
  mantissas.pixel_pitch = input.pitch();
  ConvGeometry g = make_geometry("block_conv2d", mantissas, window, 0, output);
  g.form = PlaneForm::kBlocks;
  builder.begin_operator(fmt::format("blocks conv {}x{} {}x{}x{} to {}", g.kernel_h, g.kernel_w, g.height, g.width,
                                     input.channels, outputs),
                         macs(positions_of(g), std::int64_t{g.kernel_h} * g.kernel_w * input.channels, outputs));
  return g;
}

void sliding_product(Builder& builder, const ConvGeometry& g, const BlockRows& input, const BlockWeights& weights,
                     const Target& to) {
  const bool pixels_are_rows = g.kernel_h == 1 && g.kernel_w == 1 && g.stride_h == 1 && g.stride_w == 1 &&
                               g.out_height == g.height && g.out_width == g.width;
  if (pixels_are_rows) {
    row_product(builder, input, static_cast<int>(input.blocks.positions), weights, to.output, to.stage);
    return;
  }
  const std::optional<WordsConversion> conversion = conversion_of(builder, input);
  const int dim = builder.dim();
  std::vector<Candidate> candidates;
  for (const Cut& cut : cuts(g, builder.configuration())) {
    candidates.push_back({[&, cut, dim]() -> std::unique_ptr<Activations> {
                            const ImagePlanes planes(g, cut, dim);
                            if (conversion) {
                              return std::make_unique<ConvertedActivations<ImagePlanes>>(planes, *conversion);
                            }
                            return std::make_unique<BlockActivations<ImagePlanes>>(planes, input.blocks);
                          },
                          &weights, weights.blocks(0).size()});
  }
  HeldWeights held;
  emit_best_product(builder, candidates, to.output, to.stage, held);
}

}  // namespace

bool has_function_kernel(const BlockResults& results) {
  const ResultsForm form{!results.bias.empty() || results.computed_bias, results.addend.has_value(), results.has_low(),
                         results.has_high()};
  return results.function && has_function_kernel(form, *results.function);
}

bool gathers_windows(const TensorView& image, const Window& window, const TensorView& positions) {
  constexpr int kLeastDim = 4;
  return PackedWindows::possible(make_geometry("blocks of windows", image, window, 0, positions), kLeastDim);
}

void block_conv2d(Builder& builder, const TensorView& image, const BlockRows& input, const BlockFilter& filter,
                  const Window& window, const BlockResults& results, const TensorView& output) {
  const ConvGeometry g = block_geometry(builder, image, input.blocks, window, filter.outputs, output);
  const Target to = target(builder, results, output, positions_of(g), filter.outputs);
  sliding_product(builder, g, input, constant_tiles(builder, filter), to);
}

void block_conv2d(Builder& builder, const TensorView& image, const BlockRows& input, const BlockTiles& filter,
                  const Window& window, const BlockResults& results, const TensorView& output) {
  const ConvGeometry g = block_geometry(builder, image, input.blocks, window, filter.outputs, output);
  const TiledBlockWeights weights = tiles_of(filter, builder.dim());
  if (is_correlation(g) && !results.changes()) {
    correlate(builder, g, input.blocks, weights, filter.outputs, output.address);
  } else {
    sliding_product(builder, g, input, weights, target(builder, results, output, positions_of(g), filter.outputs));
  }
}

void block_matmul(Builder& builder, const BlockRows& a, int rows, const BlockFilter& b, const BlockResults& results,
                  const TensorView& output) {
  builder.begin_operator(fmt::format("blocks matmul {}x{}x{}", rows, a.blocks.channels, b.outputs),
                         macs(rows, a.blocks.channels, b.outputs));
  const Target to = target(builder, results, output, rows, b.outputs);
  row_product(builder, a, rows, constant_tiles(builder, b), to.output, to.stage);
}

void block_matmul(Builder& builder, const BlockRows& a, int rows, const BlockView& b, int columns,
                  const BlockResults& results, const TensorView& output) {
  builder.begin_operator(fmt::format("blocks matmul {}x{}x{}", rows, a.blocks.channels, columns),
                         macs(rows, a.blocks.channels, columns));
  const Target to = target(builder, results, output, rows, columns);
  row_product(builder, a, rows, ComputedBlockWeights(b, columns, builder.dim()), to.output, to.stage);
}

void block_matmul(Builder& builder, const BlockRows& a, int rows, const BlockTiles& b, const BlockResults& results,
                  const TensorView& output) {
  builder.begin_operator(fmt::format("blocks matmul {}x{}x{}", rows, a.blocks.channels, b.outputs),
                         macs(rows, a.blocks.channels, b.outputs));
  const Target to = target(builder, results, output, rows, b.outputs);
  row_product(builder, a, rows, tiles_of(b, builder.dim()), to.output, to.stage);
}

}  // namespace systole::compiler
