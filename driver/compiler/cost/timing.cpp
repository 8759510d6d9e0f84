// SPDX-License-Identifier: Apache-2.0
#include "timing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace systole::compiler {
namespace {

constexpr int kFrontEnd = 7;      // doorbell to read address, decode, queue
constexpr int kLoadSetup = 3;     // command to first address
constexpr int kLoadDepth = 8;     // commands between request and emission
constexpr int kLineBuffer = 256;  // beats requested but not yet emitted
constexpr int kLoadPipeline = 3;  // beat to row
constexpr int kMxuPipeline = 2;   // in addition to the array itself
constexpr int kMxuFeed = 5;       // from a CONV to the first row of its weights
constexpr int kMxuRead = 2;       // from the last weights of a CONV to the next one
constexpr int kMxuTurn = 2;       // from the last position of a DEPTHWISE to a CONV
constexpr int kStoreSetup = 6;
constexpr int kStoreDepth = 2;
constexpr int kStorePipeline = 0;
constexpr int kInFlight = 8;   // uncommitted commands of one engine
constexpr int kHandover = 1;   // commit to a satisfied wait
constexpr int kInterrupt = 1;  // last commit to the interrupt

constexpr int kPasses = 3;

/// A read of instructions.
struct Fetch {
  std::int64_t request = 0;
  std::int64_t delay = 0;  ///< cycles that the bus was busy when its data could have arrived
};

/// Cycles in which the matrix unit uses a port; `odds`: those in which it does for each in which it does not.
struct Stream {
  double begin, end, odds;
};

/// What a pass leaves to the next one about later instructions.
struct Pass {
  std::vector<Fetch> fetches;                                ///< chunks of instructions, which share the bus with LOADs
  std::array<std::vector<Stream>, PortUse::kPorts> streams;  ///< at each port
  std::vector<std::int64_t> commit;
};

class Walker {
 public:
  /// `expected`: of an earlier pass.
  Walker(const std::vector<Event>& events, const Configuration& configuration, const MemoryTiming& memory, bool ideal,
         Pass expected)
      : events_(events), dim_(configuration.dim), memory_(memory), ideal_(ideal), expected_(std::move(expected)) {
    timeline_.issue.resize(events.size());
    timeline_.commit.resize(events.size());
    timeline_.computes_from.resize(events.size());
    timeline_.computes_until.resize(events.size());
    dispatch_.resize(events.size());
  }

  /// In order of their starts.
  std::vector<int> start_order(LaneOrder lanes) {
    std::array<std::vector<int>, kStreams> streams;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      streams[events_[i].stream()].push_back(static_cast<int>(i));
    }
    std::array<std::size_t, kStreams> next{};
    std::array<std::optional<std::int64_t>, kStreams> ready;  // when what each next one waits for has committed
    std::vector<bool> started(events_.size(), false);
    std::vector<int> order;
    order.reserve(events_.size());
    while (order.size() < events_.size()) {
      std::size_t best = kStreams;
      std::pair<std::int64_t, std::int64_t> best_time;  // when it starts, and since when it has been waiting
      for (std::size_t stream = 0; stream < kStreams; ++stream) {
        if (next[stream] == streams[stream].size()) {
          continue;
        }
        if (!ready[stream]) {
          ready[stream] = free_from(events_[static_cast<std::size_t>(streams[stream][next[stream]])], started);
        }
        if (ready[stream]) {
          const std::pair time(std::max(*ready[stream], engine_free(stream % kEngines)),
                               lanes == LaneOrder::kTurns ? *ready[stream] : 0);
          if (best == kStreams || time < best_time) {
            best = stream;
            best_time = time;
          }
        }
      }
      const int first = streams[best][next[best]++];
      ready[best].reset();
      step(static_cast<std::size_t>(first));
      started[static_cast<std::size_t>(first)] = true;
      order.push_back(first);
    }
    return order;
  }

  Timeline run() {
    for (std::size_t chunk = 0; chunk < read_ahead() / read_size(); ++chunk) {
      fetch_chunk(kFrontEnd - 2);
    }
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

  /// After run(), which returns the times.
  Pass pass(const Timeline& timeline) && { return {std::move(fetches_), std::move(streams_), timeline.commit}; }

 private:
  /// Fetches the next chunk of instructions, requested at `request`.
  void fetch_chunk(std::int64_t request) {
    const std::size_t chunk = fetches_.size();
    if (chunk * read_size() > events_.size()) {
      return;  // beyond the END
    }
    const std::int64_t delay = chunk < expected_.fetches.size() ? expected_.fetches[chunk].delay : 0;
    const std::int64_t first = std::max(request + memory_.read_latency + delay, fetch_bus_);
    fetch_bus_ = first + read_cycles(chunk_beats(chunk));
    fetches_.push_back({request, 0});
    chunks_.push_back(first);
  }

  /// The bus carries the next chunk that the previous pass predicted.
  void pass_fetch() {
    const Fetch& fetch = expected_.fetches[next_fetch_];
    const std::int64_t first = std::max(fetch.request + memory_.read_latency, load_bus_);
    if (next_fetch_ < fetches_.size()) {
      fetches_[next_fetch_].delay = first - fetch.request - memory_.read_latency;
    }
    load_bus_ = first + read_cycles(chunk_beats(next_fetch_));
    ++next_fetch_;
  }

  /// Instructions buffered or in flight, and of one read: less where an instruction is many beats.
  std::size_t read_ahead() const { return dim_ == 4 ? 8 : 16; }
  std::size_t read_size() const { return dim_ == 4 ? 2 : 8; }

  /// That the bus takes for these beats.
  std::int64_t read_cycles(std::int64_t beats) const { return beats * memory_.read_interval; }

  std::int64_t chunk_beats(std::size_t chunk) const {
    const std::size_t left = events_.size() + 1 - chunk * read_size();
    return static_cast<std::int64_t>(std::min<std::size_t>(left, read_size())) * std::max(1, 64 / dim_);
  }

  /// Cycle at which decode receives instruction i.
  std::int64_t fetched(std::size_t i) {
    return chunks_[i / read_size()] +
           read_cycles(static_cast<std::int64_t>(i % read_size() + 1) * std::max(1, 64 / dim_)) + 2;
  }

  /// Index of the engine's n-th most recent instruction, or -1.
  int earlier(std::size_t engine, std::size_t n) const {
    const auto& list = issued_[engine];
    return list.size() >= n ? list[list.size() - n] : -1;
  }

  /// When the engine could take an instruction.
  std::int64_t engine_free(std::size_t engine) const {
    std::int64_t free = engine_ready_[engine];
    if (const int previous = earlier(engine, 1); previous >= 0) {
      free = std::max(free, timeline_.issue[static_cast<std::size_t>(previous)] + 1);
    }
    if (const int uncommitted = earlier(engine, kInFlight); uncommitted >= 0) {
      free = std::max(free, timeline_.commit[static_cast<std::size_t>(uncommitted)]);
    }
    return free;
  }

  /// When what the event waits for has committed.
  std::int64_t all_committed(const Event& event) const {
    std::int64_t ready = 0;
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      const int producer = event.after[stream];
      if (producer >= 0 && stream % kEngines != event.stream() % kEngines) {
        ready = std::max(ready, timeline_.commit[static_cast<std::size_t>(producer)] + kHandover);
      }
    }
    return ready;
  }

  /// The same, if all of them have started.
  std::optional<std::int64_t> free_from(const Event& event, const std::vector<bool>& started) const {
    const bool all = std::all_of(event.after.begin(), event.after.end(), [&](int producer) {
      return producer < 0 || started[static_cast<std::size_t>(producer)];
    });
    return all ? std::optional(all_committed(event)) : std::nullopt;
  }

  void step(std::size_t i) {
    const Event& event = events_[i];
    const auto engine = static_cast<std::size_t>(event.work.engine);
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
      if (i % read_size() == read_size() - 1) {
        // Room for one more exists as soon as decode, which holds one instruction, has taken this one.
        fetch_chunk(i > 0 ? std::max(fetched(i) - 1, dispatch_[i - 1] + 1) : dispatch);
      }
      ready = dispatch + 1;
    }
    ready = std::max({ready, all_committed(event), engine_free(engine)});
    timeline_.issue[i] = ready;
    std::int64_t commit = ready;
    if (event.work.cycles > 0 || event.work.beats > 0) {
      commit = start(event, i, ready);
      if (event.work.engine == isa::Engine::kMxu) {
        timeline_.computes_from[i] = mxu_begin_;
        timeline_.computes_until[i] = mxu_passed_;
      }
    } else if (engine_last_commit_[engine] > ready) {
      commit = engine_last_commit_[engine];  // SYNC: after all earlier commits
      engine_ready_[engine] = commit;
    }
    auto& last = engine_last_commit_[engine];
    last = std::max(last, commit);
    timeline_.commit[i] = last;
    issued_[engine].push_back(static_cast<int>(i));
  }

  std::int64_t start(const Event& event, std::size_t i, std::int64_t ready) {
    const Work& work = event.work;
    timeline_.busy[static_cast<std::size_t>(work.engine)] += work.cycles;
    switch (work.engine) {
      case isa::Engine::kLoad: return load(work, ready);
      case isa::Engine::kMxu: return mxu(work, ready);
      case isa::Engine::kVpu: return vpu(work, i, ready);
      default: return store(work, ready);
    }
  }

  std::int64_t load(const Work& work, std::int64_t ready) {
    const std::int64_t request = std::max({ready + kLoadSetup, load_request_, load_bus_ - read_cycles(kLineBuffer)});
    // Memory answers in request order: fetches go before, between and after the beats of LOADs.
    while (next_fetch_ < expected_.fetches.size() && expected_.fetches[next_fetch_].request < request) {
      pass_fetch();
    }
    const std::int64_t first = std::max(request + memory_.read_latency, load_bus_);
    load_bus_ = first + read_cycles(work.beats);
    while (next_fetch_ < expected_.fetches.size() &&
           expected_.fetches[next_fetch_].request <
               std::max(request + work.bursts, load_bus_ - read_cycles(kLineBuffer))) {
      pass_fetch();
    }
    load_request_ = std::max(request + work.bursts, load_bus_ - read_cycles(kLineBuffer));
    const std::int64_t begin = std::max(load_emitted_ + 1, first + 1);
    load_starts_[load_count_++ % kLoadDepth] = begin;
    engine_ready_[0] = std::max(load_request_ - kLoadSetup + 1, load_starts_[load_count_ % kLoadDepth]);
    load_emitted_ = std::max(begin + work.cycles, load_bus_ + 1);
    return load_emitted_ + kLoadPipeline;
  }

  std::int64_t mxu(const Work& work, std::int64_t ready) {
    std::int64_t begin = ready + work.setup;
    if (!work.depthwise) {
      // It is handed on by the set-up, which then takes the next one, when the one before has passed and the weights of
      // that have been read. It begins when its own weights are there.
      begin = std::max({begin, mxu_passed_ + (mxu_depthwise_ ? kMxuTurn : 0), mxu_read_ + kMxuRead});
      engine_ready_[1] = begin - 1;
      const std::int64_t single = std::max({ready + kMxuFeed, mxu_read_ + 1, mxu_swap_ + dim_ - 1});
      begin = mxu_depthwise_ ? begin : std::max(begin, mxu_end_);
      // When the weights of its last tile begin to be read and have been read, and when its last tile begins.
      const std::int64_t before = begin + work.cycles - 2 * work.tile + std::max(dim_, work.tile_rows) - 1;
      mxu_swap_ = begin + work.cycles - work.tile;
      mxu_read_ = (work.cycles == work.tile ? single : before) + work.tile_rows - 1;
    } else if (mxu_depthwise_) {
      begin = std::max(begin, mxu_end_);
      engine_ready_[1] = begin;
    } else {
      begin = std::max({begin, mxu_passed_, mxu_passed_ + 2 * dim_ + 1 - work.lead});
      engine_ready_[1] = begin;
    }
    mxu_begin_ = begin;
    mxu_end_ = begin + work.cycles;
    mxu_passed_ = mxu_end_ - work.tail;
    mxu_depthwise_ = work.depthwise;
    const std::int64_t lag = work.lag + kMxuPipeline;  // from the scratchpad to the accumulators
    for (std::size_t port = 0; port < PortUse::kPorts; ++port) {
      if (work.ports[port] == 0) {
        continue;
      }
      if (port < PortUse::kAccRead) {
        occupy(port, begin, mxu_passed_, work.ports[port]);
      } else {
        occupy(port, begin + lag, mxu_passed_ + lag, work.ports[port]);
        // An accumulator row is read and written, but not read where the first tile overwrites it.
        occupy(port - kAccBanks, begin + std::min(work.fresh, mxu_passed_ - begin) + lag, mxu_passed_ + lag,
               work.ports[port] * (work.cycles - work.fresh) / work.cycles);
      }
    }
    return mxu_passed_ + lag;
  }

  std::int64_t vpu(const Work& work, std::size_t i, std::int64_t ready) {
    const std::int64_t from = work.kernel > 0 ? ready : std::max(ready, vpu_free_);
    const std::int64_t begin = std::max(from + work.setup, engine_last_commit_[2]);
    const std::int64_t done = std::max(accesses_end(work, i, begin) + work.tail, ready + work.kernel);
    engine_ready_[2] = done - work.early;
    vpu_free_ = engine_ready_[2] + work.held;
    return done;
  }

  /// The matrix unit uses a port `often` in these cycles.
  void occupy(std::size_t port, std::int64_t begin, std::int64_t end, std::int64_t often) {
    if (often > 0 && begin < end) {
      const double free = std::max(0.0, static_cast<double>(end - begin - often));
      streams_[port].push_back(
          {static_cast<double>(begin), static_cast<double>(end), static_cast<double>(often) / free});
    }
  }

  /// Cycles for each cycle of work in which a command waits for a port that it uses `often`. A read waits at once,
  /// while writes are queued until they are more than the cycles that the matrix unit leaves.
  static double waits(std::size_t port, double often, double odds) {
    return port < PortUse::kAccWrite ? often * odds : std::max(0.0, often * (1 + odds) - 1);
  }

  /// Number `index` of what the matrix unit does at a port, if that is before `limit` where a pass expects it; or null.
  const Stream* stream(std::size_t port, std::size_t index, std::int64_t limit) const {
    if (index < streams_[port].size()) {
      return &streams_[port][index];
    }
    const auto& later = expected_.streams[port];
    return index < later.size() && later[index].begin < static_cast<double>(limit) ? &later[index] : nullptr;
  }

  /// When a command of the vector unit that begins at `begin`, number `i`, has passed its cycles. In the share of
  /// cycles in which the matrix unit uses a port, it waits for that port, as often as it needs it.
  std::int64_t accesses_end(const Work& work, std::size_t i, std::int64_t begin) const {
    auto time = static_cast<double>(begin), left = static_cast<double>(work.cycles);
    // What begins after the command has committed may depend on it.
    const std::int64_t limit = i < expected_.commit.size() ? expected_.commit[i] : 0;
    struct Use {
      std::size_t port, next;
      double often;  // in a cycle of work
    };
    std::array<Use, PortUse::kPorts> uses;
    std::size_t count = 0;
    for (std::size_t port = 0; port < PortUse::kPorts; ++port) {
      if (work.ports[port] > 0) {
        const auto first = std::upper_bound(streams_[port].begin(), streams_[port].end(), time,
                                            [](double t, const Stream& s) { return t < s.end; });
        uses[count++] = {port, static_cast<std::size_t>(first - streams_[port].begin()),
                         static_cast<double>(work.ports[port]) / left};
      }
    }
    while (left > 0) {
      double wait = 0;  // for each cycle of work
      double until = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < count; ++k) {
        Use& use = uses[k];
        const Stream* met = stream(use.port, use.next, limit);
        while (met != nullptr && met->end <= time) {
          met = stream(use.port, ++use.next, limit);
        }
        if (met != nullptr) {
          until = std::min(until, met->begin <= time ? met->end : met->begin);
          wait += met->begin <= time ? waits(use.port, use.often, met->odds) : 0;
        }
      }
      const double passed = std::min(left, (until - time) / (1 + wait));
      time = passed < left ? until : time + left * (1 + wait);
      left -= passed;
    }
    return static_cast<std::int64_t>(std::llround(time));
  }

  std::int64_t store(const Work& work, std::int64_t ready) {
    const std::int64_t begin = std::max(ready + kStoreSetup, store_end_);
    store_end_ = begin + std::max(work.beats * memory_.write_interval, work.cycles);
    store_starts_[store_count_++ % kStoreDepth] = begin;
    engine_ready_[3] = store_starts_[store_count_ % kStoreDepth];
    return store_end_ + memory_.write_latency + kStorePipeline;
  }

  const std::vector<Event>& events_;
  const int dim_;
  const MemoryTiming memory_;
  const bool ideal_;
  const Pass expected_;
  Timeline timeline_;
  std::vector<std::int64_t> dispatch_;
  std::array<std::vector<int>, kEngines> issued_;
  std::array<std::int64_t, kEngines> engine_ready_{};
  std::array<std::int64_t, kEngines> engine_last_commit_{};
  std::vector<Fetch> fetches_;        // chunks of instructions
  std::vector<std::int64_t> chunks_;  // first beat of each chunk
  std::size_t next_fetch_ = 0;
  std::int64_t fetch_bus_ = 0;
  std::int64_t load_request_ = 0, load_bus_ = 0, load_emitted_ = 0;
  std::int64_t mxu_end_ = 0, store_end_ = 0;
  std::int64_t mxu_swap_ = 0, mxu_read_ = 0;     // of the last CONV: its last tile begins, its weights have been read
  std::int64_t mxu_begin_ = 0, mxu_passed_ = 0;  // first and last vector of the last command
  bool mxu_depthwise_ = false;
  std::int64_t vpu_free_ = 0;  // set-up of the next command
  std::array<std::vector<Stream>, PortUse::kPorts> streams_;
  std::array<std::int64_t, kLoadDepth> load_starts_{};
  std::array<std::int64_t, kStoreDepth> store_starts_{};
  std::size_t load_count_ = 0, store_count_ = 0;
};

}  // namespace

Timeline estimate(const std::vector<Event>& events, const Configuration& configuration, const MemoryTiming& memory) {
  // Instructions are fetched between the beats of LOADs that come later in the program but were requested earlier: the
  // fetch times come from the previous pass. So do the times of the matrix unit that a command of the vector unit meets
  // later.
  Pass expected;
  for (int pass = 0; pass + 1 < kPasses; ++pass) {
    Walker walker(events, configuration, memory, false, std::move(expected));
    const Timeline timeline = walker.run();
    expected = std::move(walker).pass(timeline);
  }
  return Walker(events, configuration, memory, false, std::move(expected)).run();
}

std::vector<int> start_order(const std::vector<Event>& events, const Configuration& configuration,
                             const MemoryTiming& memory, LaneOrder lanes) {
  return Walker(events, configuration, memory, true, {}).start_order(lanes);
}

}  // namespace systole::compiler
