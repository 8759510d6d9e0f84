// SPDX-License-Identifier: Apache-2.0
// A step whose batch is cut into micro-batches, which the ranks of a launch divide among themselves. Every rank has the
// same values and computes the same update. What the micro-batches contribute is added in their order, so that the
// values depend on the number of micro-batches, but not on the number of ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "dataset.hpp"
#include "link.hpp"
#include "ranks.hpp"
#include "step.hpp"

namespace systole::training {

struct StepResult {
  double loss = 0, metric = 0;
  std::vector<graph::Value> values;  ///< of Step::variables
};

class DataParallel {
 public:
  /// `step` and `ranks` outlive the object. A sum is cut into pieces by the link between the devices. Throws
  /// InvalidArgument if a rank would have no micro-batch.
  DataParallel(const SplitStep& step, std::int64_t micro_batches, ranks::Ranks& ranks, const ranks::Link& link,
               Runner runner);

  /// The samples of a micro-batch, by the index in the batch of its first sample and their number.
  using Part = std::function<Batch(std::size_t first, std::size_t size)>;
  /// The values of scalars for a micro-batch.
  using Scalars = std::function<std::vector<graph::Value>(const std::vector<ScalarKind>& kinds, std::size_t first)>;
  StepResult run(const Part& part, const Scalars& scalars, const std::vector<graph::Value>& values) const;

  /// Samples of the whole batch.
  std::size_t batch_size() const;
  /// Micro-batches of this rank.
  std::size_t share() const { return last_ - first_; }
  /// The addition of a piece of a contribution, and the number of pieces.
  const graph::Graph& addition() const { return addition_; }
  std::size_t pieces() const { return pieces_; }
  /// Bytes of a contribution.
  std::size_t bytes() const { return pieces_ * piece_bytes_; }
  ranks::Ranks& ranks() const { return ranks_; }

 private:
  ranks::Bytes contribution(const Batch& batch, const std::vector<graph::Value>& scalars,
                            const std::vector<graph::Value>& values) const;
  ranks::Bytes sum(const ranks::Bytes& a, const ranks::Bytes& b) const;
  std::vector<graph::Value> unpacked(const ranks::Bytes& sum) const;
  std::size_t samples() const;  ///< of a micro-batch

  const SplitStep& step_;
  const std::size_t micro_batches_;
  ranks::Ranks& ranks_;
  const Runner runner_;
  std::size_t first_ = 0, last_ = 0;  ///< this rank's micro-batches
  std::size_t pieces_ = 1, piece_bytes_ = 0;
  graph::Graph addition_;
};

}  // namespace systole::training
