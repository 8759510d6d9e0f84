// SPDX-License-Identifier: Apache-2.0
#include "metrics.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

#include "history.hpp"

namespace systole::training {
namespace {

/// The share of pairs of a 1 and a 0 in which the 1 has the greater score; equal scores are half a pair. Computed from
/// ranks (Mann and Whitney). None if all targets are the same, or a score is not a number.
std::optional<double> area_under_curve(const std::vector<double>& scores, const std::vector<bool>& is_one) {
  if (std::any_of(scores.begin(), scores.end(), [](double score) { return std::isnan(score); })) {
    return std::nullopt;
  }
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double ranks = 0;
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && scores[order[last]] == scores[order[first]]) {
      ++last;
    }
    const double rank = static_cast<double>(first + last + 1) / 2;  // the mean of first + 1 .. last
    for (std::size_t i = first; i < last; ++i) {
      ranks += is_one[order[i]] ? rank : 0;
    }
  }
  const auto ones = static_cast<double>(std::count(is_one.begin(), is_one.end(), true));
  const double zeros = static_cast<double>(scores.size()) - ones;
  return ones == 0 || zeros == 0 ? std::nullopt : std::optional((ranks - ones * (ones + 1) / 2) / (ones * zeros));
}

/// The place of the class's score among all of its sample, from 0; of equal ones, the first comes first.
std::size_t place(const float* scores, std::size_t outputs, std::size_t of) {
  std::size_t before = 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    before += scores[i] > scores[of] || (scores[i] == scores[of] && i < of) ? 1 : 0;
  }
  return before;
}

Metrics of_classes(const std::vector<float>& scores, const std::vector<std::int32_t>& classes, std::size_t outputs) {
  constexpr std::size_t kFew = 5;
  std::size_t right = 0, near = 0;
  std::vector<double> differences;
  std::vector<bool> is_one;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const float* of_sample = scores.data() + i * outputs;
    const std::size_t at = place(of_sample, outputs, static_cast<std::size_t>(classes[i]));
    right += at == 0 ? 1 : 0;
    near += at < kFew ? 1 : 0;
    if (outputs == 2) {
      differences.push_back(double{of_sample[1]} - double{of_sample[0]});
      is_one.push_back(classes[i] == 1);
    }
  }
  const auto samples = static_cast<double>(classes.size());
  Metrics metrics = {{kAccuracy, static_cast<double>(right) / samples}};
  if (outputs > kFew) {
    metrics.emplace_back(kTop5, static_cast<double>(near) / samples);
  }
  if (const auto area = outputs == 2 ? area_under_curve(differences, is_one) : std::nullopt) {
    metrics.emplace_back(kAuc, *area);
  }
  return metrics;
}

Metrics of_labels(const std::vector<float>& scores, const std::vector<float>& labels, std::size_t outputs) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    right += (labels[i] == 1 ? scores[i] > 0 : scores[i] < 0) ? 1 : 0;
  }
  Metrics metrics = {{kAccuracy, static_cast<double>(right) / static_cast<double>(scores.size())}};
  double sum = 0;
  int areas = 0;
  for (std::size_t output = 0; output < outputs; ++output) {
    std::vector<double> column;
    std::vector<bool> is_one;
    for (std::size_t i = output; i < scores.size(); i += outputs) {
      column.push_back(double{scores[i]});
      is_one.push_back(labels[i] == 1);
    }
    if (const auto area = area_under_curve(column, is_one)) {
      sum += *area;
      ++areas;
    }
  }
  if (areas > 0) {
    metrics.emplace_back(kAuc, sum / areas);
  }
  return metrics;
}

Metrics of_numbers(const std::vector<float>& outputs, const std::vector<float>& targets) {
  double absolute = 0, squared = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double difference = double{outputs[i]} - double{targets[i]};
    absolute += std::abs(difference);
    squared += difference * difference;
  }
  const auto count = static_cast<double>(outputs.size());
  return {{kAbsoluteError, absolute / count}, {kSquaredError, squared / count}};
}

}  // namespace

const char* metric_of_steps(TargetKind kind) { return kind == TargetKind::kNumbers ? kAbsoluteError : kAccuracy; }

Metrics metrics_of(TargetKind kind, const std::vector<float>& scores, const graph::Value& targets) {
  const std::size_t outputs = scores.size() / static_cast<std::size_t>(targets.shape.at(0));
  switch (kind) {
    case TargetKind::kClass: return of_classes(scores, graph::elements<std::int32_t>(targets), outputs);
    case TargetKind::kLabels: return of_labels(scores, graph::elements<float>(targets), outputs);
    default: return of_numbers(scores, graph::elements<float>(targets));
  }
}

Score score_of_predictions(double loss, double accuracy) {
  constexpr double kMostExponent = 700;  // whose exponential is finite
  return {loss, {{kAccuracy, accuracy}, {kPerplexity, std::exp(std::min(loss, kMostExponent))}}};
}

std::string text_of(const Metrics& metrics) {
  std::string text;
  for (const auto& [name, value] : metrics) {
    std::string words = name;
    std::replace(words.begin(), words.end(), '_', ' ');
    const bool percent = std::string_view(name).find(kAccuracy) != std::string_view::npos;
    text += text.empty() ? "" : ", ";
    text += percent ? fmt::format("{} {:.2f} %", words, 100 * value) : fmt::format("{} {:.4g}", words, value);
  }
  return text;
}

std::string text_of(const Score& score) {
  const std::string metrics = text_of(score.metrics);
  return fmt::format("loss {:.4f}{}{}", score.loss, metrics.empty() ? "" : ", ", metrics);
}

bool is_share(const std::string& metric) { return metric == kAccuracy || metric == kTop5 || metric == kAuc; }

}  // namespace systole::training
