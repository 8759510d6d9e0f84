// SPDX-License-Identifier: Apache-2.0
// When the operations of a kernel run on a vector processor whose ports no other engine uses, cycle for cycle as
// rtl/processor runs them (isa/spec/pages/kernel.md, Cycles):
//
//   word       two cycles in the sequencer; a vector operation and the end wait there until the operation before is in
//              its last cycle, and the operation begins in the cycle after
//   operation  a cycle for each of eight rows, present or not, in which it is checked; a row that is loaded one for
//              each of its accesses; over the lanes log2(DIM) times as many; a row is issued in the cycle after its
//              check, the first one not before the command ahead is finished, and the second one waits with it
//   load       a row that may be one of those stored waits until they are written: one in the range that those on their
//              way span; one of blocks, or of exponents, while blocks are among them; one of blocks while exponents may
//              be among them
//   store      a row passes when at most fifteen before it are not written; its first access is ten cycles later, one
//              a cycle; a row of blocks also waits for the last row of its block, nine cycles behind that one
//   end        the kernel retires two cycles after all of this: its end was executed two cycles before, its last row
//              passed nine cycles before, its last stored row was written in the cycle before; without a row also: the
//              command ahead is finished
#pragma once

#include <cstdint>
#include <vector>

#include "ports.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"
#include "systole/kernel.hpp"

namespace systole::compiler {

/// In cycles since the vector unit took the VECTOR.
struct KernelTiming {
  std::int64_t begins = 0;   ///< its first row is issued; without one, the earliest end
  std::int64_t retires = 0;  ///< its results are written
  /// From the issue of its first row until it retires, if that comes later because of the command before: the
  /// sequencer is ahead then.
  std::int64_t late = 0;
  PortUse ports;
};

/// `kernels` is the content of the kernel memory. Throws kernel::KernelFault for a kernel that cannot go on.
KernelTiming time_kernel(const isa::Vector& op, const Configuration& configuration,
                         const std::vector<kernel::Word>& kernels);

}  // namespace systole::compiler
