// SPDX-License-Identifier: Apache-2.0
// One job tries to read data of the previous one: with instructions it reads every accessible memory, and the counters.
// After an END that clears, and after a reset, there are only zeros, on the model and on the RTL.
#include <numeric>

#include "cores.hpp"
#include "pair.hpp"
#include "systole/kernel.hpp"

namespace systole::programs {
namespace {

constexpr std::uint32_t kFindings = 0x30'0000;  // where the reading job stores its findings
constexpr std::uint32_t kTools = 0x40'0000;     // where it loads its constants from

Setting everything() {
  Setting s;
  s.windows[0] = {0, static_cast<std::uint32_t>(kMemoryBytes), isa::kPermissionRead | isa::kPermissionWrite};
  s.windows[3] = {kCode, kCodeBytes, isa::kPermissionExecute};
  return s;
}

isa::Instruction end_that_clears() {
  isa::End end;
  end.clear = 1;
  return end.encode();
}

using Bytes = std::vector<std::uint8_t>;

class MemoryReader {
 public:
  explicit MemoryReader(Session& session)
      : session_(session), c_(session.configuration()), dim_(static_cast<std::uint32_t>(c_.dim)) {
    Bytes ramp(256);  // -128 to 127, which the table maps in the order of its bytes
    std::iota(ramp.begin(), ramp.end(), std::uint8_t{0x80});
    Bytes identity(dim_ * dim_);
    for (std::size_t i = 0; i < dim_; ++i) identity[i * dim_ + i] = 1;
    session_.device().copy_to_device(kTools, ramp.data(), ramp.size());
    session_.device().wait_copy(session_.device().copy_to_device(kTools + 256, identity.data(), identity.size()));
  }

  /// Called in this order: each read destroys part of what the previous ones have read.
  Bytes scratchpad() { return stored({}, 0, static_cast<std::uint32_t>(c_.scratch_end())); }
  Bytes accumulators() {
    isa::Drain32 sums;
    sums.out_width = sums.plane_stride = static_cast<std::uint16_t>(c_.acc_rows);
    return stored({sums.encode()}, 0, 4 * static_cast<std::uint32_t>(c_.acc_rows));
  }
  Bytes table() {
    const std::uint32_t rows = 256 / dim_;
    load(kTools, rows);
    isa::Map map;
    map.table = 1;
    map.out_width = static_cast<std::uint16_t>(rows);
    map.dst = static_cast<std::uint16_t>(rows);
    map.clamp_min = -128;
    map.clamp_max = 127;
    return stored({map.encode()}, rows, rows);
  }
  Bytes parameters() {
    Bytes all;
    for (int row = 0; row < c_.param_rows; row += 256 / c_.dim) {
      isa::Table copy;
      copy.params = static_cast<std::uint16_t>(row);
      run({copy.encode()});
      const Bytes part = table();
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }
  /// Each tile times the identity matrix, as many tiles at a time as fit the accumulators.
  Bytes weights() {
    Bytes all;
    const int at_once = c_.acc_rows / c_.dim, tiles = c_.weight_rows / c_.dim;
    for (int first = 0; first < tiles; first += at_once) {
      load(kTools + 256, dim_);
      std::vector<isa::Instruction> products;
      for (int i = 0; i < at_once && first + i < tiles; ++i) {
        isa::Conv conv;
        conv.weight_row = static_cast<std::uint16_t>((first + i) * c_.dim);
        conv.acc_row = static_cast<std::uint16_t>(i * c_.dim);
        conv.in_width = conv.out_width = static_cast<std::uint16_t>(c_.dim);
        products.push_back(conv.encode());
      }
      run(products);
      const Bytes part = accumulators();
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  std::vector<std::uint32_t> counters() {
    std::vector<std::uint32_t> values;
    for (const auto offset : {reg::kCycles, reg::kReadBeats, reg::kWriteBeats, reg::kPaddedVectors}) {
      values.push_back(session_.device().read_register(offset));
    }
    for (std::uint32_t i = 0; i < reg::kCauseCountCount; ++i) {
      values.push_back(session_.device().read_register(reg::kCauseCount + i * reg::kCauseCountStride));
    }
    for (std::uint32_t i = 0; i < reg::kSemaphoreWaitCount; ++i) {
      values.push_back(session_.device().read_register(reg::kSemaphoreWait + i * reg::kSemaphoreWaitStride));
    }
    return values;
  }

 private:
  void run(const std::vector<isa::Instruction>& commands) {
    Batch batch{commands, {}, 1};
    batch.ring.push_back(isa::End{}.encode());
    const Outcome outcome = session_.run(batch);
    ASSERT_TRUE(outcome.good()) << outcome.text();
  }

  void load(std::uint32_t from, std::uint32_t rows) {
    isa::Load op;
    op.src = from;
    op.run_bytes = rows * dim_;
    op.pieces = static_cast<std::uint16_t>(rows);
    op.piece_step = op.piece_bytes = op.slot_bytes = static_cast<std::uint16_t>(dim_);
    op.dst_piece = 1;
    op.valid_to = 1;
    run({op.encode()});
  }

  /// Scratchpad rows after the commands have run.
  Bytes stored(const std::vector<isa::Instruction>& commands, std::uint32_t row, std::uint32_t rows) {
    run(commands);
    isa::Store op;
    op.dst = kFindings;
    op.src = static_cast<std::uint16_t>(row);
    op.pieces = static_cast<std::uint16_t>(rows);
    op.piece_bytes = static_cast<std::uint16_t>(dim_);
    op.src_piece = 1;
    run({op.encode()});
    Bytes bytes(std::size_t{rows} * dim_);
    session_.device().wait_copy(session_.device().copy_from_device(bytes.data(), kFindings, bytes.size()));
    return bytes;
  }

  Session& session_;
  Configuration c_;
  std::uint32_t dim_;
};

template <class Values>
double share_of_zeros(const Values& values) {
  return static_cast<double>(std::count(values.begin(), values.end(), 0)) / static_cast<double>(values.size());
}

/// Expects only zeros in everything read, or hardly any.
void expect_findings(Session& session, bool zeros) {
  MemoryReader reader(session);
  const auto expect = [&](const char* memory, const auto& values) {
    if (zeros) {
      EXPECT_EQ(share_of_zeros(values), 1) << memory;
    } else {
      EXPECT_LT(share_of_zeros(values), 0.2) << memory << ": there is nothing to be found";
    }
  };
  if (zeros) expect("counters", reader.counters());
  expect("scratchpad", reader.scratchpad());
  expect("accumulators", reader.accumulators());
  expect("table", reader.table());
  expect("parameters", reader.parameters());
  if (zeros) expect("weights", reader.weights());
}

class Clear : public ::testing::TestWithParam<std::string> {
 protected:
  Clear() : source(7), pair(quick_timing(GetParam()), everything(), source) {}
  Source source;
  Pair pair;
};

TEST_P(Clear, WithoutItTheNextJobFindsEverything) {
  for (Session* side : {&pair.model, &pair.rtl}) {
    SCOPED_TRACE(side->device().name());
    side->fill(1);
    expect_findings(*side, false);
    side->fill(1);
    EXPECT_LT(share_of_zeros(MemoryReader(*side).weights()), 0.8)
        << "a sum has four bytes, those of most weights are 0 or all ones";
  }
  pair.rtl.fill(1);
  EXPECT_LT(share_of_zeros(MemoryReader(pair.rtl).counters()), 0.98);
}

TEST_P(Clear, AnEndThatClearsLeavesNothing) {
  for (Session* side : {&pair.model, &pair.rtl}) {
    SCOPED_TRACE(side->device().name());
    side->fill(2);
    isa::End end;
    end.clear = 1;
    end.tag = 0x77;
    const Outcome outcome = side->run({{end.encode()}, {}, 1});
    EXPECT_TRUE(outcome.good()) << outcome.text();
    EXPECT_EQ(outcome.end_tag, 0x77u);
    expect_findings(*side, true);
  }
}

TEST_P(Clear, AJobThatWaitsInTheRingFindsNothing) {
  for (Session* side : {&pair.model, &pair.rtl}) {
    SCOPED_TRACE(side->device().name());
    side->fill(3);
    isa::Drain32 sums;
    sums.out_width = sums.plane_stride = static_cast<std::uint16_t>(side->configuration().acc_rows);
    sums.dst = static_cast<std::uint16_t>(side->configuration().scratch_rows / 2);
    const Outcome outcome = side->run({{end_that_clears(), sums.encode(), isa::End{}.encode()}, {}, 2});
    EXPECT_TRUE(outcome.good()) << outcome.text();
    EXPECT_EQ(share_of_zeros(MemoryReader(*side).scratchpad()), 1);
  }
}

TEST_P(Clear, AResetLeavesNothing) {
  for (Session* side : {&pair.model, &pair.rtl}) {
    SCOPED_TRACE(side->device().name());
    side->fill(4);
    ASSERT_TRUE(side->reset());
    expect_findings(*side, true);
  }
}

/// Stores a block with an infinity in scratchpad row 0.
void store_infinity(Session& session) {
  const auto words = kernel::assemble(
                         "kernel infinite(to)\nscalar bits\nvector v\nset bits, 0x7f800000\nmove v, bits\n"
                         "move blocks[to], v\nend\n")
                         .words;
  const auto bytes = static_cast<std::uint32_t>(words.size() * sizeof words[0]);
  session.device().wait_copy(session.device().copy_to_device(kTools, words.data(), bytes));
  isa::Load load;
  load.space = static_cast<std::uint8_t>(isa::Space::kKernel);
  load.src = kTools;
  load.run_bytes = bytes;
  load.piece_step = load.piece_bytes = load.slot_bytes = static_cast<std::uint16_t>(bytes);
  load.dst_block = load.valid_to = 1;
  isa::Vector vector;
  load.sem.signal0_amount = vector.sem.wait0_amount = 1;
  const Outcome outcome = session.run({{load.encode(), vector.encode(), isa::End{}.encode()}, {}, 1});
  ASSERT_TRUE(outcome.good()) << outcome.text();
  EXPECT_TRUE(outcome.status & reg::kStatusNonfinite);
}

TEST_P(Clear, NumbersThatAreNotFiniteAreForgotten) {
  for (Session* side : {&pair.model, &pair.rtl}) {
    SCOPED_TRACE(side->device().name());
    for (int round = 0; round < 2; ++round) {
      store_infinity(*side);
      EXPECT_TRUE(side->run({{isa::End{}.encode()}, {}, 1}).status & reg::kStatusNonfinite) << "not by another END";
      EXPECT_FALSE(side->run({{end_that_clears()}, {}, 1}).status & reg::kStatusNonfinite);
      store_infinity(*side);
      side->device().write_register(reg::kControl, reg::kControlClearCounters);
      EXPECT_FALSE(side->status() & reg::kStatusNonfinite);
      store_infinity(*side);
      ASSERT_TRUE(side->reset());
      EXPECT_FALSE(side->status() & reg::kStatusNonfinite);
    }
  }
}

TEST_P(Clear, AResetThatInterruptsAClearingLeavesNothing) {
  for (const std::uint64_t cycles : {150u, 250u, 350u}) {
    pair.rtl.fill(5);
    pair.rtl.start({{end_that_clears()}, {}, 1});
    pair.rtl.device().run(cycles);
    ASSERT_TRUE(pair.rtl.reset());
    expect_findings(pair.rtl, true);
  }
}

TEST_P(Clear, WhatIsRungWhileTheResetClearsBeginsAfterwards) {
  Session& late = pair.rtl;
  late.fill(6);
  EXPECT_FALSE(late.reset(0)) << "it is over too soon";
  isa::Store all;
  all.dst = kFindings;
  all.pieces = static_cast<std::uint16_t>(late.configuration().scratch_end());
  all.piece_bytes = static_cast<std::uint16_t>(late.configuration().dim);
  all.src_piece = 1;
  late.start({{all.encode(), isa::End{}.encode()}, {}, 1});
  EXPECT_EQ(late.status() & (reg::kStatusBusy | reg::kStatusResetting), reg::kStatusBusy | reg::kStatusResetting);
  const Outcome outcome = late.finish();
  EXPECT_TRUE(outcome.good()) << outcome.text();
  Bytes bytes(std::size_t{all.pieces} * all.piece_bytes);
  late.device().wait_copy(late.device().copy_from_device(bytes.data(), kFindings, bytes.size()));
  EXPECT_EQ(share_of_zeros(bytes), 1);
}

TEST_P(Clear, TakesTheStatedNumberOfCycles) {
  const Configuration& c = pair.rtl.configuration();
  const int kernel_rows = 8 * kernel::kMemoryWords / std::max(c.dim, 8);
  const auto stated =
      static_cast<std::uint64_t>(std::max({c.scratch_rows / 8, c.exponent_rows(), c.weight_rows, c.acc_rows / 2,
                                           c.param_rows, kernel_rows, kernel::kTableWords + 64}));
  const auto cycles_of = [&](const isa::Instruction& end) {
    Batch batch{{end}, {}, 1};
    const std::uint64_t before = pair.rtl.device().simulated_cycles();
    pair.rtl.start(batch);
    EXPECT_EQ(pair.rtl.device().wait_interrupt(1'000'000), Backend::Wake::kInterrupt);
    const std::uint64_t after = pair.rtl.device().simulated_cycles();
    EXPECT_TRUE(pair.rtl.finish().good());
    return after - before;
  };
  cycles_of(isa::End{}.encode());
  const auto plain = cycles_of(isa::End{}.encode()), clearing = cycles_of(end_that_clears());
  EXPECT_EQ(clearing - plain, stated + 2);
}

INSTANTIATE_TEST_SUITE_P(All, Clear, ::testing::ValuesIn(test::built_among({"tiny"})),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace systole::programs
