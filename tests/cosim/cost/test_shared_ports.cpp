// SPDX-License-Identifier: Apache-2.0
// The vector unit beside the matrix unit, which goes first at the ports that both use: the cost model tells how long
// the vector unit waits, from the share of cycles in which a CONV uses them.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "command_times.hpp"
#include "cores.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::test {
namespace {

constexpr int kTiles = 60;

class SharedPorts : public ::testing::TestWithParam<std::string> {
 protected:
  SharedPorts() {
    core_.load(kernel::assemble("kernel k(from, strips)\nvector x\nloop strips\n  move x, i8[from]\nend\nend\n").words);
  }

  int dim() const { return core_.configuration().dim; }
  int bank() const { return core_.configuration().scratch_rows / 8; }
  int half() const { return core_.configuration().acc_rows / 2; }

  /// Reads bank 0 of the scratchpad, reads and writes accumulators, with `positions` of every max(positions, DIM)
  /// cycles.
  isa::Instruction conv(int positions) const {
    isa::Conv conv;
    conv.accumulate = 1;
    conv.in_width = conv.out_width = static_cast<std::uint16_t>(positions);
    conv.blocks = kTiles;
    return conv.encode();
  }

  isa::Instruction kernel(int from) const {
    isa::Vector vector;
    vector.arg0 = static_cast<std::uint32_t>(from);
    vector.arg1 = 10;
    return vector.encode();
  }

  isa::Instruction preload(int row) const {
    isa::Preload preload;
    preload.src = static_cast<std::uint16_t>(2 * bank());
    preload.plane_stride = 20;
    preload.dst = static_cast<std::uint16_t>(row);
    preload.out_width = 16;
    return preload.encode();
  }

  isa::Instruction drain32(int row) const {
    isa::Drain32 drain;
    drain.src = static_cast<std::uint16_t>(row);
    drain.dst = static_cast<std::uint16_t>(2 * bank());
    drain.plane_stride = 20;
    drain.out_width = 16;
    return drain.encode();
  }

  /// How long the command takes beside a CONV.
  void expect_near(const char* what, const isa::Instruction& command, double relative, int absolute) {
    for (const int positions : {1, dim() / 2, dim() - 1, dim(), 2 * dim()}) {
      const std::vector<isa::Instruction> commands{conv(std::min(positions, half() - 16)), command};
      const auto measured = static_cast<double>(core_.measured(commands)[1]);
      const auto predicted = static_cast<double>(core_.predicted(commands)[1]);
      fmt::print("{}, {} positions: {} predicted, {} measured\n", what, positions, predicted, measured);
      EXPECT_NEAR(predicted, measured, relative * measured + absolute);
    }
  }

  CommandTimes core_{GetParam().c_str()};
};

TEST_P(SharedPorts, OfBanks) {
  expect_near("a kernel that reads the bank", kernel(bank() / 2), 0.05, 8);
  expect_near("a kernel that reads another", kernel(bank()), 0, 0);
}

TEST_P(SharedPorts, OfAccumulators) {
  expect_near("PRELOAD", preload(half() - 16), 0, 1);
  expect_near("DRAIN32", drain32(half() - 16), 0.15, 2);
}

INSTANTIATE_TEST_SUITE_P(Cores, SharedPorts, ::testing::ValuesIn(built_among({"tiny", "default"})),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace systole::test
