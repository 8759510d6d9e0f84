// SPDX-License-Identifier: Apache-2.0
#include "lower_bilinear.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "gather_taps.hpp"
#include "refused.hpp"
#include "resize.hpp"

namespace systole::network {
namespace {

using golden::Between;
using graph::ElementType;
using graph::Tensor;

constexpr int kPixels = 4;     // between which one of the result lies
constexpr int kDistances = 2;  // of a pixel: down and to the right

Sources sources_of(const std::vector<Between>& places, std::int64_t Between::*which) {
  Sources sources;
  for (const Between& place : places) {
    sources.push_back(static_cast<int>(place.*which));
  }
  return sources;
}

ConstantOperand distances_of(const std::vector<Between>& rows, const std::vector<Between>& columns, int batch) {
  ConstantOperand distances;
  for (int image = 0; image < batch; ++image) {
    for (const Between& row : rows) {
      for (const Between& column : columns) {
        for (const std::int64_t distance : {row.behind, column.behind}) {
          distances.bytes.push_back(static_cast<std::uint8_t>(distance));
          distances.bytes.push_back(static_cast<std::uint8_t>(distance >> 8));
        }
      }
    }
  }
  constexpr int kBytes = 2;
  distances.image = {1, 1, static_cast<int>(distances.bytes.size()) / (kDistances * kBytes), kDistances * kBytes,
                     kBytes};
  return distances;
}

}  // namespace

std::vector<Layer> lower_bilinear(const graph::Graph& graph, const graph::Operator& op,
                                  const graph::ResizeBilinear& resize) {
  const Tensor &input = graph.tensor(op.inputs[0]), &output = graph.tensor(op.outputs[0]);
  require_type(input, {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
  require(!input.constant, "a constant operand");
  const Image from = image_of(input), to = image_of(output);
  const golden::Resize sizes{to.height, to.width, resize.align_corners, resize.half_pixel_centers};
  const std::vector<Between> rows = golden::places_between(from.height, to.height, sizes);
  const std::vector<Between> columns = golden::places_between(from.width, to.width, sizes);

  TapMoves moves(from, to, kPixels);
  int tap = 0;
  for (const auto row : {&Between::lower, &Between::upper}) {
    for (const auto column : {&Between::lower, &Between::upper}) {
      moves.add(tap++, sources_of(rows, row), sources_of(columns, column));
    }
  }
  Layer pixels;
  pixels.name = op.name + "/pixels";
  pixels.inputs = {op.inputs[0]};
  pixels.input_images = {from};
  pixels.output = between_layers(op.outputs[0], 0);
  pixels.output_image = moves.image();
  pixels.kind = moves.take();

  Layer layer;
  layer.name = op.name;
  layer.kind = KernelLayer{{"bilinear"}, false, {{1, distances_of(rows, columns, to.batch)}}};
  layer.inputs = {pixels.output};
  layer.input_images = {pixels.output_image};
  layer.output = op.outputs[0];
  layer.output_image = to;
  return {std::move(pixels), std::move(layer)};
}

}  // namespace systole::network
