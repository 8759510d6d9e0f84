// SPDX-License-Identifier: Apache-2.0
// Comparison of memories that says which command wrote the first difference.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reference.hpp"

namespace systole::test {

/// The last command that changes element `index` of a memory, as a hint where to look.
template <typename Memory>
std::string last_writer(VectorMachine machine, const std::vector<isa::Instruction>& program, Memory memory,
                        std::size_t index) {
  std::string writer = "nothing";
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto before = (machine.*memory)[index];
    try {
      machine.run(program[i]);
    } catch (const VectorFault&) {
      i = program.size() - 1;
    }
    if ((machine.*memory)[index] != before)
      writer = fmt::format("command {} (opcode and flags {:#x})", i, program[i].words[0]);
  }
  return writer;
}

template <typename Memory>
void expect_same_memory(const VectorMachine& got, const VectorMachine& expected, const VectorMachine& initial,
                        const std::vector<isa::Instruction>& program, Memory memory, const char* name, int dim) {
  const auto& a = got.*memory;
  const auto& b = expected.*memory;
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin());
  if (at == a.end()) return;
  const auto index = static_cast<std::size_t>(at - a.begin());
  FAIL() << fmt::format("{} row {} lane {} is {}, expected {}; written by {}", name,
                        index / static_cast<std::size_t>(dim), index % static_cast<std::size_t>(dim), *at, *other,
                        last_writer(initial, program, memory, index));
}

inline void expect_same(const VectorMachine& got, const VectorMachine& expected, const VectorMachine& initial,
                        const std::vector<isa::Instruction>& program, int dim) {
  ASSERT_NO_FATAL_FAILURE(
      expect_same_memory(got, expected, initial, program, &VectorMachine::scratch, "scratchpad", dim));
  ASSERT_NO_FATAL_FAILURE(expect_same_memory(got, expected, initial, program, &VectorMachine::acc, "accumulator", dim));
}

}  // namespace systole::test
