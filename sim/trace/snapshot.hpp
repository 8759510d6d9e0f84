// SPDX-License-Identifier: Apache-2.0
// A copy of the whole process that waits, and can be told to go on from where it was made: the way back in time of
// TraceOptions::on_error. SystemC's kernel, its coroutines and the model are plain memory and come along.
//
// The copy says nothing and writes nothing: when it goes on, its standard output and every file that it inherited lead
// to /dev/null. It ends with its maker.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace systole::sim {

/// Cycles, both recorded.
struct CycleRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// The line from a copy that goes on to the process that waits for it.
class ReplayReport {
 public:
  explicit ReplayReport(int descriptor) : descriptor_(descriptor) {}
  /// Still alive.
  void progress() const;
  /// Done: ends the process without any destructor.
  [[noreturn]] void finish() const;

 private:
  int descriptor_;
};

class Snapshot {
 public:
  /// Makes the copy. In the maker it returns at once with wanted() == nullptr; in the copy it returns when the copy is
  /// told to go on, and wanted() says what for. Throws std::runtime_error when the system has no room for another
  /// process.
  explicit Snapshot(std::uint64_t cycle);
  /// Ends the copy.
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  std::uint64_t cycle() const { return cycle_; }

  /// In the copy: the cycles to record.
  const CycleRange* wanted() const { return in_copy_ ? &range_ : nullptr; }
  ReplayReport report() const { return ReplayReport(line_); }

  /// In the maker: lets the copy record these cycles and waits for it. False when it ended, or was silent for a minute,
  /// before it was done.
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
