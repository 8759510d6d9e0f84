// SPDX-License-Identifier: Apache-2.0
// The scratchpad under random traffic of all five ports, its priorities, its byte masks and its assertions.
#include <string>

#include "Vscratchpad_default.h"
#include "Vscratchpad_even.h"
#include "Vscratchpad_large.h"
#include "Vscratchpad_small.h"
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

TYPED_TEST(Scratchpad, RandomTrafficOnAllPorts) {
  TypeParam bench(seed());
  auto random = [&](int limit) { return static_cast<int>(bench.rng() % limit); };
  // Ranges of rows: the whole memory; two adjacent banks; four rows, where reads and writes collide. Some requests are
  // for the rows of exponents; some of the MXU and of the VPU are with exponents.
  for (int spread : {TypeParam::kEnd, 2 * TypeParam::kBankRows, 4}) {
    for (int busy : {30, 80, 100}) {
      const int first = random(TypeParam::kEnd - spread + 1);
      for (int i = 0; i < 6000 && !this->HasFailure(); ++i) {
        for (int port = 0; port < kPorts; ++port) {
          auto& request = bench.requests[port];
          if (!request.valid && random(100) < busy) {
            const int row = random(10) == 0 ? TypeParam::kRows + random(4) : first + random(spread);
            request = {true, row, bench.random_row(), bench.rng(), false, {}};
            request.blocks =
                (port == kMxuRead || port == kVpuRead || port == kVpuWrite) && row < TypeParam::kRows && random(3) == 0;
            for (auto& exponent : request.exponents) exponent = static_cast<std::uint8_t>(bench.rng() >> 24);
          }
        }
        bench.claim = random(100) < 20;
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
  EXPECT_EQ(bench.context.errorCount(), 0) << "assertion failures";
}

TYPED_TEST(Scratchpad, ClearingLeavesZerosInEveryRow) {
  TypeParam bench(seed());
  bench.clear();
  for (int row = 0; row < TypeParam::kEnd; ++row) {
    bench.requests[kStoreRead] = {true, row, {}, 0, false, {}};
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
      bench.requests[kMxuRead] = {true, rival, {}, 0, false, {}};
      bench.requests[kStoreRead] = {true, row, {}, 0, false, {}};
      bench.requests[kVpuWrite] = {true, rival, bench.random_row(), 0, false, {}};
      bench.requests[kLoadWrite] = {true, row, bench.random_row(), ~0ull, false, {}};
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
      bench.requests[port] = {
          true, bank * TypeParam::kBankRows + i % TypeParam::kBankRows, bench.random_row(), bench.rng(), false, {}};
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
    bench.requests[kLoadWrite] = {true, row, bench.random_row(), 1ull << byte, false, {}};
    bench.cycle();
    bench.requests[kMxuRead] = {true, row, {}, 0, false, {}};
    bench.cycle();
  }
}

TYPED_TEST(Scratchpad, AssertsThatRowsAreInRange) {
  const char* const names[kPorts] = {"MxuRowInRange", "VpuRowInRange", "StoreRowInRange", "VpuWriteInRange",
                                     "LoadWriteInRange"};
  TypeParam bench(seed());
  int errors = 0;
  for (int port = 0; port < kPorts; ++port) {
    for (int row : {TypeParam::kEnd - 1, TypeParam::kEnd, 0xffff}) {
      bench.requests[port] = {true, row, bench.random_row(), ~0ull, false, {}};
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

TYPED_TEST(Scratchpad, AssertsThatTheMxuPausesForAClaim) {
  TypeParam bench(seed());
  bench.requests[kMxuRead] = {true, 0, {}, 0, false, {}};
  testing::internal::CaptureStdout();
  bench.unmodelled_cycle([](auto& top) { top.store_claim_i = 1; });
  std::fflush(stdout);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("MxuPausesForClaim"), std::string::npos);
}

}  // namespace
}  // namespace systole::test
