// SPDX-License-Identifier: Apache-2.0
// What is trained, with which samples: everything that is known before the first step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset.hpp"
#include "network_source.hpp"
#include "state_text.hpp"
#include "systole/training.hpp"

namespace systole::training {

class Problem {
 public:
  /// `validation` may be null. Throws InvalidArgument or GraphError, naming array, place, value, what is legal and the
  /// remedy, for options out of their ranges and for samples that do not fit the network, as fitted_inputs() and
  /// fitted_targets() do.
  Problem(NetworkChoice network, const Data& data, const Data* validation, const Options& options);

  const Options& options() const { return options_; }
  const Dataset& data() const { return data_; }
  /// Null without a validation.
  const Dataset* validation() const { return validation_ ? &*validation_ : nullptr; }
  const NetworkSource& source() const { return source_; }
  /// Lines about samples that fit, and from which little will be learned all the same.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Of each input, those that are standardized.
  const std::vector<std::vector<Column>>& columns() const { return columns_; }
  /// The same, of all inputs one after another.
  std::vector<Column> standardized_columns() const;
  /// The network with its loss.
  Network network(std::int64_t batch, NetworkSource::Purpose purpose) const;

  /// Other samples, whose targets are of the same kind. Throws as the constructor.
  Dataset fitted(const Data& data) const;

  /// What a checkpoint must share with this training: options that the steps depend on, and digests of the samples.
  Settings settings() const;

 private:
  void standardize();
  void warn(const NamedArray& targets, bool loss_is_given);

  Options options_;
  NetworkChoice choice_;  ///< without the graph
  NetworkSource source_;
  TargetKind kind_ = TargetKind::kClass;
  Dataset data_;
  std::optional<Dataset> validation_;
  std::vector<std::vector<Column>> columns_;
  std::vector<std::string> warnings_;
};

}  // namespace systole::training
