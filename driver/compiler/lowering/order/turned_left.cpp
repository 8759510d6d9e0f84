// SPDX-License-Identifier: Apache-2.0
#include "turned_left.hpp"

#include <algorithm>
#include <utility>

#include "turned_tiles.hpp"

namespace systole::network {
namespace {

using graph::TensorId;

constexpr int kWordBytes = 4;
// Part of the cycles that transpositions must take: where the vector processor is busy, tiles are slower.
constexpr std::int64_t kWorth = 16;

/// Whether the layer transposes one whole matrix of `rows` by `columns` words.
bool transposes(const Layer& layer, int rows, int columns) {
  const auto* moves = std::get_if<MoveLayer>(&layer.kind);
  if (moves == nullptr || !moves->turns || !moves->words || layer.inputs.size() != 1 || !layer.input_parts.empty() ||
      layer.output_image.bytes() != std::int64_t{kWordBytes} * rows * columns) {
    return false;
  }
  const compiler::WordTransposition& words = *moves->words;
  const std::int64_t column = std::int64_t{kWordBytes} * rows;
  return words.matrices.size() == 1 && words.matrices[0].from == 0 && words.matrices[0].to == 0 && words.rows == rows &&
         words.lines * words.columns == columns && words.from_row == std::int64_t{kWordBytes} * columns &&
         words.to_column == column && (words.lines == 1 || words.to_line == words.columns * column);
}

std::optional<Replacement> turning(const Segment& segment, std::size_t index, int dim) {
  const Layer& layer = segment.layers[index];
  const auto* before = std::get_if<BlockProductLayer>(&layer.kind);
  if (before == nullptr || before->a.first.size() != 1 || before->result.first.size() != 1 || before->turned) {
    return std::nullopt;
  }
  Replacement result{{index}, {}};
  TensorId words = layer.inputs[0];
  if (before->converts && before->converts->windows) {
    return std::nullopt;
  }
  if (!before->converts) {
    const auto number = sole_maker(segment, words);
    const Layer* conversion = number ? &segment.layers[*number] : nullptr;
    if (conversion == nullptr || !converts_whole(*conversion) || std::get<BlocksLayer>(conversion->kind).windows) {
      return std::nullopt;
    }
    words = conversion->inputs[0];
    result.numbers.insert(result.numbers.begin(), *number);
  }
  const auto move = sole_maker(segment, words);
  if (!move || !transposes(segment.layers[*move], before->channels, before->result.rows)) {
    return std::nullopt;
  }
  result.numbers.insert(result.numbers.begin(), *move);
  const compiler::BlockTiles sizes{0, before->channels, before->result.rows};
  Layer tiles = segment.layers[*move], product = layer;
  tiles.kind = BlockTilesLayer{BlockOperand::kColumns, sizes, std::nullopt};
  tiles.output_image = {1, 1, 1, static_cast<int>(compiler::bytes_of(sizes, dim))};
  auto& kind = std::get<BlockProductLayer>(product.kind);
  kind.turned = true;
  kind.converts.reset();
  product.inputs[0] = tiles.output;
  product.input_images[0] = tiles.output_image;
  if (!before->converts) {
    const std::vector<int>& more = segment.layers[result.numbers[1]].operators;
    tiles.operators.insert(tiles.operators.end(), more.begin(), more.end());
  }
  result.places = {{*move, std::move(tiles)}, {index, std::move(product)}};
  return result;
}

}  // namespace

std::optional<Rewritten> turn_left_operands(const Segment& segment, const std::vector<std::int64_t>& cycles,
                                            const Configuration& configuration, const CyclesOf& cycles_of) {
  if (!compiler::turns_tiles(configuration)) {
    return std::nullopt;
  }
  const int dim = configuration.dim;
  return rewrite(
      segment, cycles, kWorth, [dim](const Segment& of, std::size_t index) { return turning(of, index, dim); },
      cycles_of);
}

}  // namespace systole::network
