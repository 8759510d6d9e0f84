// SPDX-License-Identifier: Apache-2.0
// Random kernels and arguments: every operation, source, format and loop form; most stay inside the memories.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "systole/kernel_sequencer.hpp"

namespace systole::test {

struct RandomKernel {
  std::vector<kernel::Word> words;
  std::uint32_t entry = 0;
  kernel::Arguments arguments{};
};

/// As text, for messages.
inline std::string text_of(const RandomKernel& kernel) {
  std::string text;
  for (std::size_t i = 0; i < kernel.words.size(); ++i) {
    const kernel::Word word = kernel.words[i];
    text += fmt::format("{:4} {:016x} {}\n", kernel.entry + i, word,
                        kernel::illegal(word).empty() ? kernel::disassemble(word) : kernel::illegal(word));
  }
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) text += fmt::format("r{} {:#x}\n", i, kernel.arguments[i]);
  return text;
}

/// Vector operations of the kernel at `entry`; more than `limit`, or very many others, count as `limit`.
inline int steps_of(const std::vector<kernel::Word>& memory, std::uint32_t entry, const kernel::Arguments& arguments,
                    int limit) {
  constexpr std::uint32_t kMostWords = 20000;
  kernel::Sequencer sequencer(memory, entry, arguments);
  int steps = 0;
  try {
    while (steps < limit && sequencer.next() != nullptr) ++steps;
  } catch (const kernel::KernelFault&) {}
  return sequencer.executed() < kMostWords ? steps : limit;
}

class RandomVectorKernels {
 public:
  // What the scalars hold: of those from kValue on, values that no address and no count depends on.
  static constexpr std::uint32_t kScratchBase = 0, kOtherBase = 1, kAccBase = 2, kRowStride = 3, kPlaneStride = 4;
  static constexpr std::uint32_t kCount = 5, kOtherCount = 6, kRows = 7, kValue = 8, kFloat = 11;

  RandomVectorKernels(int scratch_rows, int acc_rows, std::uint64_t seed)
      : scratch_rows_(scratch_rows), acc_rows_(acc_rows), random_(seed) {}

  /// A kernel that ends. All that it reads has been written before or lies in a memory.
  RandomKernel make() {
    RandomKernel kernel = empty();
    block(kernel.words, 8 + below(40), 0);
    kernel.words.push_back(op_word(kernel::Op::kEnd));
    return kernel;
  }

  /// A kernel that probably cannot go on: rows beyond a memory, damaged words, or no end.
  RandomKernel make_broken() {
    RandomKernel kernel = make();
    switch (below(4)) {
      case 0: kernel.arguments[kScratchBase] = static_cast<std::uint32_t>(scratch_rows_ - below(8)); break;
      case 1: kernel.arguments[kAccBase] = static_cast<std::uint32_t>(acc_rows_ - below(4)); break;
      case 2: kernel.words[random_() % kernel.words.size()] ^= kernel::Word{1} << below(64); break;
      default: kernel.words.back() = random_(); break;
    }
    return kernel;
  }

  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }

 private:
  static kernel::Word op_word(kernel::Op op) {
    return kernel::with(0, kernel::kOpField, static_cast<std::uint32_t>(op));
  }

  RandomKernel empty() {
    RandomKernel kernel;
    kernel.entry = static_cast<std::uint32_t>(below(100));
    auto& a = kernel.arguments;
    // A strip of four planes reaches 7 * 4 + 3 * 19 rows far, which is below 90.
    a[kScratchBase] = static_cast<std::uint32_t>(below(scratch_rows_ / 2 - 80));
    a[kOtherBase] = static_cast<std::uint32_t>(scratch_rows_ / 2 + below(scratch_rows_ / 2 - 90));
    a[kAccBase] = static_cast<std::uint32_t>(below(acc_rows_ / 4));
    a[kRowStride] = static_cast<std::uint32_t>(below(5));
    a[kPlaneStride] = static_cast<std::uint32_t>(below(20));
    a[kCount] = static_cast<std::uint32_t>(below(4) - 1);
    a[kOtherCount] = static_cast<std::uint32_t>(1 + below(2));
    a[kRows] = static_cast<std::uint32_t>(below(11) - 1);
    for (std::size_t i = kValue; i < kFloat; ++i) a[i] = static_cast<std::uint32_t>(random_()) >> below(32);
    a[kFloat] = 0x3f800000U + (static_cast<std::uint32_t>(random_()) & 0x83ffffffU);
    return kernel;
  }

  void block(std::vector<kernel::Word>& words, int statements, int depth) {
    while (statements-- > 0) {
      const int kind = below(16);
      if (kind == 0 && depth < kernel::kLoopDepth && statements > 0) {
        std::vector<kernel::Word> body;
        block(body, 1 + below(std::min(statements, 6)), depth + 1);
        kernel::Word loop = kernel::with(op_word(kernel::Op::kLoop), kernel::kAField, depth < 2 ? kCount : kOtherCount);
        words.push_back(kernel::with(loop, kernel::kImmediateField, static_cast<std::uint32_t>(body.size())));
        words.insert(words.end(), body.begin(), body.end());
      } else if (kind == 1) {
        words.push_back(kernel::with(op_word(kernel::Op::kRows), kernel::kAField, below(3) ? kRows : kOtherCount));
      } else if (kind < 4) {
        words.push_back(scalar());
      } else {
        words.push_back(vector());
      }
    }
  }

  /// Changes a value, which no address depends on.
  kernel::Word scalar() {
    static constexpr kernel::Op kOps[] = {kernel::Op::kSet, kernel::Op::kAddWide, kernel::Op::kAdd, kernel::Op::kSub};
    const kernel::Op op = kOps[below(4)];
    kernel::Word word = kernel::with(op_word(op), kernel::kDField, kValue + number_below(8));
    if (op != kernel::Op::kSet) word = kernel::with(word, kernel::kAField, static_cast<std::uint32_t>(below(16)));
    if (op == kernel::Op::kSet || op == kernel::Op::kAddWide) {
      return kernel::with(word, kernel::kWideField, static_cast<std::uint32_t>(random_()) >> below(32));
    }
    return kernel::with(word, kernel::kBField, static_cast<std::uint32_t>(below(16)));
  }

  kernel::Word vector() {
    const kernel::OpInfo* info = nullptr;
    do {
      info = &kernel::kOperations[static_cast<std::size_t>(below(static_cast<int>(std::size(kernel::kOperations))))];
    } while (info->group != kernel::Group::kVector1 && info->group != kernel::Group::kVector2 &&
             info->group != kernel::Group::kLanes);
    kernel::Word word = op_word(info->op);
    if (info->group == kernel::Group::kLanes) {
      word = kernel::with(word, kernel::kAField, number());
      return kernel::with(word, kernel::kDField, number());
    }
    const bool store = below(5) == 0;
    bool memory = store;
    word = source(word, kernel::kAField, kernel::kAKindField, memory);
    if (info->group == kernel::Group::kVector2) word = source(word, kernel::kBField, kernel::kBKindField, memory);
    if (store) {
      word = kernel::with(word, kernel::kStoreField, 1);
    } else {
      word = kernel::with(word, kernel::kDField, number());
    }
    if (memory) word = place(word);
    if (info->op == kernel::Op::kShiftRound) word = kernel::with(word, kernel::kRoundingField, number());
    return word;
  }

  std::uint32_t number_below(int bound) { return static_cast<std::uint32_t>(below(bound)); }

  /// A vector register most of the time, of the few that are used most.
  std::uint32_t number() { return static_cast<std::uint32_t>(below(4) ? below(4) : below(16)); }

  kernel::Word source(kernel::Word word, const kernel::Field& field, const kernel::Field& kind, bool& memory) {
    const int choice = below(8);
    if (choice == 0 && !memory) {
      memory = true;
      return kernel::with(word, kind, static_cast<std::uint32_t>(kernel::Source::kMemory));
    }
    if (choice == 1) {
      word = kernel::with(word, kind, static_cast<std::uint32_t>(kernel::Source::kScalar));
      return kernel::with(word, field, kValue + number_below(8));
    }
    if (choice == 2) {
      word = kernel::with(word, kind, static_cast<std::uint32_t>(kernel::Source::kImmediate));
      return kernel::with(word, kernel::kImmediateField, static_cast<std::uint32_t>(random_()) >> below(32));
    }
    return kernel::with(word, field, number());
  }

  kernel::Word place(kernel::Word word) {
    const auto format = static_cast<kernel::Format>(below(6));
    const bool acc = format == kernel::Format::kAcc;
    word = kernel::with(word, kernel::kFormatField, static_cast<std::uint32_t>(format));
    word = kernel::with(word, kernel::kBaseField, acc ? kAccBase : below(2) ? kScratchBase : kOtherBase);
    word = kernel::with(word, kernel::kRowStrideField, below(2) ? kRowStride : 0);
    if (format == kernel::Format::kI16 || format == kernel::Format::kI32) {
      word = kernel::with(word, kernel::kPlaneStrideField, below(2) ? kPlaneStride : 0);
    }
    return word;
  }

  int scratch_rows_, acc_rows_;
  std::mt19937_64 random_;
};

}  // namespace systole::test
