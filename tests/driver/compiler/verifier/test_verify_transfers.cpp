// SPDX-License-Identifier: Apache-2.0
// Programs that are right, and the same with one thing wrong: a stride, a size, an address, a row, an instruction that
// is missing or comes twice.
#include "verify_transfers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "constant_bytes.hpp"
#include "kernels.hpp"
#include "systole/configurations.hpp"

namespace systole::verifier {
namespace {

constexpr int kRows = 6, kFrom = 240, kBytes = 160;  // some columns of a matrix

/// Copies a part of a matrix: a LOAD and a STORE.
class Verifier : public testing::Test {
 protected:
  Verifier() {
    compiler::Builder builder(configuration_);
    const std::int64_t from = builder.binding(kRows * kFrom), to = builder.binding(kRows * kBytes);
    builder.binding(kRows * kFrom);  // which the program neither reads nor writes
    compiler::ByteBox box;
    box.from = from + kFirst;
    box.to = to;
    box.bytes = kBytes;
    box.inner = kRows;
    box.from_inner = kFrom;
    box.to_inner = kBytes;
    compiler::move(builder, {box});
    program_ = builder.finish();
    duty_.operands = {{from, from + kRows * kFrom}};
    duty_.results = {{to, to + kRows * kBytes}};
    duty_.copies = CopiedBytes{to, {}};
    for (int row = 0; row < kRows; ++row) {
      const std::int64_t first = from + kFirst + row * kFrom;
      duty_.needs.push_back({first, first + kBytes});
      for (int byte = 0; byte < kBytes; ++byte) {
        duty_.copies->sources.push_back(first + byte);
      }
    }
  }

  std::string violation() const {
    const auto found = verify_transfers(program_, configuration_, {duty_});
    return found ? found->text : "";
  }

  template <class Op>
  void change(const std::function<void(Op&)>& change) {
    for (isa::Instruction& instruction : program_.instructions) {
      if (static_cast<isa::Opcode>(isa::get(instruction, 0, 8)) == Op::kOpcode) {
        Op op = Op::decode(instruction);
        change(op);
        instruction = op.encode();
        return;
      }
    }
    FAIL() << "no such instruction";
  }

  static constexpr int kFirst = 32;
  const Configuration configuration_ = find_configuration("default");
  Program program_;
  Duty duty_;
};

using testing::HasSubstr;

TEST_F(Verifier, AcceptsWhatIsRight) { EXPECT_EQ(violation(), ""); }

TEST_F(Verifier, FindsAWrongPitch) {
  change<isa::Load>([](isa::Load& load) { load.src_stride0 = kBytes; });
  EXPECT_THAT(violation(), HasSubstr("byte 160 of its result is address"));
  duty_.copies.reset();
  EXPECT_THAT(violation(), HasSubstr("it does not read address"));
}

TEST_F(Verifier, FindsAWrongOperand) {
  change<isa::Load>([](isa::Load& load) { load.src += kRows * kFrom; });
  duty_.copies.reset();
  EXPECT_THAT(violation(), HasSubstr("which is not in an operand"));
}

/// Nothing must be read, but what is read must be an operand.
TEST_F(Verifier, FindsAWrongOperandOfALayerThatNeedsNone) {
  duty_.needs.clear();
  duty_.copies.reset();
  EXPECT_EQ(violation(), "");
  change<isa::Load>([](isa::Load& load) { load.src += kRows * kFrom; });
  EXPECT_THAT(violation(), HasSubstr("which is not in an operand: LOAD"));
}

TEST_F(Verifier, FindsExchangedBytes) {
  change<isa::Load>([](isa::Load& load) {
    load.src += static_cast<std::uint32_t>((kRows - 1) * kFrom);
    load.src_stride0 = -kFrom;
  });
  EXPECT_THAT(violation(), HasSubstr("byte 0 of its result is address"));
}

TEST_F(Verifier, FindsAHoleInTheResult) {
  change<isa::Store>([](isa::Store& store) { --(store.pieces > 1 ? store.pieces : store.count0); });
  EXPECT_THAT(violation(), HasSubstr("it does not write address"));
}

TEST_F(Verifier, FindsWhatIsOutsideOfTheResult) {
  change<isa::Store>([](isa::Store& store) { store.dst += kRows * kBytes; });
  EXPECT_THAT(violation(), HasSubstr("which is not in its result"));
}

TEST_F(Verifier, FindsWhatIsWrittenTwice) {
  const isa::Instruction last = program_.instructions.back();
  program_.instructions.push_back(last);
  program_.label_of.push_back(program_.label_of.back());
  EXPECT_THAT(violation(), HasSubstr("of its result twice"));
}

TEST_F(Verifier, FindsRowsThatDoNotExist) {
  change<isa::Load>([&](isa::Load& load) { load.dst = static_cast<std::uint16_t>(configuration_.scratch_end() - 1); });
  EXPECT_THAT(violation(), HasSubstr("it writes scratchpad row"));
}

TEST_F(Verifier, FindsWhatNoLoadHasWritten) {
  change<isa::Store>([](isa::Store& store) { store.src += 64; });
  EXPECT_THAT(violation(), HasSubstr("what no LOAD has written"));
}

TEST_F(Verifier, FindsAnotherFill) {
  duty_.copies->sources[7] = CopiedBytes::filled(5);
  EXPECT_THAT(violation(), HasSubstr("it should be the value 5"));
}

/// Memory of a layer's own may be read and written, others may not.
TEST_F(Verifier, KnowsOwnMemory) {
  const ByteRanges result = duty_.results;
  duty_.results.clear();
  duty_.copies.reset();
  EXPECT_NE(violation(), "");
  EXPECT_FALSE(verify_transfers(program_, configuration_, {duty_}, result));
}

TEST(ByteRanges, AreSets) {
  const ByteRanges all = united({{10, 20}, {5, 10}, {30, 40}, {35, 50}, {60, 60}});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].begin, 5);
  EXPECT_EQ(all[1].end, 50);
  EXPECT_EQ(first_outside({{6, 19}, {30, 50}}, all), std::nullopt);
  EXPECT_EQ(first_outside({{4, 6}}, all), 4);
  EXPECT_EQ(first_outside({{40, 51}}, all), 50);
  EXPECT_EQ(first_outside({{19, 31}}, all), 20);
  EXPECT_EQ(first_repeated({{10, 20}, {20, 30}, {5, 10}}), std::nullopt);
  EXPECT_EQ(first_repeated({{10, 20}, {19, 30}}), 19);
}

TEST(ByteRanges, SayTheFirstByteOutside) {
  const ByteRanges all = {{5, 20}, {30, 50}};
  EXPECT_EQ(first_byte_outside({5, 20}, all), std::nullopt);
  EXPECT_EQ(first_byte_outside({60, 60}, all), std::nullopt);
  EXPECT_EQ(first_byte_outside({4, 6}, all), 4);
  EXPECT_EQ(first_byte_outside({19, 31}, all), 20);
  EXPECT_EQ(first_byte_outside({20, 31}, all), 20);
  EXPECT_EQ(first_byte_outside({40, 51}, all), 50);
  EXPECT_EQ(first_byte_outside({50, 51}, all), 50);
}

TEST(ConstantBytes, AreFoundByAddress) {
  Program program;
  program.constants = {{64, {1, 2, 3}}, {0, {}}, {0, {4, 5}}};
  const ConstantBytes constants(program);
  const std::int64_t base = program.windows()[kConstantsWindow].base;
  ASSERT_NE(constants.find(base + 65, 2), nullptr);
  EXPECT_EQ(*constants.find(base + 65, 2), 2);
  EXPECT_EQ(*constants.find(base, 2), 4);
  EXPECT_EQ(constants.find(base + 65, 3), nullptr);
  EXPECT_EQ(constants.find(base + 2, 1), nullptr);
  EXPECT_EQ(constants.find(base - 1, 1), nullptr);
  EXPECT_EQ(constants.ranges().size(), 2U);
}

/// Moves ask for each byte that they copy from a constant: going through all constants each time would take minutes.
TEST(ConstantBytes, AreFoundAmongMany) {
  constexpr int kConstants = 100'000, kBytes = 16;
  Program program;
  for (int i = 0; i < kConstants; ++i) {
    program.constants.push_back(
        {64 * static_cast<std::uint64_t>(i), std::vector<std::uint8_t>(kBytes, static_cast<std::uint8_t>(i % 251))});
  }
  const ConstantBytes constants(program);
  const std::int64_t base = program.windows()[kConstantsWindow].base;
  int found = 0;
  for (int i = 0; i < kConstants; ++i) {
    for (int byte = 0; byte < kBytes; ++byte) {
      const std::uint8_t* at = constants.find(base + std::int64_t{64} * i + byte, 1);
      found += at != nullptr && *at == i % 251 ? 1 : 0;
    }
  }
  EXPECT_EQ(found, kConstants * kBytes);
}

}  // namespace
}  // namespace systole::verifier
