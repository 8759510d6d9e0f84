// SPDX-License-Identifier: Apache-2.0
// Targets, as a loss takes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset.hpp"
#include "systole/training.hpp"

namespace systole::training {

/// Whether the targets are one integer for each sample, as classes are.
bool are_classes(const NamedArray& targets);

/// One more than the greatest number.
std::int64_t classes_in(const NamedArray& array);

/// One more than the greatest of targets that are classes; the number of columns of others.
std::int64_t outputs_for(const NamedArray& targets);

/// What a loss of so many outputs makes of the targets: the cross entropy takes classes, and so do the others if there
/// are several outputs and one integer for each sample.
TargetKind target_kind(LossKind loss, std::int64_t outputs, const NamedArray& targets);

/// The targets as Dataset has them; of classes, one for each of a sample's predictions. Throws InvalidArgument, naming
/// array, place, value, what is legal and the remedy: for another number of samples, another number of columns than
/// outputs, values that are missing, and what is no class, or neither 0 nor 1.
graph::Value fitted_targets(const NamedArray& targets, TargetKind kind, std::int64_t outputs, std::int64_t predictions,
                            std::size_t samples, const std::string& network);

/// For each class, what makes its share of the loss the same: samples / (classes * samples of the class). Throws
/// InvalidArgument for numbers, and for a class without samples.
std::vector<double> balanced_weights(const graph::Value& targets, TargetKind kind, std::int64_t outputs);

}  // namespace systole::training
