// SPDX-License-Identifier: Apache-2.0
#include "systole/kernel_sequencer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace systole::kernel {

Arguments arguments_of(const isa::Vector& op) {
  return {op.arg0, op.arg1, op.arg2, op.arg3, op.arg4, op.arg5, op.arg6, op.arg7, op.arg8, op.arg9, op.arg10, op.arg11};
}

void set_arguments(isa::Vector& op, const Arguments& arguments) {
  std::uint32_t* const fields[] = {&op.arg0, &op.arg1, &op.arg2, &op.arg3, &op.arg4,  &op.arg5,
                                   &op.arg6, &op.arg7, &op.arg8, &op.arg9, &op.arg10, &op.arg11};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    *fields[i] = arguments[i];
  }
}

KernelFault::KernelFault(std::uint32_t the_word, const std::string& what)
    : ErrorOf(fmt::format("kernel word {}: {}", the_word, what)), word(the_word) {}

int MemoryOperand::planes() const {
  switch (format) {
    case Format::kI16: return 2;
    case Format::kI32: return 4;
    default: return 1;
  }
}

int MemoryOperand::accesses(int strip_row, int block_rows) const {
  const std::uint32_t apart = plane_stride % 4;
  bool together = format == Format::kI32 ? apart % 2 != 0 : apart != 0;
  for (int plane = 0; plane < planes(); ++plane) {
    together = together && row(strip_row, plane) < block_rows;
  }
  return together ? 1 : planes();
}

int MemoryOperand::place(int strip_row, int plane) const {
  constexpr int kBehind = 1 << 16;
  return row(strip_row, plane) + (format == Format::kAcc ? kBehind : 0);
}

std::uint16_t MemoryOperand::row(int row, int plane) const {
  return static_cast<std::uint16_t>(base + static_cast<std::uint32_t>(row) * row_stride +
                                    static_cast<std::uint32_t>(plane) * plane_stride);
}

Sequencer::Sequencer(const std::vector<Word>& memory, std::uint32_t entry, const Arguments& arguments)
    : memory_(memory), at_(entry), last_(entry) {
  std::copy(arguments.begin(), arguments.end(), scalars_.begin());
}

const VectorStep* Sequencer::next() {
  while (true) {
    close_loops();
    if (at_ >= memory_.size()) {
      throw KernelFault(at_, fmt::format("the kernel memory has {} words", memory_.size()));
    }
    last_ = std::max(last_, at_);
    if (executed_++ == 1U << kWorkLog2) {
      throw KernelFault(at_, fmt::format("the kernel does not end within {} words", 1U << kWorkLog2));
    }
    const Word word = memory_[at_];
    if (const std::string wrong = illegal(word); !wrong.empty()) {
      throw KernelFault(at_, wrong);
    }
    const OpInfo& info = *find(word);
    switch (info.op) {
      case Op::kEnd:
        if (!loops_.empty()) {
          throw KernelFault(at_, "end within a loop");
        }
        return nullptr;
      case Op::kLoop: open_loop(word); break;
      case Op::kRows: rows_ = std::clamp(static_cast<std::int32_t>(scalars_[get(word, kAField)]), 0, kStripRows); break;
      case Op::kSet:
      case Op::kAddWide:
      case Op::kAdd:
      case Op::kSub: scalar_operation(info.op, word); break;
      default: return vector_operation(info, word);
    }
    ++at_;
  }
}

/// Behind the body of a loop: back to its first word, or on with what follows, which may be the end of another loop.
void Sequencer::close_loops() {
  while (!loops_.empty() && at_ == loops_.back().end) {
    Loop& loop = loops_.back();
    if (--loop.left != 0) {
      at_ = loop.begin;
      return;
    }
    loops_.pop_back();
  }
}

void Sequencer::open_loop(Word word) {
  const std::uint32_t begin = at_ + 1, end = begin + get(word, kImmediateField);
  if (loops_.size() == kLoopDepth) {
    throw KernelFault(at_, fmt::format("loops in more than {} levels", kLoopDepth));
  }
  if (end == begin || end > memory_.size() || (!loops_.empty() && end > loops_.back().end)) {
    throw KernelFault(at_, "the loop's body is empty, or ends behind the loop around it or the kernel memory");
  }
  const std::uint32_t count = scalars_[get(word, kAField)];
  if (static_cast<std::int32_t>(count) > 0) {
    loops_.push_back({begin, end, count});
  } else {
    at_ = end - 1;
  }
}

void Sequencer::scalar_operation(Op op, Word word) {
  const std::uint32_t a = scalars_[get(word, kAField)], b = scalars_[get(word, kBField)], wide = get(word, kWideField);
  scalars_[get(word, kDField)] = op == Op::kSet ? wide : op == Op::kAddWide ? a + wide : op == Op::kAdd ? a + b : a - b;
}

const VectorStep* Sequencer::vector_operation(const OpInfo& info, Word word) {
  const auto stride = [&](const Field& field) {
    const std::uint32_t scalar = get(word, field);
    return scalar == 0 ? 1 : scalars_[scalar];
  };
  const bool store = get(word, kStoreField) != 0;
  step_ = {at_,
           word,
           &info,
           rows_,
           has_memory(word),
           {},
           value_of(word, kAField, kAKindField),
           value_of(word, kBField, kBKindField)};
  if (step_.has_memory) {
    step_.memory = {static_cast<Format>(get(word, kFormatField)), store, scalars_[get(word, kBaseField)],
                    stride(kRowStrideField), stride(kPlaneStrideField)};
  }
  ++at_;
  return &step_;
}

std::uint32_t Sequencer::value_of(Word word, const Field& field, const Field& kind) const {
  return static_cast<Source>(get(word, kind)) == Source::kScalar
             ? scalars_[get(word, field)]
             : static_cast<std::uint32_t>(get_signed(word, kImmediateField));
}

}  // namespace systole::kernel
