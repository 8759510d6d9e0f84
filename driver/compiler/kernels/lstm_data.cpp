// SPDX-License-Identifier: Apache-2.0
#include "lstm_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "fields.hpp"
#include "sources.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

constexpr int kGates = kLstmGates, kColumns = kLstmColumns, kGroupRows = kLstmGroupRows;
constexpr std::array<std::size_t, kGates> kGateOrder{2, 3, 1, 0};  // of the rows: cell, output, forget, input
constexpr std::size_t kCandidate = 0;                              // in that order

constexpr std::int32_t kOne = 1 << 30;  // multiplier of powers of two
constexpr int kFactor = 12;             // the table's steps for 2^-12, tanh
constexpr int kLastStep = 255 * 1024 - 1;
constexpr int kTableExponent = -12;

std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }

QuantParam power_of_two(int exponent) { return {kOne, exponent + 1}; }

/// Values of operands of a product.
struct Reach {
  int low, high;

  /// Whether a product of rows of `length` weights can exceed 16 bits when it is rescaled.
  bool exceeds(const std::vector<std::int8_t>& weights, int length, const std::vector<std::int32_t>& bias,
               const QuantParam& scale) const {
    for (std::size_t begin = 0; begin < weights.size(); begin += at(length)) {
      const std::int64_t start = bias.empty() ? 0 : bias[begin / at(length)];
      std::array<std::int64_t, 2> limits{start, start};
      for (std::size_t i = begin; i < begin + at(length); ++i) {
        limits[0] += std::min(weights[i] * low, weights[i] * high);
        limits[1] += std::max(weights[i] * low, weights[i] * high);
      }
      for (const std::int64_t limit : limits) {
        if (limit != static_cast<std::int32_t>(limit)) {
          return true;
        }
        const std::int64_t rounded =
            multiply_by_quantized_multiplier(static_cast<std::int32_t>(limit), scale, Rounding::kDouble);
        if (rounded < -32768 || rounded > 32767) {
          return true;
        }
      }
    }
    return false;
  }
};

}  // namespace

void check_scales(const LstmCall& call) {
  for (const LstmGateCall& gate : call.gates) {
    if (gate.hidden_scale.shift > 0) {
      throw InvalidArgument("lstm: products with the hidden state whose scale is 1 or more");
    }
  }
  if (call.output_scale.shift > 0) {
    throw InvalidArgument("lstm: a hidden state whose scale is 2^-30 or less");
  }
  if (call.cell_exponent < -15 || call.cell_exponent > 0) {
    throw InvalidArgument(
        fmt::format("lstm: a cell state of scale 2^{}; the exponent is -15 .. 0", call.cell_exponent));
  }
}

std::vector<std::uint8_t> bytes_of_words(const std::vector<std::int32_t>& words) {
  std::vector<std::uint8_t> bytes(4 * words.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(words[i / 4]) >> 8 * (i % 4));
  }
  return bytes;
}

void load_rows(Builder& builder, std::vector<std::uint8_t> bytes, isa::Space space, int row) {
  const int dim = builder.dim();
  isa::Load load;
  load.space = static_cast<std::uint8_t>(space);
  load.run_bytes = static_cast<std::uint32_t>(bytes.size());
  load.pieces = u16(static_cast<int>(bytes.size()) / dim);
  load.piece_step = load.piece_bytes = load.slot_bytes = u16(dim);
  load.dst = u16(row);
  load.dst_piece = 1;
  load.valid_to = 1;
  load.src = builder.constant(std::move(bytes));
  builder.append(load);
}

LstmData::LstmData(const LstmCall& call, int dim, bool spreads)
    : call_(call),
      dim_(dim),
      columns_(ceil_div(call.units, dim)),
      groups_(ceil_div(columns_, kColumns)),
      spreads_(spreads) {}

/// The unit in a lane of a column, or -1.
int LstmData::unit_of(int column, int lane) const {
  const int in_column = spreads_ && column > 0 ? lane % (dim_ / kGates) : lane;
  const int unit = column * dim_ + in_column;
  return unit < call_.units ? unit : -1;
}

/// Calls `set(gate, unit, channel)` for each channel that is a unit: group by group, gate by gate, two columns.
template <class Set>
void LstmData::each_channel(Set set) const {
  for (int channel = 0; channel < channels(); ++channel) {
    const int row = channel / dim_ % kGroupRows;
    const int unit = unit_of(channel / dim_ / kGroupRows * kColumns + row % kColumns, channel % dim_);
    if (unit >= 0) {
      set(call_.gates[kGateOrder[at(row / kColumns)]], at(unit), at(channel));
    }
  }
}
std::vector<std::int8_t> LstmData::input_weights() const {
  std::vector<std::int8_t> values(at(channels()) * at(call_.inputs), 0);
  each_channel([&](const LstmGateCall& gate, std::size_t unit, std::size_t channel) {
    std::copy_n(gate.input_weights.begin() + static_cast<std::ptrdiff_t>(unit * at(call_.inputs)), call_.inputs,
                values.begin() + static_cast<std::ptrdiff_t>(channel * at(call_.inputs)));
  });
  return values;
}

std::vector<std::int8_t> LstmData::hidden_weights() const {
  std::vector<std::int8_t> values(at(channels()) * at(call_.units), 0);
  each_channel([&](const LstmGateCall& gate, std::size_t unit, std::size_t channel) {
    std::copy_n(gate.hidden_weights.begin() + static_cast<std::ptrdiff_t>(unit * at(call_.units)), call_.units,
                values.begin() + static_cast<std::ptrdiff_t>(channel * at(call_.units)));
  });
  return values;
}

std::vector<std::uint8_t> LstmData::spread_weights() const {
  const auto tile = at(dim_ * dim_);
  std::vector<std::uint8_t> bytes((kGroupRows + kColumns) * tile, 0);
  const int lanes = dim_ / kGates;
  each_channel([&](const LstmGateCall& gate, std::size_t unit, std::size_t channel) {
    const std::size_t column = channel / at(dim_), lane = channel % at(dim_);
    for (int i = 0; i < call_.units; ++i) {
      const bool shared = i >= dim_;
      const std::size_t row = shared ? column / kColumns * at(lanes) + at(i - dim_) : at(i);
      bytes[(shared ? kGroupRows + column % kColumns : column) * tile + row * at(dim_) + lane] =
          static_cast<std::uint8_t>(gate.hidden_weights[unit * at(call_.units) + at(i)]);
    }
  });
  return bytes;
}

std::vector<std::int32_t> LstmData::bias() const {
  std::vector<std::int32_t> bias(at(channels()), 0);
  each_channel(
      [&](const LstmGateCall& gate, std::size_t unit, std::size_t channel) { bias[channel] = gate.bias[unit]; });
  return bias;
}

std::vector<std::int32_t> LstmData::by_gate(const std::array<std::int32_t, kLstmGates>& words) const {
  std::vector<std::int32_t> values(at(channels()), 0);
  each_channel([&](const LstmGateCall& gate, std::size_t, std::size_t channel) {
    values[channel] = words[static_cast<std::size_t>(&gate - call_.gates.data())];
  });
  return values;
}

std::vector<std::int32_t> LstmData::folded_bias() const {
  std::vector<std::int32_t> bias(at(channels()), 0);
  each_channel([&](const LstmGateCall& gate, std::size_t unit, std::size_t channel) {
    const auto from = gate.input_weights.begin() + static_cast<std::ptrdiff_t>(unit * at(call_.inputs));
    const std::int32_t sum = std::accumulate(from, from + call_.inputs, 0);
    bias[channel] =
        static_cast<std::int32_t>(std::int64_t{gate.bias[unit]} - std::int64_t{call_.input_zero_point} * sum);
  });
  return bias;
}

std::vector<std::int32_t> LstmData::initial_sums() const {
  std::vector<std::int32_t> sums(at(channels()), 0);
  each_channel([&](const LstmGateCall& gate, std::size_t unit, std::size_t channel) {
    const auto from = gate.hidden_weights.begin() + static_cast<std::ptrdiff_t>(unit * at(call_.units));
    sums[channel] = -call_.hidden_zero_point * std::accumulate(from, from + call_.units, 0);
  });
  return sums;
}

std::vector<std::uint8_t> LstmData::cell() const {
  std::vector<std::uint8_t> bytes(at(call_.batches * groups_ * kColumns * dim_) * sizeof(std::int16_t), 0);
  for (int batch = 0; batch < call_.batches; ++batch) {
    for (int i = 0; i < columns_ * dim_; ++i) {
      const int unit = unit_of(i / dim_, i % dim_);
      if (unit >= 0) {
        const std::size_t to = at(batch * groups_ * kColumns * dim_ + i);
        const auto value = u16(call_.cell[at(batch * call_.units + unit)]);
        bytes[2 * to] = static_cast<std::uint8_t>(value);
        bytes[2 * to + 1] = static_cast<std::uint8_t>(value >> 8);
      }
    }
  }
  return bytes;
}

std::vector<std::uint8_t> LstmData::hidden() const {
  std::vector<std::uint8_t> bytes(at(call_.batches * columns_ * dim_), 0);
  for (int batch = 0; batch < call_.batches; ++batch) {
    for (int i = 0; i < columns_ * dim_; ++i) {
      const int unit = unit_of(i / dim_, i % dim_);
      if (unit >= 0) {
        bytes[at(batch * columns_ * dim_ + i)] =
            static_cast<std::uint8_t>(call_.hidden[at(batch * call_.units + unit)]);
      }
    }
  }
  return bytes;
}

std::vector<std::uint8_t> LstmData::masks() const {
  std::vector<std::uint8_t> masks(at(kGates * dim_), 0);
  for (int lane = 0; lane < dim_; ++lane) {
    masks[at(lane / (dim_ / kGates) * dim_ + lane)] = 0xFF;
  }
  return masks;
}

std::vector<std::uint8_t> LstmData::copies() const {
  const std::vector<std::uint8_t> state = hidden();
  std::vector<std::uint8_t> copies(at(call_.batches * kGroupRows * dim_), 0);
  for (int batch = 0; batch < call_.batches; ++batch) {
    for (int lane = 0; lane < dim_; ++lane) {
      const int row = batch * kGroupRows + kColumns * (lane / (dim_ / kGates)) + 1;
      copies[at(row * dim_ + lane)] = state[at((batch * columns_ + 1) * dim_ + lane)];
    }
  }
  return copies;
}

std::vector<std::uint8_t> LstmData::constants() const {
  std::vector<std::uint8_t> bytes;
  const auto add = [&](int size, auto value_of) {
    for (int row = 0; row < kGroupRows; ++row) {
      const std::size_t gate = at(row / kColumns);
      const auto value = static_cast<std::uint32_t>(value_of(call_.gates[kGateOrder[gate]], gate));
      for (int i = 0; i < size * dim_; ++i) {
        bytes.push_back(static_cast<std::uint8_t>(value >> 8 * (i % size)));
      }
    }
  };
  using Gate = const LstmGateCall&;
  const int enters = -power_of_two(-30 - call_.cell_exponent).shift, keeps = -power_of_two(-15).shift;
  add(1, [](Gate gate, std::size_t) { return -gate.hidden_scale.shift; });
  add(1, [](Gate, std::size_t gate) { return gate == kCandidate ? kFactor : kFactor / 2; });
  add(1, [](Gate, std::size_t gate) { return gate == kCandidate ? 21 : 20; });
  add(1, [](Gate gate, std::size_t) { return std::max(0, gate.input_scale.shift); });
  add(1, [](Gate gate, std::size_t) { return std::max(0, -gate.input_scale.shift); });
  // Of the output gate, twice its value; of what is kept; of what enters.
  add(1, [&](Gate, std::size_t gate) { return gate == 0 ? 0 : gate == 1 ? keeps : enters; });
  add(1, [&](Gate, std::size_t) { return -call_.output_scale.shift; });
  add(1, [&](Gate, std::size_t) { return call_.hidden_zero_point; });
  add(1, [&](Gate, std::size_t) { return deep() ? 31 + call_.cell_exponent - kTableExponent : 0; });
  add(2, [](Gate, std::size_t gate) { return gate == kCandidate ? (kLastStep + 1) / kFactor : 32767; });
  add(4, [](Gate gate, std::size_t) { return gate.hidden_scale.multiplier; });
  add(4, [](Gate gate, std::size_t) { return gate.input_scale.multiplier; });
  return bytes;
}

bool LstmData::deep() const { return call_.cell_exponent < kTableExponent; }

int LstmData::cell_factor() const { return deep() ? kFactor / 4 : kFactor << (call_.cell_exponent - kTableExponent); }

int LstmData::cell_bound() const {
  if (deep()) {
    return kLastStep;
  }
  const std::int64_t high = std::int64_t{cell_factor()} * call_.cell_high - 1;
  return static_cast<int>(std::min<std::int64_t>(kLastStep, high));
}

bool LstmData::saturates() const {
  const Reach reach{-128 - call_.hidden_zero_point, 127 - call_.hidden_zero_point};
  return std::any_of(call_.gates.begin(), call_.gates.end(), [&](const LstmGateCall& gate) {
    return reach.exceeds(gate.hidden_weights, call_.units, {}, gate.hidden_scale);
  });
}

bool LstmData::inputs_saturate() const {
  const Reach reach{-128 - call_.input_zero_point, 127 - call_.input_zero_point};
  return std::any_of(call_.gates.begin(), call_.gates.end(), [&](const LstmGateCall& gate) {
    return reach.exceeds(gate.input_weights, call_.inputs, gate.bias, gate.input_scale);
  });
}

KernelTable gate_lines(const std::array<std::uint16_t, 256>& sigmoid_points) {
  KernelTable table{};
  constexpr int kMiddle = 32768;
  for (std::size_t i = 0; i + 1 < table.size(); ++i) {
    const int here = sigmoid_points[i] - kMiddle;
    const int slope = sigmoid_points[i + 1] - sigmoid_points[i];
    table[i] = static_cast<std::uint32_t>((here - slope * static_cast<int>(i)) * 1024 + slope);
  }
  return table;
}

}  // namespace systole::compiler
