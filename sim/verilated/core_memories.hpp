// SPDX-License-Identifier: Apache-2.0
// Finds tpu_core's memories in the Verilated model. rtl/top/observed.vlt keeps the RAM of tpu_ram accessible by name.
#pragma once

#include <initializer_list>

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
  OnChip all;
  all.weights = rows(&r.tpu_core__DOT__u_weights__DOT__mem);
  all.parameters = rows(&r.tpu_core__DOT__u_params__DOT__mem);
#define SYSTOLE_BANK(b) &r.tpu_core__DOT__u_scratchpad__DOT__gen_bank__BRA__##b##__KET____DOT__u_ram__DOT__mem
  all.scratchpad = rows(SYSTOLE_BANK(0), SYSTOLE_BANK(1), SYSTOLE_BANK(2), SYSTOLE_BANK(3), SYSTOLE_BANK(4),
                        SYSTOLE_BANK(5), SYSTOLE_BANK(6), SYSTOLE_BANK(7));
#undef SYSTOLE_BANK
#define SYSTOLE_HALF(h) \
  &r.tpu_core__DOT__u_accumulator__DOT__gen_half__BRA__##h##__KET____DOT__u_half__DOT__u_ram__DOT__mem
  all.accumulators = rows(SYSTOLE_HALF(0), SYSTOLE_HALF(1));
#undef SYSTOLE_HALF
#define SYSTOLE_TABLE(t) &r.tpu_core__DOT__u_vpu__DOT__u_table__DOT__gen_copy__BRA__##t##__KET____DOT__u_ram__DOT__mem
  all.tables = rows(SYSTOLE_TABLE(0), SYSTOLE_TABLE(1), SYSTOLE_TABLE(2), SYSTOLE_TABLE(3)).banks;
#undef SYSTOLE_TABLE
  return all;
}

}  // namespace systole::sim
