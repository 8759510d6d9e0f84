// SPDX-License-Identifier: Apache-2.0
// `systole kernel` on every back end that has a tiny core.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "exit_codes.hpp"
#include "npy.hpp"
#include "program_fixture.hpp"
#include "systole/backends.hpp"

namespace systole::cli {
namespace {

using graph::ElementType;
using graph::Value;

constexpr const char* kRelu = R"(kernel relu(src, dst, rows, strips, plus)
vector x
loop strips
  rows rows
  max x, i8[src], 0
  iadd i8[dst], x, plus
  add src, src, 8
  add dst, dst, 8
  sub rows, rows, 8
end
end
)";

/// sums += a + b, for all blocks of DIM channels.
constexpr const char* kWide = R"(kernel wide(a, b, sums, rows, blocks)
scalar one, two_planes, four_planes
vector x
set one, 1
add two_planes, rows, rows
add four_planes, two_planes, two_planes
rows rows
loop blocks
  move x, i16[a, one, rows]
  iadd x, x, i32[b, one, rows]
  iadd x, x, acc[sums]
  move acc[sums], x
  add a, a, two_planes
  add b, b, four_planes
  add sums, sums, rows
end
end
)";

/// A float32 for each byte.
constexpr const char* kLookup = R"(kernel lookup(x, y, rows, gain)
scalar one
vector v
set one, 1
rows rows
table v, u8[x]
fmul i32[y, one, rows], v, gain
end
)";

class KernelRuns : public ProgramTest, public testing::WithParamInterface<const char*> {
 protected:
  KernelRuns() : ProgramTest(std::string("systole_kernel_") + GetParam()) {}
  void SetUp() override {
    const std::vector<std::string> cores = rtl_configurations();
    if (GetParam() == std::string("rtl") && std::find(cores.begin(), cores.end(), "tiny") == cores.end()) {
      GTEST_SKIP() << "no tiny core in this build";
    }
  }

  void write_text(const std::string& name, const std::string& text) {
    write(name, graph::Bytes(text.begin(), text.end()));
  }

  int run_kernel(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "kernel");
    for (const char* more : {"--config", "tiny", "--device", GetParam()}) {
      arguments.emplace_back(more);
    }
    return systole(arguments);
  }

  /// x, 11 x 6, and what relu makes of it, plus 3.
  std::vector<std::string> relu() {
    write_text("relu.tpuk", kRelu);
    std::vector<std::int8_t> x(66), y(66);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<std::int8_t>(static_cast<int>(i) * 37 % 256 - 128);
      y[i] = static_cast<std::int8_t>(std::min(127, std::max<int>(0, x[i]) + 3));
    }
    npy::write(path("x.npy"), graph::make_value(ElementType::kInt8, {11, 6}, x));
    npy::write(path("y.npy"), graph::make_value(ElementType::kInt8, {11, 6}, y));
    return {
        path("relu.tpuk"), "--in",    "src=" + path("x.npy"), "--expect", "dst=" + path("y.npy"), "--arg", "rows=22",
        "--arg",           "strips=3"};
  }
};

INSTANTIATE_TEST_SUITE_P(BackEnds, KernelRuns, testing::Values("model", "rtl"),
                         [](const auto& info) { return std::string(info.param); });

std::vector<std::string> operator+(std::vector<std::string> list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

TEST_P(KernelRuns, CompareBytes) {
  ASSERT_EQ(run_kernel(relu() + std::vector<std::string>{"--arg", "plus=3", "--out", "dst=" + path("o.npy"), "--json",
                                                         path("run.json")}),
            kOk)
      << errors_;
  expect_part("dst          11x6 int8, scratchpad rows 22 to 43");
  expect_part("bit-exact, 66 values against --expect");
  expect_part("6 vector operations");
  EXPECT_EQ(npy::read(path("o.npy")).data, npy::read(path("y.npy")).data);
  const graph::Bytes text = read("run.json");
  const auto json = nlohmann::json::parse(text.begin(), text.end());
  EXPECT_EQ(json["bit_exact"], true);
  EXPECT_EQ(json["kernel"]["vector_operations"], 6);
  EXPECT_EQ(json["kernel"]["rows"], 22);
  if (GetParam() == std::string("rtl")) {
    // Six operations of 8 cycles are the least.
    EXPECT_GE(json["kernel"]["vector_cycles"], 48);
    EXPECT_LT(json["kernel"]["vector_cycles"], 160);
    expect_part("for each of 22 rows of 4 elements");
  } else {
    EXPECT_TRUE(json["kernel"]["vector_cycles"].is_null());
  }
}

TEST_P(KernelRuns, ReportDifferences) {
  EXPECT_EQ(run_kernel(relu() + std::vector<std::string>{"--arg", "plus=4"}), kMismatch);
  expect_part("output 'dst', index 0,0: expected 3, actual 4");
  EXPECT_EQ(run_kernel(relu() + std::vector<std::string>{"--arg", "plus=4", "--tolerance", "1"}), kOk) << errors_;
  expect_part("within tolerance");
}

TEST_P(KernelRuns, TakeWordsAndSums) {
  write_text("wide.tpuk", kWide);
  std::vector<std::int16_t> a(35);
  std::vector<std::int32_t> b(35), sums(35), expected(35);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<std::int16_t>(static_cast<int>(i) * 1999 - 30000);
    b[i] = static_cast<std::int32_t>(i) * 50'000'017 - 800'000'000;
    sums[i] = 100'000'000 - static_cast<std::int32_t>(i) * 3'000'003;
    expected[i] = a[i] + b[i] + sums[i];
  }
  npy::write(path("a.npy"), graph::make_value(ElementType::kInt16, {5, 7}, a));
  npy::write(path("b.npy"), graph::make_value(ElementType::kInt32, {5, 7}, b));
  npy::write(path("s.npy"), graph::make_value(ElementType::kInt32, {5, 7}, sums));
  npy::write(path("e.npy"), graph::make_value(ElementType::kInt32, {5, 7}, expected));
  EXPECT_EQ(run_kernel({path("wide.tpuk"), "--in", "a=" + path("a.npy"), "--in", "b=" + path("b.npy"), "--in",
                        "acc:sums=" + path("s.npy"), "--expect", "sums=" + path("e.npy"), "--arg", "rows=5", "--arg",
                        "blocks=2"}),
            kOk)
      << errors_;
  expect_part("sums         5x7 int32, accumulator rows 0 to 9");
}

TEST_P(KernelRuns, TakeATable) {
  write_text("lookup.tpuk", kLookup);
  std::vector<float> table(256), expected(12);
  std::iota(table.begin(), table.end(), 0.25F);
  std::vector<std::uint8_t> x(12);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<std::uint8_t>(i * 23);
    expected[i] = table[x[i]] * 0.5F;
  }
  npy::write(path("table.npy"), graph::make_value(ElementType::kFloat32, {256}, table));
  npy::write(path("x.npy"), graph::make_value(ElementType::kUint8, {3, 4}, x));
  npy::write(path("y.npy"), graph::make_value(ElementType::kFloat32, {3, 4}, expected));
  EXPECT_EQ(run_kernel({path("lookup.tpuk"), "--in", "x=" + path("x.npy"), "--table", path("table.npy"), "--expect",
                        "y=" + path("y.npy"), "--arg", "rows=3", "--arg", "gain=0.5"}),
            kOk)
      << errors_;
}

TEST_P(KernelRuns, NameLinesOfErrors) {
  write_text("wrong.tpuk", "kernel wrong(x)\nfrobnicate x\nend\n");
  EXPECT_EQ(run_kernel({path("wrong.tpuk")}), kBadInput);
  expect_part(path("wrong.tpuk") + ":2:");
  EXPECT_EQ(run_kernel({path("none.tpuk")}), kBadInput);
  expect_part("none.tpuk: No such file");
  write_text("sums.tpuk", "kernel sums(x)\nvector v\nmove acc[x], v\nend\n");
  npy::write(path("big.npy"), Value{ElementType::kInt32, {65, 4}, graph::Bytes(1040)});
  EXPECT_EQ(run_kernel({path("sums.tpuk"), "--in", "acc:x=" + path("big.npy")}), kBadInput);
  expect_part("x: 65x4 int32 needs 65 rows of the accumulators; 64 of 64 are free in configuration tiny");
}

TEST_P(KernelRuns, RefuseRowsOfNoArray) {
  std::vector<std::string> beyond = relu() + std::vector<std::string>{"--arg", "plus=3"};
  beyond[6] = "rows=24";
  EXPECT_EQ(run_kernel(beyond), kBadInput);
  expect_part(
      "relu.tpuk:6: iadd i8[dst], x, plus: row 44 of the scratchpad belongs to no array (src has rows 0 to 21, "
      "dst has rows 22 to 43); check the strides and the numbers of --arg");
  write_text("sums.tpuk", "kernel sums(x)\nmove acc[x], 0\nend\n");
  EXPECT_EQ(run_kernel({path("sums.tpuk"), "--out", "acc:x=" + path("o.npy") + ":7x4:int32"}), kBadInput);
  expect_part("sums.tpuk:2: move acc[x], 0: row 7 of the accumulators belongs to no array (x has rows 0 to 6)");
  EXPECT_EQ(run_kernel({path("sums.tpuk"), "--out", "x=" + path("o.npy") + ":8x4:int32"}), kBadInput);
  expect_part("row 0 of the accumulators belongs to no array (no array is there)");
}

/// Wrong numbers otherwise: a kernel knows words, not types.
TEST_P(KernelRuns, RefuseOtherTypes) {
  write_text("lookup.tpuk", kLookup);
  npy::write(path("table.npy"), Value{ElementType::kFloat32, {256}, graph::Bytes(1024)});
  npy::write(path("x.npy"), Value{ElementType::kUint8, {3, 4}, graph::Bytes(12)});
  npy::write(path("y.npy"), Value{ElementType::kFloat32, {3, 4}, graph::Bytes(48)});
  const auto with_gain = [&](const char* gain) {
    return run_kernel({path("lookup.tpuk"), "--in", "x=" + path("x.npy"), "--table", path("table.npy"), "--expect",
                       "y=" + path("y.npy"), "--arg", "rows=3", "--arg", std::string("gain=") + gain});
  };
  EXPECT_EQ(with_gain("5"), kBadInput);
  expect_part(
      "lookup.tpuk:7: fmul i32[y, one, rows], v, gain: fmul reads binary32, but --arg gain=5 is an integer, whose 32 "
      "bits are another number; write --arg gain=5.0");
  for (const char* gain : {"5.0", "0", "0x40a00000"}) {
    EXPECT_EQ(with_gain(gain), kOk) << gain << errors_;
  }
  for (const auto& [type, bytes] : {std::pair{ElementType::kInt8, 12U}, std::pair{ElementType::kInt16, 24U}}) {
    npy::write(path("x.npy"), Value{type, {3, 4}, graph::Bytes(bytes)});
    EXPECT_EQ(with_gain("5.0"), kBadInput);
    expect_part(fmt::format("lookup.tpuk:6: table v, u8[x]: reads x as u8, but the array is {}; give it as uint8",
                            graph::name_of(type)));
  }
  npy::write(path("x.npy"), Value{ElementType::kUint8, {3, 4}, graph::Bytes(12)});
  npy::write(path("y.npy"), Value{ElementType::kInt16, {3, 16}, graph::Bytes(96)});
  EXPECT_EQ(with_gain("5.0"), kBadInput);
  expect_part("writes y as i32, but the array is int16; give it as int32 or float32");
}

/// What a core holds before a kernel differs from device to device.
TEST_P(KernelRuns, RefuseToReadWhatNothingHasWritten) {
  const auto error_of = [&](const std::string& body) {
    write_text("k.tpuk",
               "kernel k(x, rows) # numbers\nvector a # first\nvector b, c\nscalar none\n" + body + "\nend\n");
    return run_kernel({path("k.tpuk"), "--out", "x=" + path("o.npy") + ":4x4:int8", "--arg", "rows=4"});
  };
  EXPECT_EQ(error_of("rows rows\nmove i8[x], c # all"), kBadInput);
  expect_part(
      "k.tpuk:6: move i8[x], c: reads vector register 'c', which no operation before it has written; a register "
      "has no value at the start: write it first, for example with: move c, 0");
  EXPECT_EQ(error_of("rows rows\niadd b, 1, b\nmove i8[x], b"), kBadInput);
  expect_part("k.tpuk:6: iadd b, 1, b: reads vector register 'b'");
  EXPECT_EQ(error_of("rows rows\nsum_lanes b, v9\nmove i8[x], b"), kBadInput);
  expect_part("k.tpuk:6: sum_lanes b, v9: reads vector register 'v9'");
  EXPECT_EQ(error_of("rows rows\nmove b, 0\nset rows, 8\nrows rows\niadd b, b, 1"), kBadInput);
  expect_part("k.tpuk:9: iadd b, b, 1: reads 8 rows of vector register 'b', of which 4 are written before it");
  EXPECT_EQ(error_of("rows rows\nmove b, i8[x]"), kBadInput);
  expect_part("k.tpuk:6: move b, i8[x]: reads row 0 of the scratchpad, which nothing has written (x has rows 0 to 3)");
  EXPECT_EQ(error_of("rows rows\ntable b, 1"), kBadInput);
  expect_part("k.tpuk:6: table b, 1: reads the table, which nothing has written; --table FILE gives it 256 words");
  // A register that the first pass of a loop writes, a row that the kernel has written, and scalars, which begin at 0.
  EXPECT_EQ(error_of("rows rows\nmove a, 0\nloop rows\niadd a, a, 1\nend\nmove i8[x], a\niadd a, a, i8[x, none]"), kOk)
      << errors_;
  EXPECT_EQ(error_of("rows none\niadd a, b, c"), kOk) << errors_;
}

TEST_P(KernelRuns, ListWords) {
  write_text("relu.tpuk", kRelu);
  EXPECT_EQ(run_kernel({path("relu.tpuk"), "--list"}), kOk) << errors_;
  expect_part("    2  line 5 ");
  expect_part("max v0, i8[r0], 0\n");
}

}  // namespace
}  // namespace systole::cli
