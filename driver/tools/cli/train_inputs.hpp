// SPDX-License-Identifier: Apache-2.0
// What `systole train` reads: pictures, and the network that it trains with them.
#pragma once

#include <cstdint>
#include <optional>

#include "dataset.hpp"
#include "systole/graph.hpp"
#include "train_options.hpp"
#include "trainable_network.hpp"

namespace systole::cli {

class TrainInputs {
 public:
  /// Reads the files. Throws InputError.
  explicit TrainInputs(const TrainOptions& options);

  const training::Dataset& data() const { return data_; }
  /// Null without a validation.
  const training::Dataset* validation() const { return validation_ ? &*validation_ : nullptr; }

  enum class Purpose { kWholeBatch, kMicroBatch, kEvaluation };
  /// Throws InputError if the network does not fit the pictures.
  training::Network network(std::int64_t batch, Purpose purpose) const;

  /// A number that other pictures or labels would change.
  std::uint64_t digest() const;

 private:
  void load();

  TrainOptions options_;
  training::Dataset data_;
  std::optional<training::Dataset> validation_;
  std::optional<graph::Graph> file_;
};

/// FNV-1a, continued.
template <class Bytes>
std::uint64_t digest_of(const Bytes& bytes, std::uint64_t before = 0xcbf29ce484222325) {
  for (const std::uint8_t byte : bytes) {
    before = (before ^ byte) * 0x100000001b3;
  }
  return before;
}

}  // namespace systole::cli
