// SPDX-License-Identifier: Apache-2.0
// The depthwise unit with memories in C++, and the formula of the DEPTHWISE page.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "block_model.hpp"
#include "systole/generated/isa.hpp"

namespace systole::test {

struct Fault {
  unsigned code;
  std::uint32_t address;
};

/// Probabilities per cycle, in percent: that a command is offered, that the weight ring answers, that a command may
/// begin, that the scratchpad is not used by another engine.
struct Chances {
  int offer = 100, ring = 100, go = 100, scratchpad = 100;
};

template <class Model, int kDim>
class DepthwiseBench {
 public:
  static constexpr int kScratchRows = 768;
  static constexpr int kWeightRows = 256;
  static constexpr int kAccRows = 512;

  explicit DepthwiseBench(std::uint64_t seed)
      : rng(seed), scratch(kScratchRows * kDim), weights(kWeightRows * kDim), acc(kAccRows * kDim) {
    for (auto& v : scratch) v = static_cast<std::int8_t>(rng());
    for (auto& v : weights) v = static_cast<std::int8_t>(rng());
    for (auto& v : acc) v = static_cast<std::int32_t>(rng());
    expected = acc;
    reset();
  }

  void reset() {
    top.rst_ni = 0;
    top.cmd_valid_i = 0;
    for (int i = 0; i < 4; ++i) cycle({});
    top.rst_ni = 1;
    written.clear();
  }

  int pick(int low, int high) { return low + static_cast<int>(rng() % static_cast<unsigned>(high - low + 1)); }
  bool chance(int percent) { return pick(0, 99) < percent; }

  /// Runs the commands in order, or until `limit` cycles. Returns the cycles taken.
  int run(const std::vector<isa::Depthwise>& commands, const Chances& chances = {}, int limit = 1 << 20) {
    std::size_t offered = 0;
    const int first = cycles;
    const unsigned goal = done + static_cast<unsigned>(commands.size());
    while (done < goal && !fault && cycles - first < limit) {
      if (!top.cmd_valid_i && offered < commands.size() && chance(chances.offer)) {
        const auto instruction = commands[offered].encode();
        std::memcpy(&top.cmd_instr_i, instruction.words.data(), 64);
        top.cmd_valid_i = 1;
      }
      top.eval();
      const bool taken = top.cmd_valid_i && top.cmd_ready_o;
      cycle(chances);
      if (taken) {
        top.cmd_valid_i = 0;
        ++offered;
      }
    }
    return cycles - first;
  }

  void idle(int count) {
    for (int i = 0; i < count; ++i) cycle({});
  }

  /// The page in plain loops, on the expected accumulators.
  void reference(const isa::Depthwise& c) {
    const int positions = c.out_height * c.out_width;
    const int taps = c.kernel_h * c.kernel_w;
    for (int kb = 0; kb < c.blocks; ++kb) {
      expected_steps += block_steps(c);
      for (int p = 0; p < positions; ++p) {
        std::int32_t* sums = &expected[static_cast<std::size_t>(c.acc_row + kb * positions + p) * kDim];
        for (int n = 0; n < kDim; ++n) {
          std::uint32_t sum = c.accumulate ? static_cast<std::uint32_t>(sums[n]) : 0;
          for (int t = 0; t < taps; ++t) {
            const int y = c.y0 + p / c.out_width * c.stride_h + t / c.kernel_w;
            const int x = c.x0 + p % c.out_width * c.stride_w + t % c.kernel_w;
            const bool inside = y >= 0 && y < c.in_height && x >= 0 && x < c.in_width;
            const int row = (c.act_row + kb * c.plane_stride + y * c.row_stride + x) & 0xffff;
            const int a =
                inside ? scratch[static_cast<std::size_t>(row) * kDim + static_cast<std::size_t>(n)] : c.pad_value;
            const int ring = (c.weight_row + kb * taps + t) % kWeightRows;
            sum += static_cast<std::uint32_t>(
                a * weights[static_cast<std::size_t>(ring) * kDim + static_cast<std::size_t>(n)]);
          }
          sums[n] = static_cast<std::int32_t>(sum);
        }
      }
      const int height =
          std::min<int>(c.in_height, c.y0 + (c.out_height - 1) * c.stride_h + c.kernel_h) - std::max<int>(c.y0, 0);
      const int width =
          std::min<int>(c.in_width, c.x0 + (c.out_width - 1) * c.stride_w + c.kernel_w) - std::max<int>(c.x0, 0);
      expected_reads += std::max(height, 0) * std::max(width, 0);
    }
  }

  /// Positions of the raster for one block: the contract of tpu_depthwise_setup and tpu_depthwise_raster.
  static int block_steps(const isa::Depthwise& c) {
    const int dy = std::clamp<int>(-c.y0, 0, c.kernel_h - 1);
    const int dx = std::clamp<int>(-c.x0, 0, c.kernel_w - 1);
    const int span = (c.out_width - 1) * c.stride_w + 1;
    const int edge = std::clamp(c.x0 + span - 1 + c.kernel_w, 0, int{c.in_width});
    const int pitch = std::max({3, span, edge == 0 ? 0 : edge - (c.x0 + dx)});
    return ((c.out_height - 1) * c.stride_h + c.kernel_h - 1 - dy) * pitch + span + c.kernel_w - 1 - dx;
  }

  BlockModel<Model> top;
  std::mt19937_64 rng;
  std::vector<std::int8_t> scratch, weights;
  std::vector<std::int32_t> acc, expected;
  unsigned done = 0;
  std::optional<Fault> fault;
  int cycles = 0, steps = 0, expected_steps = 0, reads = 0, expected_reads = 0, weight_waits = 0;
  int first_step = -1;

 private:
  void cycle(const Chances& chances) {
    top.wt_rd_ready_i = chance(chances.ring);
    top.go_i = chance(chances.go);
    top.hold_i = !chance(chances.scratchpad);
    top.sums_left_i = static_cast<std::uint8_t>(chance(chances.go) ? 0 : pick(1, 30));
    top.clk_i = 0;
    top.eval();
    // Sample what the rising edge will see, then give the memories' answers behind it.
    const bool read = top.rd_valid_o, weight_read = top.wt_rd_valid_o && top.wt_rd_ready_i, mac = top.mac_valid_o;
    const unsigned row = top.rd_row_o, weight_row = top.wt_rd_row_o, mac_row = top.mac_row_o;
    const bool accumulate = top.mac_accumulate_o;
    std::int32_t sums[kDim];
    std::memcpy(sums, &top.mac_data_o, sizeof sums);
    if (top.rst_ni) {
      first_step = first_step < 0 && top.step_o ? cycles : first_step;
      steps += top.step_o;
      reads += read;
      weight_waits += top.wait_weights_o;
      done += mac && top.mac_last_o;
      EXPECT_TRUE(!read || top.step_o);
      EXPECT_FALSE(top.hold_i && top.step_o) << "a position in a cycle that is another's";
      if (top.fault_o) fault = Fault{top.fault_code_o, top.fault_addr_o};
    }
    top.clk_i = 1;
    top.eval();
    ++cycles;
    // A response is valid for one cycle.
    std::array<std::int8_t, kDim> noise;
    for (auto& v : noise) v = static_cast<std::int8_t>(rng());
    std::memcpy(&top.rd_data_i, noise.data(), kDim);
    std::memcpy(&top.wt_rd_data_i, noise.data(), kDim);
    if (!top.rst_ni) return;
    if (read) {
      ASSERT_LT(row, static_cast<unsigned>(kScratchRows));
      std::memcpy(&top.rd_data_i, &scratch[row * kDim], kDim);
    }
    if (weight_read) std::memcpy(&top.wt_rd_data_i, &weights[weight_row * kDim], kDim);
    if (mac) {
      ASSERT_LT(mac_row, static_cast<unsigned>(kAccRows));
      const auto before = written.find(mac_row);
      EXPECT_TRUE(before == written.end() || cycles - before->second >= 4)
          << "row " << mac_row << " before its sum is written";
      written[mac_row] = cycles;
      for (int n = 0; n < kDim; ++n) {
        auto& a = acc[mac_row * kDim + static_cast<unsigned>(n)];
        a = static_cast<std::int32_t>((accumulate ? static_cast<std::uint32_t>(a) : 0u) +
                                      static_cast<std::uint32_t>(sums[n]));
      }
    }
  }

  std::map<unsigned, int> written;  // row and cycle
};

}  // namespace systole::test
