// SPDX-License-Identifier: Apache-2.0
// The scratchpad with its five ports and a model of its rows, those of exponents included. The model computes every
// grant independently and the expected result of each read.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

namespace systole::test {

enum Port { kMxuRead, kVpuRead, kStoreRead, kVpuWrite, kLoadWrite, kPorts };

template <class Model, int kDim, int kRowCount>
class ScratchpadBench {
 public:
  using Row = std::array<std::uint8_t, kDim>;
  static constexpr int kRows = kRowCount;
  static constexpr int kBankRows = kRows / 8;
  static constexpr int kBlockLanes = kDim < 16 ? kDim : 16;
  static constexpr int kParts = kDim / kBlockLanes;  ///< exponents of a row
  static constexpr int kEnd = kRows + kRows / kBlockLanes;

  struct Request {
    bool valid = false;
    int row = 0;
    Row data{};
    std::uint64_t mask = 0;
    bool blocks = false;  ///< of the MXU's and the VPU's ports: with the exponents of the row
    std::array<std::uint8_t, kParts> exponents{};
  };

  explicit ScratchpadBench(std::uint64_t seed) : rng(seed), top(&context), rows(kEnd) {
    context.fatalOnError(false);
    context.errorLimit(1000);
    top.rst_ni = 0;
    cycle();
    top.rst_ni = 1;
    for (int row = 0; row < kEnd; ++row) {
      requests[kVpuWrite] = {true, row, random_row(), 0, false, {}};
      cycle();
    }
  }
  ~ScratchpadBench() { top.final(); }

  Row random_row() {
    Row row;
    for (auto& byte : row) byte = static_cast<std::uint8_t>(rng() >> 24);
    return row;
  }

  /// One cycle. What is granted is taken from `requests`; the rest stays.
  void cycle() {
    drive();
    top.eval();
    std::array<bool, kPorts> grant{};
    for (int port = 0; port < kPorts; ++port) {
      grant[port] = requests[port].valid;
      if (claim && port <= kStoreRead) {  // STORE first; the MXU does not ask
        const bool rival = requests[kStoreRead].valid && same_bank(port, kStoreRead);
        if (port == kMxuRead || (port == kVpuRead && rival)) grant[port] = false;
        if (requests[port].valid && port != kMxuRead) ++(grant[port] ? granted : refused)[port];
        continue;
      }
      for (int rival = port < kVpuWrite ? kMxuRead : kVpuWrite; rival < port; ++rival) {
        if (requests[rival].valid && same_bank(rival, port)) grant[port] = false;
      }
      if (requests[port].valid) ++(grant[port] ? granted : refused)[port];
    }
    EXPECT_EQ(top.vpu_rd_ready_o && requests[kVpuRead].valid, grant[kVpuRead]);
    EXPECT_EQ(top.store_rd_ready_o && requests[kStoreRead].valid, grant[kStoreRead]);
    EXPECT_EQ(top.load_wr_ready_o && requests[kLoadWrite].valid, grant[kLoadWrite]);

    // A row that is read while it is written has undefined data.
    std::array<std::optional<Row>, 3> expected;
    const Request& write = requests[kVpuWrite];
    const auto written = [&](int row) {
      return (grant[kVpuWrite] && (write.row == row || (write.blocks && exponent_row(write.row) == row))) ||
             (grant[kLoadWrite] && requests[kLoadWrite].row == row);
    };
    for (int port = kMxuRead; port <= kStoreRead; ++port) {
      if (grant[port] && !written(requests[port].row)) expected[port] = rows[requests[port].row];
    }
    std::array<std::optional<std::array<std::uint8_t, kParts>>, 2> exponents;
    for (int port = kMxuRead; port <= kVpuRead; ++port) {
      const Request& read = requests[port];
      if (grant[port] && read.blocks && !written(exponent_row(read.row))) {
        std::memcpy(exponents[port].emplace().data(), exponents_of(read.row), kParts);
      }
    }
    if (grant[kVpuWrite]) {
      rows[write.row] = write.data;
      if (write.blocks) std::memcpy(exponents_of(write.row), write.exponents.data(), kParts);
    }
    if (grant[kLoadWrite]) {
      const Request& load = requests[kLoadWrite];
      for (int i = 0; i < kDim; ++i) {
        if (load.mask >> i & 1) rows[load.row][i] = load.data[i];
      }
    }
    edge();
    check(top.mxu_rd_data_o, expected[kMxuRead], "MXU");
    for (int port = kMxuRead; port <= kVpuRead; ++port) {
      if (!exponents[port]) continue;
      ++exponents_read[port];
      const void* pins = port == kMxuRead ? static_cast<const void*>(&top.mxu_rd_exponents_o)
                                          : static_cast<const void*>(&top.vpu_rd_exponents_o);
      EXPECT_EQ(std::memcmp(pins, exponents[port]->data(), kParts), 0) << port;
    }
    check(top.vpu_rd_data_o, expected[kVpuRead], "VPU");
    check(top.store_rd_data_o, expected[kStoreRead], "STORE");
    for (int port = 0; port < kPorts; ++port) {
      if (grant[port]) requests[port].valid = false;
    }
  }

  /// All banks side by side; rows beyond those of a bank change nothing.
  void clear() {
    for (auto& request : requests) request.valid = false;
    drive();
    top.clear_i = 1;
    for (int row = 0; row < std::max(2 * kBankRows, kEnd - kRows); ++row) {
      top.clear_row_i = static_cast<std::uint16_t>(row);
      top.eval();
      edge();
    }
    top.clear_i = 0;
    for (auto& row : rows) row.fill(0);
  }

  /// One edge that the model does not follow: rows beyond the memory, pins as `change` sets them.
  template <class Change>
  void unmodelled_cycle(Change change) {
    drive();
    change(top);
    top.eval();
    edge();
    for (auto& request : requests) request.valid = false;
  }

  void unmodelled_cycle() {
    unmodelled_cycle([](Model&) {});
  }

  std::mt19937_64 rng;
  VerilatedContext context;
  Model top;
  std::vector<Row> rows;
  std::array<Request, kPorts> requests;
  std::array<int, kPorts> granted{}, refused{};
  std::array<int, 2> exponents_read{};
  bool claim = false;  ///< the cycle is STORE's

 private:
  static int bank_of(int row) { return row < kRows ? row / kBankRows : 8; }
  bool same_bank(int a, int b) const {
    const int bank_a = bank_of(requests[a].row), bank_b = bank_of(requests[b].row);
    const bool with_a = requests[a].blocks, with_b = requests[b].blocks;
    return bank_a == bank_b || (with_a && (bank_b == 8 || with_b)) || (with_b && bank_a == 8);
  }
  static int exponent_row(int row) { return kRows + row / kBlockLanes; }
  std::uint8_t* exponents_of(int row) { return &rows[exponent_row(row)][row % kBlockLanes * kParts]; }

  void drive() {
    top.store_claim_i = claim;
    top.mxu_rd_valid_i = requests[kMxuRead].valid && !claim;
    top.mxu_rd_row_i = requests[kMxuRead].row;
    top.mxu_rd_blocks_i = top.mxu_rd_valid_i && requests[kMxuRead].blocks;
    top.vpu_rd_valid_i = requests[kVpuRead].valid;
    top.vpu_rd_blocks_i = requests[kVpuRead].valid && requests[kVpuRead].blocks;
    top.vpu_rd_row_i = requests[kVpuRead].row;
    top.store_rd_valid_i = requests[kStoreRead].valid;
    top.store_rd_row_i = requests[kStoreRead].row;
    top.vpu_wr_valid_i = requests[kVpuWrite].valid;
    top.vpu_wr_row_i = requests[kVpuWrite].row;
    std::memcpy(&top.vpu_wr_data_i, requests[kVpuWrite].data.data(), kDim);
    top.vpu_wr_blocks_i = requests[kVpuWrite].valid && requests[kVpuWrite].blocks;
    std::memcpy(&top.vpu_wr_exponents_i, requests[kVpuWrite].exponents.data(), kParts);
    top.load_wr_valid_i = requests[kLoadWrite].valid;
    top.load_wr_row_i = requests[kLoadWrite].row;
    std::memcpy(&top.load_wr_data_i, requests[kLoadWrite].data.data(), kDim);
    top.load_wr_mask_i = requests[kLoadWrite].mask;
  }

  void edge() {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
  }

  template <class Wide>
  void check(const Wide& port, const std::optional<Row>& expected, const char* name) {
    static_assert(sizeof(Wide) == kDim);
    if (!expected) return;
    Row data;
    std::memcpy(data.data(), &port, kDim);
    EXPECT_EQ(data, *expected) << name;
  }
};

}  // namespace systole::test
