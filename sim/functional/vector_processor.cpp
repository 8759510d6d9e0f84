// SPDX-License-Identifier: Apache-2.0
#include "vector_processor.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include "block_sum.hpp"
#include "model_operations.hpp"
#include "systole/conv_tiles.hpp"
#include "vector_lanes.hpp"

namespace systole::model {
namespace {

using kernel::Format;
using kernel::get;
using kernel::get_signed;
using kernel::Group;
using kernel::Op;
using kernel::Source;
using kernel::Word;

std::uint32_t extended(const std::int8_t* bytes, Format format) {
  switch (format) {
    case Format::kI8: return static_cast<std::uint32_t>(std::int32_t{bytes[0]});
    case Format::kU8: return static_cast<std::uint8_t>(bytes[0]);
    case Format::kI16: {
      std::int16_t value;
      std::memcpy(&value, bytes, sizeof value);
      return static_cast<std::uint32_t>(std::int32_t{value});
    }
    default: {
      std::uint32_t value;
      std::memcpy(&value, bytes, sizeof value);
      return value;
    }
  }
}

std::uint32_t saturated(std::uint32_t word, Format format) {
  const auto within = [&](int low, int high) {
    return static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(word), low, high));
  };
  switch (format) {
    case Format::kI8: return within(-128, 127);
    case Format::kU8: return within(0, 255);
    case Format::kI16: return within(-32768, 32767);
    default: return word;
  }
}

/// The greatest exponent field of binary32 numbers: 0 for zeros and subnormal ones, 255 for infinities and NaNs.
std::uint8_t greatest_exponent(const std::uint32_t* words, std::size_t count) {
  std::uint8_t greatest = 0;
  for (std::size_t n = 0; n < count; ++n) {
    greatest = std::max(greatest, static_cast<std::uint8_t>(words[n] >> 23));
  }
  return greatest;
}

/// A binary32 as an element of a block: ties to even, at most 127 in magnitude.
std::int8_t block_mantissa(std::uint32_t word, std::uint8_t exponent) {
  const float value = std::bit_cast<float>(word);
  if (exponent == kNanExponent || std::abs(value) < FLT_MIN) {
    return 0;
  }
  return static_cast<std::int8_t>(
      std::clamp(std::nearbyint(std::ldexp(double{value}, kExponentBias - exponent)), -127.0, 127.0));
}

/// An element of a block as a binary32; below 2^-126 it is +0.
std::uint32_t block_value(std::int8_t mantissa, std::uint8_t exponent) {
  if (exponent == kNanExponent) {
    return std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN());
  }
  const float value = std::ldexp(static_cast<float>(mantissa), exponent - kExponentBias);
  return std::abs(value) < FLT_MIN ? 0 : std::bit_cast<std::uint32_t>(value);
}

}  // namespace

void VectorProcessor::run(std::uint32_t entry, const kernel::Arguments& arguments) {
  kernel::Sequencer sequencer(state_.kernels(), entry, arguments);
  while (const kernel::VectorStep* step = sequencer.next()) {
    if (step->has_memory && step->memory.format == Format::kBlocks && !state_.configuration().has(Part::kBlockFloat)) {
      throw kernel::KernelFault(step->at, "this core has no block floating point");
    }
    execute(*step);
  }
}

void VectorProcessor::execute(const kernel::VectorStep& step) {
  const auto lanes = static_cast<std::size_t>(state_.dim());
  const Op op = step.info->op;
  const Group group = step.info->group;
  const bool even = get(step.word, kernel::kRoundingField) != 0;
  // Operations over the lanes have a vector register as their source, which is kind 0.
  const auto a_kind = static_cast<Source>(get(step.word, kernel::kAKindField));
  const auto b_kind = static_cast<Source>(get(step.word, kernel::kBKindField));
  Row a(lanes), b(lanes), result(lanes);
  std::vector<Row> block_rows;
  for (int row = 0; row < step.rows; ++row) {
    read_source(step, kernel::kAField, a_kind, step.a, row, a);
    if (group == Group::kVector2) {
      read_source(step, kernel::kBField, b_kind, step.b, row, b);
    }
    if (group == Group::kLanes) {
      std::fill(result.begin(), result.end(), reduce_lanes(op, a.data(), static_cast<int>(lanes)));
    } else {
      for (std::size_t n = 0; n < lanes; ++n) {
        if (op == Op::kTable) {
          result[n] = state_.words()[a[n] % kernel::kTableWords];
        } else {
          const std::uint32_t second = op == Op::kAddLane ? static_cast<std::uint32_t>(n) : b[n];
          result[n] = compute_lane(op, a[n], second, even);
        }
      }
    }
    if (step.memory.store && step.memory.format == Format::kBlocks) {
      block_rows.push_back(result);
    } else if (step.memory.store) {
      write_memory(step.memory, row, result);
    } else {
      std::copy(result.begin(), result.end(), state_.vector_row(get(step.word, kernel::kDField), row));
    }
  }
  write_blocks(step.memory, block_rows);
}

void VectorProcessor::read_source(const kernel::VectorStep& step, const kernel::Field& field, Source source,
                                  std::uint32_t value, int row, Row& to) {
  switch (source) {
    case Source::kVector: std::copy_n(state_.vector_row(get(step.word, field), row), to.size(), to.begin()); break;
    case Source::kScalar:
    case Source::kImmediate: std::fill(to.begin(), to.end(), value); break;
    case Source::kMemory: read_memory(step.memory, row, to); break;
  }
}

void VectorProcessor::read_memory(const kernel::MemoryOperand& operand, int row, Row& to) {
  if (operand.format == Format::kAcc) {
    std::memcpy(to.data(), state_.accumulator(operand.row(row)), to.size() * sizeof to[0]);
    return;
  }
  if (operand.format == Format::kBlocks) {
    const std::uint16_t from = operand.row(row);
    const std::int8_t* mantissas = state_.block_row(from);
    const auto lanes = static_cast<std::size_t>(state_.configuration().block_lanes());
    for (std::size_t n = 0; n < to.size(); ++n) {
      to[n] = block_value(mantissas[n], state_.exponent(from, static_cast<Count>(n / lanes)));
    }
    return;
  }
  const int planes = operand.planes();  // as many as an element has bytes
  std::vector<std::int8_t> line;
  for (int plane = 0; plane < planes; ++plane) {
    const std::int8_t* from = state_.scratch(operand.row(row, plane));
    line.insert(line.end(), from, from + state_.dim());
  }
  for (std::size_t n = 0; n < to.size(); ++n) {
    to[n] = extended(line.data() + n * static_cast<std::size_t>(planes), operand.format);
  }
}

void VectorProcessor::write_memory(const kernel::MemoryOperand& operand, int row, const Row& from) {
  if (operand.format == Format::kAcc) {
    std::memcpy(state_.accumulator(operand.row(row)), from.data(), from.size() * sizeof from[0]);
    return;
  }
  const auto bytes = static_cast<std::size_t>(operand.planes());
  std::vector<std::int8_t> line(from.size() * bytes);
  for (std::size_t n = 0; n < from.size(); ++n) {
    const std::uint32_t value = saturated(from[n], operand.format);
    std::memcpy(line.data() + n * bytes, &value, bytes);
  }
  for (std::size_t plane = 0; plane < bytes; ++plane) {
    std::int8_t* to = state_.scratch(operand.row(row, static_cast<int>(plane)));
    std::copy_n(line.begin() + static_cast<std::ptrdiff_t>(plane * from.size()), from.size(), to);
  }
}

/// Rows of binary32 as blocks. Of the last block there may be fewer rows.
void VectorProcessor::write_blocks(const kernel::MemoryOperand& operand, const std::vector<Row>& rows) {
  const std::size_t lanes = static_cast<std::size_t>(state_.configuration().block_lanes());
  const std::size_t of_block = kBlockElements / lanes;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::uint16_t to = operand.row(static_cast<int>(row));
    std::int8_t* mantissas = state_.block_row(to);
    const std::size_t first = row - row % of_block, last = std::min(first + of_block, rows.size());
    for (std::size_t lane = 0; lane < rows[row].size(); lane += lanes) {
      std::uint8_t exponent = 0;
      for (std::size_t other = first; other < last; ++other) {
        exponent = std::max(exponent, greatest_exponent(rows[other].data() + lane, lanes));
      }
      state_.exponent(to, static_cast<Count>(lane / lanes)) = exponent;
      state_.nonfinite = state_.nonfinite || exponent == kNanExponent;
      for (std::size_t n = lane; n < lane + lanes; ++n) {
        mantissas[n] = block_mantissa(rows[row][n], exponent);
      }
    }
  }
}

void run(State& state, const isa::Vector& op) {
  try {
    // operation: VECTOR
    // From word `entry` of the kernel memory to its `end`, with arg0 .. arg11 in the first scalars: kernel.md
    VectorProcessor(state).run(op.entry, kernel::arguments_of(op));
    // end operation
  } catch (const kernel::KernelFault& fault) {
    throw Fault{isa::ErrorCode::kKernel, fault.word, fault.what()};
  }
}

}  // namespace systole::model
