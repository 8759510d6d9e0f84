// SPDX-License-Identifier: Apache-2.0
#include "timing.hpp"

#include <algorithm>

namespace systole::compiler {
namespace {

constexpr int kReadAhead = 16;    // instructions buffered or in flight
constexpr int kFetchChunk = 8;    // instructions per read
constexpr int kFrontEnd = 7;      // doorbell to read address, decode, queue
constexpr int kLoadSetup = 4;     // command to first address
constexpr int kLoadDepth = 4;     // commands between request and emission
constexpr int kLineBuffer = 256;  // beats requested and not yet emitted
constexpr int kLoadPipeline = 4;  // beat to row
constexpr int kMxuSetup = 6;      // command to first position
constexpr int kMxuDepth = 2;      // commands taken ahead
constexpr int kMxuPipeline = 5;   // besides the array itself
constexpr int kVpuSetup = 4;
constexpr int kStoreSetup = 6;
constexpr int kStoreDepth = 2;
constexpr int kStorePipeline = 4;
constexpr int kInFlight = 8;      // uncommitted commands of one engine
constexpr int kHandover = 1;      // commit to a satisfied wait
constexpr int kInterrupt = 5;     // last commit to the interrupt

class Walker {
 public:
  Walker(const std::vector<Event>& events, const Configuration& configuration, const MemoryTiming& memory, bool ideal)
      : events_(events), dim_(configuration.dim), memory_(memory), ideal_(ideal) {
    timeline_.issue.resize(events.size());
    timeline_.commit.resize(events.size());
    dispatch_.resize(events.size());
  }

  Timeline run() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      step(i);
    }
    std::int64_t last = 0;
    for (const std::int64_t commit : timeline_.commit) {
      last = std::max(last, commit);
    }
    if (!events_.empty()) {
      last = std::max(last, dispatch_.back());
    }
    timeline_.cycles = last + kInterrupt;
    return std::move(timeline_);
  }

 private:
  std::int64_t fetched(std::size_t i) {
    const int beats = std::max(1, 64 / dim_);
    const std::size_t chunk = i / kFetchChunk;
    if (i % kFetchChunk == 0) {
      std::int64_t request = kFrontEnd - 2;
      if (chunk >= 2) {
        request = std::max(request, dispatch_[(chunk - 1) * kFetchChunk - 1]);
      }
      chunk_data_ = std::max(request + memory_.read_latency, chunk_data_);
      if (request + memory_.read_latency > load_bus_) {
        fetch_beats_ = 0;  // the bus was idle then
      }
      fetch_beats_ += kFetchChunk * beats;
    }
    chunk_data_ += beats;
    return chunk_data_ + 2;
  }

  /// Index in program order of the n-th last instruction of the engine, or -1.
  int earlier(int engine, int n) const {
    const auto& list = issued_[static_cast<std::size_t>(engine)];
    return static_cast<int>(list.size()) >= n ? list[list.size() - static_cast<std::size_t>(n)] : -1;
  }

  void step(std::size_t i) {
    const Event& event = events_[i];
    const int engine = static_cast<int>(event.work.engine);
    std::int64_t ready = 0;
    if (!ideal_) {
      std::int64_t dispatch = fetched(i);
      if (i > 0) {
        dispatch = std::max(dispatch, dispatch_[i - 1] + 1);
      }
      const int blocker = earlier(engine, isa::kQueueDepth);
      if (blocker >= 0) {
        dispatch = std::max(dispatch, timeline_.issue[static_cast<std::size_t>(blocker)] + 1);
      }
      dispatch_[i] = dispatch;
      ready = dispatch + 1;
    }
    for (int other = 0; other < kEngines; ++other) {
      const int producer = event.after[static_cast<std::size_t>(other)];
      if (producer >= 0) {
        ready = std::max(ready, timeline_.commit[static_cast<std::size_t>(producer)] + kHandover);
      }
    }
    ready = std::max(ready, engine_ready_[static_cast<std::size_t>(engine)]);
    const int uncommitted = earlier(engine, kInFlight);
    if (uncommitted >= 0) {
      ready = std::max(ready, timeline_.commit[static_cast<std::size_t>(uncommitted)]);
    }
    timeline_.issue[i] = ready;
    std::int64_t commit = ready;
    if (event.work.cycles > 0 || event.work.beats > 0) {
      commit = start(event.work, ready);
    } else if (engine_last_commit_[static_cast<std::size_t>(engine)] > ready) {
      commit = engine_last_commit_[static_cast<std::size_t>(engine)];  // SYNC: after all earlier commits
      engine_ready_[static_cast<std::size_t>(engine)] = commit;
    }
    auto& last = engine_last_commit_[static_cast<std::size_t>(engine)];
    last = std::max(last, commit);
    timeline_.commit[i] = last;
    issued_[static_cast<std::size_t>(engine)].push_back(static_cast<int>(i));
  }

  std::int64_t start(const Work& work, std::int64_t ready) {
    timeline_.busy[static_cast<std::size_t>(work.engine)] += work.cycles;
    switch (work.engine) {
      case isa::Engine::kLoad:
        return load(work, ready);
      case isa::Engine::kMxu:
        return mxu(work, ready);
      case isa::Engine::kVpu: {
        const std::int64_t done = ready + kVpuSetup + work.cycles;
        engine_ready_[2] = done;
        return done;
      }
      default:
        return store(work, ready);
    }
  }

  std::int64_t load(const Work& work, std::int64_t ready) {
    const std::int64_t request = std::max({ready + kLoadSetup, load_request_, load_bus_ - kLineBuffer});
    const std::int64_t first = std::max(request + memory_.read_latency, load_bus_);
    load_bus_ = first + work.beats + fetch_beats_;
    fetch_beats_ = 0;
    load_request_ = std::max(request + work.bursts, load_bus_ - kLineBuffer);
    engine_ready_[0] = std::max(load_request_ - kLoadSetup + 1, load_starts_[load_count_ % kLoadDepth]);
    const std::int64_t begin = std::max(load_emitted_ + 1, first + 1);
    load_starts_[load_count_++ % kLoadDepth] = begin;
    load_emitted_ = std::max(begin + work.cycles, load_bus_ + 1);
    return load_emitted_ + kLoadPipeline;
  }

  std::int64_t mxu(const Work& work, std::int64_t ready) {
    const std::int64_t begin = std::max(ready + kMxuSetup, mxu_end_);
    mxu_end_ = begin + work.cycles;
    engine_ready_[1] = mxu_starts_[mxu_count_ % kMxuDepth];
    mxu_starts_[mxu_count_++ % kMxuDepth] = begin;
    return mxu_end_ + 2 * dim_ + kMxuPipeline;
  }

  std::int64_t store(const Work& work, std::int64_t ready) {
    const std::int64_t begin = std::max(ready + kStoreSetup, store_end_);
    store_end_ = begin + std::max(work.beats, work.cycles);
    engine_ready_[3] = store_starts_[store_count_ % kStoreDepth];
    store_starts_[store_count_++ % kStoreDepth] = begin;
    return store_end_ + memory_.write_latency + kStorePipeline;
  }

  const std::vector<Event>& events_;
  const int dim_;
  const MemoryTiming memory_;
  const bool ideal_;
  Timeline timeline_;
  std::vector<std::int64_t> dispatch_;
  std::array<std::vector<int>, kEngines> issued_;
  std::array<std::int64_t, kEngines> engine_ready_{};
  std::array<std::int64_t, kEngines> engine_last_commit_{};
  std::int64_t chunk_data_ = 0;   // cycle of the last fetch beat planned
  std::int64_t fetch_beats_ = 0;  // fetch beats that the next LOAD shares the bus with
  std::int64_t load_request_ = 0, load_bus_ = 0, load_emitted_ = 0;
  std::int64_t mxu_end_ = 0, store_end_ = 0;
  std::array<std::int64_t, kLoadDepth> load_starts_{};
  std::array<std::int64_t, kMxuDepth> mxu_starts_{};
  std::array<std::int64_t, kStoreDepth> store_starts_{};
  std::size_t load_count_ = 0, mxu_count_ = 0, store_count_ = 0;
};

}  // namespace

Timeline estimate(const std::vector<Event>& events, const Configuration& configuration, const MemoryTiming& memory,
                  bool ideal_front_end) {
  return Walker(events, configuration, memory, ideal_front_end).run();
}

}  // namespace systole::compiler
