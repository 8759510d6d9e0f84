// SPDX-License-Identifier: Apache-2.0
// Random vector commands over a fixed layout of the parameter buffer and of the kernel memory.
#pragma once

#include <random>

#include "../processor/random_vector_kernels.hpp"
#include "reference.hpp"

namespace systole::test {

/// Parameter rows: two channel blocks, scalar entries, and from kTableRow tables.
constexpr int kBlockRows = 9;
constexpr int kScalarRow = 18;
constexpr int kScalarEntries = 20;
constexpr int kTableRow = 64;
/// The last rows are scalar entries as well (and part of a table).
constexpr int kLastScalarRows = 20;

class VectorPrograms {
 public:
  VectorPrograms(const VectorSizes& sizes, std::mt19937_64& random)
      : sizes_(sizes), random_(random), generate_(sizes.block_rows, sizes.acc_rows, random()) {}

  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  std::int8_t byte() { return static_cast<std::int8_t>(random_()); }

  void fill(VectorMachine& machine) {
    for (auto& value : machine.scratch) value = byte();
    for (auto& value : machine.params) value = byte();
    for (auto& value : machine.acc) value = static_cast<std::int32_t>(random_()) >> below(28);
    const auto dim = static_cast<std::size_t>(sizes_.dim);
    for (std::size_t block = 0; block < 2; ++block) {
      std::int8_t* rows = &machine.params[block * kBlockRows * dim];
      for (std::size_t n = 0; n < dim; ++n) {
        put_word(rows + 4 * n, static_cast<std::int32_t>(random_()) >> below(31));
        put_word(rows + 4 * dim + 4 * n, multiplier());
        rows[8 * dim + n] = shift();
      }
    }
    for (int row = kScalarRow; row < sizes_.param_rows; row += 2) {
      if (row >= kScalarRow + 2 * kScalarEntries && row < sizes_.param_rows - kLastScalarRows) continue;
      std::int8_t* entry = &machine.params[static_cast<std::size_t>(row) * dim];
      put_word(entry, multiplier());
      entry[dim] = shift();
    }
    fill_kernels(machine.kernels);
  }

  /// A legal command of a random kind whose source and destination rows lie in different halves of the scratchpad.
  isa::Instruction command() { return command(random_() & 1); }
  isa::Instruction command(bool destination_first) {
    src_ = destination_first ? sizes_.scratch_rows / 2 : 0;
    dst_ = destination_first ? 0 : sizes_.scratch_rows / 2;
    switch (below(13)) {
      case 0: return drain(false);
      case 1: return drain(true);
      case 2: return drain32();
      case 3: return preload();
      case 4: return pool<isa::Maxpool>().encode();
      case 5:
      case 6: return average();
      case 7: return add();
      case 8: return multiply();
      case 9:
      case 10:
      case 11: return vector(whole_);
      default: return below(3) ? table(random_() & 1) : map();
    }
  }

  /// A command with one of its rows moved to the end of its memory or beyond; it may fault.
  isa::Instruction broken_command() {
    const int field = below(5);
    isa::Instruction instruction = command(field != 1);
    const auto opcode = static_cast<isa::Opcode>(instruction.words[0] & 0xff);
    const bool from_acc = opcode == isa::Opcode::kDrain || opcode == isa::Opcode::kDrain32;
    const bool to_acc = opcode == isa::Opcode::kPreload;
    const auto place = [&](int lsb, int rows, int most) {
      isa::put(instruction, lsb, 16,
               static_cast<std::uint32_t>(below(4) ? rows - below(most) : below(65536 - rows) + rows));
    };
    if (opcode == isa::Opcode::kVector) return vector(broken_);
    const bool addition = opcode == isa::Opcode::kAdd || (instruction.words[0] & 0x2ff) == 0x230;
    switch (field) {
      case 0:
        if (opcode != isa::Opcode::kTable) place(96, from_acc ? sizes_.acc_rows : sizes_.scratch_rows, 30);
        break;
      case 1:
        if (opcode != isa::Opcode::kTable) place(112, to_acc ? sizes_.acc_rows : sizes_.scratch_rows, 30);
        break;
      case 2:
        if (addition || opcode == isa::Opcode::kMultiply) place(160, sizes_.scratch_rows, 30);
        break;
      case 3:
        if (opcode == isa::Opcode::kDrain) place(384, sizes_.param_rows, kBlockRows);
        if (opcode == isa::Opcode::kTable) place(384, sizes_.param_rows, table_rows(instruction.words[0] >> 8 & 1));
        break;
      default:
        if (addition) place(400, sizes_.param_rows, 6);
        if (opcode == isa::Opcode::kMultiply) place(400, sizes_.param_rows, 2);
        if (opcode == isa::Opcode::kAvgpool) {
          isa::put(instruction, 400, 16, static_cast<std::uint32_t>(sizes_.param_rows - 2 * below(10)));
        }
    }
    return instruction;
  }

  isa::Instruction table(bool words) {
    isa::Table op;
    op.words = words;
    op.params = static_cast<std::uint16_t>(kTableRow + below(sizes_.param_rows - kTableRow - table_rows(words) + 1));
    return op.encode();
  }

  isa::Instruction drain(bool residual) {
    isa::Drain op;
    size(op);
    op.src = acc_base(op);
    destination(op);
    op.table = random_() & 1;
    op.params = static_cast<std::uint16_t>(random_() & 1 ? 0 : kBlockRows);
    common(op);
    if (residual) {
      op.residual = 1;
      second(op);
      op.zero1 = byte();
      op.zero2 = byte();
      op.scalars = entry(3);
      ordered(op.mid_min, op.mid_max);
    }
    return op.encode();
  }

  /// As VECTOR runs it.
  static isa::Instruction vector(const RandomKernel& kernel) {
    isa::Vector op;
    op.entry = static_cast<std::uint16_t>(kernel.entry);
    std::uint32_t isa::Vector::*const arguments[] = {&isa::Vector::arg0, &isa::Vector::arg1,  &isa::Vector::arg2,
                                                     &isa::Vector::arg3, &isa::Vector::arg4,  &isa::Vector::arg5,
                                                     &isa::Vector::arg6, &isa::Vector::arg7,  &isa::Vector::arg8,
                                                     &isa::Vector::arg9, &isa::Vector::arg10, &isa::Vector::arg11};
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) op.*arguments[i] = kernel.arguments[i];
    return op.encode();
  }

 private:
  /// Kernels one behind the other, between words of any kind, at which one without an end may stop.
  void fill_kernels(std::vector<kernel::Word>& memory) {
    constexpr int kLongest = 200;
    whole_.clear();
    broken_.clear();
    for (auto& word : memory) word = random_();
    std::size_t next = static_cast<std::size_t>(below(100));
    while (whole_.size() < 4 || broken_.empty()) {
      const bool broken = whole_.size() == 4;
      RandomKernel kernel = broken ? generate_.make_broken() : generate_.make();
      kernel.entry = static_cast<std::uint32_t>(next);
      std::copy(kernel.words.begin(), kernel.words.end(), memory.begin() + static_cast<std::ptrdiff_t>(next));
      if (steps_of(memory, kernel.entry, kernel.arguments, kLongest) == kLongest) continue;
      next += kernel.words.size() + static_cast<std::size_t>(below(3));
      (broken ? broken_ : whole_).push_back(kernel);
    }
  }

  /// One of the kernels. One that is whole works near the latest rows, half of the time.
  isa::Instruction vector(const std::vector<RandomKernel>& kernels) {
    RandomKernel kernel = kernels[static_cast<std::size_t>(below(static_cast<int>(kernels.size())))];
    std::uint32_t& base = kernel.arguments[RandomVectorKernels::kScratchBase];
    if (&kernels == &whole_) {
      if (random_() & 1) base = static_cast<std::uint32_t>(std::min(near_, sizes_.block_rows - 90));
      near_ = static_cast<int>(base);
    }
    return vector(kernel);
  }

  int table_rows(bool words) const { return (words ? 4 * kernel::kTableWords : 256) / sizes_.dim; }

  static void put_word(std::int8_t* bytes, std::int32_t value) {
    for (int b = 0; b < 4; ++b) bytes[b] = static_cast<std::int8_t>(value >> (8 * b));
  }
  std::int32_t multiplier() {
    return below(8) ? static_cast<std::int32_t>(0x40000000u | (random_() & 0x3fffffff))
                    : static_cast<std::int32_t>(random_() & 0x7fffffff);
  }
  std::int8_t shift() { return static_cast<std::int8_t>(below(4) ? -below(16) : below(62) - 31); }
  std::uint16_t entry(int count) {
    return static_cast<std::uint16_t>(kScalarRow + 2 * below(kScalarEntries - count + 1));
  }

  template <typename Op>
  void size(Op& op) {
    op.out_height = static_cast<std::uint16_t>(1 + below(5));
    op.out_width = static_cast<std::uint16_t>(1 + below(9));
  }
  /// Base and stride of a plane of out_height x out_width rows among the `room` scratchpad rows that start at `from`:
  /// at the latest rows, half of the time, so that commands see each other's results.
  template <typename Op>
  std::pair<std::uint16_t, std::uint16_t> plane(const Op& op, int from, int room) {
    const int stride = op.out_width + below(4);
    const int rows = (op.out_height - 1) * stride + op.out_width;
    const bool near = near_ >= from && near_ + rows <= from + room && (random_() & 1);
    return {static_cast<std::uint16_t>(near ? near_ : from + below(room - rows + 1)),
            static_cast<std::uint16_t>(stride)};
  }
  template <typename Op>
  void destination(Op& op) {
    std::tie(op.dst, op.dst_stride) = plane(op, dst_, sizes_.scratch_rows / 2);
    near_ = op.dst;
  }
  template <typename Op>
  void first(Op& op) {
    std::tie(op.src, op.src_stride) = plane(op, src_, sizes_.scratch_rows / 2);
  }
  template <typename Op>
  void second(Op& op) {
    std::tie(op.src2, op.src2_stride) = plane(op, src_, sizes_.scratch_rows / 2);
  }
  template <typename Op>
  std::uint16_t acc_base(const Op& op) {
    return static_cast<std::uint16_t>(below(sizes_.acc_rows - op.out_height * op.out_width + 1));
  }
  void ordered(std::int8_t& low, std::int8_t& high) {
    low = random_() & 1 ? -128 : byte();
    high = random_() & 1 ? 127 : byte();
    if (low > high) std::swap(low, high);
  }
  template <typename Op>
  void common(Op& op) {
    op.rounding = static_cast<std::uint8_t>(below(3));
    op.zero_point = byte();
    ordered(op.clamp_min, op.clamp_max);
  }

  isa::Instruction drain32() {
    isa::Drain32 op;
    size(op);
    op.src = acc_base(op);
    std::tie(op.dst, op.dst_stride) = plane(op, dst_, sizes_.scratch_rows / 8);
    op.plane_stride = static_cast<std::uint16_t>(sizes_.scratch_rows / 8);
    return op.encode();
  }
  isa::Instruction preload() {
    isa::Preload op;
    size(op);
    op.dst = acc_base(op);
    std::tie(op.src, op.src_stride) = plane(op, src_, sizes_.scratch_rows / 8);
    op.plane_stride = static_cast<std::uint16_t>(sizes_.scratch_rows / 8);
    return op.encode();
  }
  template <typename Op>
  Op pool() {
    Op op;
    size(op);
    destination(op);
    ordered(op.clamp_min, op.clamp_max);
    op.in_height = static_cast<std::uint16_t>(1 + below(8));
    op.in_width = static_cast<std::uint16_t>(1 + below(8));
    op.src_stride = static_cast<std::uint16_t>(op.in_width + below(3));
    op.src = static_cast<std::uint16_t>(src_ + below(sizes_.scratch_rows / 2 - op.in_height * op.src_stride));
    op.y0 = static_cast<std::int16_t>(below(6) - 4);
    op.x0 = static_cast<std::int16_t>(below(6) - 4);
    op.kernel_h = static_cast<std::uint8_t>(1 + below(3));
    op.kernel_w = static_cast<std::uint8_t>(1 + below(3));
    op.stride_h = static_cast<std::uint8_t>(1 + below(3));
    op.stride_w = static_cast<std::uint8_t>(1 + below(3));
    op.dilation_h = static_cast<std::uint8_t>(1 + below(3));
    op.dilation_w = static_cast<std::uint8_t>(1 + below(3));
    return op;
  }
  isa::Instruction average() {
    auto op = pool<isa::Avgpool>();
    op.count_padding = random_() & 1;
    op.zero1 = byte();
    common(op);
    op.scalars = entry(10);
    return op.encode();
  }
  isa::Instruction add() {
    isa::Add op;
    size(op);
    first(op);
    second(op);
    destination(op);
    if (below(4) == 0) {  // in place
      op.dst = op.src;
      op.dst_stride = op.src_stride;
      op.src2 = static_cast<std::uint16_t>(dst_);
      op.src2_stride = op.out_width;
    }
    common(op);
    op.zero1 = byte();
    op.zero2 = byte();
    op.scalars = entry(3);
    return op.encode();
  }
  isa::Instruction multiply() {
    isa::Multiply op;
    size(op);
    first(op);
    second(op);
    destination(op);
    common(op);
    op.zero1 = byte();
    op.zero2 = byte();
    op.scalars = entry(1);
    return op.encode();
  }
  isa::Instruction map() {
    isa::Map op;
    size(op);
    first(op);
    destination(op);
    op.table = random_() & 1;
    ordered(op.clamp_min, op.clamp_max);
    return op.encode();
  }

  VectorSizes sizes_;
  std::mt19937_64& random_;
  RandomVectorKernels generate_;
  std::vector<RandomKernel> whole_, broken_;
  int src_ = 0, dst_ = 0;
  int near_ = 0;  ///< where the latest command has written
};

}  // namespace systole::test
