// SPDX-License-Identifier: Apache-2.0
#include "written_tiles.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "block_filter.hpp"

namespace systole::network {

std::int64_t bytes_of(const WrittenTiles& tiles, int dim) {
  return compiler::bytes_of(compiler::BlockTiles{0, tiles.depth, tiles.outputs}, dim);
}

graph::Bytes bytes_of(const WrittenTiles& tiles, const graph::Value& matrix, int dim) {
  std::vector<float> rows = graph::elements<float>(matrix);
  if (tiles.transposed) {
    const std::vector<float> columns = std::move(rows);
    const auto depth = static_cast<std::size_t>(tiles.depth), outputs = static_cast<std::size_t>(tiles.outputs);
    rows.resize(columns.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = columns[i % depth * outputs + i / depth];
    }
  }
  return compiler::tile_bytes(compiler::block_filter(rows, tiles.outputs, 1, 1, tiles.depth), dim);
}

}  // namespace systole::network
