// SPDX-License-Identifier: Apache-2.0
// The vector unit against its reference: random commands of all kinds, random stalls on every port.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "Vvpu_dim16.h"
#include "Vvpu_dim32.h"
#include "Vvpu_dim4.h"
#include "Vvpu_dim8.h"
#include "bench.hpp"
#include "programs.hpp"
#include "seed.hpp"
#include "sizes.hpp"

namespace {

using systole::isa::Instruction;
using namespace systole::test;

const std::vector<Stalls> kStalls = {
    {}, {128, 0, 0, 0, 0}, {0, 128, 0, 0, 0}, {0, 0, 128, 0, 0}, {0, 0, 0, 200, 0}, {100, 100, 100, 100, 100}, {0, 250, 0, 250, 0}};

/// Opcode of the last command that changes element `index` of a memory, as a hint where to look.
template <typename Memory>
std::string last_writer(VectorMachine machine, const std::vector<Instruction>& program, Memory memory, std::size_t index) {
  std::string writer = "nothing";
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto before = (machine.*memory)[index];
    machine.run(program[i]);
    if ((machine.*memory)[index] != before) writer = fmt::format("command {} (opcode and flags {:#x})", i, program[i].words[0]);
  }
  return writer;
}

template <typename Memory>
void expect_same(const VectorMachine& got, const VectorMachine& expected, const VectorMachine& initial,
                 const std::vector<Instruction>& program, Memory memory, const char* name, int dim) {
  const auto& a = got.*memory;
  const auto& b = expected.*memory;
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin());
  if (at == a.end()) return;
  const auto index = static_cast<std::size_t>(at - a.begin());
  FAIL() << fmt::format("{} row {} lane {} is {}, expected {}; written by {}", name, index / static_cast<std::size_t>(dim),
                        index % static_cast<std::size_t>(dim), *at, *other, last_writer(initial, program, memory, index));
}

template <typename Model>
void random_programs(int dim, std::uint64_t seed_value, int programs) {
  const std::uint64_t s = seed(seed_value);
  const VectorSizes sizes = sizes_of(dim);
  std::mt19937_64 random(s);
  VectorPrograms generate(sizes, random);
  VectorBench<Model> bench(sizes, random());
  for (int round = 0; round < programs; ++round) {
    generate.fill(bench.machine);
    std::vector<Instruction> program = {generate.table()};
    const int length = generate.below(12);
    for (int i = 0; i < length; ++i) program.push_back(generate.command());
    const VectorMachine initial = bench.machine;
    VectorMachine expected = initial;
    for (const Instruction& instruction : program) expected.run(instruction);
    const Stalls& stalls = kStalls[static_cast<std::size_t>(round) % kStalls.size()];
    ASSERT_NO_FATAL_FAILURE(bench.run(program, stalls));
    ASSERT_FALSE(bench.fault) << "program " << round;
    SCOPED_TRACE(fmt::format("program {}", round));
    ASSERT_NO_FATAL_FAILURE(expect_same(bench.machine, expected, initial, program, &VectorMachine::scratch, "scratchpad", dim));
    ASSERT_NO_FATAL_FAILURE(expect_same(bench.machine, expected, initial, program, &VectorMachine::acc, "accumulator", dim));
    if (round % 3 == 0) {
      ASSERT_NO_FATAL_FAILURE(bench.idle(generate.below(40)));
    }
  }
}

class Vpu : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Vpu, Dim4) { random_programs<Vvpu_dim4>(4, GetParam(), 300); }
TEST_P(Vpu, Dim8) { random_programs<Vvpu_dim8>(8, GetParam(), 200); }
TEST_P(Vpu, Dim16) { random_programs<Vvpu_dim16>(16, GetParam(), 150); }
TEST_P(Vpu, Dim32) { random_programs<Vvpu_dim32>(32, GetParam(), 80); }

INSTANTIATE_TEST_SUITE_P(Seeds, Vpu, testing::Range<std::uint64_t>(1, 5));

}  // namespace
