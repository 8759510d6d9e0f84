// SPDX-License-Identifier: Apache-2.0
// LSTM over a sequence with inputs and hidden state of int16. The products with all inputs come first, byte by byte,
// and go to device memory as int16. Then, step by step and for two columns of DIM units at a time, the matrix unit
// multiplies the bytes of the hidden state, two positions of one image, and the kernels of the vector processor compute
// the gates and the next state, as in kernel_lstm.cpp.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "fields.hpp"
#include "kernel_arguments.hpp"
#include "kernel_lstm.hpp"
#include "library.hpp"
#include "lstm_data.hpp"
#include "lstm_weights.hpp"
#include "product.hpp"
#include "results.hpp"
#include "rings.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

constexpr int kGates = kLstmGates, kColumns = kLstmColumns, kGroupRows = kLstmGroupRows;
constexpr int kWord = 4, kHalf = 2;  // bytes of int32, and of int16: as many planes
constexpr int kBytes = 2;            // high and low
constexpr int kBuffers = 2;
constexpr int kLowZeroPoint = -128;
constexpr int kWorkRows = 26;                        // accumulator rows of lstm_gates
constexpr int kSumRows = (kBytes + 1) * kGroupRows;  // products with the bytes, and with both
constexpr int kInputRows = kGroupRows * kHalf;       // of a group
constexpr int kConstantRows = (9 + 2 + 2 * kWord) * kGroupRows;

LstmCall low_call(LstmCall call) {
  for (std::size_t i = 0; i < call.gates.size(); ++i) {
    call.gates[i].bias = call.low_bytes->bias[i];
  }
  call.hidden = call.low_bytes->hidden;
  call.input_zero_point = call.hidden_zero_point = kLowZeroPoint;
  return call;
}

/// Scratchpad rows of the operator.
struct Layout {
  int cell = 0;         // int16, by batch entry and column
  int bytes = 0;        // of the hidden state of two steps, by batch entry and column: high, low
  int hidden = 0;       // int16, of two positions, by column
  int inputs = 0;       // products with the input, of two groups
  int offsets = 0;      // of each group, int32: products of the hidden state's weights with 128
  int multipliers = 0;  // int32
  int constants = 0;    // of the kernels
  int end = 0;
};

class Lstm16Emitter {
 public:
  Lstm16Emitter(Builder& builder, const LstmCall& call, const TensorView& input, const TensorView& output)
      : builder_(builder),
        call_(call),
        low_call_(low_call(call)),
        input_(input),
        output_(output),
        dim_(builder.dim()),
        columns_(ceil_div(call.units, dim_)),
        groups_(ceil_div(columns_, kColumns)),
        half_(builder.configuration().acc_rows / 2),
        data_(call_, dim_, false),
        low_data_(low_call_, dim_, false) {}

  void run() {
    check_scales(call_);
    place_rows();
    builder_.begin_operator(fmt::format("lstm {}x{}x{} to {}", call_.batches, call_.steps, call_.inputs, call_.units),
                            0);
    products_ = multiply_inputs();
    place_table(builder_, call_.table);
    const KeptRegisters constants(builder_);
    load_constants();
    load_state();
    weights_.emplace(builder_, data_, call_.units);
    int count = 0;
    for (int step = 0; step < call_.steps; ++step) {
      for (int batch = 0; batch < call_.batches; ++batch) {
        for (int group = 0; group < groups_; ++group) {
          run(step, batch, group, count++ % kBuffers);
        }
      }
    }
  }

 private:
  void place_rows() {
    const int row = builder_.workspace_begin();
    layout_.cell = row;
    layout_.bytes = layout_.cell + call_.batches * groups_ * kColumns * kHalf;
    layout_.hidden = layout_.bytes + kBuffers * call_.batches * columns_ * kBytes;
    layout_.inputs = layout_.hidden + kBuffers * columns_ * kHalf;
    layout_.offsets = layout_.inputs + kBuffers * kInputRows;
    layout_.multipliers = layout_.offsets + groups_ * kGroupRows * kWord;
    layout_.constants = layout_.multipliers + kGroupRows * kWord;
    layout_.end = layout_.constants + kConstantRows;
    if (layout_.end - row > builder_.workspace_rows()) {
      throw DoesNotFit(fmt::format("lstm: {} scratchpad rows are not enough, it needs {}", builder_.workspace_rows(),
                                   layout_.end - row));
    }
    if (half_ < std::max(kWorkRows, kSumRows)) {
      throw DoesNotFit(fmt::format("lstm: {} accumulator rows are not enough", 2 * half_));
    }
  }

  int positions() const { return call_.steps * call_.batches; }

  /// A tensor of all positions in device memory.
  TensorView temporary(int channels, int element_bytes) {
    const int bytes = channels * element_bytes;
    TensorView view{builder_.temporary(static_cast<std::uint64_t>(positions()) * static_cast<std::uint64_t>(bytes)), 1,
                    1, positions(), bytes};
    view.element_bytes = element_bytes;
    return view;
  }

  /// Device address of the rounded products with the inputs: data_.channels() int16 for each position.
  std::uint32_t multiply_inputs() {
    const int channels = data_.channels();
    const std::vector<std::int8_t> weights = data_.input_weights();
    std::vector<TensorView> operands;
    for (const LstmData* data : {&data_, &low_data_}) {
      const bool low = data == &low_data_;
      const TensorView bytes = temporary(call_.inputs, 1);
      TensorView input = input_;
      input.batch = input.height = 1;
      input.width = positions();
      run_elementwise_kernel(builder_, call_.low_bytes->split[low ? 1 : 0], {input}, {bytes});
      ConvOptions options;
      options.input_zero_point = low ? kLowZeroPoint : 0;
      operands.push_back(temporary(channels, kWord));
      TensorView sums = operands.back();
      sums.channels = channels;
      sums.pixel_pitch = std::int64_t{kWord} * channels;
      conv2d_raw(builder_, bytes, weights.data(), data->bias(), options, sums);
    }
    for (const std::array<std::int32_t, kGates>& words : call_.low_bytes->requantize_words) {
      operands.push_back({builder_.constant(bytes_of_words(data_.by_gate(words))), 1, 1, 1, channels * kWord});
      operands.back().element_bytes = kWord;
    }
    const TensorView rounded = temporary(channels, kHalf);
    run_kernel(builder_, call_.low_bytes->requantize, operands, rounded);
    return rounded.address;
  }

  void vector(const KernelCall& call) {
    const kernel::Kernel& kernel = library_kernel(call.kernel, call.formats);
    const std::uint16_t entry = builder_.place_kernel(kernel);
    builder_.append(KernelArguments(kernel, call).instruction(entry));
  }

  /// Words of a row for each gate and column of some groups.
  void load_group_words(const std::vector<std::int32_t>& words, int groups, int row) {
    const std::uint32_t address = builder_.constant(bytes_of_words(words));
    constexpr int kRows = kGroupRows * kWord;
    for (int group = 0; group < groups; ++group) {
      load_words(builder_, address + static_cast<std::uint32_t>(group * kRows * dim_), row + group * kRows, kGroupRows);
    }
  }

  void load_constants() {
    load_rows(builder_, data_.constants(), isa::Space::kScratch, layout_.constants);
    vector({"lstm_constants", {{"from", layout_.constants}, {"base", work()}, {"sums", sums()}}});
    load_group_words(low_data_.initial_sums(), groups_, layout_.offsets);
    load_group_words(data_.by_gate(call_.low_bytes->hidden_multipliers), 1, layout_.multipliers);
  }

  /// The states before the first step.
  void load_state() {
    load_rows(builder_, data_.cell(), isa::Space::kScratch, layout_.cell);
    const std::vector<std::uint8_t> high = data_.hidden(), low = low_data_.hidden();
    std::vector<std::uint8_t> rows;
    for (auto from_high = high.begin(), from_low = low.begin(); from_high != high.end();
         from_high += dim_, from_low += dim_) {
      rows.insert(rows.end(), from_high, from_high + dim_);
      rows.insert(rows.end(), from_low, from_low + dim_);
    }
    load_rows(builder_, std::move(rows), isa::Space::kScratch, bytes_after(-1, 0));
  }

  // Accumulator rows.
  int work() const { return 0; }
  int sums() const { return half_; }

  /// The bytes of a batch entry's hidden state after a step.
  int bytes_after(int step, int batch) const {
    return layout_.bytes + ((step + kBuffers) % kBuffers * call_.batches + batch) * columns_ * kBytes;
  }
  int position(int step, int batch) const {
    return call_.time_major ? step * call_.batches + batch : batch * call_.steps + step;
  }

  /// The products of both bytes of the hidden state.
  void multiply(int from, int group) {
    isa::Conv conv;
    conv.act_row = u16(from);
    conv.plane_stride = kBytes;
    conv.in_width = conv.out_width = kBytes;
    conv.acc_row = u16(sums());
    weights_->multiply(group, conv, kBytes, false);
  }

  /// The rounded products of a position with the input: two rows for each gate and column.
  void load_inputs(int position, int group, int row) {
    isa::Load load;
    load.src = products_ + static_cast<std::uint32_t>((position * groups_ + group) * kInputRows * dim_);
    load.piece_step = load.piece_bytes = load.slot_bytes = u16(dim_);
    load.run_bytes = static_cast<std::uint32_t>(kInputRows * dim_);
    load.pieces = kInputRows;
    load.dst = u16(row);
    load.dst_piece = 1;
    load.valid_to = 1;
    builder_.append(load);
  }

  void run(int step, int batch, int group, int buffer) {
    const int cell = layout_.cell + (batch * groups_ + group) * kColumns * kHalf;
    const int inputs = layout_.inputs + buffer * kInputRows;
    const int at = position(step, batch);
    const int state = layout_.hidden + at % kBuffers * columns_ * kHalf;
    const int hidden = state + group * kColumns * kHalf;
    const int columns = std::min(kColumns, columns_ - group * kColumns);
    load_inputs(at, group, inputs);
    multiply(bytes_after(step - 1, batch), group);
    vector({"lstm16_prepare",
            {{"sums", sums()},
             {"offset", layout_.offsets + group * kGroupRows * kWord},
             {"multiplier", layout_.multipliers},
             {"x", inputs},
             {"x_row", kHalf},
             {"x_plane", 1},
             {"base", work()},
             {"cell", cell}}});
    KernelCall gates{"lstm_gates",
                     {{"sums", sums() + kBytes * kGroupRows},
                      {"base", work()},
                      {"h", hidden},
                      {"h_plane", kHalf},
                      {"columns", columns},
                      {"cell_factor", data_.cell_factor()},
                      {"cell_bound", data_.cell_bound()},
                      {"multiplier_h", call_.output_scale.multiplier},
                      {"saturate", 0},
                      {"deep", data_.deep() ? 1 : 0},
                      {"low", call_.cell_low},
                      {"shifted", 0}}};
    gates.formats = {{"of_h", kernel::Format::kI16}};
    vector(gates);
    const int plane = output_.chip ? output_.chip->plane : 0;
    vector({"lstm16_bytes",
            {{"h", hidden},
             {"columns", columns},
             {"to", bytes_after(step, batch) + group * kColumns * kBytes},
             {"copied", output_.chip ? 1 : 0},
             {"copy", output_.chip ? output_.chip->row + at + group * kColumns * kHalf * plane : 0},
             {"row", kHalf * plane},
             {"plane", plane}}});
    vector({"lstm_finish", {{"base", work()}, {"cell", cell}, {"low", call_.cell_low}, {"high", call_.cell_high}}});
    if (!output_.chip && group + 1 == groups_) {
      const int bytes = kHalf * call_.units;
      store_results(builder_, {output_.address, bytes, output_.pitch(), 1},
                    {{1, 1}, {at, 1}, {0, 1}, 0, bytes, state, 1});
    }
  }

  Builder& builder_;
  const LstmCall& call_;
  const LstmCall low_call_;
  const TensorView& input_;
  const TensorView& output_;
  const int dim_, columns_, groups_, half_;
  const LstmData data_, low_data_;  // of the high and the low bytes
  Layout layout_;
  std::uint32_t products_ = 0;
  std::optional<LstmWeights> weights_;
};

}  // namespace

void lstm16(Builder& builder, const LstmCall& call, const TensorView& input, const TensorView& output) {
  Lstm16Emitter(builder, call, input, output).run();
}

}  // namespace systole::compiler
