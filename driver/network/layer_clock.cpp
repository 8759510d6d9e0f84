// SPDX-License-Identifier: Apache-2.0
#include "network/layer_clock.hpp"

#include <algorithm>

namespace systole::network {
namespace {

constexpr unsigned kLoadBursts = 1;  // identifier of LOAD's reads; the others fetch instructions

}  // namespace

void LayerClock::run_begins(const Program& program, std::uint32_t first_index, const std::string&, std::uint64_t cycle) {
  watching_ = &program == &program_;
  if (watching_) {
    first_index_ = first_index;
    sums_ = {};
    cause_since_.fill(cycle);
    begin_ = now(cycle);
    ends_.assign(program_.labels.size(), begin_);
    ends_a_label_ = ends_of_labels(program_.instructions, program_.label_of);
  }
}

void LayerClock::run_ended(std::uint64_t) { watching_ = false; }

void LayerClock::cause_changed(std::uint64_t cycle, unsigned engine, unsigned cause) {
  // Also between runs: the cause of a run's first cycle is the last one reported before.
  if (watching_) {
    sums_.causes.at(engine).at(cause_.at(engine)) += cycle - cause_since_.at(engine);
  }
  cause_.at(engine) = cause;
  cause_since_.at(engine) = cycle;
}

void LayerClock::retired(std::uint64_t cycle, unsigned, std::uint32_t index) {
  const std::uint32_t instruction = index - first_index_;
  if (watching_ && instruction < ends_a_label_.size() && ends_a_label_[instruction]) {
    ends_[program_.label_of[instruction]] = now(cycle);
  }
}

void LayerClock::burst(std::uint64_t, bool write, std::uint64_t, unsigned beats, unsigned id) {
  if (write) {
    sums_.write_beats += beats;
  } else if (id == kLoadBursts) {
    sums_.read_beats += beats;
  }
}

LayerClock::Mark LayerClock::now(std::uint64_t cycle) const {
  Mark mark = sums_;
  mark.cycle = cycle;
  for (std::size_t engine = 0; engine < kEngineCount; ++engine) {
    mark.causes[engine].at(cause_[engine]) += cycle - cause_since_[engine];
  }
  return mark;
}

void LayerClock::report(std::vector<LayerReport>& layers, int dim) const {
  Mark before = begin_;
  for (std::size_t i = 0; i < layers.size() && i < ends_.size(); ++i) {
    const Mark& end = ends_[i].cycle > before.cycle ? ends_[i] : before;
    LayerReport& layer = layers[i];
    layer.cycles = end.cycle - before.cycle;
    layer.read_bytes = (end.read_beats - before.read_beats) * static_cast<std::uint64_t>(dim);
    layer.write_bytes = (end.write_beats - before.write_beats) * static_cast<std::uint64_t>(dim);
    for (std::size_t engine = 0; engine < kEngineCount; ++engine) {
      for (std::size_t cause = 0; cause < kCauseCount; ++cause) {
        layer.causes[engine][cause] = end.causes[engine][cause] - before.causes[engine][cause];
      }
    }
    before = end;
  }
}

}  // namespace systole::network
