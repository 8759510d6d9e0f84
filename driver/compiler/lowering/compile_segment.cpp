// SPDX-License-Identifier: Apache-2.0
#include "compile_segment.hpp"

#include <fmt/core.h>

#include <optional>
#include <utility>
#include <vector>

#include "check_moves.hpp"
#include "check_transfers.hpp"
#include "emit_program.hpp"
#include "layer_listing.hpp"
#include "overlap.hpp"
#include "pass.hpp"
#include "pass_listing.hpp"
#include "product_functions.hpp"
#include "row_chains.hpp"
#include "turned_left.hpp"

namespace systole::network {
namespace {

// Rows of a part: weights are loaded again for each, in DIM cycles for as many rows of a tile at most.
constexpr int kFewRows = 32, kMoreRows = 48;
constexpr std::int64_t kShort = 500;  // cycles of layers whose operands should be loaded before the ones ahead are done

/// The fastest program of a segment by the cost model, among several ways to divide and to order its layers.
struct ProgramChoice {
  Segment given;  ///< its layers in the usual order
  const graph::Graph& graph;
  const Configuration& configuration;
  Transformations& transformations;
  std::size_t program = 0;
  Segment segment = given;  ///< as it is emitted best
  Emitted best = {};
  std::vector<std::int64_t> cycles = {};  ///< of each layer when they run one after another
  std::optional<Transformation> chosen = std::nullopt;

  Amount amount() const { return {best.step.program.instructions.size(), "instruction"}; }
  std::string listing() const {
    return network::listing(segment, graph) +
           fmt::format("{} cycles are expected\n", grouped_digits(static_cast<std::uint64_t>(best.cycles())));
  }
  void finish() const {}

  /// Nothing if there is not enough room, as for layers that run at the same time.
  std::optional<Emitted> emitted(const Segment& other) const {
    try {
      return emit_program(other, graph, configuration);
    } catch (const NotOnDevice&) {
      return std::nullopt;
    }
  }

  /// Returns 1 if this is faster. What was chosen before it no longer counts.
  std::int64_t try_instead(Segment other, Transformation which) {
    std::optional<Emitted> program = emitted(other);
    if (!program || program->cycles() >= best.cycles()) {
      return 0;
    }
    best = std::move(*program);
    segment = std::move(other);
    if (chosen) {
      transformations.count(*chosen, -1);
    }
    chosen = which;
    return 1;
  }

  /// Tries other layers in the way that was the fastest before. Returns how many there are if that is faster.
  std::int64_t try_layers(std::optional<Rewritten> other) {
    if (!other) {
      return 0;
    }
    Segment ordered = other->segment;
    if (chosen == Transformation::kOverlap) {
      ordered = overlapped(other->segment, other->cycles, configuration).value_or(std::move(ordered));
    }
    ordered.spread_kernels = segment.spread_kernels;
    std::optional<Emitted> program = emitted(ordered);
    if (!program || program->cycles() >= best.cycles()) {
      return 0;
    }
    if (chosen && ordered.lanes.empty() && !ordered.spread_kernels) {  // the way before does not suit them
      transformations.count(*chosen, -1);
      chosen.reset();
    }
    best = std::move(*program);
    segment = std::move(ordered);
    given = std::move(other->segment);
    cycles = std::move(other->cycles);
    return other->times;
  }

  CyclesOf cycles_of() const {
    return [this](const Segment& other) -> std::optional<std::int64_t> {
      const std::optional<Emitted> program = emitted(other);
      return program ? std::optional(program->cycles()) : std::nullopt;
    };
  }
};

std::int64_t emit(ProgramChoice& choice) {
  choice.best = emit_program(choice.segment, choice.graph, choice.configuration);
  choice.cycles = choice.best.step.program.label_cycles;
  return static_cast<std::int64_t>(choice.segment.layers.size());
}

std::int64_t spread_kernels(ProgramChoice& choice) {
  if (choice.best.cycles() >= kShort * static_cast<std::int64_t>(choice.given.layers.size())) {
    return 0;
  }
  Segment spread = choice.segment;
  spread.spread_kernels = true;
  return choice.try_instead(std::move(spread), Transformation::kSpreadKernels);
}

std::int64_t chain_rows(ProgramChoice& choice) {
  std::int64_t chosen = 0;
  for (const int part_rows : {kFewRows, kMoreRows}) {
    Segment chained = choice.given;
    chained.chains = row_chains(choice.given.layers, part_rows, choice.configuration);
    if (!chained.chains.empty()) {
      chosen += choice.try_instead(std::move(chained), Transformation::kRowChains);
    }
  }
  return chosen;
}

std::int64_t run_beside(ProgramChoice& choice) {
  auto beside = overlapped(choice.given, choice.cycles, choice.configuration);
  return beside ? choice.try_instead(std::move(*beside), Transformation::kOverlap) : 0;
}

std::int64_t turn_tiles(ProgramChoice& choice) {
  return choice.try_layers(turn_left_operands(choice.given, choice.cycles, choice.configuration, choice.cycles_of()));
}

std::int64_t join_product_functions(ProgramChoice& choice) {
  return choice.try_layers(join_functions(choice.given, choice.cycles, choice.cycles_of()));
}

const std::vector<Pass<ProgramChoice>>& program_passes() {
  static const std::vector<Pass<ProgramChoice>> kPasses = {
      {Transformation::kEmit, emit},
      {Transformation::kSpreadKernels, spread_kernels},
      {Transformation::kRowChains, chain_rows},
      {Transformation::kOverlap, run_beside},
      {Transformation::kTurnedTiles, turn_tiles},
      {Transformation::kProductFunctions, join_product_functions},
  };
  return kPasses;
}

}  // namespace

DeviceStep compile(Segment& segment, const graph::Graph& graph, const Configuration& configuration,
                   Transformations& transformations, std::size_t program) {
  check_moves(segment, graph);
  segment.keeps_on_chip = transformations.on(Transformation::kScratchpad);
  ProgramChoice choice{segment, graph, configuration, transformations, program};
  run_passes(program_passes(), choice, transformations);
  check_transfers(choice.segment, choice.best, graph, configuration);
  transformations.count(Transformation::kScratchpad, static_cast<std::int64_t>(choice.best.on_chip));
  return std::move(choice.best.step);
}

}  // namespace systole::network
