// SPDX-License-Identifier: Apache-2.0
// Block pruning: in the course of a training, whole tiles of weights become zeros and stay so. The compiler leaves them
// out, and the core skips them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainable_network.hpp"

namespace systole::training {

class TilePruner {
 public:
  /// Of the weights among a network's parameters, those of at least one whole tile of inputs and outputs. `steps` are
  /// those of the training. Throws InvalidArgument if there are none.
  TilePruner(const Pruning& pruning, Network network, std::int64_t steps);

  /// Steps before the first tiles become zeros: a quarter of all. The last ones do after three quarters, so that the
  /// rest adapts.
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }

  /// After step `number`, from 0 on, which made `after` of `before`: tiles that were zeros are zeros again. At each
  /// sixteenth of the way from begin() to end() those of the smallest mean magnitude of each matrix become zeros, as
  /// many as share * (1 - (1 - way)^3) of all (Zhu and Gupta, "To prune, or not to prune").
  void after_step(std::int64_t number, const std::vector<graph::Value>& before, std::vector<graph::Value>& after) const;

  struct Count {
    std::size_t tiles = 0, zeros = 0;
  };
  Count count(const std::vector<graph::Value>& parameters) const;

 private:
  std::int64_t events_after(std::int64_t steps) const;

  double share_;
  std::int64_t tile_, begin_, end_;
  std::vector<std::size_t> weights_;  ///< numbers of parameters
};

}  // namespace systole::training
