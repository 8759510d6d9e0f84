// SPDX-License-Identifier: Apache-2.0
#include "kernel_depthwise.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "fields.hpp"
#include "product_output.hpp"

namespace systole::compiler {
namespace {

constexpr int kTaps = 3;                   // kernel rows and columns that the unit processes at once
constexpr int kMaxStride = 4;              // maximum stride of the unit
constexpr int kTailParts = 3;              // parts of the last unit
constexpr int kFoldedRow = 2 * kTaps - 1;  // positions read by three outputs of three taps
constexpr int kCommand = 8;                // minimum cycles of an instruction

std::size_t at(int value) { return static_cast<std::size_t>(value); }

/// The part of a kernel, and of the parts of its weights, that one DEPTHWISE computes.
struct Piece {
  int part;
  Range y, x;
  int first_tap = 0;  ///< index of its first tap among those of a block
};

/// Taps of every block in the layout of the unit: [block][piece][kernel row][kernel column][DIM].
class Taps final : public Weights {
 public:
  Taps(Builder& builder, const ConvGeometry& g, const ConvWeights& weights)
      : kernel_h_(g.kernel_h), kernel_w_(is_long(g) ? ceil_div(g.kernel_w, kTaps) * kTaps : g.kernel_w) {
    for (int part = 0; part < weights.parts; ++part) {
      for (int y = 0; y < kernel_h_; y += kTaps) {
        for (int x = 0; x < kernel_w_; x += kTaps) {
          const Piece piece{part, {y, std::min(kernel_h_, y + kTaps)}, {x, std::min(kernel_w_, x + kTaps)}, taps_};
          taps_ += piece.y.size() * piece.x.size();
          pieces_.push_back(piece);
        }
      }
    }
    const int dim = builder.dim();
    std::vector<std::uint8_t> bytes;
    for (int block = 0; block < ceil_div(g.channels, dim); ++block) {
      for (const Piece& piece : pieces_) {
        for (int y = piece.y.begin; y < piece.y.end; ++y) {
          for (int x = piece.x.begin; x < piece.x.end; ++x) {
            for (int channel = block * dim; channel < (block + 1) * dim; ++channel) {
              const int place = ((piece.part * g.channels + channel) * g.kernel_h + y) * g.kernel_w + x;
              const bool there = channel < g.channels && x < g.kernel_w;
              const std::int8_t weight = there ? weights.values[at(place)] : std::int8_t{0};
              bytes.push_back(static_cast<std::uint8_t>(weight));
            }
          }
        }
      }
    }
    address_ = builder.constant(std::move(bytes));
  }

  int kernel_h() const override { return kernel_h_; }
  int kernel_w() const override { return kernel_w_; }
  Range blocks(int column) const override { return {column, column + 1}; }
  int taps() const { return taps_; }  ///< number of taps in all pieces
  const std::vector<Piece>& pieces() const { return pieces_; }

  /// A single row of many taps, at stride 1: zero taps pad it to a multiple of three.
  static bool is_long(const ConvGeometry& g) {
    return g.kernel_h == 1 && g.kernel_w > 2 * kTaps && g.stride_h == 1 && g.stride_w == 1;
  }

  /// The taps of whole blocks, one ring row each.
  void load(Builder& builder, Range, Range blocks, Range, int row, int) const override {
    isa::Load load;
    const int bytes = blocks.size() * taps() * builder.dim();
    load.space = static_cast<std::uint8_t>(isa::Space::kWeight);
    load.src = address_ + static_cast<std::uint32_t>(blocks.begin * taps() * builder.dim());
    load.run_bytes = static_cast<std::uint32_t>(bytes);
    load.pieces = u16(blocks.size() * taps());
    load.piece_step = load.piece_bytes = load.slot_bytes = u16(builder.dim());
    load.dst = u16(row);
    load.dst_piece = 1;
    load.valid_to = 1;
    builder.append(load);
  }

 private:
  int kernel_h_, kernel_w_;
  int taps_ = 0;
  std::vector<Piece> pieces_;
  std::uint32_t address_ = 0;
};

/// Choices that affect the speed, never the result.
struct Tuning {
  int ramp_lines = 0;       ///< lines of the first DEPTHWISE, doubled for each following one; 0: the whole tile
  bool all_blocks = false;  ///< load the input of all blocks at once
};

class Schedule {
 public:
  Schedule(Builder& builder, const Activations& source, const Taps& taps, bool is_long, int blocks,
           const Output& output, const OutputStage& stage, const Tuning& tuning)
      : builder_(builder),
        source_(source),
        taps_(taps),
        is_long_(is_long),
        tuning_(tuning),
        blocks_(blocks),
        layout_(builder, source, taps, blocks, output, stage),
        inputs_(builder, source, layout_.activations, blocks, layout_.region_blocks),
        results_(builder, source, layout_, output, stage),
        rows_(at(blocks)) {
    if (taps.taps() > builder.rings().weights.size()) {
      throw DoesNotFit("the taps of a block do not fit the weight ring");
    }
  }

  void run() {
    for (int tile = 0; tile < source_.tiles(); ++tile) {
      for (int block = 0; block < blocks_; ++block) {
        const bool first = tile == 0 && block == 0;
        const bool last = tile == source_.tiles() - 1 && block == blocks_ - 1;
        for (const Range& lines :
             last && !first ? shrinking(source_.shape(tile).lines) : growing(first, source_.shape(tile).lines)) {
          run_unit(tile, block, lines);
        }
      }
    }
  }

 private:
  static std::vector<Range> shrinking(int lines) {
    std::vector<Range> parts;
    for (int begin = 0; begin < lines;) {
      const int left = lines - begin;
      const int take = static_cast<int>(parts.size()) + 1 < kTailParts ? ceil_div(left, 2) : left;
      parts.push_back({begin, begin + take});
      begin += take;
    }
    return parts;
  }

  std::vector<Range> growing(bool first, int lines) const {
    int step = first && tuning_.ramp_lines > 0 ? tuning_.ramp_lines : lines;
    std::vector<Range> parts;
    for (int begin = 0; begin < lines; step *= 2) {
      const int end = lines - begin < 2 * step ? lines : begin + step;
      parts.push_back({begin, end});
      begin = end;
    }
    return parts;
  }

  void run_unit(int tile, int block, const Range& lines) {
    ChipRings& rings = builder_.rings();
    Unit unit{tile, block, lines, rings.next_half, {}, -1};
    rings.next_half ^= 1;
    unit.sums = rings.accumulators[at(unit.half)].take(lines.size() * source_.shape(tile).width);
    results_.begin(unit);
    const int region = block / layout_.region_blocks * layout_.region_blocks;
    const bool all = tuning_.all_blocks && !source_.resident();
    const Range wanted =
        all ? Range{region, std::min(blocks_, region + layout_.region_blocks)} : Range{block, block + 1};
    const int row = inputs_.need(tile, wanted, lines.end);
    const int tap_row = need_taps(block);
    const isa::Conv conv = source_.conv(tile, lines, row);
    results_.prepare(unit);
    for (int line = 0; line < (is_long_ ? lines.size() : 1); ++line) {
      const Range folded = is_long_ ? foldable(conv, line) : Range{0, 0};
      if (folded.size() == 0) {
        positions(is_long_ ? part_of(conv, line, {0, conv.out_width}) : conv, unit,
                  unit.sums.row + line * conv.out_width, tap_row);
        continue;
      }
      const int sums = unit.sums.row + line * conv.out_width;
      for (const Range& border : {Range{0, folded.begin}, Range{folded.end, conv.out_width}}) {
        if (border.size() > 0) {
          positions(part_of(conv, line, border), unit, sums + border.begin, tap_row);
        }
      }
      fold(part_of(conv, line, folded), unit, sums + folded.begin, tap_row);
    }
    results_.finish(unit);
  }

  /// Restricts `conv` to the given columns of one line.
  static isa::Conv part_of(isa::Conv conv, int line, const Range& columns) {
    conv.y0 = static_cast<std::int16_t>(conv.y0 + line);
    conv.x0 = static_cast<std::int16_t>(conv.x0 + columns.begin);
    conv.out_height = 1;
    conv.out_width = u16(columns.size());
    return conv;
  }

  /// All pieces of the kernel at all positions.
  void positions(const isa::Conv& conv, const Unit& unit, int sums, int tap_row) {
    for (const Piece& piece : taps_.pieces()) {
      append(conv, unit, piece, sums, tap_row);
    }
  }

  /// A line can be folded into an image: rows of three positions, each followed by two positions of the next row. A row
  /// of nine taps then becomes three rows of three: five cycles for three positions and nine taps. Returns the
  /// positions whose taps all lie inside the line, if folding pays off.
  Range foldable(const isa::Conv& conv, int line) const {
    const int y = conv.y0 + line;
    const int begin = std::max<int>(0, -conv.x0);
    const int end = std::min<int>(conv.out_width, conv.in_width - (taps_.kernel_w() - 1) - conv.x0);
    const int count = (end - begin) / kTaps * kTaps;
    const int rest = conv.out_width - count;
    const int passes = static_cast<int>(taps_.pieces().size());
    const int folded = ceil_div(passes, kTaps) * (count / kTaps + kTaps - 1) * kFoldedRow;
    if (y < 0 || y >= conv.in_height || end <= begin ||
        folded + passes * (rest + 2 * kCommand) >= passes * conv.out_width) {
      return {0, 0};
    }
    return {begin, begin + count};
  }

  void fold(const isa::Conv& conv, const Unit& unit, int sums, int tap_row) {
    const std::vector<Piece>& pieces = taps_.pieces();
    for (std::size_t i = 0; i < pieces.size();) {
      const Piece& first = pieces[i];
      int rows = 0;
      for (; i < pieces.size() && rows < kTaps && pieces[i].part == first.part; ++i) {
        ++rows;
      }
      isa::Conv image = conv;
      image.act_row = further(conv.act_row, conv.y0 * conv.row_stride + conv.x0 + first.x.begin);
      image.row_stride = kTaps;
      image.y0 = image.x0 = 0;
      image.out_height = u16(conv.out_width / kTaps);
      image.out_width = kTaps;
      image.in_height = u16(image.out_height + rows - 1);
      image.in_width = kFoldedRow;
      append(image, unit, {first.part, {0, rows}, {0, kTaps}, first.first_tap}, sums, tap_row);
    }
  }

  void append(const isa::Conv& conv, const Unit& unit, const Piece& piece, int sums, int tap_row) {
    isa::Depthwise op;
    op.accumulate = piece.first_tap > 0 || results_.has_initial_sums() ? 1 : 0;
    op.act_row = further(conv.act_row, unit.column * conv.plane_stride);
    op.weight_row = u16((tap_row + piece.first_tap) % builder_.rings().weights.size());
    op.acc_row = u16(sums);
    op.row_stride = conv.row_stride;
    op.in_height = conv.in_height;
    op.in_width = conv.in_width;
    op.y0 = static_cast<std::int16_t>(conv.y0 + piece.y.begin);
    op.x0 = static_cast<std::int16_t>(conv.x0 + piece.x.begin);
    op.out_height = conv.out_height;
    op.out_width = conv.out_width;
    op.kernel_h = static_cast<std::uint8_t>(piece.y.size());
    op.kernel_w = static_cast<std::uint8_t>(piece.x.size());
    op.stride_h = conv.stride_h;
    op.stride_w = conv.stride_w;
    op.pad_value = conv.pad_value;
    builder_.append(op);
  }

  /// Returns the ring row of a block's taps. Loads those of the first block alone, so that computing starts early, then
  /// those of many blocks at once.
  int need_taps(int block) {
    RowRing& ring = builder_.rings().weights;
    if (!ring.holds(rows_[at(block)])) {
      const int most = std::max(1, ring.size() / taps_.taps() / 4);
      const int count = block == 0 && rows_[0].count == 0 ? 1 : std::min(blocks_ - block, most);
      const Rows rows = ring.take(count * taps_.taps());
      taps_.load(builder_, {}, {block, block + count}, {}, rows.row, 0);
      for (int i = 0; i < count; ++i) {
        rows_[at(block + i)] =
            Rows{(rows.row + i * taps_.taps()) % ring.size(), taps_.taps(), rows.stamp + i * taps_.taps()};
      }
    }
    return rows_[at(block)].row;
  }

  Builder& builder_;
  const Activations& source_;
  const Taps& taps_;
  const bool is_long_;
  const Tuning tuning_;
  const int blocks_;
  ProductLayout layout_;
  ActivationCache inputs_;
  ProductOutput results_;
  std::vector<Rows> rows_;  ///< of the blocks' taps, in the ring
};

/// Tilings to try: as many positions as fit half of the accumulators, a quarter, ...; rows longer than the unit's lines
/// in parts.
std::vector<Cut> cuts(const ConvGeometry& g, const Configuration& configuration) {
  std::vector<Cut> list;
  const int bound = isa::kDepthwiseColumns / g.stride_w;
  const int half = configuration.acc_rows / 2;
  for (int limit = half; limit >= std::max(1, half / 32); limit /= 2) {
    const int width = ceil_div(g.out_width, ceil_div(g.out_width, std::min(bound, limit)));
    const int lines = std::min(g.out_height, std::max(1, limit / width));
    const Cut cut{ceil_div(g.out_height, ceil_div(g.out_height, lines)), width};
    if (list.empty() || list.back().lines != cut.lines || list.back().width != cut.width) {
      list.push_back(cut);
    }
  }
  return list;
}

/// An image of one column becomes an image of one line: the same bytes in the same order.
ConvGeometry in_lines(ConvGeometry g) {
  if (g.width == 1 && g.out_width == 1 && g.kernel_w == 1) {
    std::swap(g.height, g.width);
    std::swap(g.out_height, g.out_width);
    std::swap(g.kernel_h, g.kernel_w);
    std::swap(g.stride_h, g.stride_w);
    std::swap(g.dilation_h, g.dilation_w);
    std::swap(g.pad_top, g.pad_left);
  }
  return g;
}

}  // namespace

bool is_depthwise(const ConvGeometry& g, int groups, int out_channels) {
  return groups > 1 && groups == g.channels && out_channels == g.channels && (g.dilation_h == 1 || g.kernel_h == 1) &&
         (g.dilation_w == 1 || g.kernel_w == 1) && g.stride_h <= kMaxStride && g.stride_w <= kMaxStride;
}

bool emit_depthwise(Builder& builder, const ConvGeometry& geometry, const ConvWeights& weights, const Output& output,
                    const OutputStage& stage) {
  const ConvGeometry g = in_lines(geometry);
  const Taps taps(builder, g, weights);
  const int blocks = ceil_div(g.channels, builder.dim());
  std::shared_ptr<const Activations> best_source;
  Tuning best;
  std::int64_t best_cycles = std::numeric_limits<std::int64_t>::max();
  for (const Cut& cut : cuts(g, builder.configuration())) {
    std::shared_ptr<const Activations> source;
    if (g.chip) {
      source = std::make_shared<ChipImage>(g, cut);
    } else {
      source = std::make_shared<ImagePlanes>(g, cut, builder.dim());
    }
    for (const Tuning& tuning :
         {Tuning{0, false}, Tuning{1, false}, Tuning{4, false}, Tuning{1, true}, Tuning{4, true}}) {
      if (tuning.all_blocks && (blocks == 1 || g.chip)) {
        continue;
      }
      Builder trial = builder.fork();
      try {
        Schedule(trial, *source, taps, Taps::is_long(g), blocks, output, stage, tuning).run();
      } catch (const DoesNotFit&) {
        break;
      }
      // If a narrow bus is the limit, fewer instructions are worth more than what a finer tuning gains.
      if (const std::int64_t cycles = std::max(trial.estimated_cycles(), trial.read_cycles()); cycles < best_cycles) {
        best_cycles = cycles;
        best = tuning;
        best_source = source;
      }
    }
  }
  if (!best_source) {
    return false;
  }
  Schedule(builder, *best_source, taps, Taps::is_long(g), blocks, output, stage, best).run();
  return true;
}

}  // namespace systole::compiler
