// SPDX-License-Identifier: Apache-2.0
// The sequencer of kernels against kernel::Sequencer: random kernels, legal and at fault, one after another, with steps
// taken at random times. Every field of every step, the end, and the cycles that it takes.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstring>
#include <map>
#include <optional>

#include "Vkernel_sequencer_only.h"
#include "block_model.hpp"
#include "random_kernels.hpp"
#include "seed.hpp"
#include "stream_checker.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::test {
namespace {

using kernel::Arguments;
using kernel::Word;

constexpr int kWordLimit = 1 << kernel::kWorkLog2;  ///< words that a kernel may execute

struct Step {
  std::uint32_t op = 0, d = 0, a = 0, b = 0, a_kind = 0, b_kind = 0, a_value = 0, b_value = 0, even = 0, store = 0;
  std::uint32_t load = 0, format = 0, row_stride = 0, rows = 0, planes[4] = {};  // rows of the planes
  // All members have 32 bits, so there is nothing between them.
  bool operator==(const Step& other) const { return std::memcmp(this, &other, sizeof *this) == 0; }
  bool operator!=(const Step& other) const { return !(*this == other); }
};

void PrintTo(const Step& s, std::ostream* out) {
  *out << fmt::format("op {} d {} a {}:{}={:#x} b {}:{}={:#x} even {} store {} rows {} load {}", s.op, s.d, s.a_kind,
                      s.a, s.a_value, s.b_kind, s.b, s.b_value, s.even, s.store, s.rows, s.load)
       << fmt::format(" format {} planes at {} {} {} {}, stride {}", s.format, s.planes[0], s.planes[1], s.planes[2],
                      s.planes[3], s.row_stride);
}

struct Outcome {
  std::vector<Step> steps;
  std::optional<std::uint32_t> fault;
  std::string why;  ///< of the model alone
};

Outcome model(const std::vector<Word>& memory, std::uint32_t entry, const Arguments& arguments) {
  Outcome outcome;
  kernel::Sequencer sequencer(memory, entry, arguments);
  try {
    while (const kernel::VectorStep* from = sequencer.next()) {
      if (from->rows == 0) continue;
      using namespace kernel;
      const auto field = [&](const Field& f) { return get(from->word, f); };
      Step step{field(kOpField),
                field(kDField),
                field(kAField),
                field(kBField),
                field(kAKindField),
                field(kBKindField),
                from->a,
                from->b,
                field(kRoundingField),
                field(kStoreField),
                from->has_memory && !field(kStoreField)};
      if (from->has_memory) {
        step.format = static_cast<std::uint32_t>(from->memory.format);
        step.row_stride = from->memory.row_stride & 0xffff;
        for (int plane = 0; plane < 4; ++plane) step.planes[plane] = from->memory.row(0, plane);
      }
      step.rows = static_cast<std::uint32_t>(from->rows);
      outcome.steps.push_back(step);
    }
  } catch (const kernel::KernelFault& fault) {
    outcome.fault = fault.word;
    outcome.why = fault.what();
  }
  return outcome;
}

class Bench {
 public:
  static constexpr int kForever = 1 << 20;  ///< cycles: more than any kernel here takes

  explicit Bench(std::uint64_t seed) : rng(seed) {
    memory.resize(kernel::kMemoryWords);
    top_.start_valid_i = 0;
    top_.step_ready_i = 0;
    reset();
  }
  ~Bench() { top_.final(); }

  void reset() {
    top_.rst_ni = 0;
    edge();
    top_.rst_ni = 1;
    output_.reset();
  }

  /// Runs a kernel. Steps are taken with a probability in percent. With `limit` it is left after so many cycles.
  Outcome run(std::uint32_t entry, const Arguments& arguments, int take_percent, int limit = kForever) {
    Outcome outcome;
    start(entry, arguments);
    cycles = stalls = 0;
    reads.clear();
    while (cycles < limit) {
      ++cycles;
      top_.step_ready_i = static_cast<int>(rng() % 100) < take_percent;
      top_.eval();
      EXPECT_TRUE(top_.busy_o) << "cycle " << cycles;
      if (top_.done_o || top_.fault_o) {
        EXPECT_NE(top_.done_o, top_.fault_o);
        EXPECT_FALSE(top_.step_valid_o) << "a step after the end";
        if (top_.fault_o) outcome.fault = top_.fault_word_o;
        return outcome;  // the next kernel may start in this cycle
      }
      output_.observe(top_.step_valid_o, top_.step_ready_i, step());
      EXPECT_FALSE(log.any()) << log.text();
      if (top_.step_valid_o && top_.step_ready_i) outcome.steps.push_back(step());
      stalls += top_.step_valid_o && !top_.step_ready_i;
      edge();
    }
    EXPECT_NE(limit, kForever) << "the kernel does not end";
    return outcome;
  }

  /// Cycles without a kernel. The clock does not run in those in which it may stop.
  void rest(int count) {
    top_.start_valid_i = 0;
    for (; count > 0; --count) {
      top_.step_ready_i = rng() & 1;
      top_.eval();
      if (top_.busy_o) edge();
      EXPECT_TRUE(top_.start_ready_o);
      EXPECT_FALSE(top_.step_valid_o);
    }
    EXPECT_FALSE(top_.busy_o);
  }

  std::mt19937_64 rng;
  std::vector<Word> memory;
  int cycles = 0;          ///< since the start, that of the end among them
  int stalls = 0;          ///< cycles in which a step waited
  std::vector<int> reads;  ///< cycles in which words were read
  check::ViolationLog log;

 private:
  void start(std::uint32_t entry, const Arguments& arguments) {
    top_.start_valid_i = 1;
    top_.start_entry_i = entry;
    for (int i = 0; i < kernel::kArguments; ++i) top_.start_args_i[i] = arguments[i];
    top_.eval();
    ASSERT_TRUE(top_.start_ready_o);
    edge();
    top_.start_valid_i = rng() & 1;  // what is offered meanwhile is not taken
    top_.start_entry_i = rng() & 0xffff;
    for (int i = 0; i < kernel::kArguments; ++i) top_.start_args_i[i] = static_cast<std::uint32_t>(rng());
  }

  /// The kernel memory answers in the next cycle and holds the word until the next read.
  void edge() {
    top_.clk_i = 0;
    top_.eval();
    const bool read = top_.rd_valid_o;
    const Word word = memory[top_.rd_word_o];
    top_.clk_i = 1;
    top_.eval();
    if (read) {
      top_.rd_data_i = word;
      reads.push_back(cycles);
    }
    top_.clk_i = 0;
    top_.eval();
  }

  /// The members of tpu_strip_pkg::step_t, the last in the low bits.
  Step step() const {
    int at = 0;
    const auto next = [&](int bits) {
      std::uint64_t words = top_.step_o[at / 32];
      if (at % 32 + bits > 32) words |= std::uint64_t{top_.step_o[at / 32 + 1]} << 32;
      words >>= at % 32;
      at += bits;
      return static_cast<std::uint32_t>(words & ((std::uint64_t{1} << bits) - 1));
    };
    Step step;
    step.row_stride = next(16);
    for (std::uint32_t& plane : step.planes) plane = next(16);
    step.rows = next(4);
    step.format = next(3);
    step.load = next(1);
    step.store = next(1);
    step.even = next(1);
    step.b_value = next(32);
    step.a_value = next(32);
    step.b_kind = next(2);
    step.a_kind = next(2);
    step.b = next(4);
    step.a = next(4);
    step.d = next(4);
    step.op = next(6);
    EXPECT_EQ((at + 31) / 32, static_cast<int>(sizeof top_.step_o / sizeof top_.step_o[0]));
    if (!step.load && !step.store) {  // the others count only with a memory operand
      step.format = step.row_stride = 0;
      for (std::uint32_t& plane : step.planes) plane = 0;
    }
    return step;
  }

  VerilatedContext context_;
  BlockModel<Vkernel_sequencer_only> top_{&context_};
  check::StreamChecker<Step> output_{"step", log};
};

/// Puts a kernel into memory whose other words are random.
void place(std::vector<Word>& memory, const std::vector<Word>& words, std::uint32_t entry, std::mt19937_64& rng) {
  for (Word& word : memory) word = rng();
  for (std::size_t i = 0; i < words.size() && entry + i < memory.size(); ++i) memory[entry + i] = words[i];
}

void expect_same(const Outcome& rtl, const Outcome& expected) {
  for (std::size_t i = 0; i < std::min(rtl.steps.size(), expected.steps.size()); ++i) {
    ASSERT_EQ(rtl.steps[i], expected.steps[i]) << "step " << i;
  }
  ASSERT_EQ(rtl.steps.size(), expected.steps.size()) << expected.why;
  ASSERT_EQ(rtl.fault, expected.fault) << expected.why;
}

/// A word every two cycles from the first on, and the end at once.
void expect_two_cycles_a_word(const Bench& bench, const Outcome& outcome) {
  ASSERT_EQ(bench.stalls, 0);
  for (std::size_t i = 0; i < bench.reads.size(); ++i) ASSERT_EQ(bench.reads[i], 1 + 2 * static_cast<int>(i));
  const int words = static_cast<int>(bench.reads.size());
  const bool not_read = outcome.fault && (*outcome.fault >= kernel::kMemoryWords || words == kWordLimit);
  ASSERT_EQ(bench.cycles, 2 * words + (!outcome.fault ? 1 : not_read ? 3 : 2));
}

class KernelSequencerRtl : public testing::TestWithParam<std::uint64_t> {
 protected:
  Arguments random_arguments(RandomKernels& random) {
    Arguments arguments;
    for (std::uint32_t& argument : arguments) argument = random.interesting();
    return arguments;
  }
};

TEST_P(KernelSequencerRtl, RandomKernels) {
  RandomKernels random(seed(GetParam()));
  Bench bench(random.rng());
  std::map<std::string, int> reasons;
  std::size_t steps = 0;
  int good = 0;
  for (int round = 0; round < 5000 && !HasFailure(); ++round) {
    std::vector<Word> words = random.kernel_words();
    const std::uint32_t wrong = random.pick(6);
    if (wrong == 0) {
      Word& word = words[random.pick(static_cast<std::uint32_t>(words.size()))];
      word = random.pick(4) ? random.spoilt(word) : random.contradiction();
    } else if (wrong == 1) {
      words.pop_back();  // goes on with random words, or beyond the memory
    }
    std::uint32_t entry = random.pick(kernel::kMemoryWords);
    if (random.pick(8) == 0) entry = kernel::kMemoryWords - static_cast<std::uint32_t>(words.size());
    place(bench.memory, words, entry, bench.rng);
    if (random.pick(50) == 0) entry = kernel::kMemoryWords + random.pick(0x10000 - kernel::kMemoryWords);
    const Arguments arguments = random_arguments(random);

    const Outcome expected = model(bench.memory, entry, arguments);
    Outcome rtl = bench.run(entry, arguments, 100);
    ASSERT_NO_FATAL_FAILURE(expect_same(rtl, expected)) << "round " << round;
    ASSERT_NO_FATAL_FAILURE(expect_two_cycles_a_word(bench, expected)) << "round " << round;
    const int cycles = bench.cycles;
    if (random.pick(2)) bench.rest(1 + static_cast<int>(random.pick(4)));
    if (random.pick(8) == 0) {
      bench.run(entry, arguments, 50, static_cast<int>(random.pick(40)));
      bench.reset();
    }
    rtl = bench.run(entry, arguments, 1 + static_cast<int>(random.pick(100)));
    ASSERT_NO_FATAL_FAILURE(expect_same(rtl, expected)) << "round " << round << ", stalled";
    ASSERT_LE(bench.cycles, cycles + bench.stalls) << "round " << round;
    if (random.pick(2)) bench.rest(1 + static_cast<int>(random.pick(4)));

    steps += expected.steps.size();
    good += !expected.fault;
    if (expected.fault) {
      const std::string why = expected.why.substr(expected.why.find(": ") + 2);
      for (const char* reason :
           {"there is no operation", "bits ", "and the result are in memory", "both sources", "no memory format",
            "the kernel memory has", "loops in more than", "body is empty", "end within a loop"}) {
        reasons[reason] += why.find(reason) != std::string::npos;
      }
    }
  }
  EXPECT_FALSE(bench.log.any()) << bench.log.text();
  EXPECT_GT(steps, 30000U);
  EXPECT_GT(good, 1000);
  for (const auto& [reason, count] : reasons) EXPECT_GT(count, 0) << reason;
}

INSTANTIATE_TEST_SUITE_P(Seeds, KernelSequencerRtl, testing::Range<std::uint64_t>(1, 4));

class KernelSequencerCases : public testing::Test {
 protected:
  /// Assembles a kernel at `entry`, runs it and compares.
  void run(const std::string& text, std::uint32_t entry, const Arguments& arguments, int take_percent = 100) {
    place(bench.memory, kernel::assemble(text).words, entry, bench.rng);
    expected = model(bench.memory, entry, arguments);
    ASSERT_NO_FATAL_FAILURE(expect_same(bench.run(entry, arguments, take_percent), expected));
  }

  Bench bench{seed()};
  Outcome expected;
};

// Four loops that end at the same word are left, or run again, without a cycle of their own.
TEST_F(KernelSequencerCases, LoopsCostNoCycles) {
  run("kernel test(i, j, k, l)\nvector x\n"
      "loop i\nloop j\nloop k\nloop l\nmove x, x\nend\nend\nend\nend\n"
      "end\n",
      17, {2, 3, 4, 5});
  EXPECT_EQ(expected.steps.size(), 120U);
  ASSERT_NO_FATAL_FAILURE(expect_two_cycles_a_word(bench, expected));
  EXPECT_EQ(bench.reads.size(), 1U + 2 * (1 + 3 * (1 + 4 * (1 + 5))) + 1);
}

TEST_F(KernelSequencerCases, CountsHave32Bits) {
  run("kernel test(count, from)\nloop count\nadd from, from, 3\nend\nmove i8[from], count\nend\n", 0, {0x10003, 5});
  ASSERT_EQ(expected.steps.size(), 1U);
  EXPECT_EQ(expected.steps[0].planes[0], (5 + 3 * 0x10003) & 0xffff);
}

TEST_F(KernelSequencerCases, TheLastWordOfTheMemory) {
  run("kernel test(count)\nvector x\nloop count\nmove x, 1\nend\nend\n", kernel::kMemoryWords - 3, {7});
  EXPECT_FALSE(expected.fault);
  bench.memory.back() = bench.memory[kernel::kMemoryWords - 2];  // no end: `move` twice, then beyond the memory
  expected = model(bench.memory, kernel::kMemoryWords - 3, {2});
  EXPECT_EQ(expected.fault, kernel::kMemoryWords);
  expect_same(bench.run(kernel::kMemoryWords - 3, {2}, 100), expected);
}

TEST_F(KernelSequencerCases, ALoopToTheEndOfTheMemory) {
  run("kernel test(count)\nvector x\nloop count\nmove x, 1\nend\nend\n", kernel::kMemoryWords - 2, {3});
  EXPECT_EQ(expected.steps.size(), 3U);
  EXPECT_EQ(expected.fault, kernel::kMemoryWords);
}

// As many words as a kernel may execute, its end among them, and one more. The count begins anew with each kernel.
TEST_F(KernelSequencerCases, EachKernelHasItsOwnLimitOfWords) {
  const auto words = kernel::assemble("kernel test(count, from)\nloop count\nadd from, from, 3\nend\nend\n").words;
  place(bench.memory, words, 5, bench.rng);
  const auto expect_words = [&](std::uint32_t count) {
    const Arguments arguments{count - 2};  // besides `loop` and the end
    expected = model(bench.memory, 5, arguments);
    ASSERT_NO_FATAL_FAILURE(expect_same(bench.run(5, arguments, 100, 3 * kWordLimit), expected));
    ASSERT_NO_FATAL_FAILURE(expect_two_cycles_a_word(bench, expected));
    EXPECT_EQ(bench.reads.size(), std::min<std::size_t>(count, kWordLimit));
  };
  ASSERT_NO_FATAL_FAILURE(expect_words(kWordLimit));
  EXPECT_FALSE(expected.fault);
  ASSERT_NO_FATAL_FAILURE(expect_words(kWordLimit + 1));
  EXPECT_EQ(expected.fault, 5 + words.size() - 1) << expected.why;
}

// While a step waits, other words go on: as many as two cycles each allow.
TEST_F(KernelSequencerCases, ScalarsGoOnWhileAStepWaits) {
  place(bench.memory,
        kernel::assemble("kernel test(a)\nvector x\nmove x, 1\nadd a, a, 1\nadd a, a, 1\nmove x, a\nend\n").words, 0,
        bench.rng);
  const Outcome outcome = bench.run(0, {}, 0, 30);
  EXPECT_TRUE(outcome.steps.empty());
  EXPECT_EQ(bench.reads, (std::vector<int>{1, 3, 5, 7, 9})) << "two steps and the end wait";
  bench.reset();
}

// The comparison itself: a bit that only the sequencer sees must show.
TEST_F(KernelSequencerCases, AWrongBitIsNoticed) {
  run("kernel test(a)\nvector x\nvector y\niadd y, x, a\nend\n", 0, {9});
  for (const kernel::Field& field : {kernel::kDField, kernel::kAField, kernel::kBField, kernel::kOpField}) {
    const Word right = bench.memory[0];
    bench.memory[0] ^= Word{1} << field.lsb;
    EXPECT_NE(bench.run(0, {9}, 100).steps, expected.steps) << field.name;
    bench.memory[0] = right;
  }
  bench.memory[0] ^= Word{1} << 40;
  EXPECT_EQ(bench.run(0, {9}, 100).fault, 0U);
}

}  // namespace
}  // namespace systole::test
