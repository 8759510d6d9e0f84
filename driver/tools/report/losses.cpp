// SPDX-License-Identifier: Apache-2.0
#include "losses.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "terminal.hpp"

namespace systole::report {
namespace {

using cli::grouped;
using cli::percent;

constexpr double kSmallest = 0.002;     ///< share of the cycles below which a loss is omitted
constexpr double kWorthAReason = 0.02;  ///< share of the longest wait above which its reason is given
constexpr double kBusy = 0.6;           ///< share above which an engine that others wait for is called the limit

/// The beginning of a sentence: "MXU waited 3 % (40 cycles) for ...".
const char* verb(isa::Cause cause) {
  switch (cause) {
    case isa::Cause::kFetch: return "had no instruction for";
    case isa::Cause::kIdle: return "had nothing left to do for";
    default: return "waited";
  }
}

/// The end of the sentence.
const char* reason(isa::Cause cause) {
  switch (cause) {
    case isa::Cause::kWorking: return "";
    case isa::Cause::kWeightLoad: return " for a weight tile to enter the array";
    case isa::Cause::kOperandWait: return " for operands, its own set-up or its last results";
    case isa::Cause::kBankConflict: return " for a scratchpad bank that served another engine";
    case isa::Cause::kAccConflict: return " for an accumulator bank that served the matrix unit";
    case isa::Cause::kBackPressure: return " for the next stage to take its results";
    case isa::Cause::kSemaphore: return " for other engines, on semaphores";
    case isa::Cause::kMemoryLatency: return " for the first answer of the memory (latency)";
    case isa::Cause::kMemoryBandwidth: return " for the memory port while data flowed (bandwidth)";
    case isa::Cause::kFetch: return ": what it does next was yet to be dispatched";
    case isa::Cause::kIdle: return "";
  }
  return "";
}

class Explainer {
 public:
  Explainer(const Layer& layer, int dim, Analysis& analysis)
      : layer_(layer),
        dim_(dim),
        analysis_(analysis),
        name_(isa::to_string(analysis.engine)),
        counts_(layer.causes[static_cast<std::size_t>(analysis.engine)]) {}

  void run() {
    headline();
    rounding();
    for (int cause = 1; cause < kCauseCount && layer_.causes_counted; ++cause) {
      if (static_cast<isa::Cause>(cause) == isa::Cause::kSemaphore && layer_.semaphore_waits) {
        semaphores();
      } else {
        add(counts_[static_cast<std::size_t>(cause)], static_cast<isa::Cause>(cause),
            reason(static_cast<isa::Cause>(cause)));
      }
    }
    if (!layer_.causes_counted) {
      uncounted();
    }
    std::stable_sort(analysis_.losses.begin(), analysis_.losses.end(),
                     [](const Loss& a, const Loss& b) { return a.cycles > b.cycles; });
    because();
  }

 private:
  double share(std::uint64_t cycles) const { return static_cast<double>(cycles) / static_cast<double>(layer_.cycles); }

  void headline() {
    if (layer_.macs > 0) {
      analysis_.headline = fmt::format("The array did useful work in {} of its slots; {} was lost{}.",
                                       percent(analysis_.utilization), percent(1 - analysis_.utilization), padding());
    } else {
      analysis_.headline = fmt::format("No multiply-accumulates. {}, the busiest engine, worked in {} of the cycles.",
                                       name_, percent(share(counts_[0])));
    }
  }

  /// Multiplications by padding count as useful but are mentioned.
  std::string padding() const {
    const double share =
        static_cast<double>(layer_.macs_padded.value_or(0)) / (static_cast<double>(layer_.cycles) * dim_ * dim_);
    return share < kSmallest ? std::string() : fmt::format(", and {} multiplied padding", percent(share));
  }

  /// A working cycle of the matrix unit occupies all slots of the array, but slots beyond the edge of partial tiles are
  /// not useful.
  void rounding() {
    if (layer_.macs == 0) {
      return;
    }
    const double slots = static_cast<double>(dim_) * dim_;
    const double useful = static_cast<double>(layer_.macs) / slots;
    const double lost = std::max(0.0, static_cast<double>(counts_[0]) - useful);
    push(static_cast<std::uint64_t>(lost), isa::Cause::kWorking,
         fmt::format("{} (as much as {} cycles) went into rounding operands up to whole {} x {} tiles.",
                     percent(lost / static_cast<double>(layer_.cycles)), grouped(static_cast<std::uint64_t>(lost)),
                     dim_, dim_));
  }

  void uncounted() {
    const std::uint64_t cycles = layer_.cycles - counts_[0];
    push(cycles, isa::Cause::kIdle,
         fmt::format("{} did not work for {} ({} cycles); this core does not count the causes.", name_,
                     percent(share(cycles)), grouped(cycles)));
  }

  void semaphores() {
    const auto& waits = (*layer_.semaphore_waits)[static_cast<std::size_t>(analysis_.engine)];
    for (int semaphore = 0; semaphore < isa::kSemaphores; ++semaphore) {
      const std::uint64_t cycles = waits[static_cast<std::size_t>(semaphore)];
      const auto producer = producer_of(semaphore, analysis_.engine);
      add(cycles, isa::Cause::kSemaphore,
          producer ? fmt::format(" for {}, on semaphore {}", isa::to_string(*producer), semaphore)
                   : fmt::format(" on semaphore {}", semaphore));
      if (producer && cycles > longest_.first) {
        longest_ = {cycles, *producer};
      }
    }
  }

  void because() {
    if (share(longest_.first) < kWorthAReason) {
      return;
    }
    const auto& counts = layer_.causes[static_cast<std::size_t>(longest_.second)];
    const char* producer = isa::to_string(longest_.second);
    const double busy = share(counts[0]);
    if (busy >= kBusy) {
      analysis_.because = fmt::format("{} was the limit: it worked in {} of the cycles.", producer, percent(busy));
      return;
    }
    const auto most = std::max_element(counts.begin() + 1, counts.end());
    analysis_.because =
        fmt::format("{}, waited for longest, worked in {}; most of its other cycles: {} ({}).", producer, percent(busy),
                    in_words(static_cast<isa::Cause>(most - counts.begin())), percent(share(*most)));
  }

  void add(std::uint64_t cycles, isa::Cause cause, const std::string& why) {
    push(cycles, cause,
         fmt::format("{} {} {} ({} cycles){}.", name_, verb(cause), percent(share(cycles)), grouped(cycles), why));
  }

  void push(std::uint64_t cycles, isa::Cause cause, std::string sentence) {
    if (share(cycles) >= kSmallest) {
      analysis_.losses.push_back({share(cycles), cycles, cause, std::move(sentence)});
    }
  }

  const Layer& layer_;
  const int dim_;
  Analysis& analysis_;
  const std::string name_;
  const std::array<std::uint64_t, kCauseCount>& counts_;
  std::pair<std::uint64_t, isa::Engine> longest_{0, isa::Engine::kLoad};  ///< the longest wait, and the engine waited
                                                                          ///< for
};

}  // namespace

void explain(const Layer& layer, int dim, Analysis& analysis) { Explainer(layer, dim, analysis).run(); }

}  // namespace systole::report
