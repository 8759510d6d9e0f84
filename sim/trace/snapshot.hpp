// SPDX-License-Identifier: Apache-2.0
// A forked copy of the whole process that waits and can be told to continue from where it was made: this implements
// TraceOptions::on_error. SystemC's kernel, its coroutines and the model are plain memory and are copied along.
//
// The copy produces no output: when it continues, its standard output and every inherited file lead to /dev/null. It
// ends with its parent.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace systole::sim {

/// First and last cycle, both recorded.
struct CycleRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// The connection from a continuing copy to the parent, which waits for it.
class ReplayReport {
 public:
  explicit ReplayReport(int descriptor) : descriptor_(descriptor) {}
  /// Reports that the copy is still running.
  void progress() const;
  /// Reports completion, and ends the process without running destructors.
  [[noreturn]] void finish() const;
  /// Ends the process in the same way, without a report: replay() returns false.
  [[noreturn]] void fail() const;

 private:
  int descriptor_;
};

class Snapshot {
 public:
  /// Makes the copy. In the parent it returns at once with wanted() == nullptr; in the copy it returns when the copy is
  /// told to continue, and wanted() gives the cycles. Throws std::runtime_error if the process cannot be forked.
  explicit Snapshot(std::uint64_t cycle);
  /// Ends the copy.
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  std::uint64_t cycle() const { return cycle_; }

  /// In the copy: the cycles to record.
  const CycleRange* wanted() const { return in_copy_ ? &range_ : nullptr; }
  ReplayReport report() const { return ReplayReport(line_); }

  /// In the parent: lets the copy record these cycles and waits for it. Returns false if it ended, or was silent for a
  /// minute, before it was done.
  bool replay(const CycleRange& range);

 private:
  void wait_in_copy(pid_t maker);

  std::uint64_t cycle_;
  int line_ = -1;
  pid_t maker_;
  pid_t copy_ = 0;
  bool in_copy_ = false;
  CycleRange range_;
};

}  // namespace systole::sim
