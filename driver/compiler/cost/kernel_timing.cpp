// SPDX-License-Identifier: Apache-2.0
#include "kernel_timing.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "systole/conv_tiles.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::compiler {
namespace {

constexpr int kWordCycles = 2;
constexpr int kStoreRows = 16;  // stored rows that are not written
// From the cycle in which a row passes the checks before its issue.
constexpr int kCheckToIssue = 1;   // it is read and issued by a second stage, which may have to wait with the first row
constexpr int kCheckToEnd = 9;     // until its register is written, or a block with it is complete
constexpr int kCheckToWrite = 10;  // to its first write: rows to be written pass a RAM
constexpr int kEndToIdle = 2;      // from the execution of the end
constexpr int kIdleToRetired = 2;  // from the first cycle without work

class KernelClock {
 public:
  /// `delay`: of the first operation, or of the end if there is none.
  KernelClock(const Configuration& configuration, std::int64_t delay)
      : delay_(delay),
        scratch_rows_(configuration.scratch_rows),
        block_rows_(configuration.dim < kBlockElements ? kBlockElements / configuration.dim : 1) {
    while (1 << levels_ < configuration.dim) {
      ++levels_;
    }
    written_.fill(-1);
  }

  /// Executes the words up to number `words`, which is a vector operation. Two of them wait for their slots, no more.
  void execute(std::uint32_t words) { execute(words, before_ + 1); }

  /// The same for the end, which waits until none is left.
  void end(std::uint32_t words) { execute(words, slots_end_ + 1); }

  void issue(const kernel::VectorStep& step) {
    if (step.rows == 0) {
      return;
    }
    std::int64_t cycle = std::max(executed_, slots_end_) + 1;
    if (begins_ < 0) {
      begins_ = cycle += delay_;
    }
    rows_.clear();
    const std::int64_t written_before = last_written();
    const int passes = step.info->group == kernel::Group::kLanes ? levels_ : 1;
    for (int slot = 0; slot < passes * kernel::kStripRows; ++slot, ++cycle) {
      if (slot % kernel::kStripRows < step.rows) {
        cycle = step.has_memory ? access(step.memory, slot % kernel::kStripRows, cycle) : cycle;
        checked_ = cycle;
        rows_.push_back(cycle);
      }
    }
    before_ = slots_end_;
    slots_end_ = cycle - 1;
    if (step.has_memory && step.memory.store && step.memory.format == kernel::Format::kBlocks) {
      write_blocks(rows_, written_before);
    }
  }

  std::int64_t begins() const { return begins_ < 0 ? executed_ + kEndToIdle + delay_ : begins_ + kCheckToIssue; }

  std::int64_t retires() const {
    return std::max({begins(), executed_ + kEndToIdle, checked_ + kCheckToEnd, last_written() + 1}) + kIdleToRetired;
  }

 private:
  void execute(std::uint32_t words, std::int64_t earliest) {
    executed_ = std::max(executed_ + std::int64_t{kWordCycles} * (words - words_), earliest);
    words_ = words;
  }

  std::int64_t last_written() const { return written_[(stores_ + kStoreRows - 1) % kStoreRows]; }

  /// The rows of a strip, checked in these cycles, leave when they and the exponent of their block have come.
  void write_blocks(const std::vector<std::int64_t>& rows, std::int64_t written) {
    stores_ -= rows.size();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::size_t last = std::min(row - row % block_rows_ + block_rows_, rows.size()) - 1;
      written = std::max({rows[row] + kCheckToWrite, rows[last] + kCheckToEnd, written + 1});
      written_[stores_++ % kStoreRows] = written;
    }
  }

  /// When a row is checked that could be at `cycle`.
  std::int64_t access(const kernel::MemoryOperand& operand, int row, std::int64_t cycle) {
    const int more = operand.accesses(row, scratch_rows_) - 1;
    const bool blocks = operand.format == kernel::Format::kBlocks, acc = operand.format == kernel::Format::kAcc;
    if (!operand.store) {
      const auto may_be_stored = [&](int place) {
        return (place >= low_ && place <= high_) || (blocks_ && !acc && place >= scratch_rows_);
      };
      bool hazard = blocks && (blocks_ || high_ >= scratch_rows_);  // exponents
      for (int plane = 0; plane < operand.planes(); ++plane) {
        hazard = hazard || may_be_stored(operand.place(row, plane));
      }
      return (hazard ? std::max(cycle, last_written() + 1) : cycle) + more;
    }
    int low = operand.place(row, 0), high = low;
    for (int plane = 1; plane < operand.planes(); ++plane) {
      low = std::min(low, operand.place(row, plane));
      high = std::max(high, operand.place(row, plane));
    }
    std::int64_t& written = written_[stores_ % kStoreRows];
    cycle = std::max(cycle, written);
    const bool first = last_written() < cycle;  // none is on its way
    low_ = first ? low : std::min(low_, low);
    high_ = first ? high : std::max(high_, high);
    blocks_ = blocks || (!first && blocks_);
    written = std::max(cycle + kCheckToWrite, last_written() + 1) + more;
    ++stores_;
    return cycle;
  }

  const std::int64_t delay_;
  const int scratch_rows_;
  const std::size_t block_rows_;    // of a block of block floating point
  std::vector<std::int64_t> rows_;  // checked, of the latest operation
  int levels_ = 0;
  std::uint32_t words_ = 0;
  std::int64_t executed_ = 0;                       // the last word
  std::int64_t slots_end_ = 0;                      // last cycle of the last operation
  std::int64_t before_ = 0;                         // and of the one before it
  std::int64_t begins_ = -1;                        // first row
  std::int64_t checked_ = -kCheckToEnd;             // last row
  std::array<std::int64_t, kStoreRows> written_{};  // last access of the latest rows stored
  std::size_t stores_ = 0;
  // Of the rows on their way: their range, and whether there are blocks.
  int low_ = 0, high_ = -1;
  bool blocks_ = false;
};

/// Stores to the scratchpad are never refused, and rows of accumulators one after the other at most once. Planes that
/// are read together use the port of each of their banks once.
void use_ports(const kernel::VectorStep& step, const Configuration& configuration, PortUse& ports) {
  const kernel::MemoryOperand& operand = step.memory;
  for (int row = 0; step.has_memory && row < step.rows; ++row) {
    if (operand.format == kernel::Format::kAcc) {
      if (operand.row(row) == operand.row(0)) {
        operand.store ? ports.acc_write(operand.row(row)) : ports.acc_read(operand.row(row));
      }
    } else if (!operand.store) {
      const bool together = operand.accesses(row, configuration.scratch_rows) == 1;
      const int bank_rows = configuration.scratch_rows / kScratchBanks;
      int bank = -1;
      for (int plane = 0; plane < operand.planes(); ++plane) {
        const int at = operand.row(row, plane);
        if (!together || at / bank_rows != bank) {
          ports.scratch_reads(configuration, at, 1, 1);
        }
        bank = at / bank_rows;
      }
    }
  }
}

}  // namespace

KernelTiming time_kernel(const isa::Vector& op, const Configuration& configuration,
                         const std::vector<kernel::Word>& kernels) {
  KernelTiming timing;
  constexpr std::int64_t kLong = std::int64_t{1} << 40;
  KernelClock clock(configuration, 0), delayed(configuration, kLong);
  kernel::Sequencer sequencer(kernels, op.entry, kernel::arguments_of(op));
  while (const kernel::VectorStep* step = sequencer.next()) {
    for (KernelClock* each : {&clock, &delayed}) {
      each->execute(sequencer.executed());
      each->issue(*step);
    }
    use_ports(*step, configuration, timing.ports);
  }
  clock.end(sequencer.executed());
  delayed.end(sequencer.executed());
  timing.begins = clock.begins();
  timing.retires = clock.retires();
  timing.late = delayed.retires() - delayed.begins();
  return timing;
}

}  // namespace systole::compiler
