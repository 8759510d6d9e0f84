// SPDX-License-Identifier: Apache-2.0
// The options of `systole kernel`, and arrays as planes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "exit_codes.hpp"
#include "kernel_planes.hpp"
#include "npy.hpp"
#include "program_fixture.hpp"

namespace systole::cli {
namespace {

using graph::ElementType;
using testing::HasSubstr;

TEST(ParseWord, TakesWhatTheAssemblerTakes) {
  EXPECT_EQ(parse_word("13"), 13u);
  EXPECT_EQ(parse_word("-1"), 0xFFFFFFFFu);
  EXPECT_EQ(parse_word("4294967295"), 0xFFFFFFFFu);
  EXPECT_EQ(parse_word("0x5f3759df"), 0x5F3759DFu);
  EXPECT_EQ(parse_word("010"), 10u);
  EXPECT_EQ(parse_word("0.5"), std::bit_cast<std::uint32_t>(0.5F));
  EXPECT_EQ(parse_word("-1.0e-5"), std::bit_cast<std::uint32_t>(-1.0e-5F));
  for (const char* text : {"", "x", "1e5", "4294967296", "-2147483649", "1.5x", "0.1.2", "nan", " 1", "--1"}) {
    EXPECT_FALSE(parse_word(text)) << text;
  }
}

class KernelCalls : public ProgramTest {
 protected:
  KernelCalls() : ProgramTest("systole_kernel_call") {
    npy::write(path("x.npy"), graph::make_value<std::int8_t>(ElementType::kInt8, {2, 3}, {1, 2, 3, 4, 5, 6}));
    npy::write(path("f.npy"), graph::make_value<float>(ElementType::kFloat32, {2, 2}, {1, 2, 3, 4}));
    npy::write(path("l.npy"), graph::make_value<std::int64_t>(ElementType::kInt64, {2, 3}, {1, 2, 3, 4, 5, 6}));
  }

  /// The text of the error; empty without one.
  std::string error_of(const KernelOptions& options) {
    try {
      call_ = read_call(kernel_, options);
      return {};
    } catch (const InputError& error) {
      return error.what();
    }
  }

  const kernel::Kernel kernel_ = kernel::assemble("kernel k(x, y, n)\nend\n");
  KernelCall call_;
};

TEST_F(KernelCalls, ReadArraysAndNumbers) {
  ASSERT_EQ(error_of({{"acc:y=" + path("f.npy")}, {"x=o:1.npy:2x5x3:uint8"}, {}, {"n=0.5"}, {}}), "");
  ASSERT_EQ(call_.operands.size(), 2u);
  EXPECT_EQ(call_.operands[0].name, "x");
  EXPECT_EQ(call_.operands[0].output, "o:1.npy");
  EXPECT_EQ(call_.operands[0].type, ElementType::kUint8);
  EXPECT_EQ(call_.operands[0].rows(), 10);
  EXPECT_EQ(call_.operands[0].channels(), 3);
  EXPECT_TRUE(call_.operands[1].sums);
  EXPECT_FALSE(call_.operands[1].is_result());
  EXPECT_EQ(call_.values.at("n"), std::bit_cast<std::uint32_t>(0.5F));
}

TEST_F(KernelCalls, TakeShapesFromOtherOptions) {
  ASSERT_EQ(error_of({{"x=" + path("x.npy")}, {"x=o.npy"}, {"y=" + path("x.npy")}, {"n=1"}, {}}), "");
  EXPECT_TRUE(call_.operands[0].is_result() && call_.operands[0].input);
  EXPECT_TRUE(call_.operands[1].is_result() && !call_.operands[1].input);
  // NumPy computes in int64; where all values are small, that is what is expected.
  ASSERT_EQ(error_of({{"x=" + path("x.npy")}, {"y=o.npy:2x3:int8"}, {"y=" + path("l.npy")}, {"n=1"}, {}}), "");
  EXPECT_EQ(call_.operands[1].expected->type, ElementType::kInt8);
}

TEST_F(KernelCalls, NameWhatIsWrong) {
  const std::string x = "x=" + path("x.npy"), f = path("f.npy");
  EXPECT_THAT(error_of({{x}, {}, {}, {"n=1"}, {}}), HasSubstr("argument 'y' of k has no value; give a number"));
  EXPECT_THAT(error_of({{"z=" + path("x.npy")}, {}, {}, {}, {}}), HasSubstr("k has no argument 'z'; it has x, y, n"));
  EXPECT_THAT(error_of({{"x"}, {}, {}, {}, {}}), HasSubstr("--in: 'x' is not NAME=FILE.npy"));
  EXPECT_THAT(error_of({{x, x}, {}, {}, {}, {}}), HasSubstr("--in: 'x' is given twice"));
  EXPECT_THAT(error_of({{x}, {"y=o.npy"}, {}, {"n=1"}, {}}), HasSubstr("--out y: has no shape and type; write"));
  EXPECT_THAT(error_of({{x}, {"y=o.npy:2x0:int8"}, {}, {}, {}}), HasSubstr("'o.npy:2x0:int8' is not FILE.npy:SHAPE"));
  EXPECT_THAT(error_of({{x}, {"y=o.npy:2x3:int9"}, {}, {}, {}}), HasSubstr("int8, uint8, int16, int32, float32"));
  EXPECT_THAT(error_of({{x}, {"x=o.npy:3x2:int8"}, {}, {}, {}}), HasSubstr("is 3x2 int8, but 2x3 int8 by an option"));
  EXPECT_THAT(error_of({{"acc:" + x}, {}, {}, {}, {}}), HasSubstr("accumulators hold int32 and float32"));
  EXPECT_THAT(error_of({{"x=" + path("l.npy")}, {}, {}, {}, {}}), HasSubstr("is an array of int64; a kernel takes"));
  EXPECT_THAT(error_of({{"x=/nowhere.npy"}, {}, {}, {}, {}}), HasSubstr("--in x: /nowhere.npy"));
  EXPECT_THAT(error_of({{x}, {}, {}, {"x=1"}, {}}), HasSubstr("--arg x: the argument is the row of an array"));
  EXPECT_THAT(error_of({{x}, {}, {}, {"n=1e5"}, {}}), HasSubstr("'1e5' is neither an integer from -2147483648"));
  EXPECT_THAT(error_of({{}, {}, {}, {}, f}), HasSubstr("is 2x2 float32; the table has 256 words"));
}

TEST(PlanesOf, HoldEveryByteOnce) {
  KernelOperand operand;
  operand.type = ElementType::kInt16;
  operand.shape = {3, 5};
  const Planes planes(operand, 4);
  EXPECT_EQ(planes.blocks, 2);
  EXPECT_EQ(planes.all_rows(), 12);
  graph::Bytes array(30);
  for (std::size_t i = 0; i < array.size(); ++i) {
    array[i] = static_cast<std::uint8_t>(i + 1);
  }
  const graph::Bytes rows = planes.split(array);
  ASSERT_EQ(rows.size(), 48u);
  // Row 1 has the bytes 11 to 20: two planes of the first four channels, then one channel and zeros.
  EXPECT_EQ(graph::Bytes(rows.begin() + 4, rows.begin() + 8), (graph::Bytes{11, 12, 13, 14}));
  EXPECT_EQ(graph::Bytes(rows.begin() + 16, rows.begin() + 20), (graph::Bytes{15, 16, 17, 18}));
  EXPECT_EQ(graph::Bytes(rows.begin() + 28, rows.begin() + 32), (graph::Bytes{19, 20, 0, 0}));
  EXPECT_EQ(planes.join(rows), array);
}

}  // namespace
}  // namespace systole::cli
