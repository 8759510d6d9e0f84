// SPDX-License-Identifier: Apache-2.0
#include "params.hpp"

#include <fmt/core.h>

#include <utility>

#include "fields.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

constexpr std::size_t kRows = 9;

void put32(std::vector<std::uint8_t>& bytes, std::size_t at, std::int32_t value) {
  for (int i = 0; i < 4; ++i) {
    bytes[at + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(value) >> (8 * i));
  }
}

void check_bias(const std::vector<std::int32_t>& bias, int channels) {
  if (!bias.empty() && bias.size() != static_cast<std::size_t>(channels)) {
    throw InvalidArgument(fmt::format("bias has {} values for {} output channels", bias.size(), channels));
  }
}

void check(const QuantParam& scale) {
  if (!is_valid(scale)) {
    throw InvalidArgument(fmt::format("scale: multiplier {} must be 0 .. 2^31-1 and shift {} in {} .. {}",
                                      scale.multiplier, scale.shift, kMinQuantShift, kMaxQuantShift));
  }
}

}  // namespace

std::vector<std::uint8_t> channel_params(int dim, int channels, const std::vector<std::int32_t>& bias,
                                         const std::vector<QuantParam>& scale) {
  const auto count = static_cast<std::size_t>(channels);
  check_bias(bias, channels);
  if (scale.size() != 1 && scale.size() != count) {
    throw InvalidArgument(
        fmt::format("{} scales for {} output channels: give one, or one each", scale.size(), channels));
  }
  const auto lanes = static_cast<std::size_t>(dim);
  const std::size_t columns = (count + lanes - 1) / lanes;
  std::vector<std::uint8_t> bytes(columns * kRows * lanes, 0);
  for (std::size_t channel = 0; channel < count; ++channel) {
    const QuantParam& factor = scale[scale.size() == 1 ? 0 : channel];
    check(factor);
    const std::size_t block = channel / lanes * kRows * lanes;
    const std::size_t lane = channel % lanes;
    put32(bytes, block + 4 * lane, bias.empty() ? 0 : bias[channel]);
    put32(bytes, block + 4 * lanes + 4 * lane, factor.multiplier);
    bytes[block + 8 * lanes + lane] = static_cast<std::uint8_t>(factor.shift);
  }
  return bytes;
}

std::vector<std::uint8_t> bias_rows(int dim, int channels, const std::vector<std::int32_t>& bias) {
  check_bias(bias, channels);
  const auto lanes = static_cast<std::size_t>(dim);
  std::vector<std::uint8_t> bytes((static_cast<std::size_t>(channels) + lanes - 1) / lanes * lanes * 4, 0);
  for (std::size_t channel = 0; channel < bias.size(); ++channel) {
    put32(bytes, 4 * channel, bias[channel]);
  }
  return bytes;
}

std::vector<std::uint8_t> scalar_params(int dim, const std::vector<QuantParam>& scale) {
  const auto lanes = static_cast<std::size_t>(dim);
  std::vector<std::uint8_t> bytes(scale.size() * 2 * lanes, 0);
  for (std::size_t i = 0; i < scale.size(); ++i) {
    check(scale[i]);
    put32(bytes, i * 2 * lanes, scale[i].multiplier);
    bytes[i * 2 * lanes + lanes] = static_cast<std::uint8_t>(scale[i].shift);
  }
  return bytes;
}

void check_add(const char* what, const AddParams& params) {
  for (const int zero_point : {params.lhs_zero_point, params.rhs_zero_point, params.output_zero_point}) {
    if (zero_point < -128 || zero_point > 127) {
      throw InvalidArgument(fmt::format("{}: zero point {} is not in -128 .. 127", what, zero_point));
    }
  }
  if (params.clamp_min > params.clamp_max) {
    throw InvalidArgument(fmt::format("{}: clamp {} .. {} is empty", what, params.clamp_min, params.clamp_max));
  }
  if (params.lhs_scale.shift > 0 || params.rhs_scale.shift > 0) {
    throw InvalidArgument(fmt::format("{}: operand scales must have a shift of at most 0", what));
  }
}

void load_params(Builder& builder, std::uint32_t address, int rows, int row) {
  isa::Load load;
  load.space = static_cast<std::uint8_t>(isa::Space::kParam);
  load.src = address;
  load.run_bytes = static_cast<std::uint32_t>(rows * builder.dim());
  load.piece_step = load.piece_bytes = load.slot_bytes = u16(rows * builder.dim());
  load.dst = u16(row);
  load.dst_block = 1;
  load.valid_to = 1;
  builder.append(load);
}

int place_params(Builder& builder, std::vector<std::uint8_t> bytes) {
  const int rows = static_cast<int>(bytes.size()) / builder.dim();
  const int row = builder.rings().params.take(rows).row;
  load_params(builder, builder.constant(std::move(bytes)), rows, row);
  return row;
}

void place_table(Builder& builder, bool words, std::vector<std::uint8_t> bytes) {
  if (builder.holds_table(words, bytes)) {
    return;
  }
  isa::Table op;
  op.words = words ? 1 : 0;
  op.params = u16(place_params(builder, bytes));
  builder.append(op);
  builder.set_table(words, std::move(bytes));
}

void place_lookup_table(Builder& builder, const LookupTable& table) {
  std::vector<std::uint8_t> bytes;
  for (int value = -128; value < 128; ++value) {
    bytes.push_back(static_cast<std::uint8_t>(table[static_cast<std::uint8_t>(value)]));
  }
  place_table(builder, false, std::move(bytes));
}

OutputStage make_stage(Builder& builder, int channels, const std::vector<std::int32_t>& bias,
                       const Requantize& requantize) {
  if (requantize.zero_point < -128 || requantize.zero_point > 127) {
    throw InvalidArgument(fmt::format("output zero point {} is not in -128 .. 127", requantize.zero_point));
  }
  if (requantize.clamp_min > requantize.clamp_max) {
    throw InvalidArgument(fmt::format("clamp {} .. {} is empty", requantize.clamp_min, requantize.clamp_max));
  }
  OutputStage stage;
  stage.params = builder.constant(channel_params(builder.dim(), channels, bias, requantize.scale));
  stage.rounding = requantize.rounding;
  stage.zero_point = static_cast<std::int8_t>(requantize.zero_point);
  stage.clamp_min = requantize.clamp_min;
  stage.clamp_max = requantize.clamp_max;
  return stage;
}

}  // namespace systole::compiler
