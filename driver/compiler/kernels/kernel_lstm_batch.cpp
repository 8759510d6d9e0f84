// SPDX-License-Identifier: Apache-2.0
// LSTM over the sequences of several batch entries. A step multiplies the inputs of all entries, then their hidden
// states, so that a weight tile serves them all. The vector processor computes the gates entry by entry, eight rows of
// a group of two columns each, as in kernel_lstm.cpp; what follows needs two rows of an entry, and is computed for four
// entries at a time, which fill the strips. While it works on a step, the matrix unit multiplies the inputs of the
// next.
//
// The hidden states of all steps stay in the scratchpad until the end. Rows of the sums: those of the entries for one
// row of a strip follow each other.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "activations.hpp"
#include "fields.hpp"
#include "kernel_arguments.hpp"
#include "kernel_lstm.hpp"
#include "library.hpp"
#include "lstm_data.hpp"
#include "lstm_weights.hpp"
#include "product.hpp"
#include "rings.hpp"
#include "systole/errors.hpp"
#include "weights.hpp"

namespace systole::compiler {
namespace {

constexpr int kGates = kLstmGates, kColumns = kLstmColumns, kGroupRows = kLstmGroupRows;
constexpr int kPlanes = 4;      // of int32
constexpr int kCellPlanes = 2;  // of int16
constexpr int kChunk = 4;       // entries whose states fill a strip
constexpr int kMostEntries = 16;
constexpr int kGateRows = kGates * kGroupRows;  // accumulators of the gates of a chunk
constexpr int kConstantRows = (9 + 2 + 2 * kPlanes) * kGroupRows;

std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }

/// Rows of the operator for some number of entries at a time.
struct Layout {
  int entries = 0, chunks = 0;
  // Of the scratchpad.
  int constants = 0;  // of the kernels, then staging of sums
  int cell = 0;       // int16, by chunk and group
  int hidden = 0;     // by step, from the one before the first, chunk and group: a strip
  int inputs = 0;     // unless they are there
  int end = 0;
  // Of the accumulators.
  int gates = 0, prepared = 0, bias = 0, initial = 0, input_sums = 0, hidden_sums = 0, sums_end = 0;
};

class LstmBatchEmitter {
 public:
  LstmBatchEmitter(Builder& builder, const LstmCall& call, const TensorView& input, const TensorView& output)
      : builder_(builder),
        call_(call),
        input_(input),
        output_(output),
        dim_(builder.dim()),
        columns_(ceil_div(call.units, dim_)),
        groups_(ceil_div(columns_, kColumns)),
        in_blocks_(ceil_div(call.inputs, dim_)),
        data_(call, dim_, false) {}

  void run() {
    check_scales(call_);
    layout_ = fitting_layout();
    builder_.begin_operator(fmt::format("lstm {}x{}x{} to {}", call_.batches, call_.steps, call_.inputs, call_.units),
                            0);
    load_weights();
    place_table(builder_, call_.table);
    const KeptRegisters constants(builder_);
    load_constants();
    for (int first = 0; first < call_.batches; first += layout_.entries) {
      compute(first, std::min(layout_.entries, call_.batches - first));
    }
  }

 private:
  struct Unit {
    int step, group;
  };

  bool shifted() const { return call_.hidden_zero_point != 0; }
  int pitch() const { return kChunk * layout_.chunks; }
  int sum_rows() const { return kGroupRows * pitch() + kGroupRows; }  // one row behind the last is read, too
  int slot_rows() const { return layout_.chunks * groups_ * kGroupRows; }
  int hidden_buffers() const { return std::min(groups_, 2); }

  Layout layout(int entries) {
    Layout l;
    l.entries = entries;
    l.chunks = ceil_div(entries, kChunk);
    const int strips = l.chunks * groups_;
    l.constants = builder_.workspace_begin();
    l.cell = l.constants + std::max(kConstantRows, groups_ * kGroupRows * kPlanes);
    l.hidden = l.cell + strips * kGroupRows * kCellPlanes;
    l.inputs = l.hidden + (call_.steps + 1) * strips * kGroupRows;
    l.end = l.inputs + (input_.chip ? 0 : entries * call_.steps * in_blocks_);
    const int half = builder_.configuration().acc_rows / 2;
    const int sums = kGroupRows * kChunk * l.chunks + kGroupRows;
    l.prepared = l.gates + kGateRows;
    l.bias = l.prepared + l.chunks * kChunk * kGroupRows;
    l.initial = l.bias + groups_ * kGroupRows;
    l.input_sums = std::max(half, l.initial + (shifted() ? groups_ * kGroupRows : 0));
    l.hidden_sums = l.input_sums + sums;
    l.sums_end = l.hidden_sums + hidden_buffers() * sums;
    return l;
  }

  /// For as many entries at a time as there is room for.
  Layout fitting_layout() {
    const Configuration& c = builder_.configuration();
    const int tiles = groups_ * kGroupRows * (in_blocks_ + columns_);
    if (call_.time_major || tiles * dim_ > c.weight_rows) {
      throw DoesNotFit("lstm: no several batch entries at a time");
    }
    for (int entries = std::min(kMostEntries, call_.batches);; entries = (entries - 1) / kChunk * kChunk) {
      if (entries < 2) {
        throw DoesNotFit("lstm: no room for several batch entries at a time");
      }
      const Layout l = layout(entries);
      if (l.end - l.constants <= builder_.workspace_rows() && l.sums_end <= c.acc_rows) {
        return l;
      }
    }
  }

  void load_weights() {
    const std::vector<std::int8_t> values = data_.input_weights();
    const TiledWeights weights =
        TiledWeights::convolution(builder_, values.data(), data_.channels(), 1, 1, call_.inputs, 1);
    const int rows = in_blocks_ * dim_, columns = groups_ * kGroupRows;
    input_weights_ = builder_.rings().weights.take(columns * rows).row;
    for (int column = 0; column < columns; ++column) {
      if (data_.has_units(column)) {
        weights.load(builder_, {column, column + 1}, {0, in_blocks_}, {0, 1}, input_tile(column), rows);
      }
    }
    hidden_weights_.emplace(builder_, data_, call_.units);
  }

  int input_tile(int column) const {
    return (input_weights_ + column * in_blocks_ * dim_) % builder_.rings().weights.size();
  }

  void vector(const char* name, std::map<std::string, std::int64_t> values) {
    const kernel::Kernel& kernel = library_kernel(name);
    const std::uint16_t entry = builder_.place_kernel(kernel);
    builder_.append(KernelArguments(kernel, {name, std::move(values)}).instruction(entry));
  }

  void load_constants() {
    for (const char* name :
         {"lstm_constants", "lstm_batch_prepare", "lstm_batch_gates", "lstm_batch_state", "lstm_batch_zero"}) {
      builder_.place_kernel(library_kernel(name));
    }
    load_rows(builder_, data_.constants(), isa::Space::kScratch, layout_.constants);
    vector("lstm_constants", {{"from", layout_.constants}, {"base", layout_.gates}, {"sums", layout_.gates}});
    preload(data_.folded_bias(), layout_.bias);
    if (shifted()) {
      preload(data_.initial_sums(), layout_.initial);
    }
  }

  /// Words of all groups, to accumulators.
  void preload(const std::vector<std::int32_t>& words, int to) {
    const std::uint32_t address = builder_.constant(bytes_of_words(words));
    load_words(builder_, address, layout_.constants, groups_ * kGroupRows);
    preload_words(builder_, groups_ * kGroupRows, layout_.constants, to);
  }

  /// Some entries, all steps.
  void compute(int first, int count) {
    load_states(first, count);
    if (!input_.chip) {
      const auto offset = static_cast<std::uint32_t>(std::int64_t{first} * call_.steps * input_.pitch());
      const int positions = count * call_.steps;
      MatrixRows(input_.address + offset, positions, call_.inputs, input_.pitch(), positions, dim_)
          .load(builder_, 0, {0, in_blocks_}, {0, positions}, layout_.inputs);
    }
    if (count % kChunk != 0 || columns_ % kColumns != 0) {
      vector("lstm_batch_zero",
             {{"row", layout_.input_sums}, {"strips", (layout_.sums_end - layout_.input_sums) / kGroupRows}});
    }
    multiply_inputs({0, 0}, first, count);
    for (int step = 0; step < call_.steps; ++step) {
      for (int group = 0; group < groups_; ++group) {
        prepare(group, count);
        multiply_hidden({step, group}, count);
        const Unit next = group + 1 < groups_ ? Unit{step, group + 1} : Unit{step + 1, 0};
        if (next.step < call_.steps) {
          multiply_inputs(next, first, count);
        }
        for (int chunk = 0; chunk < ceil_div(count, kChunk); ++chunk) {
          compute_states({step, group}, chunk, count);
        }
      }
    }
    for (int entry = 0; entry < count; ++entry) {
      put_results(entry, first + entry);
    }
  }

  int cell_row(int chunk, int group) const {
    return layout_.cell + (chunk * groups_ + group) * kGroupRows * kCellPlanes;
  }
  /// The hidden state before a step.
  int hidden_row(int step, int chunk, int group) const {
    return layout_.hidden + step * slot_rows() + (chunk * groups_ + group) * kGroupRows;
  }

  /// Initial states as strips, by chunk and group: four entries of a column, then those of the next one.
  void load_states(int first, int count) {
    const int strips = layout_.chunks * groups_;
    std::vector<std::uint8_t> hidden(at(strips * kGroupRows * dim_), 0), cell(hidden.size() * kCellPlanes, 0);
    for (int entry = 0; entry < count; ++entry) {
      for (int unit = 0; unit < call_.units; ++unit) {
        const int column = unit / dim_;
        const int row =
            (entry / kChunk * groups_ + column / kColumns) * kGroupRows + column % kColumns * kChunk + entry % kChunk;
        const std::size_t to = at(row * dim_ + unit % dim_), from = at((first + entry) * call_.units + unit);
        hidden[to] = static_cast<std::uint8_t>(call_.hidden[from]);
        const auto value = u16(call_.cell[from]);
        cell[2 * to] = static_cast<std::uint8_t>(value);
        cell[2 * to + 1] = static_cast<std::uint8_t>(value >> 8);
      }
    }
    load_rows(builder_, std::move(cell), isa::Space::kScratch, layout_.cell);
    load_rows(builder_, std::move(hidden), isa::Space::kScratch, layout_.hidden);
  }

  void multiply_inputs(const Unit& unit, int first, int count) {
    const ChipPlanes from = input_.chip ? *input_.chip : ChipPlanes{layout_.inputs, count * call_.steps};
    isa::Conv conv;
    conv.act_row = u16(from.row + (input_.chip ? first * call_.steps : 0) + unit.step);
    conv.row_stride = u16(call_.steps);
    conv.plane_stride = u16(from.plane);
    conv.blocks = u16(in_blocks_);
    conv.in_height = conv.out_height = u16(count);
    for (int row = 0; row < kGroupRows; ++row) {
      const int column = unit.group * kGroupRows + row;
      if (data_.has_units(column)) {
        conv.weight_row = u16(input_tile(column));
        conv.acc_row = u16(layout_.input_sums + row * pitch());
        builder_.append(conv);
      }
    }
  }

  int hidden_sums(int group) const { return layout_.hidden_sums + group % hidden_buffers() * sum_rows(); }

  void multiply_hidden(const Unit& unit, int count) {
    isa::Conv conv;
    conv.act_row = u16(hidden_row(unit.step, 0, 0));
    conv.row_stride = u16(groups_ * kGroupRows);
    conv.plane_stride = kChunk;
    conv.in_height = conv.out_height = u16(ceil_div(count, kChunk));
    conv.in_width = conv.out_width = kChunk;
    conv.acc_row = u16(hidden_sums(unit.group));
    hidden_weights_->multiply(unit.group, conv, pitch(), false);
  }

  int prepared(int chunk) const { return layout_.prepared + chunk * kChunk * kGroupRows; }

  void prepare(int group, int count) {
    const bool left = std::any_of(call_.gates.begin(), call_.gates.end(),
                                  [](const LstmGateCall& gate) { return gate.input_scale.shift > 0; });
    for (int chunk = 0; chunk < ceil_div(count, kChunk); ++chunk) {
      vector("lstm_batch_prepare", {{"sums", layout_.input_sums + chunk * kChunk},
                                    {"pitch", pitch()},
                                    {"bias", layout_.bias + group * kGroupRows},
                                    {"results", prepared(chunk)},
                                    {"left", left ? 1 : 0},
                                    {"saturate", data_.inputs_saturate() ? 1 : 0}});
    }
  }

  void compute_states(const Unit& unit, int chunk, int count) {
    const int entries = std::min(kChunk, count - chunk * kChunk);
    vector("lstm_batch_gates", {{"sums", hidden_sums(unit.group) + chunk * kChunk},
                                {"pitch", pitch()},
                                {"inputs", prepared(chunk)},
                                {"results", layout_.gates},
                                {"pairs", ceil_div(entries, 2)},
                                {"saturate", data_.saturates() ? 1 : 0},
                                {"shifted", shifted() ? 1 : 0},
                                {"initial", layout_.initial + unit.group * kGroupRows}});
    vector("lstm_batch_state", {{"gates", layout_.gates},
                                {"cell", cell_row(chunk, unit.group)},
                                {"h", hidden_row(unit.step + 1, chunk, unit.group)},
                                {"low", call_.cell_low},
                                {"high", call_.cell_high},
                                {"enters", 29 + call_.cell_exponent},
                                {"cell_factor", data_.cell_factor()},
                                {"cell_bound", data_.cell_bound()},
                                {"multiplier_h", call_.output_scale.multiplier},
                                {"deep", data_.deep() ? 1 : 0},
                                {"shifted", shifted() ? 1 : 0}});
  }

  /// The hidden states of all steps of an entry, to their place.
  void put_results(int entry, int batch) {
    const int from = hidden_row(1, entry / kChunk, 0) + entry % kChunk;
    const std::int64_t position = std::int64_t{batch} * call_.steps;
    if (!output_.chip) {
      isa::Store store;
      store.dst = static_cast<std::uint32_t>(output_.address + position * output_.pitch());
      store.src = u16(from);
      store.piece_bytes = u16(call_.units);
      store.src_block = kChunk;
      store.count0 = u16(call_.steps);
      store.dst_stride0 = static_cast<std::int32_t>(output_.pitch());
      store.src_stride0 = u16(slot_rows());
      builder_.append(store);
      return;
    }
    for (int column = 0; column < columns_; ++column) {
      isa::Map map;
      map.src = u16(from + column * kChunk);
      map.dst = u16(output_.chip->row + position + column * output_.chip->plane);
      map.src_stride = u16(slot_rows());
      map.dst_stride = 1;
      map.out_height = u16(call_.steps);
      map.clamp_min = -128;
      map.clamp_max = 127;
      builder_.append(map);
    }
  }

  Builder& builder_;
  const LstmCall& call_;
  const TensorView& input_;
  const TensorView& output_;
  const int dim_, columns_, groups_, in_blocks_;
  const LstmData data_;
  Layout layout_;
  int input_weights_ = 0;
  std::optional<LstmWeights> hidden_weights_;
};

}  // namespace

void lstm_batch(Builder& builder, const LstmCall& call, const TensorView& input, const TensorView& output) {
  LstmBatchEmitter(builder, call, input, output).run();
}

}  // namespace systole::compiler
