// SPDX-License-Identifier: Apache-2.0
#include "converted_activations.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "block_conversion.hpp"
#include "product.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2;
constexpr int kMostPositions = 64;  // of a piece
constexpr int kShare = 3;           // of the workspace, for words

}  // namespace

WordsConversion::WordsConversion(Builder& builder, const TensorView& words)
    : words_(words), planes_(ceil_div(words.channels, kWordPlanes * builder.dim())) {
  take_room(builder);
}

WordsConversion::WordsConversion(Builder& builder, const ConvGeometry& windows)
    : windows_(windows),
      planes_(ceil_div(windows.kernel_h * windows.kernel_w * windows.channels, kWordPlanes * builder.dim())) {
  windows_->form = PlaneForm::kWords;
  take_room(builder);
  while (windows.out_width % piece_ != 0) {  // pieces are parts of lines
    --piece_;
  }
}

void WordsConversion::take_room(Builder& builder) {
  const int each = kBuffers * kWordPlanes * planes_, most = builder.workspace_rows() / kShare / each - 1;
  piece_ = std::min(kMostPositions, most) / kernel::kStripRows * kernel::kStripRows;
  if (piece_ <= 0) {
    throw DoesNotFit(fmt::format("words of {} positions take {} of {} scratchpad rows", kernel::kStripRows,
                                 plane_rows(PlaneForm::kWords, kernel::kStripRows) * each, builder.workspace_rows()));
  }
  const int begin = builder.workspace_begin();
  const int rows = rounded_up(plane_rows(PlaneForm::kWords, piece_) * each, kBlockPlaneUnit);
  ring_ = RowRing(begin, rows, false);
  builder.set_workspace(begin + rows, builder.workspace_rows() - rows);
}

void WordsConversion::run(Builder& builder, const Stretch& stretch, const ChipPlanes& region) const {
  const bool together = stretch.columns == stretch.pitch;
  const int lines = together ? 1 : stretch.rows;
  const int count = together ? stretch.columns * stretch.rows : stretch.columns;
  for (int line = 0; line < lines; ++line) {
    const std::int64_t first = stretch.position + line * stretch.pitch;
    const int row = region.row + stretch.row + line * stretch.columns;
    // Windows are converted in whole pieces: those that begin before the first line are there.
    const int begin = static_cast<int>((first + unit() - 1) / unit() * unit() - first);
    const int end = static_cast<int>((first + count + unit() - 1) / unit() * unit() - first);
    for (int done = begin; done < end; done += piece_) {
      piece(builder, first + done, std::min(piece_, end - done), {row + done, region.plane});
    }
  }
}

void WordsConversion::piece(Builder& builder, std::int64_t position, int count, const ChipPlanes& to) const {
  const int plane = plane_rows(PlaneForm::kWords, count);
  const ChipPlanes words{ring_.take(kWordPlanes * planes_ * plane).row, plane};
  const Range planes{0, kWordPlanes * planes_};
  if (windows_) {
    const PackedWindows source(*windows_, {1, piece_}, builder.dim());
    source.load(builder, static_cast<int>(position / piece_), planes, {0, 1}, words.row);
  } else {
    const auto address = static_cast<std::uint32_t>(words_.address + position * words_.pitch());
    MatrixRows(address, count, words_.channels, words_.pitch(), count, builder.dim(), PlaneForm::kWords)
        .load(builder, 0, planes, {0, count}, words.row);
  }
  append_conversion(builder, words, to, count, planes_);
}

}  // namespace systole::compiler
