// SPDX-License-Identifier: Apache-2.0
#include "fit_targets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "named_array.hpp"
#include "systole/errors.hpp"

namespace systole::training {
namespace {

using graph::ElementType;

std::int64_t columns_of(const graph::Value& value) {
  return graph::count(value.shape) / std::max<std::int64_t>(1, static_cast<std::int64_t>(rows_of(value)));
}

std::string outputs_text(std::int64_t outputs) { return fmt::format("{} output{}", outputs, outputs == 1 ? "" : "s"); }

void check_range(const NamedArray& targets, const std::vector<double>& numbers, std::int64_t greatest,
                 const std::string& why) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] > static_cast<double>(greatest) || numbers[i] != std::floor(numbers[i])) {
      throw InvalidArgument(fmt::format("{}: {}: the target is {}; it must be a whole number from 0 to {}: {}",
                                        targets.name, place_of(targets, i), numbers[i], greatest, why));
    }
  }
}

void check_beyond(const NamedArray& targets, const std::vector<double>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::abs(numbers[i]) > std::numeric_limits<float>::max()) {
      throw InvalidArgument(fmt::format("{}: {}: {} is beyond float32; scale the targets", targets.name,
                                        place_of(targets, i), numbers[i]));
    }
  }
}

}  // namespace

bool are_classes(const NamedArray& targets) { return is_whole(targets.value.type) && columns_of(targets.value) == 1; }

std::int64_t classes_in(const NamedArray& array) {
  const std::vector<double> numbers = numbers_of(array.value);
  const double most = numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end());
  constexpr double kMostClasses = 1 << 20;
  return static_cast<std::int64_t>(std::clamp(most, 0.0, kMostClasses)) + 1;
}

std::int64_t outputs_for(const NamedArray& targets) {
  return are_classes(targets) ? classes_in(targets) : columns_of(targets.value);
}

TargetKind target_kind(LossKind loss, std::int64_t outputs, const NamedArray& targets) {
  if (loss == LossKind::kCrossEntropy || (outputs > 1 && are_classes(targets))) {
    return TargetKind::kClass;
  }
  return loss == LossKind::kBinary ? TargetKind::kLabels : TargetKind::kNumbers;
}

graph::Value fitted_targets(const NamedArray& targets, TargetKind kind, std::int64_t outputs, std::int64_t predictions,
                            std::size_t samples, const std::string& network) {
  if (rows_of(targets.value) != samples) {
    throw InvalidArgument(fmt::format("{}: {} targets for {} samples; there is one for each", targets.name,
                                      rows_of(targets.value), samples));
  }
  check_finite(targets);
  const std::string has = fmt::format("{} has {}", network, outputs_text(outputs));
  const std::int64_t columns = columns_of(targets.value), wanted = kind == TargetKind::kClass ? predictions : outputs;
  if (columns != wanted) {
    const std::string remedy = kind != TargetKind::kClass ? "there is one target for each output"
                               : predictions > 1
                                   ? "there is one target for each token, the one that follows it"
                                   : "the cross entropy takes one class for each sample: save array.argmax(axis=1)";
    throw InvalidArgument(
        fmt::format("{}: {} columns of targets, {} expected: {}; {}", targets.name, columns, wanted, has, remedy));
  }
  const std::vector<double> numbers = numbers_of(targets.value);
  const auto rows = static_cast<std::int64_t>(samples);
  if (kind == TargetKind::kClass) {
    check_range(targets, numbers, outputs - 1,
                has + "; number the classes from 0, or take a network with more outputs");
    const graph::Shape shape = predictions == 1 ? graph::Shape{rows} : graph::Shape{rows, predictions};
    return make_value(ElementType::kInt32, shape, std::vector<std::int32_t>(numbers.begin(), numbers.end()));
  }
  if (kind == TargetKind::kLabels) {
    const std::string classes =
        are_classes(targets) ? fmt::format(" number two classes from 0, take a network with {} for more classes, or",
                                           outputs_text(std::max<std::int64_t>(3, classes_in(targets))))
                             : std::string();
    check_range(targets, numbers, 1,
                fmt::format("the binary loss is for labels;{} use --loss mean-square for numbers", classes));
  }
  check_beyond(targets, numbers);
  return make_value(ElementType::kFloat32, {rows, outputs}, std::vector<float>(numbers.begin(), numbers.end()));
}

std::vector<double> balanced_weights(const graph::Value& targets, TargetKind kind, std::int64_t outputs) {
  if (kind == TargetKind::kNumbers || (kind == TargetKind::kLabels && outputs > 1)) {
    throw InvalidArgument("balanced class weights are for one class for each sample; give weights, or none");
  }
  std::vector<double> counts(static_cast<std::size_t>(kind == TargetKind::kClass ? outputs : 2));
  const std::vector<double> numbers = numbers_of(targets);
  for (const double number : numbers) {
    ++counts.at(static_cast<std::size_t>(number));
  }
  std::vector<double> weights;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) {
      throw InvalidArgument(fmt::format(
          "balanced class weights: class {} has no sample; give weights, or a network with fewer outputs", i));
    }
    weights.push_back(static_cast<double>(numbers.size()) / (static_cast<double>(counts.size()) * counts[i]));
  }
  return weights;
}

}  // namespace systole::training
