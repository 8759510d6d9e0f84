// SPDX-License-Identifier: Apache-2.0
// Labelled pictures, in an order that a seed decides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::training {

struct Dataset {
  std::int64_t height = 0, width = 0;
  std::vector<std::vector<std::uint8_t>> pictures;  ///< of one channel, row-major
  std::vector<std::uint8_t> labels;
  std::int64_t classes = 0;  ///< one more than the greatest label of the file, also where only the first are taken
  std::size_t size() const { return labels.size(); }
};

/// Pictures and labels of IDX files, gzip or not; the first `count`, all if 0. Throws Failure, naming the file.
Dataset load_dataset(const std::string& pictures, const std::string& labels, std::size_t count);

/// The pictures from `first` on, which leave the set.
Dataset split_off(Dataset& from, std::size_t first);

/// The order of an epoch: a permutation of 0 .. size - 1, by Fisher and Yates.
std::vector<std::size_t> order_of(std::size_t size, std::uint64_t seed, std::int64_t epoch);

/// float32 [N,1,H,W] of bytes and int32 [N], filled up with zeros and labels of -1.
struct Batch {
  graph::Value images, labels;
};
Batch batch_of(const Dataset& data, const std::vector<std::size_t>& order, std::size_t first, std::size_t size);

}  // namespace systole::training
