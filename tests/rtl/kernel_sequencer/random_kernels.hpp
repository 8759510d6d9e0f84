// SPDX-License-Identifier: Apache-2.0
// Random micro-instructions and kernels of them that end soon.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "systole/kernel.hpp"

namespace systole::test {

class RandomKernels {
 public:
  explicit RandomKernels(std::uint64_t seed) : rng(seed) {}

  /// A number below `bound`.
  std::uint32_t pick(std::uint32_t bound) { return static_cast<std::uint32_t>(rng() % bound); }

  /// A legal word for the lanes.
  kernel::Word vector_word() {
    using namespace kernel;
    const OpInfo* info = nullptr;
    do {
      info = &kOperations[pick(std::size(kOperations))];
    } while (info->group != Group::kVector1 && info->group != Group::kVector2 && info->group != Group::kLanes);
    Word word = with(0, kOpField, static_cast<std::uint32_t>(info->op));
    const bool store = info->group != Group::kLanes && pick(4) == 0;
    word = store ? with(word, kStoreField, 1) : with(word, kDField, pick(kVectors));
    bool memory = store, immediate = false;
    const auto source = [&](const Field& field, const Field& kind) {
      const auto from = static_cast<Source>(pick(memory ? 3 : 4));
      memory |= from == Source::kMemory;
      immediate |= from == Source::kImmediate;
      word = with(word, kind, static_cast<std::uint32_t>(from));
      if (from == Source::kVector || from == Source::kScalar) word = with(word, field, pick(16));
    };
    if (info->group == Group::kLanes) {
      word = with(word, kAField, pick(kVectors));
    } else if (pick(2)) {  // which of the sources may be in memory
      source(kAField, kAKindField);
      if (info->group == Group::kVector2) source(kBField, kBKindField);
    } else {
      if (info->group == Group::kVector2) source(kBField, kBKindField);
      source(kAField, kAKindField);
    }
    if (immediate) word = with(word, kImmediateField, pick(1 << 16));
    if (memory) {
      const auto format = static_cast<Format>(pick(5));
      word = with(word, kFormatField, static_cast<std::uint32_t>(format));
      word = with(word, kBaseField, pick(kScalars));
      word = with(word, kRowStrideField, pick(2) ? pick(kScalars) : 0);
      if (format == Format::kI16 || format == Format::kI32) {
        word = with(word, kPlaneStrideField, pick(2) ? pick(kScalars) : 0);
      }
    }
    if (info->op == Op::kShiftRound) word = with(word, kRoundingField, pick(2));
    return word;
  }

  /// A legal word that writes a scalar, none of those that hold loop counts.
  kernel::Word scalar_word() {
    using namespace kernel;
    constexpr Op kOps[] = {Op::kSet, Op::kAddWide, Op::kAdd, Op::kSub};
    const Op op = kOps[pick(4)];
    Word word = with(with(0, kOpField, static_cast<std::uint32_t>(op)), kDField, pick(kFirstCount));
    if (op != Op::kSet) word = with(word, kAField, pick(kScalars));
    if (op == Op::kAdd || op == Op::kSub) word = with(word, kBField, pick(kScalars));
    if (op == Op::kSet || op == Op::kAddWide) word = with(word, kWideField, interesting());
    return word;
  }

  /// A whole kernel. Loops may be in one level too many, be empty or end behind the loop around them.
  std::vector<kernel::Word> kernel_words() {
    std::vector<kernel::Word> words;
    statements(words, 0, 2 + pick(8));
    words.push_back(kernel::with(0, kernel::kOpField, static_cast<std::uint32_t>(kernel::Op::kEnd)));
    return words;
  }

  /// A word of a kernel changed in one to three bits, so that it is illegal.
  kernel::Word spoilt(kernel::Word word) {
    kernel::Word result = word;
    while (kernel::illegal(result).empty()) {
      result = word;
      for (std::uint32_t flips = 1 + pick(3); flips != 0; --flips) result ^= kernel::Word{1} << pick(64);
    }
    return result;
  }

  /// A word that uses no bit wrongly and yet is illegal: by its operands in memory.
  kernel::Word contradiction() {
    using namespace kernel;
    Word word = with(0, kOpField, static_cast<std::uint32_t>(Op::kIadd) + pick(8));
    word = with(word, kAKindField, static_cast<std::uint32_t>(Source::kMemory));
    switch (pick(3)) {
      case 0: return with(with(word, kStoreField, 1), kBField, pick(kVectors));
      case 1:
        return with(with(word, kBKindField, static_cast<std::uint32_t>(Source::kMemory)), kDField, pick(kVectors));
      default: return with(with(word, kFormatField, 6 + pick(2)), kDField, pick(kVectors));
    }
  }

  /// A value near the borders of what the sequencer looks at, or any.
  std::uint32_t interesting() {
    constexpr std::uint32_t kValues[] = {0, 1, 7, 8, 9, 16, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8};
    return pick(3) == 0 ? static_cast<std::uint32_t>(rng()) : kValues[pick(std::size(kValues))];
  }

  std::mt19937_64 rng;

 private:
  static constexpr std::uint32_t kFirstCount = 12;  ///< scalars from here on hold the counts of loops, one per level

  void statements(std::vector<kernel::Word>& words, std::uint32_t level, std::uint32_t count) {
    using namespace kernel;
    for (; count != 0; --count) {
      const std::uint32_t kind = pick(10);
      if (kind < 4) {
        words.push_back(vector_word());
      } else if (kind < 6) {
        words.push_back(scalar_word());
      } else if (kind < 7) {
        words.push_back(with(with(0, kOpField, static_cast<std::uint32_t>(Op::kRows)), kAField, pick(kScalars)));
      } else if (level < kLoopDepth || (level == kLoopDepth && pick(12) == 0)) {
        loop(words, level);
      }
    }
  }

  void loop(std::vector<kernel::Word>& words, std::uint32_t level) {
    using namespace kernel;
    const std::uint32_t scalar = kFirstCount + level % 4;
    const std::uint32_t runs = pick(6) == 0 ? 0 : pick(8) == 0 ? 0x80000000 + pick(3) : 1 + pick(level < 2 ? 3 : 2);
    Word set = with(with(0, kOpField, static_cast<std::uint32_t>(Op::kSet)), kDField, scalar);
    words.push_back(with(set, kWideField, runs));
    const std::size_t at = words.size();
    words.push_back(0);
    statements(words, level + 1, 1 + pick(4));
    std::size_t length = words.size() - at - 1;
    if (length == 0 && pick(20) != 0) {
      words.push_back(vector_word());
      length = 1;
    }
    if (pick(60) == 0) length += 1 + pick(4);
    if (pick(400) == 0) length = pick(1 << 16);
    Word begin = with(with(0, kOpField, static_cast<std::uint32_t>(Op::kLoop)), kAField, scalar);
    words[at] = with(begin, kImmediateField, static_cast<std::uint32_t>(length));
  }
};

}  // namespace systole::test
