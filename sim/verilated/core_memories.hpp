// SPDX-License-Identifier: Apache-2.0
// Finds tpu_core's memories in the Verilated model. rtl/top/observed.vlt keeps the RAM of tpu_ram accessible by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "on_chip.hpp"

namespace systole::sim {

/// `Root` is the Verilated top level of a tpu_core.
template <class Root>
OnChip memories_of(const Root& r) {
  const auto rows = [](auto... banks) {
    MemoryRows memory;
    for (const auto* bank : {banks...}) {
      memory.banks.push_back(reinterpret_cast<const std::uint8_t*>(&(*bank)[0]));
      memory.bank_rows = sizeof(*bank) / sizeof((*bank)[0]);
      memory.row_bytes = sizeof((*bank)[0]);
    }
    return memory;
  };
  // A memory that a core without its part does not have.
  const auto if_there = [&](auto find) {
    if constexpr (std::is_invocable_v<decltype(find), const Root&>) {
      return rows(find(r));
    } else {
      return MemoryRows{};
    }
  };
#define SYSTOLE_FIND(path) [](const auto& root) -> decltype(&root.path) { return &root.path; }
  OnChip all;
  all.weights = rows(&r.tpu_core__DOT__u_weights__DOT__mem);
  all.parameters = rows(&r.tpu_core__DOT__u_params__DOT__mem);
#define SYSTOLE_BANK(b) &r.tpu_core__DOT__u_scratchpad__DOT__gen_bank__BRA__##b##__KET____DOT__u_bank__DOT__mem
  all.scratchpad = rows(SYSTOLE_BANK(0), SYSTOLE_BANK(1), SYSTOLE_BANK(2), SYSTOLE_BANK(3), SYSTOLE_BANK(4),
                        SYSTOLE_BANK(5), SYSTOLE_BANK(6), SYSTOLE_BANK(7));
#undef SYSTOLE_BANK
  const MemoryRows exponents =
      if_there(SYSTOLE_FIND(tpu_core__DOT__u_scratchpad__DOT__gen_exponents__DOT__u_exponents__DOT__mem));
  if (!exponents.banks.empty()) {
    all.scratchpad.last_bank = exponents.banks.front();
    all.scratchpad.last_rows = exponents.bank_rows;
  }
#define SYSTOLE_BANK(b) \
  &r.tpu_core__DOT__u_accumulator__DOT__gen_bank__BRA__##b##__KET____DOT__u_bank__DOT__u_ram__DOT__mem
  all.accumulators = rows(SYSTOLE_BANK(0), SYSTOLE_BANK(1));
  all.accumulators.in_turn = true;
#undef SYSTOLE_BANK
#define SYSTOLE_TABLE(t) &r.tpu_core__DOT__u_vpu__DOT__u_table__DOT__gen_copy__BRA__##t##__KET____DOT__u_ram__DOT__mem
  const MemoryRows copies = rows(SYSTOLE_TABLE(0), SYSTOLE_TABLE(1), SYSTOLE_TABLE(2), SYSTOLE_TABLE(3));
#undef SYSTOLE_TABLE
  // The 64 words of bytes lie behind those that kernels read, if there are such.
  const std::size_t kernel_words = copies.bank_rows - 64;
  for (const std::uint8_t* copy : copies.banks) {
    all.tables.push_back(copy + sizeof(std::uint32_t) * kernel_words);
  }
  if (kernel_words != 0) {
    all.words = copies.banks;
  }
  all.registers = if_there(
      SYSTOLE_FIND(tpu_core__DOT__u_vpu__DOT__gen_processor__DOT__u_processor__DOT__u_registers__DOT__u_a__DOT__mem));
  all.kernels = if_there(SYSTOLE_FIND(tpu_core__DOT__u_kernels__DOT__gen_memory__DOT__u_ram__DOT__mem));
#undef SYSTOLE_FIND
  // A row of this RAM has a whole word at least.
  all.kernels.bank_rows *= all.kernels.row_bytes / all.parameters.row_bytes;
  all.kernels.row_bytes = all.parameters.row_bytes;
  return all;
}

}  // namespace systole::sim
