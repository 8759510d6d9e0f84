// SPDX-License-Identifier: Apache-2.0
// The scratchpad under random traffic of all five ports, its priorities, its byte masks and its assertions.
#include <string>

#include "Vscratchpad_default.h"
#include "Vscratchpad_even.h"
#include "Vscratchpad_large.h"
#include "Vscratchpad_small.h"
#include "Vscratchpad_synthesis.h"
#include "Vscratchpad_tiny.h"
#include "scratchpad_bench.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

template <class T>
class Scratchpad : public testing::Test {};

using Benches =
    testing::Types<ScratchpadBench<Vscratchpad_tiny, 4, 768>, ScratchpadBench<Vscratchpad_small, 8, 6144>,
                   ScratchpadBench<Vscratchpad_default, 16, 12288>, ScratchpadBench<Vscratchpad_large, 32, 24576>,
                   ScratchpadBench<Vscratchpad_even, 8, 512>>;
TYPED_TEST_SUITE(Scratchpad, Benches);

template <class Bench>
void random_traffic() {
  Bench bench(seed());
  // Ranges of rows: the whole memory; two adjacent banks; eight rows, where reads and writes collide. Some requests are
  // for the rows of exponents; some of the MXU and of the VPU are with exponents; half of the VPU's are for several
  // rows.
  for (int spread : {Bench::kEnd, 2 * Bench::kBankRows, 8}) {
    for (int busy : {30, 80, 100}) {
      const int first = bench.below(Bench::kEnd - spread + 1);
      const auto row = [&] {
        return bench.below(10) == 0 ? Bench::kRows + bench.below(4) : first + bench.below(spread);
      };
      for (int i = 0; i < 6000 && !testing::Test::HasFailure(); ++i) {
        for (int port = 0; port < kPorts; ++port) {
          auto& request = bench.requests[port];
          if (request.valid || bench.below(100) >= busy) continue;
          const bool of_vpu = port == kVpuRead || port == kVpuWrite;
          if (of_vpu && bench.below(2) == 0) {
            request = bench.random_planes(row);
            continue;
          }
          const bool blocks = (of_vpu || port == kMxuRead) && bench.below(3) == 0;
          request = bench.request(row(), of_vpu && !blocks ? bench.below(Bench::kSlots) : 0);
          request.mask = bench.rng();
          request.blocks = blocks && request.rows[0] < Bench::kRows;
          for (auto& exponent : request.exponents) exponent = static_cast<std::uint8_t>(bench.rng() >> 24);
        }
        bench.claim = bench.below(100) < 20;
        bench.cycle();
      }
    }
  }
  EXPECT_EQ(bench.refused[kMxuRead], 0);
  EXPECT_EQ(bench.refused[kVpuWrite], 0);
  for (int port : {kVpuRead, kStoreRead, kLoadWrite}) {
    EXPECT_GT(bench.refused[port], 100) << port;
    EXPECT_GT(bench.granted[port], 1000) << port;
  }
  EXPECT_GT(bench.exponents_read[kMxuRead], 1000);
  EXPECT_GT(bench.exponents_read[kVpuRead], 1000);
  for (const auto& port : bench.served) {
    for (const int requests : port) EXPECT_GT(requests, 100);
  }
  EXPECT_EQ(bench.context.errorCount(), 0) << "assertion failures";
}

TYPED_TEST(Scratchpad, RandomTrafficOnAllPorts) { random_traffic<TypeParam>(); }

// The RAMs of a bank as synthesis sees them, not the array that stands for them in simulations.
TEST(ScratchpadSynthesis, RandomTrafficOnAllPorts) {
  random_traffic<ScratchpadBench<Vscratchpad_synthesis, 16, 768>>();
}

TEST(ScratchpadSynthesis, ClearingLeavesZerosInEveryRow) {
  using Bench = ScratchpadBench<Vscratchpad_synthesis, 16, 768>;
  Bench bench(seed());
  bench.clear();
  for (int row = 0; row < Bench::kEnd; ++row) {
    bench.requests[kMxuRead] = bench.request(row);
    bench.cycle();
  }
}

TYPED_TEST(Scratchpad, ClearingLeavesZerosInEveryRow) {
  TypeParam bench(seed());
  bench.clear();
  for (int row = 0; row < TypeParam::kEnd; ++row) {
    bench.requests[kStoreRead] = bench.request(row);
    bench.cycle();
  }
  EXPECT_EQ(bench.granted[kStoreRead], TypeParam::kEnd);
}

// Only banks decide: the first and the last row of every bank against those of every other.
TYPED_TEST(Scratchpad, ConflictOnlyInTheSameBank) {
  TypeParam bench(seed());
  constexpr int kBank = TypeParam::kBankRows;
  for (int mine = 0; mine < 16; ++mine) {
    for (int other = 0; other < 16; ++other) {
      const int row = mine / 2 * kBank + mine % 2 * (kBank - 1), rival = other / 2 * kBank + other % 2 * (kBank - 1);
      bench.refused.fill(0);
      bench.requests[kMxuRead] = bench.request(rival);
      bench.requests[kStoreRead] = bench.request(row);
      bench.requests[kVpuWrite] = bench.request(rival);
      bench.requests[kLoadWrite] = bench.request(row);
      bench.cycle();
      const int conflict = mine / 2 == other / 2;
      ASSERT_EQ(bench.refused[kStoreRead], conflict);
      ASSERT_EQ(bench.refused[kLoadWrite], conflict);
      bench.cycle();
      ASSERT_FALSE(bench.requests[kStoreRead].valid || bench.requests[kLoadWrite].valid) << "no second refusal";
    }
  }
}

TYPED_TEST(Scratchpad, AllPortsMoveEveryCycleInDifferentBanks) {
  TypeParam bench(seed());
  for (int i = 0; i < 200; ++i) {
    for (int port = 0; port < kPorts; ++port) {
      const int bank = (i + (port < kVpuWrite ? port : port - kVpuWrite)) % 8;  // writes meet reads: separate ports
      bench.requests[port] = bench.request(bank * TypeParam::kBankRows + i % TypeParam::kBankRows);
    }
    bench.cycle();
  }
  EXPECT_EQ(bench.refused, (std::array<int, kPorts>{}));
}

TYPED_TEST(Scratchpad, EveryMaskBitWritesItsByteAlone) {
  TypeParam bench(seed());
  constexpr int kBytes = sizeof(typename TypeParam::Row);
  for (int byte = 0; byte < kBytes; ++byte) {
    const int row = static_cast<int>(bench.rng() % TypeParam::kRows);
    bench.requests[kLoadWrite] = bench.request(row);
    bench.requests[kLoadWrite].mask = 1ull << byte;
    bench.cycle();
    bench.requests[kMxuRead] = bench.request(row);
    bench.cycle();
  }
}

TYPED_TEST(Scratchpad, AssertsThatRowsAreInRange) {
  const char* const names[kPorts] = {"MxuRowInRange", "VpuReadsTogether", "StoreRowInRange", "VpuWritesTogether",
                                     "LoadWriteInRange"};
  TypeParam bench(seed());
  bench.top.expect_assertions();
  int errors = 0;
  for (int port = 0; port < kPorts; ++port) {
    for (int row : {TypeParam::kEnd - 1, TypeParam::kEnd, 0xffff}) {
      bench.requests[port] = bench.request(row);
      testing::internal::CaptureStdout();
      bench.unmodelled_cycle();
      std::fflush(stdout);
      const bool named = testing::internal::GetCapturedStdout().find(names[port]) != std::string::npos;
      EXPECT_EQ(named, row >= TypeParam::kEnd) << names[port] << " row " << row;
      errors += row >= TypeParam::kEnd;
    }
  }
  EXPECT_EQ(bench.context.errorCount(), errors);
}

/// What the model prints when `change` sets its pins.
template <class Bench, class Change>
std::string complaint(Bench& bench, Change change) {
  bench.top.expect_assertions();
  testing::internal::CaptureStdout();
  bench.unmodelled_cycle(change);
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

TYPED_TEST(Scratchpad, AssertsThatRowsOfARequestAreApart) {
  const char* const names[kPorts] = {"", "VpuReadsTogether", "", "VpuWritesTogether", ""};
  TypeParam bench(seed());
  for (const int port : {kVpuRead, kVpuWrite}) {
    const auto complains = [&](const std::vector<int>& rows) {
      bench.requests[port] = bench.request(rows);
      return complaint(bench, [](auto&) {}).find(names[port]) != std::string::npos;
    };
    EXPECT_FALSE(complains({0, 1, 2, 3}));
    EXPECT_FALSE(complains({0, TypeParam::kBankRows + 1, 3 * TypeParam::kBankRows + 2, TypeParam::kRows - 1}));
    EXPECT_TRUE(complains({0, 1, 2, 4})) << "two rows of a RAM";
    EXPECT_TRUE(complains({0, TypeParam::kBankRows})) << "and in two banks";
    EXPECT_TRUE(complains({1, TypeParam::kRows})) << "a row of exponents";
  }
}

TYPED_TEST(Scratchpad, AssertsThatExponentsAreThoseOfARow) {
  TypeParam bench(seed());
  EXPECT_NE(complaint(bench, [](auto& top) { top.mxu_rd_blocks_i = 1; }).find("MxuExponentsOfARow"), std::string::npos);
  EXPECT_NE(complaint(bench, [](auto& top) { top.vpu_rd_blocks_i = 1; }).find("VpuExponentsOfARow"), std::string::npos);
  EXPECT_NE(complaint(bench, [](auto& top) { top.vpu_wr_blocks_i = 1; }).find("VpuExponentsOfAWrittenRow"),
            std::string::npos);
  bench.requests[kVpuRead] = bench.request(std::vector<int>{0, 1});
  EXPECT_NE(complaint(bench, [](auto& top) { top.vpu_rd_blocks_i = 1; }).find("VpuExponentsOfARow"), std::string::npos);
}

TYPED_TEST(Scratchpad, AssertsThatTheMxuPausesForAClaim) {
  TypeParam bench(seed());
  bench.requests[kMxuRead] = bench.request(0);
  bench.top.expect_assertions();
  testing::internal::CaptureStdout();
  bench.unmodelled_cycle([](auto& top) { top.store_claim_i = 1; });
  std::fflush(stdout);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("MxuPausesForClaim"), std::string::npos);
}

}  // namespace
}  // namespace systole::test
