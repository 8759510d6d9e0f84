// SPDX-License-Identifier: Apache-2.0
// Kernels that read neighbouring channels. A lane cannot read another one, but LOAD writes a run of bytes as several
// pieces that begin at any byte: one for each distance, the same position in all of them. What it writes beyond the
// first and the last channel is its fill.
#include <fmt/core.h>

#include <algorithm>

#include "fields.hpp"
#include "kernel_arguments.hpp"
#include "kernels.hpp"
#include "library.hpp"
#include "product.hpp"
#include "results.hpp"
#include "rings.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2;
constexpr int kLeastTiles = 8;       // some are loaded or stored while others are computed
constexpr int kMostRows = 256;       // of a VECTOR, for whose end the results of a product beside it may have to wait
constexpr int kMostBytes = 32767;    // of a position: pieces begin up to as far before and behind its first byte
constexpr int kMostDistances = 128;  // as many times this may be written by one LOAD

ElementRows rows_of(const NeighbourCall& call) {
  const ElementFunction& function = *call.kernel.function;
  ElementRows rows;
  rows.operands.assign(function.operands.size(), Reading::kRows);
  rows.one_distance = function.result == kernel::Format::kI32;
  return rows;
}

class Neighbours {
 public:
  Neighbours(Builder& builder, const NeighbourCall& call, const TensorView& input, const TensorView& output)
      : builder_(builder),
        call_(call),
        input_(input),
        output_(output),
        kernel_(made_kernel(*call.kernel.function, rows_of(call))),
        arguments_(kernel_, call.kernel),
        first_(*std::min_element(call.distances.begin(), call.distances.end())),
        copies_(*std::max_element(call.distances.begin(), call.distances.end()) - first_ + 1),
        positions_(input.batch * input.height * input.width),
        all_blocks_(ceil_div(input.channels, builder.dim() * input.element_bytes)) {
    for (blocks_ = all_blocks_;; blocks_ = ceil_div(blocks_, 2)) {
      items_ = most_items();
      if (items_ >= std::min(positions_, kernel::kStripRows) || blocks_ == 1) {
        break;
      }
    }
    if (items_ < 1) {
      throw DoesNotFit(fmt::format("{}: {} copies of a position do not fit {} scratchpad rows", call.kernel.kernel,
                                   copies_, builder.workspace_rows()));
    }
    items_ = std::min(items_, std::max(kernel::kStripRows, ceil_div(positions_, kLeastTiles)));
    items_ = items_ < kernel::kStripRows ? items_ : items_ / kernel::kStripRows * kernel::kStripRows;
    const int of_inputs = kBuffers * copies_ * rows(items_), begin = builder.workspace_begin();
    inputs_ = RowRing(begin, of_inputs, false);
    results_ = RowRing(begin + of_inputs, kBuffers * rows(items_), false);
  }

  void run() {
    entry_ = builder_.place_kernel(kernel_);
    if (call_.kernel.table) {
      place_table(builder_, *call_.kernel.table);
    }
    for (int block = 0; block < all_blocks_; block += blocks_) {
      for (int position = 0; position < positions_; position += items_) {
        tile({block, std::min(all_blocks_, block + blocks_)}, {position, std::min(positions_, position + items_)});
      }
    }
  }

 private:
  int plane(int items) const { return plane_rows(plane_form(input_.element_bytes), items); }
  /// The rows of the scratchpad that one copy of the input, or the results, take for `items` positions.
  int rows(int items) const { return blocks_ * input_.element_bytes * plane(items); }
  int most_items() const {
    int items = 0;
    while ((items + 1) * blocks_ <= kMostRows &&
           kBuffers * (copies_ + 1) * rows(items + 1) <= builder_.workspace_rows()) {
      ++items;
    }
    return items;
  }

  void tile(Range blocks, Range positions) {
    const int items = positions.size(), plane = this->plane(items);
    const int block_rows = input_.element_bytes * plane, copy_rows = blocks.size() * block_rows;
    const int from = inputs_.take(copies_ * copy_rows).row, to = results_.take(copy_rows).row;
    load(blocks, positions, {from, plane}, copy_rows);
    // Bytes of all blocks follow each other; words do not.
    const int pieces = input_.element_bytes == 1 ? 1 : blocks.size();
    arguments_.set_rows(copy_rows / block_rows / pieces * items);
    arguments_.set("to_plane", plane);
    for (int piece = 0; piece < pieces; ++piece) {
      for (std::size_t i = 0; i < call_.distances.size(); ++i) {
        arguments_.set(operand_name(i), from + (call_.distances[i] - first_) * copy_rows + piece * block_rows);
      }
      arguments_.set("to", to + piece * block_rows);
      builder_.append(arguments_.instruction(entry_));
    }
    const int slot = builder_.dim() * input_.element_bytes, first_byte = blocks.begin * slot;
    store_results(builder_, {output_.address, output_.channels, output_.pitch(), 1},
                  {{items, 1},
                   {positions.begin, 1},
                   {0, items},
                   first_byte,
                   std::min(output_.channels, blocks.end * slot) - first_byte,
                   to,
                   plane});
  }

  /// A run is a position. Pieces that overlap and are long take a LOAD each.
  void load(Range blocks, Range positions, const ChipPlanes& to, int copy_rows) {
    const int slot = builder_.dim() * input_.element_bytes, first_byte = blocks.begin * slot;
    const int bytes = std::min(input_.channels, blocks.end * slot) - first_byte;
    const int together = bytes <= isa::kWindowPieceBeats * builder_.dim() ? copies_ : 1;
    for (int copy = 0; copy < copies_; copy += together) {
      isa::Load load;
      load.src = static_cast<std::uint32_t>(input_.address + positions.begin * input_.pitch());
      load.run_bytes = static_cast<std::uint32_t>(input_.channels);
      load.piece_start = static_cast<std::int16_t>(first_byte + (first_ + copy) * input_.element_bytes);
      load.pieces = u16(together);
      load.piece_step = u16(input_.element_bytes);
      load.piece_bytes = u16(bytes);
      load.slot_bytes = u16(blocks.size() * slot);
      load.fill = call_.fill;
      load.count0 = u16(positions.size());
      load.valid_to = load.count0;
      load.src_stride0 = static_cast<std::int32_t>(input_.pitch());
      load.dst = u16(to.row + copy * copy_rows);
      load.dst_piece = u16(copy_rows);
      load.dst_block = u16(to.plane);
      load.dst_stride0 = 1;
      builder_.append(load);
    }
  }

  Builder& builder_;
  const NeighbourCall& call_;
  const TensorView input_, output_;
  const kernel::Kernel& kernel_;
  KernelArguments arguments_;
  const int first_, copies_;  ///< the least distance, and how many there are
  const int positions_;
  const int all_blocks_;        ///< of DIM channels
  int items_ = 1, blocks_ = 1;  ///< positions, and blocks of channels, at a time
  std::uint16_t entry_ = 0;
  RowRing inputs_, results_;
};

}  // namespace

bool has_neighbour_kernel(const NeighbourCall& call, int channels) {
  const auto [least, most] = std::minmax_element(call.distances.begin(), call.distances.end());
  return channels <= kMostBytes && *most - *least < kMostDistances &&
         element_kernel(*call.kernel.function, rows_of(call)).has_value();
}

void run_neighbour_kernel(Builder& builder, const NeighbourCall& call, const TensorView& input,
                          const TensorView& output) {
  builder.begin_operator(fmt::format("{} {}x{}x{}", call.kernel.kernel, output.height, output.width, output.channels),
                         0);
  Neighbours(builder, call, input, output).run();
}

}  // namespace systole::compiler
