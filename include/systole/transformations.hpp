// SPDX-License-Identifier: Apache-2.0
// The compiler's optional transformations. Each makes programs smaller or faster and leaves every result as it is, so
// that each can be switched off by name: to find the one behind a difference, or to see what one is worth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// In the order in which a network meets them.
enum class Transformation {
  kMoveTransposes,
  kSplitTransposes,
  kHeads,
  kFusedRows,
  kElementChains,
  kWindowKernels,
  kWordTranspositions,
  kPoolGradients,
  kLimitsBeforeMaxima,
  kSecondResults,
  kPadding,
  kAdditions,
  kTables,
  kFlattening,
  kReshapes,
  kTransposedOperands,
  kBlockResults,
  kParts,
  kRowBlocks,
  kConversions,
  kMaxima,
  kGradientTiles,
  kScratchpad,
  kSpreadKernels,
  kRowChains,
  kOverlap
};
inline constexpr std::size_t kTransformations = static_cast<std::size_t>(Transformation::kOverlap) + 1;

struct TransformationText {
  std::string_view name;
  std::string_view what;  ///< a sentence
};

/// Name and meaning of each, in the order of the enumeration.
const std::array<TransformationText, kTransformations>& transformation_texts();

/// How often each was applied, by name; 0 for those that were not.
using TransformationCounts = std::map<std::string, std::int64_t>;
void add(TransformationCounts& counts, const TransformationCounts& more);

/// The transformations that are switched on, and how often each was applied.
class Transformations {
 public:
  Transformations() = default;
  /// All but those of these names. Throws InvalidArgument for an unknown name, with a list of all.
  explicit Transformations(const std::vector<std::string>& without);

  bool on(Transformation which) const { return !off_[index(which)]; }
  void count(Transformation which, std::int64_t times = 1) { counts_[index(which)] += times; }
  TransformationCounts counts() const;

 private:
  static constexpr std::size_t index(Transformation which) { return static_cast<std::size_t>(which); }

  std::array<bool, kTransformations> off_{};
  std::array<std::int64_t, kTransformations> counts_{};
};

}  // namespace systole
