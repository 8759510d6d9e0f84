// SPDX-License-Identifier: Apache-2.0
#include "analysis.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "losses.hpp"
#include "systole/throughput.hpp"

namespace systole::report {
namespace {

std::uint64_t cycles_of(const Layer& layer, isa::Engine engine, isa::Cause cause) {
  return layer.causes[static_cast<std::size_t>(engine)][static_cast<std::size_t>(cause)];
}

std::uint64_t working(const Layer& layer, isa::Engine engine) { return cycles_of(layer, engine, isa::Cause::kWorking); }

Bound find_bound(const Layer& layer) {
  const std::array<std::uint64_t, 6> busy = {working(layer, isa::Engine::kMxu),  working(layer, isa::Engine::kVpu),
                                             working(layer, isa::Engine::kLoad), working(layer, isa::Engine::kStore),
                                             layer.read_beats.value_or(0),       layer.write_beats.value_or(0)};
  const auto most = std::max_element(busy.begin(), busy.end());
  return {static_cast<Part>(most - busy.begin()), static_cast<double>(*most) / static_cast<double>(layer.cycles)};
}

std::optional<Roofline> find_roof(const Layer& layer, int dim) {
  if (layer.macs == 0 || !layer.read_beats || !layer.write_beats ||
      (*layer.read_beats == 0 && *layer.write_beats == 0)) {
    return std::nullopt;
  }
  const double macs = static_cast<double>(layer.macs);
  const double peak = static_cast<double>(dim) * dim;
  const std::uint64_t beats = std::max(*layer.read_beats, *layer.write_beats);
  Roofline roof;
  roof.intensity = macs / (static_cast<double>(beats) * dim);
  roof.achieved = macs / static_cast<double>(layer.cycles);
  roof.attainable = std::min(peak, roof.intensity * dim);
  if (roof.attainable < peak) {
    roof.roof = *layer.read_beats >= *layer.write_beats ? Part::kReadChannel : Part::kWriteChannel;
  }
  return roof;
}

isa::Engine find_engine(const Layer& layer) {
  if (layer.macs > 0) {
    return isa::Engine::kMxu;
  }
  return std::max({isa::Engine::kVpu, isa::Engine::kLoad, isa::Engine::kStore},
                  [&](isa::Engine a, isa::Engine b) { return working(layer, a) < working(layer, b); });
}

}  // namespace

const char* to_string(Part part) {
  constexpr std::array<const char*, 6> kNames = {"array", "vector unit",  "LOAD",
                                                 "STORE", "read channel", "write channel"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string in_words(isa::Cause cause) {
  std::string words = isa::to_string(cause);
  std::transform(words.begin(), words.end(), words.begin(),
                 [](unsigned char c) { return c == '_' ? ' ' : static_cast<char>(std::tolower(c)); });
  return words;
}

std::optional<isa::Engine> producer_of(int semaphore, isa::Engine consumer) {
  // Semaphore 4f + e goes from engine f to engine e: driver/compiler/schedule/synchronize.hpp.
  if (semaphore >= kEngineCount * kEngineCount || semaphore % kEngineCount != static_cast<int>(consumer)) {
    return std::nullopt;
  }
  return static_cast<isa::Engine>(semaphore / kEngineCount);
}

Analysis analyse(const Layer& layer, int dim) {
  Analysis analysis;
  analysis.utilization = systole::utilization(layer.macs, layer.cycles, dim);
  analysis.macs_per_cycle = systole::macs_per_cycle(layer.macs, layer.cycles);
  analysis.multiplier_share = systole::multiplier_share(layer.macs, layer.cycles, dim);
  analysis.lost = layer.cycles - std::min(layer.cycles, layer.macs / array_multipliers(dim));
  analysis.bound = find_bound(layer);
  analysis.roofline = find_roof(layer, dim);
  const auto bytes = [&](const std::optional<std::uint64_t>& beats) {
    return beats ? std::optional(*beats * static_cast<std::uint64_t>(dim)) : std::nullopt;
  };
  analysis.bytes_read = bytes(layer.read_beats);
  analysis.bytes_written = bytes(layer.write_beats);
  analysis.engine = find_engine(layer);
  explain(layer, dim, analysis);
  return analysis;
}

}  // namespace systole::report
