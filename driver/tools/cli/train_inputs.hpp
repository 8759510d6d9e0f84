// SPDX-License-Identifier: Apache-2.0
// The inputs of `systole train`: pictures, and the network that it trains with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dataset.hpp"
#include "ending.hpp"
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

  /// kEvaluation: up to the scores, as in training; kExport: as the file has it, with the operator after the scores.
  enum class Purpose { kWholeBatch, kMicroBatch, kEvaluation, kExport };
  /// Throws InputError if the network does not fit the pictures.
  training::Network network(std::int64_t batch, Purpose purpose) const;

  /// The settings that a checkpoint must share with this training: the options that the steps depend on, and digests
  /// of pictures and labels.
  training::Settings settings() const;
  /// A note about the network, to be printed before the training; empty if it has nothing unusual.
  const std::string& note() const { return note_; }

 private:
  graph::Graph read_network();
  void load_network();
  void load_pictures();
  void check_labels(const training::Dataset& data, const std::string& labels) const;
  std::string outputs_text() const;

  TrainOptions options_;
  training::Dataset data_;
  std::optional<training::Dataset> validation_;
  std::optional<training::Ending> ending_;  ///< of the network of a file
  training::LossKind loss_ = training::LossKind::kCrossEntropy;
  std::int64_t outputs_ = 1;
  std::string note_;
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
