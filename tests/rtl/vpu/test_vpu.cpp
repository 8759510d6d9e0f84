// SPDX-License-Identifier: Apache-2.0
// The vector unit against its reference: random commands of all kinds, some of them beyond a memory, and random stalls
// on every port.
#include <map>

#include "Vvpu_dim16.h"
#include "Vvpu_dim32.h"
#include "Vvpu_dim4.h"
#include "Vvpu_dim8.h"
#include "seed.hpp"
#include "vpu_bench.hpp"
#include "vpu_compare.hpp"
#include "vpu_programs.hpp"
#include "vpu_sizes.hpp"

namespace {

using systole::isa::Instruction;
using namespace systole::test;

const std::vector<Stalls> kStalls = {
    {}, {128, 0, 0, 0}, {0, 128, 0, 0}, {0, 0, 200, 0}, {100, 100, 100, 100}, {0, 0, 250, 0}};

template <typename Model>
void random_programs(int dim, std::uint64_t seed_value, int programs) {
  const VectorSizes sizes = sizes_of(dim);
  std::mt19937_64 random(seed(seed_value));
  VectorPrograms generate(sizes, random);
  VectorBench<Model> bench(sizes, random());
  for (int round = 0; round < programs; ++round) {
    SCOPED_TRACE(fmt::format("program {}", round));
    generate.fill(bench.machine);
    std::vector<Instruction> program = {generate.table(false)};
    const int length = generate.below(12);
    for (int i = 0; i < length; ++i) program.push_back(generate.command());
    const VectorMachine initial = bench.machine;
    VectorMachine expected = initial;
    for (const Instruction& instruction : program) expected.run(instruction);
    ASSERT_NO_FATAL_FAILURE(bench.run(program, kStalls[static_cast<std::size_t>(round) % kStalls.size()]));
    ASSERT_FALSE(bench.fault);
    ASSERT_NO_FATAL_FAILURE(expect_same(bench.machine, expected, initial, program, dim));
    bench.keep_hidden(expected);
    if (round % 3 == 0) {
      ASSERT_NO_FATAL_FAILURE(bench.idle(generate.below(40)));
    }
  }
}

/// Programs with one command that may fault between commands that do not.
template <typename Model>
void random_faults(int dim, std::uint64_t seed_value, int programs) {
  const VectorSizes sizes = sizes_of(dim);
  std::mt19937_64 random(seed(seed_value));
  VectorPrograms generate(sizes, random);
  VectorBench<Model> bench(sizes, random());
  std::map<std::pair<bool, systole::isa::ErrorCode>, int> seen;  // of a VECTOR, or of another command
  for (int round = 0; round < programs; ++round) {
    SCOPED_TRACE(fmt::format("program {}", round));
    generate.fill(bench.machine);
    std::vector<Instruction> program = {generate.table(false)};
    for (int i = generate.below(3); i > 0; --i) program.push_back(generate.command());
    program.push_back(generate.broken_command());
    for (int i = generate.below(3); i > 0; --i) program.push_back(generate.command());
    const VectorMachine initial = bench.machine;
    VectorMachine expected = initial;
    std::optional<VectorFault> fault;
    std::size_t done = 0;
    try {
      for (; done < program.size(); ++done) expected.run(program[done]);
    } catch (const VectorFault& f) {
      fault = f;
      const auto opcode = static_cast<systole::isa::Opcode>(program[done].words[0] & 0xff);
      ++seen[{opcode == systole::isa::Opcode::kVector, f.code}];
    }
    ASSERT_NO_FATAL_FAILURE(bench.run(program, kStalls[static_cast<std::size_t>(round) % kStalls.size()]));
    ASSERT_EQ(bench.fault.has_value(), fault.has_value());
    ASSERT_EQ(bench.retired, done);
    if (fault) {
      ASSERT_EQ(bench.fault->code, fault->code);
      ASSERT_EQ(bench.fault->address, fault->address);
      ASSERT_NO_FATAL_FAILURE(bench.idle(30));  // nothing more happens
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(bench.machine, expected, initial, program, dim));
    bench.keep_hidden(expected);
    if (fault) bench.reset();
  }
  using systole::isa::ErrorCode;
  for (const auto& [vector, code] : {std::pair{false, ErrorCode::kScratchRange},
                                     {false, ErrorCode::kAccRange},
                                     {false, ErrorCode::kParamRange},
                                     {true, ErrorCode::kScratchRange},
                                     {true, ErrorCode::kAccRange},
                                     {true, ErrorCode::kKernel}}) {
    EXPECT_GT((seen[{vector, code}]), 0) << (vector ? "VECTOR " : "") << systole::isa::to_string(code);
  }
}

class Vpu : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Vpu, Dim4) { random_programs<Vvpu_dim4>(4, GetParam(), 300); }
TEST_P(Vpu, Dim8) { random_programs<Vvpu_dim8>(8, GetParam(), 200); }
TEST_P(Vpu, Dim16) { random_programs<Vvpu_dim16>(16, GetParam(), 150); }
TEST_P(Vpu, Dim32) { random_programs<Vvpu_dim32>(32, GetParam(), 80); }
TEST_P(Vpu, FaultsDim4) { random_faults<Vvpu_dim4>(4, GetParam(), 1000); }
TEST_P(Vpu, FaultsDim16) { random_faults<Vvpu_dim16>(16, GetParam(), 300); }

INSTANTIATE_TEST_SUITE_P(Seeds, Vpu, testing::Range<std::uint64_t>(1, 5));

}  // namespace
