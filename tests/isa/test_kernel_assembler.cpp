// SPDX-License-Identifier: Apache-2.0
// The assembler of kernels: encodings by hand, every error, and words that survive the way through their text.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>

#include "systole/kernel.hpp"

namespace systole::kernel {
namespace {

/// A kernel of one statement on named registers.
Word word_of(const std::string& statement) {
  const Kernel kernel =
      assemble("kernel test(first, second, third)\nscalar s3, s4\nvector x, y, z\n" + statement + "\nend\n");
  EXPECT_EQ(kernel.words.size(), 2U);
  return kernel.words[0];
}

std::string error_of(const std::string& text) {
  try {
    assemble(text, "file");
  } catch (const AssemblyError& error) {
    return error.what();
  }
  return "none";
}

std::string error_of_statement(const std::string& statement) {
  return error_of("kernel test(first, second)\nvector x, y\n" + statement + "\nend\n");
}

TEST(KernelAssembler, EncodesEachGroup) {
  EXPECT_EQ(word_of("rows second"), 0x402U);
  EXPECT_EQ(word_of("set s3, -2"), 0xfffffffe000000c3U);
  EXPECT_EQ(word_of("set s3, 0.5"), 0x3f000000000000c3U);
  EXPECT_EQ(word_of("add first, second, 5"), 0x0000000500000404U);
  EXPECT_EQ(word_of("sub first, second, 5"), 0xfffffffb00000404U);
  EXPECT_EQ(word_of("add first, second, third"), 0x8405U);
  EXPECT_EQ(word_of("iadd y, x, z"), 24U | 1U << 6 | 2U << 14);
  EXPECT_EQ(word_of("iadd y, second, -1"), 24U | 1U << 6 | 1U << 10 | 1U << 18 | 2U << 20 | Word{0xffff} << 48);
  EXPECT_EQ(word_of("shift_round.even y, x, z"), 37U | 1U << 6 | 2U << 14 | 1U << 23);
  EXPECT_EQ(word_of("move y, i16[second, third, s3]"),
            16U | 1U << 6 | 3U << 18 | 2U << 24 | 1U << 27 | Word{2} << 31 | Word{3} << 35);
  EXPECT_EQ(word_of("move acc[second], y"), 16U | 1U << 10 | 1U << 22 | 4U << 24 | 1U << 27);
  EXPECT_EQ(word_of("sum_lanes z, y"), 56U | 2U << 6 | 1U << 10);
}

TEST(KernelAssembler, LoopsKnowTheirLength) {
  const Kernel kernel = assemble(
      "kernel nest(n, at)  # a comment\n"
      "vector x\n"
      "loop n\n"
      "  loop n\n"
      "    iadd x, x, 1\n"
      "  end\n"
      "  add at, at, 1\n"
      "end\n"
      "\n"
      "end\n");
  EXPECT_EQ(kernel.name, "nest");
  EXPECT_EQ(kernel.arguments, (std::vector<std::string>{"n", "at"}));
  ASSERT_EQ(kernel.words.size(), 5U);
  EXPECT_EQ(get(kernel.words[0], kImmediateField), 3U);
  EXPECT_EQ(get(kernel.words[1], kImmediateField), 1U);
  EXPECT_EQ(kernel.lines, (std::vector<int>{3, 4, 5, 7, 10}));
}

TEST(KernelAssembler, NamesTheLineAndTheRemedy) {
  EXPECT_EQ(error_of(""), "file:0: no kernel; a source begins with: kernel NAME(ARGUMENT, ...)");
  EXPECT_EQ(error_of("iadd x, y, z"), "file:1: a source begins with: kernel NAME(ARGUMENT, ...)");
  EXPECT_EQ(error_of("kernel a()\n"), "file:1: the kernel has no 'end'");
  EXPECT_EQ(error_of("kernel a(n)\nloop n\nrows n\n"), "file:3: the loop of line 2 has no 'end'");
  EXPECT_EQ(error_of("kernel a()\nend\nend\n"),
            "file:3: a statement behind the end of the kernel; a source has one kernel");
  EXPECT_EQ(error_of("kernel a(n)\nloop n\nend\nend\n"), "file:3: the loop of line 2 is empty");
  EXPECT_EQ(error_of("kernel a(1st)\nend\n"),
            "file:1: '1st' is no name; a name is a letter or _, then letters, digits and _");
  EXPECT_EQ(error_of("kernel a(n, n)\nend\n"), "file:1: there are two registers 'n'");
  EXPECT_EQ(error_of("kernel a(r3)\nend\n"), "file:1: 'r3' names a register by its number already");
  EXPECT_EQ(error_of("kernel a(a,b,c,d,e,f,g,h,i,j,k,l,m)\nend\n"), "file:1: more than 12 arguments");
  EXPECT_EQ(error_of("kernel a()\nvector a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q\nend\n"),
            "file:2: 'q': there are 16 vector registers");
  EXPECT_EQ(error_of("kernel a(n)\nloop n\nloop n\nloop n\nloop n\nloop n\n"), "file:6: loops in more than 4 levels");
}

TEST(KernelAssembler, RefusesStatements) {
  EXPECT_EQ(error_of_statement("divide x, x, y"),
            "file:3: there is no operation 'divide'; isa/spec/pages/kernel.md lists them");
  EXPECT_EQ(error_of_statement("IADD x, x, y"),
            "file:3: there is no operation 'IADD'; isa/spec/pages/kernel.md lists them");
  EXPECT_EQ(error_of_statement("iadd.even x, x, y"), "file:3: 'iadd.even': only shift_round has .even");
  EXPECT_EQ(error_of_statement("iadd x, y"), "file:3: 'iadd' has 2 operands; it needs 3");
  EXPECT_EQ(error_of_statement("iadd x, y, w"),
            "file:3: 'w' is no register, constant or memory operand; name it with: vector w or scalar w");
  EXPECT_EQ(error_of_statement("iadd x, y, (x)"), "file:3: '(x)' is no register, constant or memory operand");
  EXPECT_EQ(error_of_statement("iadd x, v16, y"),
            "file:3: 'v16' is no register, constant or memory operand; vector registers are v0 to v15");
  EXPECT_EQ(error_of_statement("rows r16"), "file:3: 'r16' is no register; scalar registers are r0 to r15");
  EXPECT_EQ(error_of_statement("fmul x, x, -0.1"), "file:3: '-0.1' is no integer; put it into a scalar with set");
  for (const char* statement : {"loop 20", "rows 20", "move x, i8[20]", "move x, i8[first, 20]", "add first, 20, 20"}) {
    EXPECT_EQ(error_of_statement(statement),
              "file:3: '20' is a number; a scalar register is needed: put the number into one with set");
  }
  EXPECT_EQ(error_of_statement("iadd 5, x, y"), "file:3: '5' is a number; a vector register is needed");
  EXPECT_EQ(error_of_statement("move x"), "file:3: 'move' has 1 operand; it needs 2");
  EXPECT_EQ(error_of_statement("iadd w, y, y"), "file:3: 'w' is no register; name it with: vector w");
  EXPECT_EQ(error_of_statement("iadd first, y, y"),
            "file:3: 'first' is a scalar register; a vector register is needed");
  EXPECT_EQ(error_of_statement("rows x"), "file:3: 'x' is a vector register; a scalar register is needed");
  EXPECT_EQ(error_of_statement("iadd x, y, 40000"),
            "file:3: 40000 does not fit 16 bits; put it into a scalar with set");
  EXPECT_EQ(error_of_statement("set first, 0x100000000"), "file:3: 0x100000000 does not fit 32 bits");
  EXPECT_EQ(error_of_statement("set first, five"), "file:3: 'five' is no constant; a constant is -5, 0x1f or 0.5");
  EXPECT_EQ(error_of_statement("iadd x, 1, 2"), "file:3: two different constants; put one into a scalar with set");
  EXPECT_EQ(error_of_statement("iadd x, i8[first], i8[first]"),
            "file:3: 'i8[first]': a second operand in memory; only one may be");
  EXPECT_EQ(error_of_statement("iadd i8[first], i8[first], x"),
            "file:3: 'i8[first]': a second operand in memory; only one may be");
  EXPECT_EQ(
      error_of_statement("move x, i64[first]"),
      "file:3: 'i64[first]' is no memory operand; it is FORMAT[BASE, ROW STRIDE, PLANE STRIDE] with the format i8, "
      "u8, i16, i32 or acc");
  EXPECT_EQ(error_of_statement("move x, i8[first, second, second]"),
            "file:3: 'i8[first, second, second]' has 3 registers; i8 has 1 to 2");
  EXPECT_EQ(error_of_statement("move x, i8[second, first]"),
            "file:3: 'first': scalar 0 cannot hold a stride, because 0 stands for a stride of 1; use another scalar");
  EXPECT_EQ(error_of("kernel a(n)\nloop n\nrows n\nend all\nend\n"), "file:4: 'all' behind 'end'");
}

TEST(KernelAssembler, NamesFormats) {
  const std::string named = "kernel a(n, m)\nformat of_n i16\nvector x\nmove x, of_n[n, 1, m]\nend\n";
  const auto plain = [](const char* operand) {
    return assemble(fmt::format("kernel a(n, m)\nvector x\nmove x, {}\nend\n", operand)).words;
  };
  EXPECT_EQ(assemble(named).words, plain("i16[n, 1, m]"));
  EXPECT_EQ(assemble(named, "file", {{"of_n", Format::kI32}, {"other", Format::kI8}}).words, plain("i32[n, 1, m]"));
  EXPECT_EQ(assemble(named, "file", {{"of_n", Format::kU8}}).words, plain("u8[n]")) << "no plane stride";
  EXPECT_EQ(error_of_statement("format of_n"),
            "file:3: '' is no format; after 'format of_n' comes i8, u8, i16, i32 or acc");
  EXPECT_EQ(error_of_statement("format of_n i64"),
            "file:3: 'i64' is no format; after 'format of_n' comes i8, u8, i16, i32 or acc");
  EXPECT_EQ(error_of_statement("format i8 i16"), "file:3: 'i8' is a format already");
  EXPECT_EQ(error_of_statement("format 8 i16"),
            "file:3: '8' is no name; a name is a letter or _, then letters, digits and _");
  EXPECT_EQ(error_of("kernel a()\nformat f i8\nformat f i16\nend\n"), "file:3: there are two formats 'f'");
}

TEST(KernelAssembler, RefusesALongKernel) {
  std::string text = "kernel a(n)\n";
  for (int i = 0; i < kMemoryWords; ++i) {
    text += "rows n\n";
  }
  EXPECT_EQ(error_of(text + "end\n"), "file:1026: the kernel has more than 1024 words");
}

TEST(KernelAssembler, RefusesDamagedText) {
  const std::string text =
      "kernel copy(src, dst, n)\nvector x\nloop n\nmove x, i16[src, 1, n]\nshift_round.even i8[dst, n], x, 3\n"
      "add src, src, 0x10\nend\nend\n";
  static constexpr char kCharacters[] = "abx01,.[]()#\n -_";
  std::mt19937_64 random(1);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = text;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
      const std::size_t at = random() % damaged.size();
      switch (random() % 3) {
        case 0: damaged.erase(at, 1 + random() % 5); break;
        case 1: damaged.insert(at, 1, kCharacters[random() % (sizeof kCharacters - 1)]); break;
        default: damaged[at] = kCharacters[random() % (sizeof kCharacters - 1)];
      }
    }
    const std::string error = error_of(damaged);
    refused += error == "none" ? 0 : 1;
    EXPECT_TRUE(error == "none" || std::regex_match(error, std::regex(R"(file:\d+: [^\n]+)"))) << error;
  }
  EXPECT_GT(refused, 10'000);
}

TEST(KernelWords, AreLegalOrNameTheirFault) {
  EXPECT_EQ(illegal(0), "");
  EXPECT_EQ(illegal(63), "there is no operation 63");
  EXPECT_EQ(illegal(1U << 6), "end: bits 0x0000000000000040 are not used and must be zero");
  const Word loads = word_of("iadd x, y, i8[first]");
  EXPECT_EQ(illegal(with(with(loads, kStoreField, 1), kDField, 0)),
            "iadd: a source and the result are in memory; only one may be");
  EXPECT_EQ(illegal(with(with(loads, kAKindField, 3), kAField, 0)),
            "iadd: both sources are in memory; only one may be");
  EXPECT_EQ(illegal(with(loads, kFormatField, 6)), "iadd: there is no memory format 6");
  EXPECT_EQ(illegal(with(word_of("sum_lanes x, y"), kStoreField, 1)),
            "sum_lanes: its result goes to a register, not to memory");
}

/// Any legal word, as text and back.
TEST(KernelWords, SurviveTheirText) {
  std::mt19937_64 random(1);
  int legal = 0;
  for (int i = 0; i < 3'000'000; ++i) {
    Word word = random();
    // Unused fields are zero in half of the words, so that enough of them are legal.
    for (const Field& field : {kImmediateField, kRowStrideField, kPlaneStrideField, kBaseField, kFormatField, kBField,
                               kStoreField, kRoundingField, Field{"", 39, 9}}) {
      if (random() % 2 == 0) {
        word = with(word, field, 0);
      }
    }
    if (!illegal(word).empty() || get(word, kOpField) <= static_cast<std::uint32_t>(Op::kLoop)) {
      continue;
    }
    ++legal;
    ASSERT_EQ(assemble("kernel a()\n" + disassemble(word) + "\nend\n").words[0], word) << disassemble(word);
  }
  EXPECT_GT(legal, 3000);
}

TEST(KernelWords, TellWhetherTheyReadWhatIsInRegisters) {
  const auto reads = [](const char* statements) {
    const std::string names = "kernel a(first, second)\nvector x, y\n";
    return reads_before_writing(assemble(names + statements + "\nend\n").words);
  };
  EXPECT_FALSE(reads("move x, i8[first]\niadd y, x, first\nsum_lanes x, y\nmove i8[second], x"));
  EXPECT_TRUE(reads("move i8[second], x"));
  EXPECT_TRUE(reads("iadd x, first, y"));
  EXPECT_TRUE(reads("sum_lanes x, y"));
  EXPECT_TRUE(reads("move i8[second], 1\niadd i8[second], 0, x")) << "memory is no register";
  EXPECT_FALSE(reads("add first, second, first\nmove x, first")) << "scalars are no vector registers";
}

TEST(KernelWords, LoopAndEndAreShown) {
  EXPECT_EQ(disassemble(0), "end");
  EXPECT_EQ(disassemble(with(with(Word{1}, kAField, 3), kImmediateField, 12)), "loop r3, 12 words");
  EXPECT_EQ(disassemble(63), "illegal 0x000000000000003f");
}

}  // namespace
}  // namespace systole::kernel
