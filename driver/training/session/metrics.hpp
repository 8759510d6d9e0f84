// SPDX-License-Identifier: Apache-2.0
// What a network's scores are worth, for people.
#pragma once

#include <string>
#include <vector>

#include "dataset.hpp"
#include "systole/training.hpp"

namespace systole::training {

inline constexpr const char* kAccuracy = "accuracy";                  ///< share of right answers
inline constexpr const char* kTop5 = "top_5_accuracy";                ///< ... among the five greatest scores
inline constexpr const char* kAuc = "auc";                            ///< area under the ROC curve
inline constexpr const char* kAbsoluteError = "mean_absolute_error";  ///< over samples and outputs
inline constexpr const char* kSquaredError = "mean_squared_error";
inline constexpr const char* kPerplexity = "perplexity";  ///< e to the mean loss of a language model's predictions

/// The name of LossTerms::metric.
const char* metric_of_steps(TargetKind kind);

/// Of scores [N, outputs], row-major, and targets as Dataset has them. Of classes: accuracy, that of the first five if
/// there are six classes or more, and the area under the curve of two. Of labels: the share of scores on the right side
/// of 0, and the mean of the outputs' areas under the curve. Of numbers: mean absolute and squared error. There is no
/// area where all targets are the same.
Metrics metrics_of(TargetKind kind, const std::vector<float>& scores, const graph::Value& targets);

/// Of a language model: the mean loss of its predictions, and the share of right ones.
Score score_of_predictions(double loss, double accuracy);

/// "accuracy 97.85 %, auc 0.9912".
std::string text_of(const Metrics& metrics);

/// Whether a metric is a share, from 0 to 1; others are 0 or more.
bool is_share(const std::string& metric);

}  // namespace systole::training
