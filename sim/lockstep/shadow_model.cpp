// SPDX-License-Identifier: Apache-2.0
#include "shadow_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "block_sum.hpp"
#include "model_operations.hpp"
#include "systole/conv_tiles.hpp"

namespace systole::lockstep {
namespace {

constexpr Memory kOnChip[] = {Memory::kScratchpad, Memory::kWeights, Memory::kParameters, Memory::kAccumulators,
                              Memory::kKernels};

/// The part of a CONV in which one weight tile, with `before` in the ring before it, contributes to one output
/// position.
isa::Conv tile_at_position(const isa::Conv& op, model::Count tile, model::Count before, model::Count position,
                           int dim) {
  const model::Count kx = tile % op.kernel_w;
  const model::Count ky = tile / op.kernel_w % op.kernel_h;
  const model::Count kb = tile / op.kernel_w / op.kernel_h;
  const model::Count y = op.y0 + position / op.out_width * op.stride_h + ky * op.dilation_h;
  const model::Count x = op.x0 + position % op.out_width * op.stride_w + kx * op.dilation_w;
  const bool inside = 0 <= y && y < op.in_height && 0 <= x && x < op.in_width;
  isa::Conv one;
  one.accumulate = before > 0 || op.accumulate;
  one.act_row = model::row16(op.act_row + kb * op.plane_stride + y * op.row_stride + x);
  one.weight_row = model::row16(op.weight_row + before * dim);
  one.acc_row = model::row16(op.acc_row + position);
  one.y0 = inside ? 0 : -1;
  one.pad_value = op.pad_value;
  return one;
}

/// The part of a DEPTHWISE that computes one accumulator row.
isa::Depthwise row_alone(const isa::Depthwise& op, std::uint32_t row) {
  const model::Count positions = model::Count{op.out_height} * op.out_width;
  const model::Count kb = (row - op.acc_row) / positions, position = (row - op.acc_row) % positions;
  isa::Depthwise one = op;
  one.blocks = one.out_height = one.out_width = 1;
  one.act_row = model::row16(op.act_row + kb * op.plane_stride);
  one.weight_row = model::row16(op.weight_row + kb * op.kernel_h * op.kernel_w);
  one.acc_row = model::row16(row);
  one.y0 = static_cast<std::int16_t>(op.y0 + position / op.out_width * op.stride_h);
  one.x0 = static_cast<std::int16_t>(op.x0 + position % op.out_width * op.stride_w);
  return one;
}

/// "1234 (0x000004d2)"
std::string sum_text(const std::uint8_t* from) {
  std::int32_t sum;
  std::memcpy(&sum, from, sizeof sum);
  return fmt::format("{} (0x{:08x})", sum, static_cast<std::uint32_t>(sum));
}

}  // namespace

std::string byte_text(std::uint8_t value) {
  return fmt::format("{} (0x{:02x})", static_cast<std::int8_t>(value), value);
}

ShadowModel::ShadowModel(const Configuration& configuration, const sim::OnChip& rtl, ExpectedMemory& memory)
    : configuration_(configuration), rtl_(rtl), machine_(configuration, memory) {}

void ShadowModel::synchronize() {
  for (const Memory memory : kOnChip) {
    const sim::MemoryRows& rtl = rtl_rows(memory);
    for (std::size_t row = 0; row < rtl.rows(); row += rtl.contiguous(row)) {
      std::memcpy(model_row(memory, static_cast<std::uint32_t>(row)), rtl.row(row),
                  rtl.contiguous(row) * rtl.row_bytes);
    }
  }
  std::memcpy(state().table().data(), rtl_.tables.front(), state().table().size());
  for (std::size_t bank = 0; bank < rtl_.registers.banks.size(); ++bank) {
    std::memcpy(model_register(bank * rtl_.registers.bank_rows), rtl_.registers.banks[bank],
                rtl_.registers.bank_rows * rtl_.registers.row_bytes);
  }
  if (!rtl_.words.empty()) {
    std::memcpy(state().words().data(), rtl_.words.front(), sizeof state().words());
  }
}

bool ShadowModel::same(Memory memory, std::uint32_t row) {
  const sim::MemoryRows& rtl = rtl_rows(memory);
  return rtl.banks.empty() || std::memcmp(model_row(memory, row), rtl.row(row), rtl.row_bytes) == 0;
}

ShadowModel::Difference ShadowModel::difference(Memory memory, std::uint32_t row) {
  const bool sums = memory == Memory::kAccumulators;
  const std::size_t size = sums ? sizeof(std::int32_t) : 1;
  const std::uint8_t* expected = model_row(memory, row);
  const std::uint8_t* actual = rtl_rows(memory).row(row);
  Difference difference;
  difference.values = 0;
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(configuration_.dim);
       ++lane, expected += size, actual += size) {
    if (std::memcmp(expected, actual, size) == 0 || difference.values++ > 0) {
      continue;
    }
    difference.place = fmt::format("{} row {}, lane {}", to_string(memory), row, lane);
    difference.expected = sums ? sum_text(expected) : byte_text(*expected);
    difference.actual = sums ? sum_text(actual) : byte_text(*actual);
  }
  return difference;
}

std::uint32_t ShadowModel::next_difference(Memory memory, std::uint32_t row) {
  constexpr std::size_t kBlock = 64;  // rows that are compared at once
  const sim::MemoryRows& rtl = rtl_rows(memory);
  const auto rows = static_cast<std::uint32_t>(rows_of(configuration_, memory));
  while (row < rows && !rtl.banks.empty()) {
    const std::size_t count = std::min(rtl.contiguous(row), kBlock - row % kBlock);
    if (std::memcmp(model_row(memory, row), rtl.row(row), count * rtl.row_bytes) != 0) {
      while (same(memory, row)) {
        ++row;
      }
      return row;
    }
    row += static_cast<std::uint32_t>(count);
  }
  return rows;
}

std::optional<ShadowModel::Difference> ShadowModel::table_difference() {
  const auto* expected = reinterpret_cast<const std::uint8_t*>(state().table().data());
  const std::size_t size = state().table().size();
  for (std::size_t copy = 0; copy < rtl_.tables.size(); ++copy) {
    const std::uint8_t* actual = rtl_.tables[copy];
    const auto at = static_cast<std::size_t>(std::mismatch(expected, expected + size, actual).first - expected);
    if (at < size) {
      return Difference{fmt::format("look-up table of lane {}, entry for {}", copy, static_cast<int>(at) - 128),
                        byte_text(expected[at]), byte_text(actual[at])};
    }
  }
  return std::nullopt;
}

std::optional<ShadowModel::Difference> ShadowModel::words_difference() {
  const auto& expected = state().words();
  for (const std::uint8_t* actual : rtl_.words) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto* word = reinterpret_cast<const std::uint8_t*>(&expected[i]);
      if (std::memcmp(word, actual + i * sizeof expected[i], sizeof expected[i]) != 0) {
        return Difference{fmt::format("word {} of the kernels' table", i), sum_text(word),
                          sum_text(actual + i * sizeof expected[i])};
      }
    }
  }
  return std::nullopt;
}

std::optional<ShadowModel::Difference> ShadowModel::register_difference() {
  const sim::MemoryRows& rtl = rtl_.registers;
  for (std::size_t row = 0; row < rtl.rows(); ++row) {
    const std::uint8_t *expected = model_register(row), *actual = rtl.row(row);
    for (std::size_t byte = 0; byte < rtl.row_bytes; byte += sizeof(std::uint32_t)) {
      if (std::memcmp(expected + byte, actual + byte, sizeof(std::uint32_t)) != 0) {
        return Difference{fmt::format("vector register {} row {}, lane {}", row / kernel::kStripRows,
                                      row % kernel::kStripRows, byte / sizeof(std::uint32_t)),
                          sum_text(expected + byte), sum_text(actual + byte)};
      }
    }
  }
  return std::nullopt;
}

std::uint8_t* ShadowModel::model_register(std::size_t row) {
  return reinterpret_cast<std::uint8_t*>(state().vector_row(static_cast<std::uint32_t>(row / kernel::kStripRows),
                                                            static_cast<int>(row % kernel::kStripRows)));
}

const sim::MemoryRows& ShadowModel::rtl_rows(Memory memory) const {
  switch (memory) {
    case Memory::kScratchpad: return rtl_.scratchpad;
    case Memory::kWeights: return rtl_.weights;
    case Memory::kParameters: return rtl_.parameters;
    case Memory::kKernels: return rtl_.kernels;
    default: return rtl_.accumulators;
  }
}

std::uint8_t* ShadowModel::model_row(Memory memory, std::uint32_t row) {
  model::State& state = machine_.state();
  const auto row16 = static_cast<std::uint16_t>(row);
  switch (memory) {
    case Memory::kScratchpad: return reinterpret_cast<std::uint8_t*>(state.scratch(row16));
    case Memory::kWeights: return reinterpret_cast<std::uint8_t*>(state.weight(row));
    case Memory::kParameters: return reinterpret_cast<std::uint8_t*>(state.param(row16));
    case Memory::kKernels: return reinterpret_cast<std::uint8_t*>(state.kernel_row(row16));
    default: return reinterpret_cast<std::uint8_t*>(state.accumulator(row));
  }
}

ShadowModel::RowAhead::RowAhead(ShadowModel& shadow, std::uint32_t row) : shadow_(shadow), row_(row) {
  const std::int32_t* sums = shadow.state().accumulator(row);
  saved_.assign(sums, sums + shadow.configuration_.dim);
}

ShadowModel::RowAhead::~RowAhead() { std::copy(saved_.begin(), saved_.end(), shadow_.state().accumulator(row_)); }

template <class Op>
bool ShadowModel::RowAhead::meets(const Op& part, Difference& nearest) {
  model::run(shadow_.state(), part);
  return meets_now(nearest);
}

bool ShadowModel::RowAhead::meets_now(Difference& nearest) {
  if (shadow_.same(Memory::kAccumulators, row_)) {
    return true;
  }
  if (Difference now = shadow_.difference(Memory::kAccumulators, row_); now.values < nearest.values) {
    nearest = std::move(now);
  }
  return false;
}

bool ShadowModel::RowAhead::meets(const isa::Instruction& next, Difference& nearest) {
  if (static_cast<isa::Opcode>(isa::get(next, 0, 8)) == isa::Opcode::kDepthwise) {
    return meets(row_alone(isa::Depthwise::decode(next), row_), nearest);
  }
  const auto conv = isa::Conv::decode(next);
  if (conv.block_float != 0) {
    return meets_blocks(conv, nearest);
  }
  const model::Count tiles = model::Count{conv.blocks} * conv.kernel_h * conv.kernel_w;
  const model::Count position = model::Count{row_} - conv.acc_row;
  for (model::Count tile = 0, before = 0; tile < tiles; ++tile) {
    if (skips(conv, tile, tiles)) {
      continue;
    }
    if (meets(tile_at_position(conv, tile, before++, position, shadow_.configuration_.dim), nearest)) {
      return true;
    }
  }
  return false;
}

/// After each block of one position.
bool ShadowModel::RowAhead::meets_blocks(const isa::Conv& op, Difference& nearest) {
  model::State& state = shadow_.state();
  const ConvTiles tiles = tiles_of(op, shadow_.configuration_);
  const auto lanes = static_cast<std::size_t>(state.dim());
  std::int32_t* const sums = state.accumulator(row_);
  if (op.accumulate == 0) {
    std::fill_n(sums, lanes, 0);
  }
  std::vector<std::int32_t> products(lanes);
  for (model::Count tile = 0; tile < tiles.count; ++tile) {
    const model::Count part = tile % tiles.halves, kb = tile / tiles.halves % op.blocks;
    const model::Count tap = tile / tiles.halves / op.blocks, plane = kb % tiles.block_planes;
    const model::Count position = model::Count{row_} - op.acc_row;
    const model::Count y = op.y0 + position / op.out_width * op.stride_h + tap / op.kernel_w * op.dilation_h;
    const model::Count x = op.x0 + position % op.out_width * op.stride_w + tap % op.kernel_w * op.dilation_w;
    const bool inside = 0 <= y && y < op.in_height && 0 <= x && x < op.in_width;
    const std::uint16_t row = model::row16(op.act_row + kb * op.plane_stride + y * op.row_stride + x);
    const std::int8_t* activation = inside ? state.block_row(row) + part * tiles.channels : nullptr;
    const std::uint8_t act_exponent = inside ? state.exponent(row, part) : 0;
    const model::Count weight_row = op.weight_row + tile * tiles.rows;
    if (plane == 0) {
      std::fill(products.begin(), products.end(), 0);
    }
    for (std::size_t n = 0; n < lanes; ++n) {
      for (model::Count k = 0; k < tiles.channels; ++k) {
        products[n] += (inside ? activation[k] : op.pad_value) * state.weight(weight_row + k)[n];
      }
    }
    if (plane != tiles.block_planes - 1 && kb != op.blocks - 1) {
      continue;
    }
    const std::int8_t* weight_exponents = state.weight(weight_row + tiles.channels);
    for (std::size_t n = 0; n < lanes; ++n) {
      sums[n] = std::bit_cast<std::int32_t>(model::add_block(std::bit_cast<float>(sums[n]), products[n], act_exponent,
                                                             static_cast<std::uint8_t>(weight_exponents[n])));
    }
    if (meets_now(nearest)) {
      return true;
    }
  }
  return false;
}

}  // namespace systole::lockstep
