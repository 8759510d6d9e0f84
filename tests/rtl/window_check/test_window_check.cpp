// SPDX-License-Identifier: Apache-2.0
// The window check against 64-bit arithmetic, which does not wrap at 2^32: random accesses, and all combinations of the
// values where 32 bits end.
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "Vwindow_check_bit0.h"
#include "Vwindow_check_bit1.h"
#include "Vwindow_check_bit2.h"
#include "block_model.hpp"
#include "seed.hpp"
#include "systole/generated/isa.hpp"
#include "windows_port.hpp"

namespace systole::test {
namespace {

template <class Model, int kBit>
class Bench {
 public:
  explicit Bench(std::uint64_t seed) : rng(seed), top(&context) {}
  ~Bench() { top.final(); }

  void randomize_windows() {
    for (auto& value : base) value = static_cast<std::uint32_t>(rng());
    for (std::size_t w = 0; w < size.size(); ++w) {
      size[w] = static_cast<std::uint32_t>(rng() >> rng() % 33);
      // Every fourth ends where the address space does, one in eight just beyond.
      if (rng() % 4 == 0) size[w] = 0u - base[w] + (rng() % 2 ? 0u : 1u + static_cast<std::uint32_t>(rng() % 64));
    }
    permission = rng() & 0xfff;
  }

  void access(unsigned window, std::uint32_t offset, std::uint32_t length) {
    WindowValues bits;
    for (unsigned w = 0; w < bits.size(); ++w) bits[w] = permission >> 3 * w & 7;
    set_windows(top.windows_i, base, size, bits);
    top.window_i = window;
    top.offset_i = offset;
    top.length_i = length;
    top.eval();
    const bool permitted = permission >> (3 * window + kBit) & 1;
    // Windows begin and end at multiples of 64: the bits below do not count.
    const std::uint64_t first = base[window] & ~63u, bytes = size[window] & ~63u;
    const bool inside = std::uint64_t{offset} + length <= bytes && first + bytes <= std::uint64_t{1} << 32;
    ASSERT_EQ(top.allowed_o, permitted && inside)
        << fmt::format("{:#x} + {:#x} in {:#x}", offset, length, size[window]);
    ASSERT_EQ(top.address_o, static_cast<std::uint32_t>(first) + offset);
    (permitted && inside ? allowed : refused)++;
  }

  std::mt19937_64 rng;
  WindowValues base{}, size{};
  unsigned permission = 0;
  int allowed = 0, refused = 0;

 private:
  VerilatedContext context;
  BlockModel<Model> top;
};

template <class T>
class WindowCheck : public testing::Test {};

using Benches =
    testing::Types<Bench<Vwindow_check_bit0, 0>, Bench<Vwindow_check_bit1, 1>, Bench<Vwindow_check_bit2, 2>>;
TYPED_TEST_SUITE(WindowCheck, Benches);

TYPED_TEST(WindowCheck, RandomAccesses) {
  TypeParam bench(seed());
  for (int i = 0; i < 30000 && !this->HasFatalFailure(); ++i) {
    bench.randomize_windows();
    const unsigned window = bench.rng() % isa::kWindows;
    const std::uint32_t offset = static_cast<std::uint32_t>(bench.rng() >> bench.rng() % 64);
    bench.access(window, offset, static_cast<std::uint32_t>(bench.rng() >> bench.rng() % 64));
    const std::uint32_t size = bench.size[window] & ~63u, rest = size - std::min(offset, size);
    bench.access(window, offset, rest);      // the last byte is the window's
    bench.access(window, offset, rest + 1);  // one byte too many
  }
  EXPECT_GT(bench.allowed, 1000);
  EXPECT_GT(bench.refused, 1000);
}

TYPED_TEST(WindowCheck, EndsOfTheAddressSpace) {
  TypeParam bench(seed());
  constexpr std::uint32_t kValues[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  for (unsigned window = 0; window < isa::kWindows; ++window) {
    for (std::uint32_t size : kValues) {
      for (std::uint32_t offset : kValues) {
        for (std::uint32_t length : kValues) {
          bench.randomize_windows();
          bench.permission |= 0b111 << 3 * window;
          bench.size[window] = size;
          for (std::uint32_t base : kValues) {
            bench.base[window] = base;
            bench.access(window, offset, length);
          }
        }
      }
    }
  }
}

TYPED_TEST(WindowCheck, AWindowThatWrapsAllowsNothing) {
  TypeParam bench(seed());
  bench.permission = 0xffffff;
  bench.base.fill(0xF0000000);
  bench.size.fill(0x20000000);
  for (const std::uint32_t offset : {0u, 0x0FFFFFC0u, 0x10000000u, 0x18000000u}) bench.access(1, offset, 64);
  EXPECT_EQ(bench.allowed, 0);
  bench.size.fill(0x10000000);  // ends with the address space
  bench.access(1, 0x0FFFFFC0, 64);
  EXPECT_EQ(bench.allowed, 1);
}

TYPED_TEST(WindowCheck, NoOtherPermissionWillDo) {
  TypeParam bench(seed());
  bench.size.fill(64);
  bench.base.fill(0x1000);
  for (bench.permission = 0; bench.permission < 1u << 24; bench.permission += 1 + bench.rng() % 8191) {
    for (unsigned window = 0; window < isa::kWindows; ++window) bench.access(window, 0, 64);
  }
}

}  // namespace
}  // namespace systole::test
