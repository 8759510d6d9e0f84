// SPDX-License-Identifier: Apache-2.0
// The content of the kernel memory during a program, as far as it follows from the program and known memory.
#pragma once

#include <cstdint>
#include <vector>

#include "interval_map.hpp"
#include "systole/address_windows.hpp"
#include "systole/bits.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"
#include "systole/known_memory.hpp"

namespace systole::analysis {

class KernelContent {
 public:
  /// Everything but the configuration must outlive this.
  KernelContent(const std::vector<isa::Instruction>& program, const Configuration& configuration,
                const AddressWindows& windows, const KnownMemory& known);

  /// For visit_accesses(): content before the next command.
  const std::vector<kernel::Word>* words() const { return &words_; }

  /// The effect of the next command, in program order. It must be legal.
  void execute(const isa::Instruction& instruction);

 private:
  struct Byte {
    std::uint8_t value = 0;
    bool known = false;
  };

  void add_sources(const isa::Load& op);  ///< the LOAD need not be legal
  void load(const isa::Load& op);
  void store(const isa::Store& op);
  bool read(std::uint64_t address, std::vector<std::uint8_t>& to) const;
  void update_words();

  const Configuration& configuration_;
  const AddressWindows& windows_;
  const KnownMemory& known_;
  bool loads_kernels_;  ///< whether the program changes the content at all, except by END
  std::vector<Byte> bytes_;
  std::vector<kernel::Word> words_;
  /// Device memory from the first byte that a LOAD of a kernel may read to the last: STOREs matter only here.
  std::uint64_t sources_begin_ = UINT64_MAX, sources_end_ = 0;
  IntervalMap stored_;  ///< what the program has written there: no longer known
};

}  // namespace systole::analysis
