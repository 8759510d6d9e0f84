// SPDX-License-Identifier: Apache-2.0
// The scratchpad with its five ports and a model of its rows, those of exponents included. The model computes every
// grant independently and the expected result of each read. Requests of the VPU have four slots, each for a row.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "../loop_nest/pins.hpp"
#include "block_model.hpp"

namespace systole::test {

enum Port { kMxuRead, kVpuRead, kStoreRead, kVpuWrite, kLoadWrite, kPorts };

template <class Model, int kDim, int kRowCount>
class ScratchpadBench {
 public:
  using Row = std::array<std::uint8_t, kDim>;
  static constexpr int kSlots = 4;
  static constexpr int kRows = kRowCount;
  static constexpr int kBankRows = kRows / 8;
  static constexpr int kBlockLanes = kDim < 16 ? kDim : 16;
  static constexpr int kParts = kDim / kBlockLanes;  ///< exponents of a row
  static constexpr int kEnd = kRows + kRows / kBlockLanes;

  struct Request {
    unsigned valid = 0;  ///< one bit for each slot; of ports that have one row, the first
    std::array<int, kSlots> rows{};
    std::array<Row, kSlots> data{};
    std::uint64_t mask = 0;
    bool blocks = false;  ///< of the MXU's and the VPU's ports: with the exponents of the row
    std::array<std::uint8_t, kParts> exponents{};

    bool has(int slot) const { return valid >> slot & 1; }
  };

  explicit ScratchpadBench(std::uint64_t seed) : rng(seed), top(&context), rows(kEnd) {
    context.fatalOnError(false);
    context.errorLimit(1000);
    top.rst_ni = 0;
    cycle();
    top.rst_ni = 1;
    for (int row = 0; row < kEnd; ++row) {
      requests[kVpuWrite] = request(row);
      cycle();
    }
  }
  ~ScratchpadBench() { top.final(); }

  int below(int limit) { return static_cast<int>(rng() % static_cast<std::uint64_t>(limit)); }

  Row random_row() {
    Row row;
    for (auto& byte : row) byte = static_cast<std::uint8_t>(rng() >> 24);
    return row;
  }

  /// One row with random data; `slot`: of the VPU's ports.
  Request request(int row, int slot = 0) {
    Request made;
    add(made, slot, row);
    made.mask = ~0ull;
    return made;
  }

  /// Several rows, in the slots from the first on.
  Request request(const std::vector<int>& of) {
    Request made;
    for (std::size_t slot = 0; slot < of.size(); ++slot) add(made, static_cast<int>(slot), of[slot]);
    return made;
  }

  /// Two to four rows in any slots whose rows `row` draws, or fewer if it draws none that can be among them.
  template <class Draw>
  Request random_planes(Draw row) {
    Request made;
    unsigned slots = 0, taken = 0;
    while (std::bitset<kSlots>(slots).count() < 2) slots = static_cast<unsigned>(below(16));
    for (int tries = 0, slot = 0; tries < 30 && slot < kSlots; ++tries) {
      const int drawn = row();
      if (!(slots >> slot & 1)) {
        ++slot;
      } else if (drawn < kRows && !(taken >> drawn % kSlots & 1)) {
        taken |= 1u << drawn % kSlots;
        add(made, slot++, drawn);
      }
    }
    return made;
  }

  /// One cycle. What is granted is taken from `requests`; the rest stays.
  void cycle() {
    drive();
    top.eval();
    std::array<bool, kPorts> grant{};
    for (int port = 0; port < kPorts; ++port) {
      grant[port] = requests[port].valid != 0;
      if (claim && port <= kStoreRead) {  // STORE first; the MXU does not ask
        const bool rival = same_bank(port, kStoreRead);
        if (port == kMxuRead || (port == kVpuRead && rival)) grant[port] = false;
        if (requests[port].valid && port != kMxuRead) ++(grant[port] ? granted : refused)[port];
        continue;
      }
      for (int rival = port < kVpuWrite ? kMxuRead : kVpuWrite; rival < port; ++rival) {
        if (same_bank(rival, port)) grant[port] = false;
      }
      if (requests[port].valid) ++(grant[port] ? granted : refused)[port];
    }
    EXPECT_EQ(top.vpu_rd_ready_o && requests[kVpuRead].valid, grant[kVpuRead]);
    EXPECT_EQ(top.store_rd_ready_o && requests[kStoreRead].valid, grant[kStoreRead]);
    EXPECT_EQ(top.load_wr_ready_o && requests[kLoadWrite].valid, grant[kLoadWrite]);
    for (const int port : {kVpuRead, kVpuWrite}) {
      if (grant[port]) ++served[port == kVpuWrite][std::bitset<kSlots>(requests[port].valid).count() - 1];
    }

    // A row that is read while it is written has undefined data.
    std::array<std::array<std::optional<Row>, kSlots>, 3> expected;
    const Request& write = requests[kVpuWrite];
    const auto written = [&](int row) {
      bool found = grant[kLoadWrite] && requests[kLoadWrite].rows[0] == row;
      for (int slot = 0; grant[kVpuWrite] && slot < kSlots; ++slot) {
        found = found || (write.has(slot) && write.rows[slot] == row);
      }
      return found || (grant[kVpuWrite] && write.blocks && exponent_row(write.rows[0]) == row);
    };
    for (int port = kMxuRead; port <= kStoreRead; ++port) {
      for (int slot = 0; grant[port] && slot < kSlots; ++slot) {
        const int row = requests[port].rows[slot];
        if (requests[port].has(slot) && !written(row)) expected[port][slot] = rows[row];
      }
    }
    std::array<std::optional<std::array<std::uint8_t, kParts>>, 2> exponents;
    for (int port = kMxuRead; port <= kVpuRead; ++port) {
      const Request& read = requests[port];
      if (grant[port] && read.blocks && !written(exponent_row(read.rows[0]))) {
        std::memcpy(exponents[port].emplace().data(), exponents_of(read.rows[0]), kParts);
      }
    }
    if (grant[kVpuWrite]) {
      for (int slot = 0; slot < kSlots; ++slot) {
        if (write.has(slot)) rows[write.rows[slot]] = write.data[slot];
      }
      if (write.blocks) std::memcpy(exponents_of(write.rows[0]), write.exponents.data(), kParts);
    }
    if (grant[kLoadWrite]) {
      const Request& load = requests[kLoadWrite];
      for (int i = 0; i < kDim; ++i) {
        if (load.mask >> i & 1) rows[load.rows[0]][i] = load.data[0][i];
      }
    }
    edge();
    check(top.mxu_rd_data_o, 0, expected[kMxuRead][0], "MXU");
    for (int port = kMxuRead; port <= kVpuRead; ++port) {
      if (!exponents[port]) continue;
      ++exponents_read[port];
      const void* pins = port == kMxuRead ? static_cast<const void*>(&top.mxu_rd_exponents_o)
                                          : static_cast<const void*>(&top.vpu_rd_exponents_o);
      EXPECT_EQ(std::memcmp(pins, exponents[port]->data(), kParts), 0) << port;
    }
    for (int slot = 0; slot < kSlots; ++slot) check(top.vpu_rd_data_o, slot, expected[kVpuRead][slot], "VPU");
    check(top.store_rd_data_o, 0, expected[kStoreRead][0], "STORE");
    for (int port = 0; port < kPorts; ++port) {
      if (grant[port]) requests[port].valid = 0;
    }
  }

  /// All banks side by side; rows beyond those of a bank change nothing.
  void clear() {
    for (auto& each : requests) each.valid = 0;
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
    for (auto& each : requests) each.valid = 0;
  }

  void unmodelled_cycle() {
    unmodelled_cycle([](Model&) {});
  }

  std::mt19937_64 rng;
  VerilatedContext context;
  BlockModel<Model> top;
  std::vector<Row> rows;
  std::array<Request, kPorts> requests;
  std::array<int, kPorts> granted{}, refused{};
  std::array<int, 2> exponents_read{};
  std::array<std::array<int, kSlots>, 2> served{};  ///< reads and writes of the VPU, of one to four rows
  bool claim = false;                               ///< the cycle is STORE's

 private:
  static int bank_of(int row) { return row < kRows ? row / kBankRows : 8; }
  static unsigned banks_of(const Request& of) {
    unsigned banks = of.valid && of.blocks ? 1u << 8 : 0;
    for (int slot = 0; slot < kSlots; ++slot) {
      if (of.has(slot)) banks |= 1u << bank_of(of.rows[slot]);
    }
    return banks;
  }
  bool same_bank(int a, int b) const { return (banks_of(requests[a]) & banks_of(requests[b])) != 0; }
  void add(Request& to, int slot, int row) {
    to.valid |= 1u << slot;
    to.rows[slot] = row;
    to.data[slot] = random_row();
  }
  static int exponent_row(int row) { return kRows + row / kBlockLanes; }
  std::uint8_t* exponents_of(int row) { return &rows[exponent_row(row)][row % kBlockLanes * kParts]; }

  void drive() {
    top.store_claim_i = claim;
    top.mxu_rd_valid_i = requests[kMxuRead].valid && !claim;
    top.mxu_rd_row_i = requests[kMxuRead].rows[0];
    top.mxu_rd_blocks_i = top.mxu_rd_valid_i && requests[kMxuRead].blocks;
    top.vpu_rd_valid_i = requests[kVpuRead].valid;
    top.vpu_rd_blocks_i = requests[kVpuRead].valid && requests[kVpuRead].blocks;
    top.store_rd_valid_i = requests[kStoreRead].valid;
    top.store_rd_row_i = requests[kStoreRead].rows[0];
    top.vpu_wr_valid_i = requests[kVpuWrite].valid;
    top.vpu_wr_blocks_i = requests[kVpuWrite].valid && requests[kVpuWrite].blocks;
    std::memcpy(&top.vpu_wr_exponents_i, requests[kVpuWrite].exponents.data(), kParts);
    for (int slot = 0; slot < kSlots; ++slot) {
      set_bits(top.vpu_rd_rows_i, 16 * slot, 16, requests[kVpuRead].rows[slot]);
      set_bits(top.vpu_wr_rows_i, 16 * slot, 16, requests[kVpuWrite].rows[slot]);
    }
    std::memcpy(&top.vpu_wr_data_i, requests[kVpuWrite].data.data(), kSlots * kDim);
    top.load_wr_valid_i = requests[kLoadWrite].valid;
    top.load_wr_row_i = requests[kLoadWrite].rows[0];
    std::memcpy(&top.load_wr_data_i, requests[kLoadWrite].data[0].data(), kDim);
    top.load_wr_mask_i = requests[kLoadWrite].mask;
  }

  void edge() {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
  }

  template <class Wide>
  void check(const Wide& port, int slot, const std::optional<Row>& expected, const char* name) {
    static_assert(sizeof(Wide) == kDim || sizeof(Wide) == kSlots * kDim);
    if (!expected) return;
    Row data;
    std::memcpy(data.data(), reinterpret_cast<const std::uint8_t*>(&port) + slot * kDim, kDim);
    EXPECT_EQ(data, *expected) << name << ", row " << slot;
  }
};

}  // namespace systole::test
