// SPDX-License-Identifier: Apache-2.0
// LSTM over a sequence. The products with all inputs come first; their sums stay in the accumulators if there is room,
// else they go to device memory. Then, step by step, the matrix unit multiplies the hidden state, and the kernels of
// the vector processor (lstm_*.tpuk) compute the gates and the next state. They do so for a group of two columns of DIM
// units at a time: two rows for each of the four gates are a strip. While the matrix unit works for one group, the
// vector processor works for the group before.
//
// A weight tile takes DIM cycles, and a step has a tile for each block of units, column and gate. If the second and
// last block has at most DIM/4 units, all of its gates share a tile: the lanes of the second column hold its units four
// times, and the hidden state is multiplied four times, each time with one of the four (lstm_spread.tpuk), the other
// lanes 0.
#include "kernel_lstm.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "activations.hpp"
#include "fields.hpp"
#include "kernel_arguments.hpp"
#include "library.hpp"
#include "lstm_data.hpp"
#include "lstm_weights.hpp"
#include "params.hpp"
#include "results.hpp"
#include "rings.hpp"
#include "systole/errors.hpp"
#include "weights.hpp"

namespace systole::compiler {
namespace {

constexpr int kGates = kLstmGates, kColumns = kLstmColumns, kGroupRows = kLstmGroupRows;
constexpr int kPlanes = 4;      // of int32
constexpr int kCellPlanes = 2;  // of int16
constexpr int kBuffers = 2;
constexpr int kWorkRows = 26;  // accumulator rows of lstm_gates

/// Scratchpad rows of the operator.
struct Layout {
  int cell = 0;       // int16, by batch entry and column
  int start = 0;      // initial hidden state, by batch entry and column
  int products = 0;   // with the input, of two groups, int32
  int inputs = 0;     // if they are multiplied on the chip and not there yet
  int hidden = 0;     // unless the result stays in the scratchpad: the last two steps, by batch entry and column
  int masks = 0;      // of the four copies of the last block's units
  int spread = 0;     // by batch entry: eight rows, every second one such a copy, the others 0
  int constants = 0;  // of the kernels, then the initial sums of each group, int32
  int end = 0;
};

class LstmEmitter {
 public:
  LstmEmitter(Builder& builder, const LstmCall& call, const TensorView& input, const TensorView& output)
      : builder_(builder),
        call_(call),
        input_(input),
        output_(output),
        dim_(builder.dim()),
        columns_(ceil_div(call.units, dim_)),
        groups_(ceil_div(columns_, kColumns)),
        half_(builder.configuration().acc_rows / 2),
        spreads_(columns_ == kColumns && call.units - dim_ <= dim_ / kGates &&
                 (kGroupRows + kColumns) * dim_ <= builder.configuration().weight_rows),
        data_(call, dim_, spreads_) {}

  void run() {
    check_scales(call_);
    place_rows();
    builder_.begin_operator(fmt::format("lstm {}x{}x{} to {}", call_.batches, call_.steps, call_.inputs, call_.units),
                            0);
    const KeptRegisters constants(builder_);
    if (sums_stay_) {
      // The vector processor is made ready while the matrix unit computes the first columns.
      const int columns = groups_ * kGroupRows;
      const TiledWeights weights = load_inputs();
      multiply_inputs(weights, {0, 1});
      place_table(builder_, call_.table);
      multiply_inputs(weights, {1, columns / 2});
      load_constants();
      multiply_inputs(weights, {columns / 2, columns});
      load_bias();
    } else {
      products_ = multiply_inputs();
      place_table(builder_, call_.table);
      load_constants();
    }
    load_state();
    load_initial_sums();
    load_weights();
    initial_sums({0, 0, first_group()});
    for (int step = 0; step < call_.steps; ++step) {
      for (int batch = 0; batch < call_.batches; ++batch) {
        for (int i = 0; i < groups_; ++i) {
          run({step, batch, (first_group() + i) % groups_});
        }
      }
    }
  }

 private:
  /// What runs at a time.
  struct Unit {
    int step, batch, group;
  };

  bool has_initial_sums() const { return call_.hidden_zero_point != 0; }

  void place_rows() {
    constexpr int kConstantRows = (9 + 2 + 2 * kPlanes) * kGroupRows;
    const int row = builder_.workspace_begin();
    layout_.cell = row;
    layout_.start = layout_.cell + call_.batches * groups_ * kColumns * kCellPlanes;
    layout_.products = layout_.start + call_.batches * columns_;
    layout_.hidden = layout_.products + kBuffers * kGroupRows * kPlanes;
    layout_.masks = layout_.hidden + (output_.chip ? 0 : kBuffers * call_.batches * columns_);
    layout_.spread = layout_.masks + (spreads_ ? kGates : 0);
    layout_.constants = layout_.spread + (spreads_ ? call_.batches * kGroupRows : 0);
    layout_.end = layout_.constants + std::max(kConstantRows, has_initial_sums() ? groups_ * kGroupRows * kPlanes : 0);
    const int rows = layout_.end - row;
    if (rows > builder_.workspace_rows()) {
      throw DoesNotFit(
          fmt::format("lstm: {} scratchpad rows are not enough, it needs {}", builder_.workspace_rows(), rows));
    }
    // Far from the other rows: in a bank where the matrix unit does not delay the vector processor.
    const int in_columns = ceil_div(call_.inputs, dim_);
    const int input_rows = input_.chip ? 0 : positions() * in_columns;
    layout_.inputs = row + builder_.workspace_rows() - input_rows;
    sums_stay_ = kWorkRows + groups_ * kGroupRows * (1 + positions()) <= half_ &&
                 groups_ * kGroupRows * (in_columns + columns_) * dim_ <= builder_.configuration().weight_rows &&
                 layout_.end <= layout_.inputs;
    if (half_ < std::max(kWorkRows, kBuffers * 2 * kGroupRows)) {
      throw DoesNotFit(fmt::format("lstm: {} accumulator rows are not enough", 2 * half_));
    }
  }

  /// Device address of the sums: data_.channels() int32 for each position.
  std::uint32_t multiply_inputs() {
    const std::int64_t pitch = std::int64_t{4} * data_.channels();
    TensorView sums = output_;
    sums.chip.reset();
    sums.channels = data_.channels();
    sums.pixel_pitch = pitch;
    sums.address = builder_.temporary(static_cast<std::uint64_t>(pitch * call_.steps * call_.batches));
    ConvOptions options;
    options.input_zero_point = call_.input_zero_point;
    const std::vector<std::int8_t> weights = data_.input_weights();
    conv2d_raw(builder_, input_, weights.data(), data_.bias(), options, sums);
    return sums.address;
  }

  int positions() const { return call_.steps * call_.batches; }

  /// Brings the inputs to the scratchpad. Returns the weights by which they are multiplied.
  TiledWeights load_inputs() {
    if (!input_.chip) {
      MatrixRows(input_.address, positions(), call_.inputs, input_.pitch(), positions(), dim_)
          .load(builder_, 0, {0, ceil_div(call_.inputs, dim_)}, {0, positions()}, layout_.inputs);
    }
    const std::vector<std::int8_t> weights = data_.input_weights();
    return TiledWeights::convolution(builder_, weights.data(), data_.channels(), 1, 1, call_.inputs, 1);
  }

  /// The sums of all positions, in accumulators, without bias.
  void multiply_inputs(const TiledWeights& weights, Range columns) {
    const int blocks = ceil_div(call_.inputs, dim_);
    const ChipPlanes from = input_.chip ? *input_.chip : ChipPlanes{layout_.inputs, positions()};
    for (int column = columns.begin; column < columns.end; ++column) {
      if (data_.has_units(column)) {
        isa::Conv conv;
        conv.weight_row = u16(builder_.rings().weights.take(blocks * dim_).row);
        weights.load(builder_, {column, column + 1}, {0, blocks}, {0, 1}, conv.weight_row, blocks * dim_);
        conv.act_row = u16(from.row);
        conv.plane_stride = u16(from.plane);
        conv.blocks = u16(blocks);
        conv.in_width = conv.out_width = u16(positions());
        conv.acc_row = u16(kept_sums(column));
        builder_.append(conv);
      }
    }
  }

  /// The bias of each group, in accumulators.
  void load_bias() {
    const std::uint32_t address = builder_.constant(bytes_of_words(data_.folded_bias()));
    for (int group = 0; group < groups_; ++group) {
      const int staged = layout_.products + group % kBuffers * kGroupRows * kPlanes;
      load_words(builder_, address + static_cast<std::uint32_t>(group * kGroupRows * kPlanes * dim_), staged,
                 kGroupRows);
      preload_words(builder_, kGroupRows, staged, bias_of(group));
    }
  }

  void vector(const char* name, std::map<std::string, std::int64_t> values) {
    const kernel::Kernel& kernel = library_kernel(name);
    const std::uint16_t entry = builder_.place_kernel(kernel);
    builder_.append(KernelArguments(kernel, {name, std::move(values)}).instruction(entry));
  }

  void load_constants() {
    builder_.place_kernel(library_kernel("lstm_constants"));
    load_rows(builder_, data_.constants(), isa::Space::kScratch, layout_.constants);
    vector("lstm_constants", {{"from", layout_.constants}, {"base", work()}, {"sums", sums_of(0)}});
    for (const char* name : {"lstm_prepare", "lstm_gates", "lstm_spread", "lstm_finish"}) {
      builder_.place_kernel(library_kernel(name));
    }
  }

  void load_state() {
    if (spreads_) {
      load_rows(builder_, data_.masks(), isa::Space::kScratch, layout_.masks);
      load_rows(builder_, data_.copies(), isa::Space::kScratch, layout_.spread);
    }
    load_rows(builder_, data_.cell(), isa::Space::kScratch, layout_.cell);
    load_rows(builder_, data_.hidden(), isa::Space::kScratch, layout_.start);
  }

  /// The part of the products with the hidden state that its zero point makes.
  void load_initial_sums() {
    if (!has_initial_sums()) {
      return;
    }
    const std::uint32_t address = builder_.constant(bytes_of_words(data_.initial_sums()));
    for (int group = 0; group < groups_; ++group) {
      load_words(builder_, address + static_cast<std::uint32_t>(group * kGroupRows * kPlanes * dim_),
                 layout_.constants + group * kGroupRows * kPlanes, kGroupRows);
    }
  }

  void load_weights() {
    if (spreads_) {
      weight_row_ = builder_.rings().weights.take((kGroupRows + kColumns) * dim_).row;
      load_rows(builder_, data_.spread_weights(), isa::Space::kWeight, weight_row_);
      return;
    }
    weights_.emplace(builder_, data_, call_.units);
  }

  /// The product with the hidden state of two blocks, the second one spread.
  void multiply_spread(const Unit& unit) {
    const ChipPlanes before = hidden({unit.step - 1, unit.batch, unit.group});
    const int sums = sums_of(buffer(unit));
    const auto multiply_tile = [&](int tile, int from, int positions, int to, bool first) {
      isa::Conv conv;
      conv.act_row = u16(from);
      conv.in_width = conv.out_width = u16(positions);
      conv.weight_row = u16((weight_row_ + tile * dim_) % builder_.rings().weights.size());
      conv.acc_row = u16(to);
      conv.accumulate = has_initial_sums() || !first ? 1 : 0;
      builder_.append(conv);
    };
    for (int row = 0; row < kGroupRows; ++row) {
      multiply_tile(row, before.row, 1, sums + row, true);
    }
    // To rows of the first column, with zeros for those in between; and to rows of the second one.
    const int copies = layout_.spread + unit.batch * kGroupRows;
    multiply_tile(kGroupRows, copies + 1, kGroupRows - 1, sums, false);
    multiply_tile(kGroupRows + 1, copies, kGroupRows, sums, false);
  }

  // Accumulator rows.
  int work() const { return 0; }
  int sums_of(int buffer) const { return half_ + buffer * kGroupRows; }
  int bias_of(int group) const { return kWorkRows + group * kGroupRows; }
  int kept_sums(int column) const { return kWorkRows + groups_ * kGroupRows + column * positions(); }
  /// Behind the rows of the kernels if there is room, else behind the sums.
  int inputs_of(int buffer) const {
    const bool room = kWorkRows + kBuffers * kGroupRows <= half_;
    return (room ? kWorkRows : half_ + kBuffers * kGroupRows) + buffer * kGroupRows;
  }

  /// The smallest group comes first: after the last one, whose products take longest, no other work is left over.
  int first_group() const { return groups_ - 1; }
  bool is_last_group(const Unit& unit) const { return (unit.group + 1) % groups_ == first_group(); }

  int buffer(const Unit& unit) const {
    const std::int64_t group = (unit.group - first_group() + groups_) % groups_;
    return static_cast<int>(((std::int64_t{unit.step} * call_.batches + unit.batch) * groups_ + group) % kBuffers);
  }
  Unit next(Unit unit) const {
    if (is_last_group(unit) && ++unit.batch == call_.batches) {
      unit.batch = 0;
      ++unit.step;
    }
    unit.group = (unit.group + 1) % groups_;
    return unit;
  }
  std::int64_t position(const Unit& unit) const {
    return call_.time_major ? std::int64_t{unit.step} * call_.batches + unit.batch
                            : std::int64_t{unit.batch} * call_.steps + unit.step;
  }

  /// The hidden state after the unit's step; before the first one if the step is -1.
  ChipPlanes hidden(const Unit& unit) const {
    if (unit.step < 0) {
      return {layout_.start + unit.batch * columns_, 1};
    }
    if (output_.chip) {
      return {output_.chip->row + static_cast<int>(position(unit)), output_.chip->plane};
    }
    return {layout_.hidden + (unit.step % kBuffers * call_.batches + unit.batch) * columns_, 1};
  }

  void initial_sums(const Unit& unit) {
    if (has_initial_sums() && multiplies(unit) && unit.step < call_.steps) {
      preload_words(builder_, kGroupRows, layout_.constants + unit.group * kGroupRows * kPlanes, sums_of(buffer(unit)));
    }
  }

  /// Whether the hidden state before the step can differ from 0. The sums are 0 at the start.
  bool multiplies(const Unit& unit) const {
    return unit.step > 0 || std::any_of(call_.hidden.begin(), call_.hidden.end(),
                                        [&](std::int8_t value) { return value != call_.hidden_zero_point; });
  }

  /// The product with the hidden state.
  void multiply(const Unit& unit) {
    const ChipPlanes before = hidden({unit.step - 1, unit.batch, unit.group});
    isa::Conv conv;
    conv.act_row = u16(before.row);
    conv.plane_stride = u16(before.plane);
    conv.acc_row = u16(sums_of(buffer(unit)));
    weights_->multiply(unit.group, conv, 1, has_initial_sums());
  }

  void prepare(const Unit& unit, int cell) {
    int sums = inputs_of(buffer(unit)), stride = 1;
    if (sums_stay_) {
      sums = kept_sums(unit.group * kGroupRows) + static_cast<int>(position(unit));
      stride = positions();
    } else {
      const int staged = layout_.products + buffer(unit) * kGroupRows * kPlanes;
      const std::int64_t line = position(unit) * groups_ + unit.group;
      load_words(builder_, products_ + static_cast<std::uint32_t>(line * kGroupRows * kPlanes * dim_), staged,
                 kGroupRows);
      preload_words(builder_, kGroupRows, staged, sums);
    }
    vector("lstm_prepare", {{"sums", sums},
                            {"stride", stride},
                            {"biased", sums_stay_ ? 1 : 0},
                            {"bias", bias_of(unit.group)},
                            {"base", work()},
                            {"cell", cell}});
  }

  void run(const Unit& unit) {
    const int cell = layout_.cell + (unit.batch * groups_ + unit.group) * kColumns * kCellPlanes;
    prepare(unit, cell);
    initial_sums(next(unit));
    if (multiplies(unit)) {
      spreads_ ? multiply_spread(unit) : multiply(unit);
    }
    const ChipPlanes after = hidden(unit);
    const int columns = std::min(kColumns, columns_ - unit.group * kColumns);
    vector("lstm_gates", {{"sums", sums_of(buffer(unit))},
                          {"base", work()},
                          {"h", after.row + unit.group * kColumns * after.plane},
                          {"h_plane", after.plane},
                          {"columns", columns},
                          {"cell_factor", data_.cell_factor()},
                          {"cell_bound", data_.cell_bound()},
                          {"multiplier_h", call_.output_scale.multiplier},
                          {"saturate", data_.saturates() ? 1 : 0},
                          {"deep", data_.deep() ? 1 : 0},
                          {"low", call_.cell_low},
                          {"shifted", call_.hidden_zero_point != 0 ? 1 : 0}});
    if (spreads_) {
      vector("lstm_spread", {{"h", after.row + after.plane},
                             {"masks", layout_.masks},
                             {"to", layout_.spread + unit.batch * kGroupRows + 1}});
    }
    vector("lstm_finish", {{"base", work()}, {"cell", cell}, {"low", call_.cell_low}, {"high", call_.cell_high}});
    if (!output_.chip && is_last_group(unit)) {
      store_results(builder_, {output_.address, call_.units, output_.pitch(), 1},
                    {{1, 1}, {position(unit), 1}, {0, 1}, 0, call_.units, after.row, after.plane});
    }
  }

  Builder& builder_;
  const LstmCall& call_;
  const TensorView& input_;
  const TensorView& output_;
  const int dim_, columns_, groups_, half_;
  const bool spreads_;  // whether the gates share the tiles of the last block
  const LstmData data_;
  Layout layout_;
  std::uint32_t products_ = 0;
  std::optional<LstmWeights> weights_;  // unless they are spread
  bool sums_stay_ = false;
  int weight_row_ = 0;  // of spread weights
};

}  // namespace

void lstm(Builder& builder, const LstmCall& call, const TensorView& input, const TensorView& output) {
  if (call.low_bytes) {
    lstm16(builder, call, input, output);
    return;
  }
  if (call.batches > 1) {
    try {
      lstm_batch(builder, call, input, output);
      return;
    } catch (const DoesNotFit&) {  // one after the other
    }
  }
  LstmEmitter(builder, call, input, output).run();
}

}  // namespace systole::compiler
