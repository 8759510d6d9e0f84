// SPDX-License-Identifier: Apache-2.0
#include "kernel_content.hpp"

#include <algorithm>

namespace systole::analysis {
namespace {

using Count = std::int64_t;

constexpr std::size_t kWordBytes = sizeof(kernel::Word);

isa::Opcode opcode_of(const isa::Instruction& instruction) {
  return static_cast<isa::Opcode>(isa::get(instruction, 0, 8));
}

bool loads_kernel(const isa::Instruction& instruction) {
  return opcode_of(instruction) == isa::Opcode::kLoad &&
         isa::Load::decode(instruction).space == static_cast<std::uint8_t>(isa::Space::kKernel);
}

}  // namespace

KernelContent::KernelContent(const std::vector<isa::Instruction>& program, const Configuration& configuration,
                             const AddressWindows& windows, const KnownMemory& known)
    : configuration_(configuration),
      windows_(windows),
      known_(known),
      loads_kernels_(std::any_of(program.begin(), program.end(), loads_kernel)),
      words_(known.kernels) {
  words_.resize(kernel::kMemoryWords, kernel::kUnknownWord);
  if (!loads_kernels_) {
    return;
  }
  for (const isa::Instruction& instruction : program) {
    if (loads_kernel(instruction)) {
      add_sources(isa::Load::decode(instruction));
    }
  }
  for (const kernel::Word word : words_) {
    for (std::size_t byte = 0; byte < kWordBytes; ++byte) {
      bytes_.push_back({static_cast<std::uint8_t>(word >> 8 * byte), word != kernel::kUnknownWord});
    }
  }
}

void KernelContent::execute(const isa::Instruction& instruction) {
  const isa::Opcode opcode = opcode_of(instruction);
  if (opcode == isa::Opcode::kEnd && isa::End::decode(instruction).clear != 0) {
    std::fill(bytes_.begin(), bytes_.end(), Byte{0, true});
    std::fill(words_.begin(), words_.end(), 0);
  } else if (loads_kernel(instruction)) {
    load(isa::Load::decode(instruction));
  } else if (opcode == isa::Opcode::kStore && loads_kernels_) {
    store(isa::Store::decode(instruction));
  }
}

void KernelContent::add_sources(const isa::Load& op) {
  constexpr Count kWindow = Count{1} << 32;
  Count first = op.src, last = op.src;
  for (const Count way : {(Count{op.count1} - 1) * op.src_stride1, (Count{op.count0} - 1) * op.src_stride0}) {
    first += std::min<Count>(0, way);
    last += std::max<Count>(0, way);
  }
  if (first < 0 || last >= kWindow) {  // offsets wrap around
    first = 0;
    last = kWindow - 1;
  }
  const std::uint64_t base = windows_[op.window].base;
  sources_begin_ = std::min(sources_begin_, base + static_cast<std::uint64_t>(first));
  sources_end_ = std::max(sources_end_, base + static_cast<std::uint64_t>(last) + op.run_bytes);
}

void KernelContent::load(const isa::Load& op) {
  const Count dim = configuration_.dim;
  std::vector<std::uint8_t> run(op.run_bytes);
  for (Count i1 = 0; i1 < op.count1; ++i1) {
    for (Count i0 = 0; i0 < op.count0; ++i0) {
      const bool inside = op.valid_from <= i0 && i0 < op.valid_to;
      const auto offset = static_cast<std::uint32_t>(op.src + i1 * op.src_stride1 + i0 * op.src_stride0);
      const bool known = inside && read(std::uint64_t{windows_[op.window].base} + offset, run);
      for (Count p = 0; p < op.pieces; ++p) {
        for (Count b = 0; b < op.slot_bytes; ++b) {
          const Count from = op.piece_start + p * op.piece_step + b, lane = op.lane + b;
          const bool present = inside && b < op.piece_bytes && 0 <= from && from < op.run_bytes;
          const auto row = static_cast<std::uint16_t>(op.dst + i1 * op.dst_stride1 + i0 * op.dst_stride0 +
                                                      p * op.dst_piece + lane / dim * op.dst_block);
          bytes_.at(static_cast<std::size_t>(row * dim + lane % dim)) =
              present ? Byte{run[static_cast<std::size_t>(from)], known}
                      : Byte{static_cast<std::uint8_t>(op.fill), true};
        }
      }
    }
  }
  update_words();
}

void KernelContent::store(const isa::Store& op) {
  for (Count i1 = 0; i1 < op.count1; ++i1) {
    for (Count i0 = 0; i0 < op.count0; ++i0) {
      const auto offset = static_cast<std::uint32_t>(op.dst + i1 * op.dst_stride1 + i0 * op.dst_stride0);
      const std::uint64_t begin = std::uint64_t{windows_[op.window].base} + offset;
      const std::uint64_t end = begin + std::uint64_t{op.pieces} * op.piece_bytes;
      if (begin < sources_end_ && sources_begin_ < end) {
        stored_.assign(begin, end, 1);
      }
    }
  }
}

bool KernelContent::read(std::uint64_t address, std::vector<std::uint8_t>& to) const {
  return known_.device && !stored_.first_above(address, address + to.size(), 0) &&
         known_.device(address, to.size(), to.data());
}

void KernelContent::update_words() {
  for (std::size_t w = 0; w < words_.size(); ++w) {
    words_[w] = 0;
    for (std::size_t byte = 0; byte < kWordBytes; ++byte) {
      const Byte& from = bytes_[w * kWordBytes + byte];
      words_[w] |= from.known ? kernel::Word{from.value} << 8 * byte : kernel::kUnknownWord;
    }
  }
}

}  // namespace systole::analysis
