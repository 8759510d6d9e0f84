// SPDX-License-Identifier: Apache-2.0
#include "vector_processor.hpp"

#include <algorithm>
#include <cstring>

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

/// Bytes of a lane in memory.
int bytes_of(Format format) {
  switch (format) {
    case Format::kI8:
    case Format::kU8: return 1;
    case Format::kI16: return 2;
    case Format::kI32:
    case Format::kAcc: return 4;
  }
  return 0;
}

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

Group group_of(Op op) {
  return std::find_if(std::begin(kernel::kOperations), std::end(kernel::kOperations),
                      [&](const kernel::OpInfo& info) { return info.op == op; })
      ->group;
}

}  // namespace

VectorProcessor::VectorProcessor(State& state)
    : state_(state),
      memory_(kernel::kMemoryWords),
      vectors_(std::size_t{kernel::kVectors} * kernel::kStripRows * static_cast<std::size_t>(state.dim())) {}

void VectorProcessor::load(std::uint32_t entry, const std::vector<Word>& words) {
  std::copy(words.begin(), words.end(), memory_.begin() + entry);
}

void VectorProcessor::run(std::uint32_t entry, const std::array<std::uint32_t, kernel::kArguments>& arguments) {
  scalars_.fill(0);
  std::copy(arguments.begin(), arguments.end(), scalars_.begin());
  rows_ = kernel::kStripRows;
  std::vector<Loop> loops;
  std::uint32_t at = entry;
  while (true) {
    while (!loops.empty() && at == loops.back().end) {
      Loop& loop = loops.back();
      --loop.left;
      if (loop.left != 0) {
        at = loop.begin;
        break;
      }
      loops.pop_back();
    }
    if (at >= memory_.size()) {
      throw KernelFault(at, fmt::format("the kernel memory has {} words", memory_.size()));
    }
    const Word word = memory_[at];
    if (const std::string wrong = kernel::illegal(word); !wrong.empty()) {
      throw KernelFault(at, wrong);
    }
    const auto op = static_cast<Op>(get(word, kernel::kOpField));
    const std::uint32_t a = scalars_[get(word, kernel::kAField)];
    switch (op) {
      case Op::kEnd:
        if (!loops.empty()) {
          throw KernelFault(at, "end within a loop");
        }
        return;
      case Op::kLoop: {
        const std::uint32_t end = at + 1 + get(word, kernel::kImmediateField);
        if (loops.size() == kernel::kLoopDepth) {
          throw KernelFault(at, fmt::format("loops in more than {} levels", kernel::kLoopDepth));
        }
        if (end == at + 1 || end > memory_.size() || (!loops.empty() && end > loops.back().end)) {
          throw KernelFault(at, "the loop's body is empty, or ends behind the loop around it or the kernel memory");
        }
        if (static_cast<std::int32_t>(a) > 0) {
          loops.push_back({at + 1, end, a});
        } else {
          at = end - 1;
        }
        break;
      }
      case Op::kRows: rows_ = std::clamp(static_cast<std::int32_t>(a), 0, kernel::kStripRows); break;
      case Op::kSet:
      case Op::kAddWide:
      case Op::kAdd:
      case Op::kSub: scalars_[get(word, kernel::kDField)] = scalar_operation(op, word); break;
      default: vector_operation(op, word);
    }
    ++at;
  }
}

std::uint32_t VectorProcessor::scalar_operation(Op op, Word word) const {
  const std::uint32_t a = scalars_[get(word, kernel::kAField)], b = scalars_[get(word, kernel::kBField)];
  const std::uint32_t wide = get(word, kernel::kWideField);
  return op == Op::kSet ? wide : op == Op::kAddWide ? a + wide : op == Op::kAdd ? a + b : a - b;
}

void VectorProcessor::vector_operation(Op op, Word word) {
  const auto lanes = static_cast<std::size_t>(state_.dim());
  const Group group = group_of(op);
  const bool even = get(word, kernel::kRoundingField) != 0;
  Row a(lanes), b(lanes), result(lanes);
  for (int row = 0; row < rows_; ++row) {
    const Source from = group == Group::kLanes ? Source::kVector : static_cast<Source>(get(word, kernel::kAKindField));
    read_source(word, kernel::kAField, from, row, a);
    if (group == Group::kVector2) {
      read_source(word, kernel::kBField, static_cast<Source>(get(word, kernel::kBKindField)), row, b);
    }
    if (group == Group::kLanes) {
      std::fill(result.begin(), result.end(), reduce_lanes(op, a.data(), static_cast<int>(lanes)));
    } else {
      for (std::size_t n = 0; n < lanes; ++n) {
        result[n] = op == Op::kTable ? table_[a[n] % kernel::kTableWords] : compute_lane(op, a[n], b[n], even);
      }
    }
    if (get(word, kernel::kStoreField) != 0) {
      write_memory(word, row, result);
    } else {
      std::copy(result.begin(), result.end(), vector_row(get(word, kernel::kDField), row));
    }
  }
}

void VectorProcessor::read_source(Word word, const kernel::Field& field, Source source, int row, Row& to) {
  switch (source) {
    case Source::kVector: std::copy_n(vector_row(get(word, field), row), to.size(), to.begin()); break;
    case Source::kScalar: std::fill(to.begin(), to.end(), scalars_[get(word, field)]); break;
    case Source::kImmediate:
      std::fill(to.begin(), to.end(), static_cast<std::uint32_t>(get_signed(word, kernel::kImmediateField)));
      break;
    case Source::kMemory: read_memory(word, row, to); break;
  }
}

/// Row addresses have 16 bits.
std::uint16_t VectorProcessor::memory_row(Word word, int row) const {
  const std::uint32_t number = get(word, kernel::kRowStrideField);
  const std::uint32_t stride = number == 0 ? 1 : scalars_[number];
  return static_cast<std::uint16_t>(scalars_[get(word, kernel::kBaseField)] + static_cast<std::uint32_t>(row) * stride);
}

void VectorProcessor::read_memory(Word word, int row, Row& to) {
  const auto format = static_cast<Format>(get(word, kernel::kFormatField));
  const std::uint16_t first = memory_row(word, row);
  if (format == Format::kAcc) {
    std::memcpy(to.data(), state_.accumulator(first), to.size() * sizeof to[0]);
    return;
  }
  const int bytes = bytes_of(format);
  const std::uint32_t number = get(word, kernel::kPlaneStrideField);
  const std::uint32_t stride = number == 0 ? 1 : scalars_[number];
  std::vector<std::int8_t> line;
  for (int plane = 0; plane < bytes; ++plane) {
    const std::int8_t* from = state_.scratch(row16(first + static_cast<std::int64_t>(plane) * stride));
    line.insert(line.end(), from, from + state_.dim());
  }
  for (std::size_t n = 0; n < to.size(); ++n) {
    to[n] = extended(line.data() + n * static_cast<std::size_t>(bytes), format);
  }
}

void VectorProcessor::write_memory(Word word, int row, const Row& from) {
  const auto format = static_cast<Format>(get(word, kernel::kFormatField));
  const std::uint16_t first = memory_row(word, row);
  if (format == Format::kAcc) {
    std::memcpy(state_.accumulator(first), from.data(), from.size() * sizeof from[0]);
    return;
  }
  const auto bytes = static_cast<std::size_t>(bytes_of(format));
  const std::uint32_t number = get(word, kernel::kPlaneStrideField);
  const std::uint32_t stride = number == 0 ? 1 : scalars_[number];
  std::vector<std::int8_t> line(from.size() * bytes);
  for (std::size_t n = 0; n < from.size(); ++n) {
    const std::uint32_t value = saturated(from[n], format);
    std::memcpy(line.data() + n * bytes, &value, bytes);
  }
  for (std::size_t plane = 0; plane < bytes; ++plane) {
    std::int8_t* to = state_.scratch(row16(first + static_cast<std::int64_t>(plane) * stride));
    std::copy_n(line.begin() + static_cast<std::ptrdiff_t>(plane * from.size()), from.size(), to);
  }
}

std::uint32_t* VectorProcessor::vector_row(std::uint32_t number, int row) {
  const std::size_t index = std::size_t{number} * kernel::kStripRows + static_cast<std::size_t>(row);
  return vectors_.data() + index * static_cast<std::size_t>(state_.dim());
}

}  // namespace systole::model
