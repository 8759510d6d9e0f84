// SPDX-License-Identifier: Apache-2.0
#include "compile_segment.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "check_moves.hpp"
#include "check_transfers.hpp"
#include "emit_program.hpp"
#include "overlap.hpp"
#include "row_chains.hpp"

namespace systole::network {
namespace {

// Rows of a part: weights are loaded again for each, in DIM cycles for as many rows of a tile at most.
constexpr int kFewRows = 32, kMoreRows = 48;
constexpr std::int64_t kShort = 500;  // cycles of layers whose operands should be loaded before the ones ahead are done

/// The fastest program of a segment by the cost model, among several ways to divide and to order its layers.
class Choice {
 public:
  Choice(const Segment& segment, const graph::Graph& graph, const Configuration& configuration)
      : graph_(graph),
        configuration_(configuration),
        best_(emit_program(segment, graph, configuration)),
        segment_(segment) {}

  const DeviceStep& best() const { return best_.step; }

  void try_instead(Segment other, Transformation which) {
    try {
      Emitted emitted = emit_program(other, graph_, configuration_);
      if (emitted.cycles() < best_.cycles()) {
        best_ = std::move(emitted);
        segment_ = std::move(other);
        chosen_ = which;
      }
    } catch (const NotOnDevice&) {  // not enough room for layers that run at the same time
    }
  }

  /// Throws NotOnDevice if the program does not what the layers are for.
  DeviceStep finish(Transformations& transformations) {
    check_transfers(segment_, best_, graph_, configuration_);
    transformations.count(Transformation::kScratchpad, static_cast<std::int64_t>(best_.on_chip));
    if (chosen_) {
      transformations.count(*chosen_);
    }
    return std::move(best_.step);
  }

 private:
  const graph::Graph& graph_;
  const Configuration& configuration_;
  Emitted best_;
  Segment segment_;
  std::optional<Transformation> chosen_;
};

}  // namespace

DeviceStep compile(const Segment& given, const graph::Graph& graph, const Configuration& configuration,
                   Transformations& transformations) {
  check_moves(given, graph);
  Segment segment = given;
  segment.keeps_on_chip = transformations.on(Transformation::kScratchpad);
  Choice choice(segment, graph, configuration);
  const Program& program = choice.best().program;
  const std::vector<std::int64_t> cycles = program.label_cycles;
  if (transformations.on(Transformation::kSpreadKernels) &&
      program.estimated_cycles < kShort * static_cast<std::int64_t>(segment.layers.size())) {
    Segment spread = segment;
    spread.spread_kernels = true;
    choice.try_instead(std::move(spread), Transformation::kSpreadKernels);
  }
  for (const int part_rows : {kFewRows, kMoreRows}) {
    Segment chained = segment;
    chained.chains = row_chains(segment.layers, part_rows, configuration);
    if (transformations.on(Transformation::kRowChains) && !chained.chains.empty()) {
      choice.try_instead(std::move(chained), Transformation::kRowChains);
    }
  }
  if (auto beside = overlapped(segment, cycles, configuration);
      beside && transformations.on(Transformation::kOverlap)) {
    choice.try_instead(std::move(*beside), Transformation::kOverlap);
  }
  return choice.finish(transformations);
}

}  // namespace systole::network
