// SPDX-License-Identifier: Apache-2.0
#include "layer_clock.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "timing.hpp"

namespace systole::network {
namespace {

constexpr unsigned kLoadBursts = 1;  // identifier of LOAD's reads; the others fetch instructions
constexpr auto kMxu = static_cast<std::size_t>(isa::Engine::kMxu);
constexpr auto kWorking = static_cast<unsigned>(isa::Cause::kWorking);
constexpr auto kIdle = static_cast<unsigned>(isa::Cause::kIdle);

}  // namespace

LayerClock::LayerClock(const Listing& program, const Configuration& configuration)
    : program_(program), beat_bytes_(static_cast<std::uint64_t>(configuration.dim)) {
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const compiler::Work work = compiler::work_of(program.instructions[i], configuration);
    if (work.vectors > 0) {
      products_.push_back({i, static_cast<std::uint64_t>(work.vectors)});
    }
  }
  cause_.fill(kIdle);
}

std::uint64_t LayerClock::vectors() const {
  return std::accumulate(products_.begin(), products_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Product& p) { return sum + p.vectors; });
}

void LayerClock::run_begins(const Listing& program, std::uint32_t first_index, const std::string&, std::uint64_t) {
  watching_ = &program == &program_;
  if (watching_) {
    begun_ = false;
    first_index_ = first_index;
    owner_ = compiler::CycleOwner(program.label_of, program.labels.size());
    next_product_ = 0;
    vectors_left_ = reading_ = writing_ = 0;
    sums_.assign(program.labels.size(), {});
  }
}

void LayerClock::run_ended(std::uint64_t) { watching_ = false; }

void LayerClock::cause_changed(std::uint64_t cycle, unsigned engine, unsigned cause) {
  if (watching_ && begun_) {
    advance(cycle);
  } else if (watching_ && cause != kIdle) {
    begun_ = true;
    begin_ = cycle - kDoorbellCycles;
    now_ = cycle;
    not_counted_ = kDoorbellCycles;
  }
  cause_.at(engine) = cause;
}

LayerClock::Sums& LayerClock::sums_of(std::uint32_t index) {
  return sums_.at(program_.label_of.at(index - first_index_));
}

void LayerClock::started(std::uint64_t cycle, unsigned, std::uint32_t index) {
  if (watching_ && sums_of(index).first_cycle == 0) {
    sums_of(index).first_cycle = cycle;
  }
}

void LayerClock::retired(std::uint64_t cycle, unsigned, std::uint32_t index) {
  if (watching_ && begun_) {
    advance(cycle);
    sums_of(index).last_cycle = cycle;
    owner_.retired(index - first_index_);
  }
}

void LayerClock::burst(std::uint64_t cycle, bool write, std::uint64_t, unsigned beats, unsigned id) {
  if (watching_ && begun_ && (write || id == kLoadBursts)) {
    advance(cycle);
    (write ? writing_ : reading_) += beats;
  }
}

/// Counts the cycles before `cycle`. No event was reported in them, but the matrix unit may have begun its next
/// instruction.
void LayerClock::advance(std::uint64_t cycle) {
  while (now_ < cycle && cause_[kMxu] == kWorking) {
    if (vectors_left_ == 0) {
      // Cycles beyond the program's last vector belong to no product. check_balance() reports them.
      vectors_left_ = next_product_ < products_.size() ? products_[next_product_].vectors
                                                       : std::numeric_limits<std::uint64_t>::max();
      owner_.computes(next_product_ < products_.size() ? std::optional(products_[next_product_].instruction)
                                                       : std::nullopt);
      ++next_product_;
    }
    const std::uint64_t cycles = std::min(vectors_left_, cycle - now_);
    count(cycles);
    vectors_left_ -= cycles;
    if (vectors_left_ == 0) {
      owner_.computes(std::nullopt);
    }
  }
  if (now_ < cycle) {
    count(cycle - now_);
  }
}

void LayerClock::count(std::uint64_t cycles) {
  now_ += cycles;
  cycles += not_counted_;
  not_counted_ = 0;
  Sums& sums = sums_[owner_.owner()];
  for (std::size_t engine = 0; engine < kEngineCount; ++engine) {
    sums.causes[engine].at(cause_[engine]) += cycles;
  }
  const std::uint64_t read = std::min(reading_, cycles), written = std::min(writing_, cycles);
  sums.read_beats += read;
  reading_ -= read;
  sums.write_beats += written;
  writing_ -= written;
}

void LayerClock::report(std::vector<LayerReport>& layers, std::uint64_t cycles) {
  if (begun_) {
    advance(begin_ + cycles);
  }
  for (std::size_t i = 0; i < layers.size() && i < sums_.size(); ++i) {
    LayerReport& layer = layers[i];
    layer.causes = sums_[i].causes;
    layer.cycles = std::accumulate(layer.causes[kMxu].begin(), layer.causes[kMxu].end(), std::uint64_t{0});
    layer.read_bytes = sums_[i].read_beats * beat_bytes_;
    layer.write_bytes = sums_[i].write_beats * beat_bytes_;
    layer.first_cycle = sums_[i].first_cycle;
    layer.last_cycle = sums_[i].last_cycle;
  }
}

}  // namespace systole::network
