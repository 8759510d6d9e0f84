// SPDX-License-Identifier: Apache-2.0
// Records the cycles of a Verilated model that TraceOptions names. The clock loop asks at the beginning of each run()
// and lets that run() end where recording begins or ends, so that a cycle outside of the window costs nothing.
//
// With on_error nothing is recorded while all is well. Now and then the process is copied (snapshot.hpp); after a
// failure the copy that is old enough simulates the last cycles once more and records them. Two copies are kept, so
// that the older one is always far enough back.
#pragma once

#include <fmt/core.h>
#include <unistd.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "snapshot.hpp"
#include "systole/errors.hpp"
#include "systole/trace.hpp"
#include "wave_file.hpp"

namespace systole::sim {

template <class Model>
class WaveRecorder {
 public:
  /// Throws InvalidArgument for options that make no sense, a scope that does not exist, a file that cannot be
  /// written.
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
    if (watching_ && getpid() == owner_ && options_.failed && options_.failed()) failed(cycle_);
    close();
  }
  WaveRecorder(const WaveRecorder&) = delete;
  WaveRecorder& operator=(const WaveRecorder&) = delete;

  /// Whether the cycles to come are dumped.
  bool recording() const { return recording_; }

  /// Before `cycles` more are simulated from `cycle` on: opens and closes the file. Returns how many of them may be
  /// simulated before it must be asked again. `traffic` changes whenever the model's memory port moves.
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

  /// Each clock phase of a cycle of which recording() is true.
  void dump(std::uint64_t time) { fst_->dump(time); }

  /// After cycles have been simulated: `cycle` is the next.
  void simulated(std::uint64_t cycle) {
    cycle_ = cycle;
    if (replay_ && cycle > range_->last) {
      close();
      replay_->finish();
    }
  }

  /// A run of this name is about to begin, or ended: for TraceOptions::layer.
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

  /// Something has gone wrong; `cycle` is the first that has not been simulated. Saves what is recorded, or records the
  /// last cycles now, the first time only. Returns a sentence that tells where they are, or empty.
  std::string failed(std::uint64_t cycle) {
    simulated(cycle);
    if (recording_) fst_->flush();
    if (!watching_ || getpid() != owner_ || !newer_) return {};
    watching_ = false;
    const std::uint64_t moved = std::min(moved_, cycle);
    const std::uint64_t first = moved > options_.on_error ? moved - options_.on_error : 0;
    Snapshot& from = older_ && newer_->cycle() > first ? *older_ : *newer_;
    if (from.cycle() >= cycle) return {};
    const CycleRange range{std::max(first, from.cycle()), cycle - 1};
    const bool good = from.replay(range);
    older_.reset();
    newer_.reset();
    if (!good) {
      std::remove(options_.file.c_str());
      return fmt::format("trace.on_error: the copy of the process did not get to cycle {}; {} was not written",
                         range.last, options_.file);
    }
    return fmt::format("{} has the waves of cycles {} to {}", options_.file, range.first, range.last);
  }

 private:
  static constexpr int kLevels = 99;
  static constexpr std::uint64_t kSnapshotInterval = 1 << 19;  // cycles: a copy takes milliseconds, these take a second
  static constexpr std::uint64_t kReportInterval = 1 << 16;

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

  /// Leaves no file: it appears with the first cycle recorded.
  void check_file() const {
    std::FILE* probe = std::fopen(options_.file.c_str(), "wb");
    if (!probe) throw InvalidArgument(fmt::format("trace.file: cannot write {}", options_.file));
    std::fclose(probe);
    std::remove(options_.file.c_str());
  }

  /// A waveform of everything, without a cycle, tells which instances there are.
  std::set<std::string> scopes() {
    VerilatedFstC everything;
    model_.trace(&everything, kLevels);
    everything.open(options_.file.c_str());
    everything.close();
    const auto names = WaveFile(options_.file).scopes();
    std::remove(options_.file.c_str());
    return names;
  }

  void open() {
    fst_ = std::make_unique<VerilatedFstC>();
    model_.trace(fst_.get(), kLevels);
    if (!options_.scope.empty()) fst_->dumpvars(kLevels, "TOP." + options_.scope);
    fst_->open(options_.file.c_str());
    recording_ = true;
  }

  void close() {
    if (recording_) fst_->close();
    recording_ = false;
  }

  void watch(std::uint64_t cycle, std::uint64_t traffic) {
    if (getpid() != owner_) return;             // the copy of a process that belongs to another model
    if (traffic != traffic_) moved_ = looked_;  // or later
    traffic_ = traffic;
    looked_ = cycle;
    if (options_.failed && options_.failed()) {
      failed(cycle);
      return;
    }
    // While nothing moves, the last movement stays within reach: a hang is noticed long after it began.
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
  bool recording_ = false;
  std::optional<CycleRange> range_;  // to be recorded, if that is known yet
  std::uint64_t cycle_ = 0;
  bool layer_seen_ = false, in_layer_ = false;
  // on_error
  bool watching_ = false;
  std::uint64_t traffic_ = 0, looked_ = 0;  // at the memory port, when it was looked at last
  std::uint64_t moved_ = 0;                 // it moved then, or later
  std::unique_ptr<Snapshot> older_, newer_;
  std::optional<ReplayReport> replay_;  // in a copy that goes on
  std::uint64_t reported_ = 0;
};

}  // namespace systole::sim
