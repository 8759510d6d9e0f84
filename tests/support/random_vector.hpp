// SPDX-License-Identifier: Apache-2.0
// Random kernels that run to their end, with the VECTOR that starts them.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "systole/generated/configuration.hpp"
#include "systole/kernel.hpp"
#include "systole/legality.hpp"

namespace systole::test {

struct RandomVector {
  std::vector<kernel::Word> words;  ///< to be placed at op.entry
  isa::Vector op;                   ///< without waits and signals
};

class RandomVectors {
 public:
  RandomVectors(const Configuration& configuration, std::uint64_t seed) : c_(configuration), random_(seed) {}

  /// All rows are inside their memories.
  RandomVector next() {
    for (;;) {
      const RandomVector drawn = draw();
      KnownMemory known;
      known.kernels.assign(kernel::kMemoryWords, kernel::kUnknownWord);
      std::copy(drawn.words.begin(), drawn.words.end(), known.kernels.begin() + drawn.op.entry);
      if (!check_program({drawn.op.encode()}, c_, AddressWindows{}, known)) {
        return drawn;
      }
    }
  }

 private:
  // What the scalars hold: rows of the scratchpad in 0 to 3.
  static constexpr std::uint32_t kSums = 4, kStride = 5, kPlane = 6, kCounts = 7, kRows = 9, kValue = 10;

  std::uint32_t pick(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  RandomVector draw() {
    RandomVector result;
    const auto scratch = [&] { return pick(static_cast<std::uint32_t>(c_.scratch_rows)); };
    result.op.arg0 = scratch();
    result.op.arg1 = scratch();
    result.op.arg2 = scratch();
    result.op.arg3 = scratch();
    result.op.arg4 = pick(static_cast<std::uint32_t>(c_.acc_rows));
    result.op.arg5 = pick(10) == 0 ? 0xffffffff : pick(4);
    result.op.arg6 = pick(20);
    result.op.arg7 = pick(4);
    result.op.arg8 = pick(10) == 0 ? 0x80000000 : 1 + pick(3);
    result.op.arg9 = pick(14);
    result.op.arg10 = static_cast<std::uint32_t>(random_());
    result.op.arg11 = pick(2) != 0 ? pick(40) : 0x3f800000 + pick(1 << 24);
    statements(result.words, 0, 1 + pick(12));
    result.words.push_back(word(kernel::Op::kEnd));
    result.op.entry = static_cast<std::uint16_t>(
        pick(static_cast<std::uint32_t>(kernel::kMemoryWords + 1) - static_cast<std::uint32_t>(result.words.size())));
    return result;
  }

  static kernel::Word word(kernel::Op op) { return kernel::with(0, kernel::kOpField, static_cast<std::uint32_t>(op)); }

  void statements(std::vector<kernel::Word>& words, std::uint32_t level, std::uint32_t count) {
    using namespace kernel;
    for (; count != 0; --count) {
      const std::uint32_t kind = pick(12);
      if (kind < 8) {
        words.push_back(vector_word());
      } else if (kind == 8) {
        words.push_back(with(word(Op::kRows), kAField, kRows));
      } else if (kind < 11) {
        words.push_back(scalar_word());
      } else if (level < 2) {
        const std::size_t at = words.size();
        words.push_back(0);
        statements(words, level + 1, 1 + pick(4));
        if (words.size() == at + 1) {
          words.push_back(vector_word());
        }
        const auto length = static_cast<std::uint32_t>(words.size() - at - 1);
        words[at] = with(with(word(Op::kLoop), kAField, kCounts + level), kImmediateField, length);
      }
    }
  }

  /// On to other rows, or other distances of them.
  kernel::Word scalar_word() {
    using namespace kernel;
    const std::uint32_t base = pick(kSums + 1), way = pick(8);
    if (way == 0) {
      return with(with(word(Op::kSet), kDField, kPlane), kWideField, pick(20));
    }
    const Word to = with(word(way == 1 ? Op::kAddWide : way == 2 ? Op::kSub : Op::kAdd), kDField, base);
    return way == 1 ? with(with(to, kAField, base), kWideField, pick(6))
                    : with(with(to, kAField, base), kBField, kStride);
  }

  kernel::Word vector_word() {
    using namespace kernel;
    const OpInfo* info = nullptr;
    do {
      info = &kOperations[pick(static_cast<std::uint32_t>(std::size(kOperations)))];
    } while (info->group != Group::kVector1 && info->group != Group::kVector2 && info->group != Group::kLanes);
    Word result = word(info->op);
    bool memory = pick(3) == 0;  // an operand in memory: the result, or one of the sources
    bool immediate = false;
    const bool store = memory;
    result = store ? with(result, kStoreField, 1) : with(result, kDField, pick(kVectors));
    const auto source = [&](const Field& field, const Field& kind) {
      const auto from = static_cast<Source>(pick(memory ? 3 : 4));
      memory = memory || from == Source::kMemory;
      immediate = immediate || from == Source::kImmediate;
      result = with(result, kind, static_cast<std::uint32_t>(from));
      if (from == Source::kVector || from == Source::kScalar) {
        result = with(result, field, from == Source::kVector ? pick(kVectors) : kValue + pick(2));
      }
    };
    if (info->group == Group::kLanes) {
      result = with(result, kAField, pick(kVectors));
    } else {
      source(kAField, kAKindField);
      if (info->group == Group::kVector2) {
        source(kBField, kBKindField);
      }
    }
    if (immediate) {
      result = with(result, kImmediateField, pick(1 << 16));
    }
    if (memory) {
      const auto format = static_cast<Format>(pick(6));
      result = with(result, kFormatField, static_cast<std::uint32_t>(format));
      result = with(result, kBaseField, format == Format::kAcc ? kSums : pick(kSums));
      result = with(result, kRowStrideField, pick(2) * kStride);
      if (format == Format::kI16 || format == Format::kI32) {
        result = with(result, kPlaneStrideField, pick(2) * kPlane);
      }
    }
    return info->op == Op::kShiftRound ? with(result, kRoundingField, pick(2)) : result;
  }

  const Configuration& c_;
  std::mt19937_64 random_;
};

}  // namespace systole::test
