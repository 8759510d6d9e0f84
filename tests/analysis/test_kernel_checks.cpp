// SPDX-License-Identifier: Apache-2.0
// VECTOR in the checkers: what is known of its kernel, what it accesses, and with what it races.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "handwritten_program.hpp"
#include "systole/kernel.hpp"
#include "systole/legality.hpp"
#include "systole/races.hpp"

namespace systole {
namespace {

using isa::Space;
using namespace test;

const Configuration& kConfiguration = kConfigurations[0];  // tiny: two rows a word
constexpr int kWordRows = 2;
constexpr std::uint32_t kKernelAt = 0x2000;

/// Copies a strip: word 0 reads rows src .. src+7, word 1 writes rows dst .. dst+7, word 2 ends.
const char* const kCopy = "kernel copy(src, dst)\nvector x\nmove x, i8[src]\nmove i8[dst], x\nend\n";

class Kernels : public ::testing::Test {
 protected:
  /// LOAD of the kernel to a word of the kernel memory; its source goes to device memory.
  isa::Load load_kernel(const std::string& text, int word = 0, std::uint32_t address = kKernelAt) {
    const std::vector<kernel::Word> words = kernel::assemble(text).words;
    const std::size_t bytes = words.size() * sizeof words[0];
    if (device_.size() < address + bytes) {
      device_.resize(address + bytes);
    }
    std::memcpy(&device_[address], words.data(), bytes);
    isa::Load op = load_row(Space::kKernel, word * kWordRows, address);
    op.run_bytes = op.piece_step = op.piece_bytes = op.slot_bytes = static_cast<std::uint16_t>(bytes);
    op.dst_block = 1;
    return op;
  }
  static isa::Vector vector(int entry, std::uint32_t arg0 = 0, std::uint32_t arg1 = 0, std::uint32_t arg2 = 0) {
    isa::Vector op;
    op.entry = static_cast<std::uint16_t>(entry);
    op.arg0 = arg0;
    op.arg1 = arg1;
    op.arg2 = arg2;
    return op;
  }
  std::string refusal(const Program& p) {
    const auto refusal = check_program(p.commands, kConfiguration, open_windows(), known_);
    return refusal ? refusal->problem : "";
  }
  std::optional<Race> races(const Program& p) {
    return check_races(p.commands, kConfiguration, open_windows(), known_);
  }
  /// Two commands behind the LOAD of a kernel, without an order between them, race at a place; with one they do not.
  template <typename First, typename Second>
  void expect_conflict(const isa::Load& load, const First& first, const Second& second, Memory memory,
                       std::uint64_t place) {
    const auto program = [&](bool ordered) {
      Program p;
      p << load << isa::End{} << (ordered ? signalling(first, 7) : first) << (ordered ? waiting(second, 7) : second)
        << isa::End{};
      return p;
    };
    const auto race = races(program(false));
    ASSERT_TRUE(race);
    EXPECT_EQ(race->first, 2u);
    EXPECT_EQ(race->second, 3u);
    EXPECT_EQ(race->memory, memory) << race->text();
    EXPECT_EQ(race->place, place) << race->text();
    const auto none = races(program(true));
    EXPECT_FALSE(none) << none->text();
    EXPECT_EQ(refusal(program(true)), "");
  }

  std::vector<std::uint8_t> device_;
  KnownMemory known_{[this](std::uint64_t address, std::size_t bytes, void* to) {
                       if (address + bytes > device_.size()) {
                         return false;
                       }
                       std::memcpy(to, &device_[address], bytes);
                       return true;
                     },
                     {}};
};

TEST_F(Kernels, MustBeKnown) {
  const isa::Load load = load_kernel(kCopy);
  EXPECT_EQ(refusal(Program() << load << vector(0, 10, 30)), "");
  EXPECT_EQ(refusal(Program() << vector(0, 10, 30)),
            "runs word 0 of the kernel memory, whose content this check does not know");
  EXPECT_EQ(refusal(Program() << load << vector(3)),
            "runs word 3 of the kernel memory, whose content this check does not know");
  EXPECT_EQ(refusal(Program() << store_row(5, kKernelAt + 20) << load << vector(0, 10, 30)).substr(0, 11),
            "runs word 0")
      << "the program itself has written the kernel's source";
  EXPECT_EQ(refusal(Program() << load << store_row(5, kKernelAt + 20) << vector(0, 10, 30)), "");
  known_.kernels = kernel::assemble(kCopy).words;
  EXPECT_EQ(refusal(Program() << vector(0, 10, 30)), "");
  known_.device = nullptr;
  EXPECT_EQ(refusal(Program() << load << vector(0, 10, 30)).substr(0, 11), "runs word 0");
  EXPECT_TRUE(check_program((Program() << vector(0)).commands, kConfiguration, open_windows()));
}

/// The words come one by one, the last first; the program has written the first, or memory beside the kernel.
TEST_F(Kernels, AreUnknownWhereAnyRunReadsWhatWasStored) {
  isa::Load words = load_kernel(kCopy, 2, kKernelAt + 2 * sizeof(kernel::Word));
  load_kernel(kCopy);
  words.run_bytes = words.piece_step = words.piece_bytes = words.slot_bytes = sizeof(kernel::Word);
  words.count0 = words.valid_to = 3;
  words.src_stride0 = -static_cast<int>(sizeof(kernel::Word));
  words.dst_stride0 = -kWordRows;
  EXPECT_EQ(refusal(Program() << words << vector(0, 10, 30)), "");
  EXPECT_EQ(refusal(Program() << store_row(5, kKernelAt - 4) << words << vector(0, 10, 30)), "");
  EXPECT_EQ(refusal(Program() << store_row(5, kKernelAt + 24) << words << vector(0, 10, 30)), "");
  EXPECT_EQ(refusal(Program() << store_row(5, kKernelAt + 4) << words << vector(0, 10, 30)).substr(0, 11),
            "runs word 0");
}

TEST_F(Kernels, AreKnownByTheByte) {
  isa::Load half = load_kernel(kCopy);
  half.run_bytes = half.piece_bytes = half.slot_bytes = 20;  // but for half of the last word
  EXPECT_EQ(refusal(Program() << half << vector(0, 10, 30)).substr(0, 11), "runs word 2");
  isa::Load rest;  // its upper bytes are zeros
  rest.space = static_cast<std::uint8_t>(Space::kKernel);
  rest.slot_bytes = 4;
  rest.dst = 5;
  EXPECT_EQ(refusal(Program() << half << rest << vector(0, 10, 30)), "");
  rest.fill = 1;
  EXPECT_EQ(refusal(Program() << half << rest << vector(0, 10, 30)),
            "kernel word 2: end: bits 0x0101010100000000 are not used and must be zero");
  isa::End end;
  end.clear = 1;
  EXPECT_EQ(refusal(Program() << half << end << vector(0, 10, 30)), "") << "zeros: the kernel is only its end";
}

TEST_F(Kernels, ThatFailAreRefused) {
  const isa::Load load = load_kernel("kernel k(often)\nloop often\n  rows often\nend\nend\n");
  EXPECT_EQ(refusal(Program() << load << vector(0, 1000)), "");
  EXPECT_EQ(refusal(Program() << load << vector(0, 0x7fffffff)),
            "kernel word 1: the kernel does not end within 1048576 words");
  EXPECT_EQ(refusal(Program() << vector(1024)), "kernel word 1024: the kernel memory has 1024 words");
  EXPECT_EQ(refusal(Program() << load_kernel(kCopy) << vector(0, 953, 0)), "reads scratchpad row 960; there are 960");
  EXPECT_EQ(refusal(Program() << load_kernel(kCopy) << vector(0, 0, 65535)),
            "writes scratchpad row 65535; there are 960");
  EXPECT_EQ(refusal(Program() << load_kernel("kernel k(a)\nmove acc[a], 0\nend\n") << vector(0, 57)),
            "writes accumulator row 64; there are 64");
  EXPECT_EQ(refusal(Program() << load_row(Space::kKernel, 2048)), "writes kernel row 2048; there are 2048");
}

TEST_F(Kernels, AreCheckedForSoManyWords) {
  const Program p = Program() << load_kernel(kCopy) << vector(0, 10, 30) << vector(0, 10, 30);  // three words each
  EXPECT_FALSE(check_program(p.commands, kConfiguration, open_windows(), known_, 6));
  const auto refusal = check_program(p.commands, kConfiguration, open_windows(), known_, 5);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->index, 2U);
  EXPECT_EQ(refusal->problem, "with the VECTORs before it, executes 6 words of kernels; at most 5 are checked");
}

TEST_F(Kernels, RaceWithTheirLoad) {
  const isa::Load load = load_kernel(kCopy);
  const isa::Load again = load_kernel(kCopy, 2);  // over the last word
  expect_conflict(load, vector(0, 10, 30), again, Memory::kKernels, 4);
  known_.kernels = kernel::assemble(kCopy).words;
  expect_conflict(load, load, vector(0, 10, 30), Memory::kKernels, 0);
  // The next kernel is loaded beside the one that runs.
  EXPECT_FALSE(races(Program() << load << isa::End{} << vector(0, 10, 30) << load_kernel(kCopy, 3) << isa::End{}));
}

TEST_F(Kernels, RaceForRows) {
  const isa::Load load = load_kernel(kCopy);
  expect_conflict(load, load_row(Space::kScratch, 17), vector(0, 10, 30), Memory::kScratchpad, 17);
  expect_conflict(load, vector(0, 10, 30), load_row(Space::kScratch, 10), Memory::kScratchpad, 10);
  expect_conflict(load, vector(0, 10, 30), store_row(37), Memory::kScratchpad, 37);
  expect_conflict(load, vector(0, 10, 30), conv_row(30, 0), Memory::kScratchpad, 30);
  EXPECT_FALSE(races(Program() << load << isa::End{} << vector(0, 10, 30) << store_row(38) << isa::End{}));
  const isa::Load sums = load_kernel("kernel k(a, b, rows)\nvector x\nrows rows\nmove x, acc[a, b]\nend\n");
  expect_conflict(sums, conv_row(0, 16), vector(0, 10, 3, 5), Memory::kAccumulators, 16);
}

TEST_F(Kernels, DoNotRaceWithThemselves) {
  const isa::Load load = load_kernel("kernel k(a)\nvector x\nmove i8[a], 1\nmove x, i8[a]\nmove i8[a], x\nend\n");
  EXPECT_FALSE(races(Program() << load << isa::End{} << vector(0, 10) << vector(0, 12) << map_row(10, 11)));
}

TEST_F(Kernels, ThatAreUnknownTouchEverything) {
  known_.device = nullptr;
  const Program p = Program() << vector(0) << store_row(700) << isa::End{};
  const auto race = races(p);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->place, 700u);
  EXPECT_TRUE(races(Program() << vector(0) << conv_row(0, 63) << isa::End{}));
  EXPECT_TRUE(races(Program() << load_row(Space::kKernel, 2000) << vector(0) << isa::End{}));
  EXPECT_FALSE(races(Program() << load_row(Space::kWeight, 0) << vector(0) << isa::End{}));
}

}  // namespace
}  // namespace systole
