// SPDX-License-Identifier: Apache-2.0
// The counters of the whole core over a mix of programs: every cycle of every engine has one cause, every wait one
// semaphore, every slot of the array one use. Vectors and padding are compared with those of the program's CONV
// instructions.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "kernels.hpp"
#include "seed.hpp"
#include "systole/backends.hpp"
#include "systole/device.hpp"
#include "systole/generated/registers.hpp"
#include "systole/isa_check.hpp"

namespace systole {
namespace {

using compiler::Builder;
using compiler::TensorView;

constexpr auto kMxu = static_cast<std::size_t>(isa::Engine::kMxu);
constexpr auto kStore = static_cast<std::size_t>(isa::Engine::kStore);
constexpr auto kSemaphore = static_cast<std::size_t>(isa::Cause::kSemaphore);

template <class Counts>
std::uint64_t sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

struct Vectors {
  std::uint64_t all = 0, padded = 0;
};

/// Activation vectors that the matrix unit streams for a program, position by position.
Vectors vectors_of(const Program& program) {
  Vectors vectors;
  for (const isa::Instruction& instruction : program.instructions) {
    if (isa::get(instruction, 0, 8) != static_cast<std::uint64_t>(isa::Opcode::kConv)) {
      continue;
    }
    const auto conv = isa::Conv::decode(instruction);
    for (int ky = 0; ky < conv.kernel_h; ++ky) {
      for (int kx = 0; kx < conv.kernel_w; ++kx) {
        for (int oy = 0; oy < conv.out_height; ++oy) {
          for (int ox = 0; ox < conv.out_width; ++ox) {
            const int y = conv.y0 + ky * conv.dilation_h + oy * conv.stride_h;
            const int x = conv.x0 + kx * conv.dilation_w + ox * conv.stride_w;
            const bool inside = y >= 0 && y < conv.in_height && x >= 0 && x < conv.in_width;
            vectors.all += conv.blocks;
            vectors.padded += inside ? 0 : conv.blocks;
          }
        }
      }
    }
  }
  return vectors;
}

/// Semaphores that instructions of an engine wait for.
std::set<std::size_t> waited_for(const Program& program, std::size_t engine) {
  std::set<std::size_t> numbers;
  for (const isa::Instruction& instruction : program.instructions) {
    const isa::Semaphores s = isa::decode_semaphores(instruction);
    const auto* info = isa::find_instruction(instruction);
    if (info != nullptr && static_cast<std::size_t>(info->engine) == engine) {
      if (s.wait0_amount > 0) numbers.insert(s.wait0_sem);
      if (s.wait1_amount > 0) numbers.insert(s.wait1_sem);
    }
  }
  return numbers;
}

struct Parameter {
  std::string configuration;
  unsigned stall_percent;
};
void PrintTo(const Parameter& p, std::ostream* out) {
  *out << p.configuration << ", stalls " << p.stall_percent << " %";
}

class Accounting : public ::testing::TestWithParam<Parameter> {
 protected:
  Accounting() : device_(Device::open(options(), "rtl")), rng_(test::seed()) {}

  static BackendOptions options() {
    BackendOptions options;
    options.configuration = GetParam().configuration;
    options.memory_bytes = std::uint64_t{16} << 20;
    options.seed = test::seed();
    options.stall_percent = GetParam().stall_percent;
    return options;
  }
  int dim() const { return device_.configuration().dim; }
  std::vector<std::int8_t> bytes(int count) {
    std::vector<std::int8_t> values(static_cast<std::size_t>(count));
    for (auto& value : values) value = static_cast<std::int8_t>(rng_());
    return values;
  }

  /// Runs the program and checks that its counters are consistent.
  RunStats run(Program program) {
    const RunStats stats = device_.run(program);
    EXPECT_GT(stats.cycles, 0u);
    for (std::size_t engine = 0; engine < kEngineCount; ++engine) {
      EXPECT_EQ(sum(stats.causes[engine]), stats.cycles) << "engine " << engine;
      EXPECT_EQ(sum(stats.semaphore_waits[engine]), stats.causes[engine][kSemaphore]) << "engine " << engine;
      const auto numbers = waited_for(program, engine);
      for (std::size_t s = 0; s < stats.semaphore_waits[engine].size(); ++s) {
        EXPECT_TRUE(stats.semaphore_waits[engine][s] == 0 || numbers.count(s) > 0)
            << "engine " << engine << " is charged with semaphore " << s << ", which it never waits for";
      }
    }
    const Vectors vectors = vectors_of(program);
    const auto slots = static_cast<std::uint64_t>(dim() * dim());
    EXPECT_EQ(stats.rounded_macs, vectors.all * slots);
    EXPECT_EQ(stats.padded_macs, vectors.padded * slots);
    EXPECT_LE(stats.useful_macs, stats.rounded_macs);
    return stats;
  }

  RunStats run_conv(int side, int cin, int cout, const Window& window) {
    const int out_h =
        (side + window.pad_top + window.pad_bottom - window.dilation_h * (window.kernel_h - 1) - 1) / window.stride_h +
        1;
    const int out_w =
        (side + window.pad_left + window.pad_right - window.dilation_w * (window.kernel_w - 1) - 1) / window.stride_w +
        1;
    const auto weights = bytes(cout * window.kernel_h * window.kernel_w * cin);
    Builder builder(device_.configuration());
    const std::uint32_t input = builder.binding(static_cast<std::uint64_t>(side * side * cin)),
                        output = builder.binding(static_cast<std::uint64_t>(out_h * out_w * cout));
    compiler::conv2d(builder, TensorView{input, 1, side, side, cin, 0}, weights.data(), {}, {window, 1, 0}, {},
                     TensorView{output, 1, out_h, out_w, cout, 0});
    return run(builder.finish());
  }

  Device device_;
  std::mt19937_64 rng_;
};

TEST_P(Accounting, MatrixProduct) {
  for (const int size : {1, dim() + 1, 4 * dim()}) {
    Builder builder(device_.configuration());
    const auto matrix = [&] {
      return compiler::MatrixView{builder.binding(static_cast<std::uint64_t>(size * size)), size, size, 0};
    };
    const compiler::MatrixView a = matrix(), b = matrix(), c = matrix();
    compiler::matmul(builder, a, b, {}, {}, c);
    const RunStats stats = run(builder.finish());
    EXPECT_EQ(stats.useful_macs, static_cast<std::uint64_t>(size) * static_cast<std::uint64_t>(size * size));
    EXPECT_EQ(stats.padded_macs, 0u);
    if (size == 4 * dim()) {
      EXPECT_EQ(stats.rounded_macs, stats.useful_macs) << "whole tiles are rounded";
      // A small result may be there before the instruction that stores it.
      EXPECT_GT(stats.causes[kStore][kSemaphore], 0u) << "a result is stored before it is there";
    } else {
      EXPECT_GT(stats.rounded_macs, stats.useful_macs);
    }
  }
}

TEST_P(Accounting, Convolution) {
  const RunStats padded = run_conv(9, 2 * dim(), dim(), {3, 3, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_GT(padded.padded_macs, 0u);
  EXPECT_EQ(padded.rounded_macs, padded.useful_macs) << "taps in padding are useful work by definition";
  const RunStats inside = run_conv(9, dim(), dim() + 3, {3, 3, 2, 2, 1, 1, 0, 0, 0, 0});
  EXPECT_EQ(inside.padded_macs, 0u);
  EXPECT_GT(inside.rounded_macs, inside.useful_macs);
  run_conv(12, dim(), dim(), {3, 2, 1, 2, 2, 3, 2, 0, 1, 4});
  run_conv(11, 3, 8, {5, 5, 2, 2, 1, 1, 2, 2, 2, 2});
}

TEST_P(Accounting, WorkWithoutTheArray) {
  Builder builder(device_.configuration());
  const auto image = [&](int side) {
    return TensorView{builder.binding(static_cast<std::uint64_t>(side * side * dim())), 1, side, side, dim(), 0};
  };
  const TensorView x = image(4), y = image(2);
  compiler::max_pool(builder, x, {2, 2, 2, 2, 1, 1, 0, 0, 0, 0}, -128, 127, y);
  const RunStats stats = run(builder.finish());
  EXPECT_EQ(stats.rounded_macs, 0u);
  const auto& mxu = stats.causes[kMxu];
  const std::uint64_t idle = mxu[static_cast<std::size_t>(isa::Cause::kIdle)];
  EXPECT_EQ(mxu[static_cast<std::size_t>(isa::Cause::kFetch)] + idle, stats.cycles) << "it never has an instruction";
  EXPECT_GT(idle, 0u) << "nor can it get one once END is decoded";
}

TEST_P(Accounting, TwoWaitsAreChargedToTheFirstThatIsShort) {
  // LOAD signals 9 long before 17, and a STORE waits for both, in either order.
  constexpr std::uint8_t kEarly = 9, kLate = 17;
  constexpr int kRows = 40;
  const auto row_bytes = static_cast<std::uint16_t>(dim());
  const auto bytes = static_cast<std::uint32_t>(kRows * dim());
  const auto load = [&](int rows, std::uint8_t signal) {
    isa::Load op;
    op.run_bytes = static_cast<std::uint32_t>(rows * dim());
    op.pieces = static_cast<std::uint16_t>(rows);
    op.piece_step = op.piece_bytes = op.slot_bytes = row_bytes;
    op.dst_piece = op.valid_to = 1;
    op.sem.signal0_sem = signal;
    op.sem.signal0_amount = 1;
    return op.encode();
  };
  const auto program = [&](std::uint8_t first, std::uint8_t second) {
    isa::Store op;
    op.dst = bytes;
    op.piece_bytes = row_bytes;
    op.sem.wait0_sem = first;
    op.sem.wait1_sem = second;
    op.sem.wait0_amount = op.sem.wait1_amount = 1;
    Program p;
    p.binding_bytes = 2 * bytes;
    p.instructions = {load(1, kEarly), load(kRows, kLate), op.encode()};
    return p;
  };
  const RunStats late_first = run(program(kLate, kEarly));
  EXPECT_EQ(late_first.semaphore_waits[kStore][kEarly], 0u);
  const RunStats early_first = run(program(kEarly, kLate));
  EXPECT_GT(early_first.semaphore_waits[kStore][kEarly], 0u);
  EXPECT_GE(early_first.semaphore_waits[kStore][kLate], static_cast<std::uint64_t>(kRows) - 2)
      << "the rows that were loaded meanwhile";
  if (GetParam().stall_percent == 0) {
    EXPECT_EQ(early_first.cycles, late_first.cycles);
    EXPECT_EQ(early_first.causes[kStore][kSemaphore], late_first.causes[kStore][kSemaphore]);
  }
}

TEST_P(Accounting, ReadingChangesNothing) {
  const RunStats stats = run_conv(6, dim(), dim(), {3, 3, 1, 1, 1, 1, 1, 1, 1, 1});
  Backend& backend = device_.backend();
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(backend.read_register(reg::kCycles), stats.cycles);
    for (std::uint32_t e = 0; e < kEngineCount; ++e) {
      for (std::uint32_t c = 0; c < kCauseCount; ++c)
        EXPECT_EQ(backend.read_register(reg::kCauseCount + 4 * (16 * e + c)), stats.causes[e][c]);
      for (std::uint32_t s = 0; s < isa::kSemaphores; ++s) {
        EXPECT_EQ(backend.read_register(reg::kSemaphoreWait + 4 * (32 * e + s)), stats.semaphore_waits[e][s]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(rtl_tiny, Accounting, ::testing::Values(Parameter{"tiny", 0}));
INSTANTIATE_TEST_SUITE_P(stalled_tiny, Accounting, ::testing::Values(Parameter{"tiny", 40}));
INSTANTIATE_TEST_SUITE_P(rtl_default, Accounting, ::testing::Values(Parameter{"default", 0}));
INSTANTIATE_TEST_SUITE_P(stalled_default, Accounting, ::testing::Values(Parameter{"default", 40}));

}  // namespace
}  // namespace systole
