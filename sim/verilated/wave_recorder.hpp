// SPDX-License-Identifier: Apache-2.0
// Records the cycles of a Verilated model that TraceOptions selects. The clock loop calls it at the beginning of each
// run(), which ends where recording begins or ends, so that cycles outside of the window are not slowed down.
//
// With on_error, nothing is recorded before a failure. Instead the process is forked from time to time (snapshot.hpp).
// After a failure, a copy that is old enough simulates the last cycles again and records them. Two copies are kept, so
// that the older one is always old enough.
#pragma once

#include <fmt/core.h>
#include <unistd.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "output_file.hpp"
#include "snapshot.hpp"
#include "systole/file_error.hpp"
#include "systole/trace.hpp"
#include "wave_file.hpp"
#include "wave_output.hpp"

namespace systole::sim {

template <class Model>
class WaveRecorder {
 public:
  /// Throws InvalidArgument for options that contradict each other and for a scope that does not exist, FileError for a
  /// file that cannot be written.
  WaveRecorder(const TraceOptions& options, VerilatedContext& context, Model& model)
      : options_(options), model_(model) {
    check_options();
    if (options_.file.empty()) return;
    context.traceEverOn(true);
    check_file();
    if (!options_.scope.empty()) check_scope(options_.scope, scopes());
    watching_ = options_.on_error > 0;
    if (!watching_ && options_.layer.empty()) range_ = CycleRange{options_.from, options_.to};
  }

  ~WaveRecorder() {
    look_for_failure();
    close();
  }
  WaveRecorder(const WaveRecorder&) = delete;
  WaveRecorder& operator=(const WaveRecorder&) = delete;

  /// Whether the following cycles are recorded.
  bool recording() const { return recording_; }

  /// Must be called before `cycles` cycles are simulated from `cycle` on. Opens and closes the file. Returns how many
  /// may be simulated before the next call. `traffic` is the number of handshakes at the model's memory port.
  std::uint64_t prepare(std::uint64_t cycle, std::uint64_t cycles, std::uint64_t traffic) {
    if (watching_) watch(cycle, traffic);
    if (!range_) return cycles;
    if (replay_ && cycle - reported_ >= kReportInterval) {
      reported_ = cycle;
      replay_->progress();
    }
    if (cycle < range_->first) return std::min(cycles, range_->first - cycle);
    if (cycle > range_->last) {
      close();
      range_.reset();
      return cycles;
    }
    if (!recording_) open();
    const std::uint64_t left = range_->last - cycle;
    return left < cycles ? left + 1 : cycles;
  }

  /// Must be called in each clock phase while recording() is true.
  void dump(std::uint64_t time) { fst_->dump(time); }

  /// Must be called after cycles have been simulated; `cycle` is the next one.
  void simulated(std::uint64_t cycle) {
    cycle_ = cycle;
    if (replay_ && cycle > range_->last) {
      close();
      failure_.empty() ? replay_->finish() : replay_->fail();
    }
  }

  /// Completes the file; nothing more is recorded. Returns whether a file was written, by this process or by the copy
  /// that repeated a failure. Throws FileError if the file, or an earlier part of it, could not be written.
  bool finish() {
    look_for_failure();
    watching_ = false;
    range_.reset();
    close();
    if (!failure_.empty()) throw FileError(failure_);
    return written_;
  }

  /// A run of this name is about to begin, or has ended (for TraceOptions::layer).
  void run_begins(const std::string& name, std::uint64_t cycle) {
    const bool this_one = !options_.layer.empty() && name == options_.layer && !layer_seen_;
    if (this_one && cycle >= options_.from && cycle <= options_.to) {
      layer_seen_ = in_layer_ = true;
      range_ = CycleRange{cycle, options_.to};
    }
  }
  void run_ended(std::uint64_t cycle) {
    if (in_layer_ && range_) range_->last = std::min(range_->last, cycle);
    in_layer_ = false;
  }

  /// A failure occurred; `cycle` is the first that has not been simulated. At the first failure, saves the recording,
  /// or records the last cycles. Returns a sentence that says in which file they are, or an empty text.
  std::string failed(std::uint64_t cycle) {
    simulated(cycle);
    if (!watching_ || getpid() != owner_ || !newer_) return {};
    watching_ = false;
    const std::uint64_t moved = std::min(moved_, cycle);
    const std::uint64_t first = moved > options_.on_error ? moved - options_.on_error : 0;
    Snapshot& from = older_ && newer_->cycle() > first ? *older_ : *newer_;
    if (from.cycle() >= cycle) return {};
    const CycleRange range{std::max(first, from.cycle()), cycle - 1};
    written_ = from.replay(range);
    older_.reset();
    newer_.reset();
    if (!written_) {
      return fmt::format(
          "trace.on_error: the copy of the process did not reach cycle {}, or could not write; {} was not written",
          range.last, options_.file);
    }
    return fmt::format("{} has the waves of cycles {} to {}", options_.file, range.first, range.last);
  }

 private:
  static constexpr int kLevels = 99;
  static constexpr std::uint64_t kSnapshotInterval = 1 << 19;  // cycles: about a second; a fork takes milliseconds
  static constexpr std::uint64_t kReportInterval = 1 << 16;

  void look_for_failure() {
    if (watching_ && getpid() == owner_ && options_.failed && options_.failed()) failed(cycle_);
  }

  void check_options() const {
    const bool window = options_.from != 0 || options_.to != TraceOptions::kLastCycle || !options_.layer.empty();
    if (options_.file.empty() && (window || !options_.scope.empty() || options_.on_error > 0)) {
      throw InvalidArgument("trace.file: empty, but other options of a trace are set; name a file or leave them out");
    }
    if (options_.from > options_.to) {
      throw InvalidArgument(fmt::format("trace.from: {} is after trace.to, {}", options_.from, options_.to));
    }
    if (options_.on_error > 0 && window) {
      throw InvalidArgument(
          "trace.on_error: records the last cycles before a failure; leave trace.from, to and layer out");
    }
  }

  /// Checks that the file can be written; it is created when recording begins.
  void check_file() const {
    try {
      const WaveOutput probe(options_.file);
    } catch (const FileError& error) {
      throw FileError(fmt::format("trace.file: {}", error.what()));
    }
  }

  /// Writes a waveform of all instances without any cycles, in order to find the names of the instances.
  std::set<std::string> scopes() {
    VerilatedFstC everything;
    model_.trace(&everything, kLevels);
    const WaveOutput nameless(options_.file);
    everything.open(nameless.path().c_str());
    everything.close();
    return WaveFile(nameless.path()).scopes();
  }

  void open() {
    fst_ = std::make_unique<VerilatedFstC>();
    model_.trace(fst_.get(), kLevels);
    if (!options_.scope.empty()) fst_->dumpvars(kLevels, "TOP." + options_.scope);
    output_ = std::make_unique<WaveOutput>(options_.file);
    fst_->open(output_->path().c_str());
    recording_ = true;
  }

  /// A failure is kept for finish(), because the simulation can go on without its waveform.
  void close() {
    if (!recording_) return;
    recording_ = false;
    fst_->close();
    try {
      output_->finish();
      written_ = true;
    } catch (const FileError& error) {
      failure_ = error.what();
    }
    output_.reset();
  }

  void watch(std::uint64_t cycle, std::uint64_t traffic) {
    if (getpid() != owner_) return;             // this process was forked by the recorder of another model
    if (traffic != traffic_) moved_ = looked_;  // or later
    traffic_ = traffic;
    looked_ = cycle;
    if (options_.failed && options_.failed()) {
      failed(cycle);
      return;
    }
    // While the core is quiet, keep a copy from before its last activity: a hang is detected long after it began.
    const std::uint64_t interval = std::max(options_.on_error, kSnapshotInterval);
    if (newer_ && (cycle - newer_->cycle() < interval || moved_ < newer_->cycle() + options_.on_error)) return;
    older_ = std::move(newer_);
    newer_ = std::make_unique<Snapshot>(cycle);
    if (const CycleRange* wanted = newer_->wanted()) {
      watching_ = false;
      range_ = *wanted;
      reported_ = cycle;
      replay_ = newer_->report();
    }
  }

  const TraceOptions options_;
  Model& model_;
  const pid_t owner_ = getpid();
  std::unique_ptr<VerilatedFstC> fst_;
  std::unique_ptr<WaveOutput> output_;
  bool recording_ = false;
  bool written_ = false;
  std::string failure_;              // of the first file that could not be written
  std::optional<CycleRange> range_;  // the cycles to record, once they are known
  std::uint64_t cycle_ = 0;
  bool layer_seen_ = false, in_layer_ = false;
  // on_error
  bool watching_ = false;
  std::uint64_t traffic_ = 0, looked_ = 0;  // handshakes at the memory port at the last call, and the cycle of it
  std::uint64_t moved_ = 0;                 // cycle of the last call before the port's last handshake
  std::unique_ptr<Snapshot> older_, newer_;
  std::optional<ReplayReport> replay_;  // set in a forked copy that repeats the last cycles
  std::uint64_t reported_ = 0;
};

}  // namespace systole::sim
