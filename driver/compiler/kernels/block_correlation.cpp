// SPDX-License-Identifier: Apache-2.0
// The reduction goes line by line of the kernel, in the order of the contract. For each line some images pass through
// the scratchpad, line y of image i being line y * together + i there: with this factor in strides and dilation, one
// CONV slides over all of them. Their sums, of several columns, stay in the accumulators until the kernel's last line.
#include "block_correlation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "block_activations.hpp"
#include "fields.hpp"
#include "product.hpp"
#include "rings.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2;
constexpr int kEnough = 48;  // positions for which a weight tile is worth loading

class Correlation {
 public:
  Correlation(Builder& builder, const ConvGeometry& g, const BlockView& images, const TiledBlockWeights& weights,
              int outputs, std::uint32_t address)
      : builder_(builder),
        g_(g),
        images_(images),
        weights_(weights),
        address_(address),
        dim_(builder.dim()),
        lanes_(dim_),
        outputs_(outputs),
        columns_(ceil_div(outputs, dim_)),
        planes_(weights.blocks(0).size()),
        window_(g.out_height * g.out_width) {
    const Configuration& c = builder.configuration();
    const int half = c.acc_rows / 2, ring = c.weight_rows / kBuffers;
    if (window_ > half) {
      throw DoesNotFit(fmt::format("{} positions do not fit half of the {} accumulator rows", window_, c.acc_rows));
    }
    together_ = std::clamp(half / std::max(kEnough, window_), 1, columns_);
    taps_ = ring / (planes_ * weights.tap_rows(dim_));
    if (taps_ == 0) {
      throw DoesNotFit(
          fmt::format("a tap of {} blocks does not fit half of the {} weight rows", planes_, c.weight_rows));
    }
    for (several_ = std::min(g.batch, half / together_ / window_); several_ > 1 && !fits(kBuffers); --several_) {}
    buffers_ = fits(kBuffers) ? kBuffers : 1;
    if (!fits(buffers_)) {
      throw DoesNotFit(fmt::format("{} lines of an image of {} blocks do not fit {} scratchpad rows", most_lines(),
                                   planes_, builder.workspace_rows()));
    }
    const int begin = begins(), region = buffers_ * region_rows();
    regions_ = RowRing(begin, region, false);
    staging_ = RowRing(begin + region, kBuffers * staged_rows(), false);
  }

  void run() {
    for (int image = 0; image < g_.batch; image += several_) {
      for (int column = 0; column < columns_; column += together_) {
        multiply({image, std::min(g_.batch, image + several_)}, {column, std::min(columns_, column + together_)});
      }
    }
  }

 private:
  /// Lines of an image for one line of the kernel.
  int most_lines() const { return std::min(g_.height, (g_.out_height - 1) * g_.stride_h + 1); }
  int plane_rows(int lines, int images) const { return rounded_up(lines * images * g_.width, kBlockPlaneUnit); }
  int region_rows() const { return planes_ * plane_rows(most_lines(), several_); }
  int staged_rows() const { return kWordPlanes * several_ * window_; }
  int begins() const { return rounded_up(builder_.workspace_begin(), kBlockPlaneUnit); }
  bool fits(int buffers) const {
    return begins() + buffers * region_rows() + kBuffers * staged_rows() <=
           builder_.workspace_begin() + builder_.workspace_rows();
  }

  void multiply(Range images, Range columns) {
    ChipRings& rings = builder_.rings();
    RowRing& accumulators = rings.accumulators[static_cast<std::size_t>(rings.next_half)];
    rings.next_half ^= 1;
    const int positions = images.size() * window_;
    const int sums = accumulators.take(positions * columns.size()).row;
    for (int line = 0; line < g_.kernel_h; ++line) {
      const Range there = lines_of(line);
      const int region = load(images, there);
      for (Range taps{0, 0}; taps.begin < g_.kernel_w; taps.begin = taps.end) {
        taps.end = std::min(g_.kernel_w, taps.begin + taps_);
        for (int column = columns.begin; column < columns.end; ++column) {
          const int weights = load_weights(column, {line * g_.kernel_w + taps.begin, line * g_.kernel_w + taps.end});
          conv(images, there, line, taps, {region, weights, sums + (column - columns.begin) * positions});
        }
      }
    }
    for (int column = columns.begin; column < columns.end; ++column) {
      store(images, column, sums + (column - columns.begin) * positions);
    }
  }

  /// Of the images, that a line of the kernel reads; never empty.
  Range lines_of(int line) const {
    const int first = line * g_.dilation_h - g_.pad_top, last = first + (g_.out_height - 1) * g_.stride_h;
    const int begin = std::clamp(first, 0, g_.height - 1);
    return {begin, std::clamp(last + 1, begin + 1, g_.height)};
  }

  int load(Range images, Range lines) {
    const int plane = plane_rows(lines.size(), images.size());
    const int row = regions_.take(planes_ * plane).row;
    const int bytes = planes_ * dim_;
    isa::Load load;
    load.src = images_.position(position(images.begin, lines.begin));
    load.run_bytes = static_cast<std::uint32_t>((g_.width - 1) * images_.pitch() + bytes);
    load.pieces = u16(g_.width);
    load.piece_step = u16(images_.pitch());
    load.piece_bytes = load.slot_bytes = u16(bytes);
    load.dst = u16(row);
    load.dst_piece = 1;
    load.dst_block = u16(plane);
    load.count0 = u16(lines.size());
    load.valid_to = load.count0;
    load.count1 = u16(images.size());
    load.src_stride0 = g_.width * images_.pitch();
    load.src_stride1 = g_.height * load.src_stride0;
    load.dst_stride0 = u16(images.size() * g_.width);
    load.dst_stride1 = u16(g_.width);
    builder_.append(load);
    for (int image = 0; image < images.size(); ++image) {
      for (int line = 0; line < lines.size(); ++line) {
        const int first = (line * images.size() + image) * g_.width;
        load_exponents(builder_, images_,
                       {position(images.begin + image, lines.begin + line), g_.width, g_.width, 1, first}, {0, planes_},
                       row + first, plane);
      }
    }
    return row;
  }

  std::int64_t position(int image, int line) const { return (std::int64_t{image} * g_.height + line) * g_.width; }

  int load_weights(int column, Range taps) {
    const int rows = taps.size() * planes_ * weights_.tap_rows(dim_);
    RowRing& ring = builder_.rings().weights;
    const int row = ring.take(rows).row % ring.size();
    weights_.load(builder_, {column, column + 1}, {0, planes_}, taps, row, rows);
    return row;
  }

  struct Places {
    int region, weights, sums;
  };

  /// One CONV for all lines of the results, if those that follow each other read lines that do, or one for each.
  void conv(Range images, Range there, int line, Range taps, const Places& at) {
    const int n = images.size(), each = g_.stride_h == 1 ? g_.out_height : 1;
    isa::Conv conv = sliding_conv(g_);
    conv.block_float = 1;
    conv.accumulate = line == 0 && taps.begin == 0 ? 0 : 1;
    conv.act_row = u16(at.region);
    conv.row_stride = u16(g_.width);
    conv.plane_stride = u16(plane_rows(there.size(), n));
    conv.blocks = u16(planes_);
    conv.in_height = u16(there.size() * n);
    conv.in_width = u16(g_.width);
    conv.out_height = u16(each * n);
    conv.out_width = u16(g_.out_width);
    conv.kernel_h = 1;
    conv.kernel_w = static_cast<std::uint8_t>(taps.size());
    conv.stride_h = conv.dilation_h = 1;
    conv.x0 = static_cast<std::int16_t>(taps.begin * g_.dilation_w - g_.pad_left);
    conv.weight_row = u16(at.weights);
    for (int y = 0; y < g_.out_height; y += each) {
      conv.y0 = static_cast<std::int16_t>((y * g_.stride_h + line * g_.dilation_h - g_.pad_top - there.begin) * n);
      conv.acc_row = u16(at.sums + y * n * g_.out_width);
      builder_.append(conv);
    }
  }

  /// Sums are in the order of lines, images, columns of the result.
  void store(Range images, int column, int sums) {
    const int n = images.size(), positions = n * window_, line = n * g_.out_width;
    const int row = staging_.take(kWordPlanes * positions).row;
    isa::Drain32 drain;
    drain.src = u16(sums);
    drain.dst = u16(row);
    drain.out_width = drain.plane_stride = u16(positions);
    builder_.append(drain);
    const std::int64_t pitch = std::int64_t{outputs_} * kWordPlanes;
    for (int y = 0; y < g_.out_height; ++y) {
      isa::Store store;
      store.dst =
          address_ + static_cast<std::uint32_t>((std::int64_t{images.begin} * window_ + y * g_.out_width) * pitch +
                                                std::int64_t{column} * dim_ * kWordPlanes);
      store.piece_bytes = u16(std::min(dim_, outputs_ - column * dim_) * kWordPlanes);
      store.count0 = u16(g_.out_width);
      store.count1 = u16(n);
      store.dst_stride0 = static_cast<std::int32_t>(pitch);
      store.dst_stride1 = static_cast<std::int32_t>(window_ * pitch);
      store.src = u16(row + y * line);
      store.src_block = u16(positions);
      store.src_stride0 = 1;
      store.src_stride1 = u16(g_.out_width);
      builder_.append(store);
    }
  }

  Builder& builder_;
  const ConvGeometry& g_;
  const BlockView& images_;
  const TiledBlockWeights& weights_;
  const std::uint32_t address_;
  const int dim_;
  const BlockLanes lanes_;
  const int outputs_, columns_, planes_, window_;
  int together_ = 1;  ///< columns
  int several_ = 1;   ///< images
  int taps_ = 1, buffers_ = kBuffers;
  RowRing regions_, staging_;
};

}  // namespace

void correlate(Builder& builder, const ConvGeometry& geometry, const BlockView& images, const TiledBlockWeights& filter,
               int outputs, std::uint32_t address) {
  Correlation(builder, geometry, images, filter, outputs, address).run();
}

}  // namespace systole::compiler
