// SPDX-License-Identifier: Apache-2.0
// What the compiler does to a network, step by step, by name. Most steps are a choice: they make programs smaller or
// faster and leave every result as it is, so that each can be switched off: to find the one behind a difference, or to
// see what one is worth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

class PassLog;

/// In the order in which a network meets them.
enum class Transformation {
  kFoldConstants,
  kMoveTransposes,
  kSplitTransposes,
  kRemoveUnused,
  kQuantizedOperators,
  kBatch,
  kLegalize,
  kLower,
  kHeads,
  kFusedRows,
  kElementChains,
  kWindowKernels,
  kWordTranspositions,
  kPoolGradients,
  kRemoveUnread,
  kLimitsBeforeMaxima,
  kSecondResults,
  kPadding,
  kAdditions,
  kTables,
  kFlattening,
  kReshapes,
  kTransposedOperands,
  kComposedMoves,
  kMultipliedMoves,
  kBlockResults,
  kParts,
  kEarlyConversions,
  kRowBlocks,
  kConversions,
  kMaxima,
  kWeightTiles,
  kGradientTiles,
  kEmit,
  kScratchpad,
  kSpreadKernels,
  kRowChains,
  kOverlap,
  kTurnedTiles,
  kProductFunctions
};
inline constexpr std::size_t kTransformations = static_cast<std::size_t>(Transformation::kProductFunctions) + 1;

struct TransformationText {
  std::string_view name;
  std::string_view what;     ///< a sentence
  bool is_choice = true;     ///< whether it can be left out
  std::string_view of = {};  ///< the pass that it is a part of; empty if it is a pass itself (pass.hpp)
};

/// Name and meaning of each, in the order of the enumeration.
const std::array<TransformationText, kTransformations>& transformation_texts();

/// The one of this name; kTransformations, as a number, if there is none.
Transformation transformation(std::string_view name);

/// Throws InvalidArgument, with the remedy, for a name that is no pass.
void require_passes(const std::vector<std::string>& names);

/// How often each that is a choice was applied, by name; 0 for those that were not.
using TransformationCounts = std::map<std::string, std::int64_t>;
void add(TransformationCounts& counts, const TransformationCounts& more);

/// The transformations that are switched on, and how often each was applied.
class Transformations {
 public:
  Transformations() = default;
  /// All but those of these names. Throws InvalidArgument for a name that is none or no choice, with a list of those
  /// that are. The passes tell the `log` what they do; it may be null.
  explicit Transformations(const std::vector<std::string>& without, PassLog* log = nullptr);

  PassLog* log() const { return log_; }

  bool on(Transformation which) const { return !off_[index(which)]; }
  void count(Transformation which, std::int64_t times = 1) { counts_[index(which)] += times; }
  TransformationCounts counts() const;

 private:
  static constexpr std::size_t index(Transformation which) { return static_cast<std::size_t>(which); }

  PassLog* log_ = nullptr;
  std::array<bool, kTransformations> off_{};
  std::array<std::int64_t, kTransformations> counts_{};
};

}  // namespace systole
