// SPDX-License-Identifier: Apache-2.0
// The vector processor against the functional model: random kernels, some that cannot go on, and random stalls on every
// port; kernels of rows; and what operations cost.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "Vprocessor_dim16.h"
#include "Vprocessor_dim32.h"
#include "Vprocessor_dim4.h"
#include "Vprocessor_dim8.h"
#include "kernel_coverage.hpp"
#include "kernels.hpp"
#include "processor_bench.hpp"
#include "row_formulas.hpp"
#include "seed.hpp"
#include "vector_processor.hpp"

namespace systole::test {
namespace {

const std::vector<ProcessorStalls> kStalls = {{}, {128, 0, 0}, {0, 128, 0}, {0, 0, 200}, {100, 100, 100}, {0, 0, 250}};

ProcessorSizes sizes_of(int dim) {
  const int lanes = std::min(dim, 16);
  return {dim, 1530, 256, 1530 * lanes / (lanes + 1)};
}

Configuration configuration_of(const ProcessorSizes& sizes) {
  return {"processor", sizes.dim, sizes.block_rows, 16 * sizes.dim, sizes.acc_rows, 16};
}

/// The functional model with the same memories.
struct Reference {
  explicit Reference(const ProcessorSizes& sizes) : memory(4096), state(configuration_of(sizes), memory) {}

  /// Registers as after a reset, and a table.
  void clear(const std::vector<std::uint32_t>& table) {
    state.clear();
    state.nonfinite = false;
    std::copy(table.begin(), table.end(), state.words().begin());
  }

  template <typename Bench>
  void copy(const Bench& bench) {
    std::memcpy(state.scratch(0), bench.scratch.data(), bench.scratch.size());
    std::memcpy(state.accumulator(0), bench.acc.data(), 4 * bench.acc.size());
  }

  template <typename Bench>
  void expect_same(const Bench& bench) {
    const auto dim = static_cast<std::size_t>(state.dim());
    const std::int8_t* scratch = state.scratch(0);
    for (std::size_t i = 0; i < bench.scratch.size(); ++i) {
      ASSERT_EQ(int{bench.scratch[i]}, int{scratch[i]}) << "scratchpad row " << i / dim << " lane " << i % dim;
    }
    const std::int32_t* acc = state.accumulator(0);
    for (std::size_t i = 0; i < bench.acc.size(); ++i) {
      ASSERT_EQ(bench.acc[i], acc[i]) << "accumulator row " << i / dim << " lane " << i % dim;
    }
  }

  /// Runs a kernel that may be at fault. Returns the fault.
  std::optional<ProcessorFault> run(std::uint32_t entry, const kernel::Arguments& arguments) {
    try {
      model::VectorProcessor(state).run(entry, arguments);
    } catch (const kernel::KernelFault& fault) {
      return ProcessorFault{static_cast<int>(isa::ErrorCode::kKernel), fault.word};
    } catch (const model::Fault& fault) {
      return ProcessorFault{static_cast<int>(fault.code), fault.address};
    }
    return std::nullopt;
  }

  model::SparseMemory memory;
  model::State state;
};

/// SYSTOLE_ROUNDS kernels instead of the test's own number.
int kernels_to_run(int usual) {
  const char* rounds = std::getenv("SYSTOLE_ROUNDS");
  return rounds == nullptr ? usual : std::atoi(rounds);
}

template <typename Model>
void random_kernels(int dim, std::uint64_t seed_value, int usual, bool broken) {
  const int count = kernels_to_run(usual);
  const ProcessorSizes sizes = sizes_of(dim);
  std::mt19937_64 random(seed(seed_value));
  RandomVectorKernels generate(sizes.scratch_rows, sizes.acc_rows, random());
  ProcessorBench<Model> bench(sizes, random());
  Reference reference(sizes);
  std::vector<std::uint32_t> table(kernel::kTableWords);
  for (auto& word : table) word = static_cast<std::uint32_t>(random());
  bench.load_table(table);
  reference.clear(table);
  std::map<int, int> faults;
  KernelCoverage coverage;
  constexpr int kLongest = 3000;
  for (int round = 0; round < count; ++round) {
    for (auto& byte : bench.scratch) byte = static_cast<std::int8_t>(random());
    for (auto& word : bench.acc) word = static_cast<std::int32_t>(random()) >> (random() % 32);
    const RandomKernel kernel = broken ? generate.make_broken() : generate.make();
    std::vector<kernel::Word> words(kernel::kMemoryWords);
    std::copy(kernel.words.begin(), kernel.words.end(), words.begin() + kernel.entry);
    if (steps_of(words, kernel.entry, kernel.arguments, kLongest) == kLongest) continue;
    SCOPED_TRACE(fmt::format("kernel {}\n{}", round, text_of(kernel)));
    coverage.run(words, kernel.entry, kernel.arguments);
    ASSERT_NO_FATAL_FAILURE(bench.load(0, words));
    reference.state.kernels() = words;
    reference.copy(bench);
    const auto expected = reference.run(kernel.entry, kernel.arguments);
    const ProcessorStalls& stalls = kStalls[static_cast<std::size_t>(round) % kStalls.size()];
    ASSERT_NO_FATAL_FAILURE(bench.run(kernel.entry, kernel.arguments, stalls));
    ASSERT_EQ(bench.fault.has_value(), expected.has_value());
    if (expected) {
      ++faults[expected->code];
      EXPECT_EQ(bench.fault->code, expected->code);
      EXPECT_EQ(bench.fault->address, expected->address);
      ASSERT_NO_FATAL_FAILURE(bench.idle(20));
    }
    ASSERT_NO_FATAL_FAILURE(reference.expect_same(bench));
    ASSERT_EQ(bench.nonfinite(), reference.state.nonfinite);
    if (expected) {
      bench.reset();
      reference.clear(table);
    }
    if (round % 3 == 0) {
      ASSERT_NO_FATAL_FAILURE(bench.idle(generate.below(20)));
    }
  }
  if (broken) {
    for (const isa::ErrorCode code :
         {isa::ErrorCode::kScratchRange, isa::ErrorCode::kAccRange, isa::ErrorCode::kKernel}) {
      EXPECT_GT(faults[static_cast<int>(code)], count / 50) << "code " << static_cast<int>(code);
    }
  } else {
    EXPECT_EQ(coverage.missing(), "");
  }
}

TEST(Processor, RunsRandomKernelsOf4Lanes) { random_kernels<Vprocessor_dim4>(4, 1, 1200, false); }
TEST(Processor, RunsRandomKernelsOf8Lanes) { random_kernels<Vprocessor_dim8>(8, 2, 600, false); }
TEST(Processor, RunsRandomKernelsOf16Lanes) { random_kernels<Vprocessor_dim16>(16, 3, 400, false); }
TEST(Processor, RunsRandomKernelsOf32Lanes) { random_kernels<Vprocessor_dim32>(32, 6, 200, false); }
TEST(Processor, StopsAtFaultsWith4Lanes) { random_kernels<Vprocessor_dim4>(4, 4, 1200, true); }
TEST(Processor, StopsAtFaultsWith16Lanes) { random_kernels<Vprocessor_dim16>(16, 5, 300, true); }

/// Cycles of a kernel without stalls, from its start to its end.
std::uint64_t cycles_of(const std::string& text, const kernel::Arguments& arguments = {}) {
  ProcessorBench<Vprocessor_dim16> bench(sizes_of(16), 1);
  const kernel::Kernel kernel = kernel::assemble("kernel cost(base, other)\nvector x, y, z\n" + text + "end\n");
  bench.load(0, kernel.words);
  const std::uint64_t before = bench.cycles;
  bench.run(0, arguments, {});
  return bench.cycles - before;
}

TEST(Processor, TakesEightCyclesForAnOperation) {
  const std::uint64_t none = cycles_of("");
  const auto cost = [&](const std::string& text) { return cycles_of(text, {0, 100}) - none; };
  const std::uint64_t one = cost("iadd y, x, 1\n");
  EXPECT_EQ(cost("iadd y, x, 1\niadd y, y, 1\n"), one + 8);
  EXPECT_EQ(cost("iadd y, x, 1\niadd y, i8[base], y\n"), one + 8);
  EXPECT_EQ(cost("iadd y, x, 1\niadd y, acc[base], y\n"), one + 8);
  EXPECT_EQ(cost("iadd y, x, 1\niadd y, i16[base], y\n"), one + 8);
  EXPECT_EQ(cost("iadd y, x, 1\niadd y, i32[base], y\n"), one + 8);
  const std::uint64_t stored = cost("move i8[base], x\n");
  EXPECT_EQ(cost("move i8[base], x\nmove i8[other], x\n"), stored + 8);
  EXPECT_EQ(cost("move i8[base], x\nmove acc[base], x\nmove u8[other], x\n"), stored + 16);
  EXPECT_EQ(cost("iadd y, x, 1\nsum_lanes y, y\n"), one + 4 * 8);
  EXPECT_EQ(cost("iadd y, x, 1\nfsum_lanes y, y\n"), one + 4 * 8);
  EXPECT_EQ(cost("iadd y, x, 1\nadd base, base, 8\nadd other, other, 8\niadd y, y, 1\n"), one + 8);
}

TEST(Processor, AccessesPlanesTogetherWhereTheScratchpadCan) {
  const auto cost = [](const std::string& operation, std::uint32_t base, std::uint32_t distance) {
    return cycles_of(operation + "move y, x\n", {base, distance}) - cycles_of("move y, x\n", {});
  };
  const auto exponents = static_cast<std::uint32_t>(sizes_of(16).block_rows);
  const std::string halves = "iadd y, x, i16[base, 1, other]\n", words = "iadd y, x, i32[base, 1, other]\n";
  for (const std::uint32_t distance : {1u, 2u, 3u, 4u, 6u, 8u, 9u, 65535u, 65534u}) {
    EXPECT_EQ(cost(words, 300, distance), distance % 2 == 1 ? 8u : 32u) << distance;
    EXPECT_EQ(cost(halves, 300, distance), distance % 4 != 0 ? 8u : 16u) << distance;
  }
  EXPECT_EQ(cost(words, exponents - 11, 1), 8u);
  EXPECT_EQ(cost(words, exponents - 10, 1), 8u + 3) << "the last plane of the last row is one of exponents";
  EXPECT_EQ(cost(words, exponents, 1), 32u);
  EXPECT_EQ(cost(halves, exponents, 1), 16u);
}

TEST(Processor, StoresPlanesTogetherWhereTheScratchpadCan) {
  const auto cost = [](const std::string& format, std::uint32_t base, std::uint32_t distance) {
    const std::string store = "move " + format + "[base, 1, other], x\n";
    return cycles_of(store + store + store, {base, distance}) - cycles_of(store + store, {base, distance});
  };
  const auto exponents = static_cast<std::uint32_t>(sizes_of(16).block_rows);
  for (const std::uint32_t distance : {1u, 2u, 3u, 4u, 6u, 65535u}) {
    EXPECT_EQ(cost("i32", 300, distance), distance % 2 == 1 ? 8u : 32u) << distance;
    EXPECT_EQ(cost("i16", 300, distance), distance % 4 != 0 ? 8u : 16u) << distance;
  }
  EXPECT_EQ(cost("i32", exponents, 1), 32u);
}

// Rows 0 to 7 are stored; the load begins eight cycles later unless it waits until the last of them is written.
TEST(Processor, LoadsWaitForStoresThatTheyMayRead) {
  const auto waits = [](const std::string& store, const std::string& load, std::uint32_t row) {
    const std::string text = "move " + store + ", x\n";
    const std::uint64_t apart = cycles_of(text + "move y, i8[other]\n", {100, 400});
    return cycles_of(text + "move y, " + load + "\n", {100, row}) - apart;
  };
  const auto exponents = static_cast<std::uint32_t>(sizes_of(16).block_rows);
  EXPECT_EQ(waits("i8[base]", "i8[other]", 99 - 8), 0u);
  EXPECT_EQ(waits("i8[base]", "i8[other]", 100 + 8), 0u);
  EXPECT_GT(waits("i8[base]", "i8[other]", 100), 0u);
  EXPECT_GT(waits("i8[base]", "i8[other]", 100 + 7), 0u);
  EXPECT_GT(waits("i32[base]", "i8[other]", 100 + 10), 0u) << "the fourth plane of the last row";
  EXPECT_EQ(waits("i32[base]", "i8[other]", 100 + 11), 0u);
  EXPECT_GT(waits("i8[base]", "i32[other]", 100 - 3), 0u) << "the fourth plane of the first row";
  EXPECT_EQ(waits("acc[base]", "i8[other]", 100), 0u) << "another memory";
  EXPECT_GT(waits("acc[base]", "acc[other]", 100), 0u);
  EXPECT_GT(waits("blocks[base]", "blocks[other]", 400), 0u) << "exponents in the same row";
  EXPECT_GT(waits("blocks[base]", "i8[other]", exponents), 0u);
  EXPECT_GT(waits("blocks[base]", "i8[other]", exponents - 7), 0u) << "the last row is the first of exponents";
  EXPECT_EQ(waits("blocks[base]", "i8[other]", exponents - 8), 0u);
  EXPECT_EQ(waits("blocks[base]", "i32[other]", 400), 0u);
  const auto behind = [](std::uint32_t row, const std::string& load) {
    return cycles_of("move i8[base], x\nmove y, " + load + "\n", {row, 400});
  };
  EXPECT_EQ(behind(exponents - 8, "blocks[other]"), behind(exponents - 8, "i8[other]"));
  EXPECT_GT(behind(exponents - 7, "blocks[other]"), behind(exponents - 7, "i8[other]")) << "perhaps their exponents";
}

/// The bench holds go back and demands that nothing is over before.
TEST(Processor, WaitsForGoWithoutRows) {
  ProcessorBench<Vprocessor_dim4> bench(sizes_of(4), 1);
  bench.load(0, {0, ~kernel::Word{0}});
  for (int i = 0; i < 20; ++i) {
    ASSERT_NO_FATAL_FAILURE(bench.run(0, {}, {250, 0, 0}));
    EXPECT_TRUE(bench.done);
  }
  ASSERT_NO_FATAL_FAILURE(bench.run(1, {}, {256, 0, 0}));
  ASSERT_TRUE(bench.fault);
  EXPECT_EQ(bench.fault->address, 1u);
}

/// Cycles of a kernel of rows of bytes on strips of eight, per row of a plane.
double cycles_of_rows(const compiler::KernelCall& call, int strips, int planes) {
  const kernel::Kernel& kernel = compiler::kernel_of(call, 16);
  std::map<std::string, std::int64_t> values = {{"a", 0},
                                                {"a_plane", 8 * strips},
                                                {"to", 700},
                                                {"to_plane", 8 * strips},
                                                {"rows", 8 * strips},
                                                {"strips", strips},
                                                {"words", 0}};
  values.insert(call.values.begin(), call.values.end());
  kernel::Arguments arguments{};
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    arguments[i] = static_cast<std::uint32_t>(values.at(kernel.arguments[i]));
  }
  ProcessorBench<Vprocessor_dim16> bench(sizes_of(16), 1);
  bench.load(0, kernel.words);
  const std::uint64_t before = bench.cycles;
  bench.run(0, arguments, {});
  EXPECT_TRUE(bench.done);
  return static_cast<double>(bench.cycles - before) / (8 * strips * planes);
}

TEST(Processor, TakesFewCyclesForKernelsOfRows) {
  const auto softmax = [](int strips, int planes) {
    const double cycles = cycles_of_rows(network::softmax_bytes(16 * planes, kernel::Format::kI8), strips, planes);
    fmt::print("softmax, rows of {}: {:.2f} cycles per 16 elements\n", 16 * planes, cycles);
    return cycles;
  };
  EXPECT_LE(softmax(2, 8), 16);
  EXPECT_LE(softmax(1, 64), 16);
  const auto norm = [](bool exact_variance, int planes) {
    const double cycles = cycles_of_rows(network::layer_norm_bytes(16 * planes, exact_variance, 0.01F), 1, planes);
    fmt::print("layer normalization, rows of {}: {:.2f} cycles per 16 elements\n", 16 * planes, cycles);
    return cycles;
  };
  EXPECT_LE(norm(false, 48), 14);
  EXPECT_LE(norm(true, 12), 14);
}

/// The reference has to differ from a processor that works on other data. No model is static: it would be destroyed
/// after what it needs.
TEST(Processor, ComparisonSeesAWrongByte) {
  struct Memories {
    std::vector<std::int8_t> scratch = std::vector<std::int8_t>(1530 * 4);
    std::vector<std::int32_t> acc = std::vector<std::int32_t>(256 * 4);
  };
  static const Memories memories;
  static Reference reference(sizes_of(4));
  reference.copy(memories);
  reference.expect_same(memories);
  reference.state.scratch(17)[2] = 1;
  EXPECT_FATAL_FAILURE(reference.expect_same(memories), "scratchpad row 17 lane 2");
}

}  // namespace
}  // namespace systole::test
