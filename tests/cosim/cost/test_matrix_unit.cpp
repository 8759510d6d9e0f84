// SPDX-License-Identifier: Apache-2.0
// The matrix unit alone: the cost model is exact for CONV and DEPTHWISE, and where one follows the other.
#include <gtest/gtest.h>

#include "command_times.hpp"
#include "cores.hpp"

namespace systole::test {
namespace {

isa::Instruction conv(int positions, int blocks, int acc_row = 0) {
  isa::Conv conv;
  conv.in_width = conv.out_width = static_cast<std::uint16_t>(positions);
  conv.blocks = static_cast<std::uint16_t>(blocks);
  conv.acc_row = static_cast<std::uint16_t>(acc_row);
  return conv.encode();
}

isa::Instruction depthwise(int side, int kernel, int blocks) {
  isa::Depthwise depthwise;
  const auto size = static_cast<std::uint16_t>(side);
  depthwise.in_height = depthwise.in_width = depthwise.out_height = depthwise.out_width = depthwise.row_stride = size;
  depthwise.kernel_h = depthwise.kernel_w = static_cast<std::uint8_t>(kernel);
  depthwise.x0 = depthwise.y0 = static_cast<std::int16_t>(-(kernel / 2));
  depthwise.blocks = static_cast<std::uint16_t>(blocks);
  return depthwise.encode();
}

class MatrixUnit : public ::testing::TestWithParam<std::string> {
 protected:
  CommandTimes core_{GetParam().c_str()};
};

TEST_P(MatrixUnit, TakesThePredictedCyclesForConv) {
  for (const int positions : {1, 2, 3, 4, 7, 15, 16, 17, 30}) {
    expect_predicted(core_, {conv(positions, 1)});
    expect_predicted(core_, {conv(positions, 3)});
    expect_predicted(core_, {conv(positions, 1), conv(positions, 2, 32), conv(positions, 1), conv(positions, 2, 32)});
  }
}

TEST_P(MatrixUnit, TakesThePredictedCyclesForBlocks) {
  const auto blocks = [](int positions, int count, int acc_row = 0) {
    auto op = isa::Conv::decode(conv(positions, count, acc_row));
    op.block_float = 1;
    return op.encode();
  };
  for (const int positions : {1, 3, 7, 8, 16, 17, 30}) {
    expect_predicted(core_, {blocks(positions, 1)});
    expect_predicted(core_, {blocks(positions, 3)});
    expect_predicted(core_, {blocks(positions, 4), blocks(positions, 2, 32), blocks(positions, 4)});
  }
}

TEST_P(MatrixUnit, TakesThePredictedCyclesForDepthwise) {
  for (const int side : {1, 2, 3, 4, 5}) {
    for (const int kernel : {1, 2, 3}) {
      expect_predicted(core_, {depthwise(side, kernel, 1)});
      expect_predicted(core_, {depthwise(side, kernel, 2)});
    }
  }
  expect_predicted(core_, {depthwise(3, 3, 2), depthwise(5, 3, 1), depthwise(4, 3, 1)});
}

TEST_P(MatrixUnit, TakesThePredictedCyclesForTurns) {
  expect_predicted(core_, {conv(20, 1), depthwise(4, 3, 1), conv(20, 2), depthwise(5, 3, 1)});
  expect_predicted(core_, {conv(1, 1), depthwise(4, 3, 1), conv(1, 1, 32)});
}

INSTANTIATE_TEST_SUITE_P(Cores, MatrixUnit, ::testing::ValuesIn(built_among({"tiny", "default"})),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace systole::test
