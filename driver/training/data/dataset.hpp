// SPDX-License-Identifier: Apache-2.0
// Samples as a network and its loss take them, in an order that a seed decides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::training {

/// What the targets of a sample are.
enum class TargetKind {
  kClass,    ///< one class of several: int32 [N], or [N, predictions] of a language model; -1 is no sample
  kLabels,   ///< 0 or 1 for each output: float32 [N, outputs]; minus infinity is no sample
  kNumbers,  ///< a number for each output: the same
};

/// One of a network's inputs, of all samples: as they were read, and as the network takes them.
struct InputSamples {
  graph::Value values;
  graph::ElementType type = graph::ElementType::kFloat32;
  graph::Shape shape;                     ///< of one sample, without the first axis
  std::vector<std::string> columns = {};  ///< what messages call them, if a sample is a row; else empty
};

struct Dataset {
  std::vector<InputSamples> inputs;
  TargetKind kind = TargetKind::kClass;
  graph::Value targets;
  std::size_t size() const;
};

/// The samples from `first` on, which leave the set.
Dataset split_off(Dataset& from, std::size_t first);

/// A number that tells samples from others: FNV-1a of all their bytes.
std::uint64_t digest_of(const Dataset& data);

/// The order of an epoch: a permutation of 0 .. size - 1, by Fisher and Yates.
std::vector<std::size_t> order_of(std::size_t size, std::uint64_t seed, std::int64_t epoch);

/// Inputs as the network takes them, and targets.
struct Batch {
  std::vector<graph::Value> inputs;
  graph::Value targets;
};
/// The samples order[first], order[first + 1], ...; if they are fewer than `size`, the rest repeats the first of them,
/// with targets that are no sample.
Batch batch_of(const Dataset& data, const std::vector<std::size_t>& order, std::size_t first, std::size_t size);

}  // namespace systole::training
