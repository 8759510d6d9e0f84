// SPDX-License-Identifier: Apache-2.0
#include "trainer.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "metrics.hpp"
#include "shared_work.hpp"

namespace systole::training {
namespace {

using graph::ElementType;
using graph::Value;

/// Numbers of a batch, from the bytes that ranks exchange.
std::vector<float> numbers_in(const ranks::Bytes& bytes) {
  return graph::elements<float>({ElementType::kFloat32, {}, bytes});
}

}  // namespace

Trainer::Trainer(const Stepper& stepper, const Step& evaluation, std::function<void()> between)
    : stepper_(stepper), evaluation_(evaluation), between_(std::move(between)) {
  for (const Variable& variable : stepper.step().variables) {
    state_.values.push_back(variable.initial);
  }
}

std::int64_t Trainer::batches(const Dataset& data) const {
  return static_cast<std::int64_t>(data.size() / stepper_.batch_size());
}

EpochSize Trainer::epoch_size(const Dataset& data) const {
  const std::int64_t batches = this->batches(data);
  const TilePruner* pruner = stepper_.pruner();
  return {batches, static_cast<std::int64_t>(stepper_.batch_size()),
          pruner == nullptr || batches == 0 ? 0 : (pruner->end() - 1) / batches};
}

std::vector<std::size_t> Trainer::order(const Dataset& data) const {
  return order_of(data.size(), stepper_.seed(), state_.epoch);
}

double Trainer::step(const Dataset& data, const std::vector<std::size_t>& order) {
  const std::size_t first = static_cast<std::size_t>(state_.batch) * stepper_.batch_size();
  const auto number = static_cast<std::int64_t>(state_.history.losses.size());
  StepResult result = stepper_.run(
      number, [&](std::size_t from, std::size_t size) { return batch_of(data, order, first + from, size); },
      state_.values);
  state_.loss_sum += result.loss;
  state_.metric_sum += result.metric;
  state_.history.losses.push_back(result.loss);
  state_.values = std::move(result.values);
  ++state_.batch;
  return result.loss;
}

void Trainer::end_epoch(TargetKind kind, const Dataset* validation) {
  const auto steps = static_cast<double>(state_.batch);
  const double metric = state_.metric_sum / (steps * static_cast<double>(stepper_.batch_size()) *
                                             static_cast<double>(evaluation_.predictions));
  // A share of right labels is a sum of rounded shares, which may exceed 1 by its last bits.
  const std::string name = metric_of_steps(kind);
  EpochRecord record{{state_.loss_sum / steps, {{name, is_share(name) ? std::min(metric, 1.0) : metric}}}, {}};
  if (validation != nullptr) {
    record.validation = evaluate(*validation, parameters());
  }
  ++state_.epoch;
  const TilePruner* pruner = stepper_.pruner();
  const auto steps_so_far = static_cast<std::int64_t>(state_.history.losses.size());
  if (record.validation && (pruner == nullptr || steps_so_far >= pruner->end())) {
    if (!state_.best || record.validation->loss < state_.best->loss) {
      state_.best = Best{state_.epoch, record.validation->loss, parameters()};
    }
  }
  state_.history.epochs.push_back(record);
  state_.batch = 0;
  state_.loss_sum = state_.metric_sum = 0;
}

Score Trainer::evaluate(const Dataset& data, const std::vector<Value>& parameters) const {
  const std::size_t size = evaluation_.samples(), batches = (data.size() + size - 1) / size;
  std::vector<std::size_t> order(data.size());
  std::iota(order.begin(), order.end(), 0);
  const auto of_batch = [&](std::size_t i) {
    between_();
    Batch batch = batch_of(data, order, i * size, size);
    std::vector<Value> inputs = std::move(batch.inputs);
    inputs.push_back(std::move(batch.targets));
    inputs.insert(inputs.end(), parameters.begin(), parameters.end());
    const std::vector<Value> results = stepper_.runner()(evaluation_.graph, inputs);
    ranks::Bytes bytes = results.at(0).data;
    bytes.insert(bytes.end(), results.at(1).data.begin(), results.at(1).data.end());
    return bytes;
  };
  double loss = 0;
  std::vector<float> scores;  // or, of several predictions a sample, the batches' numbers of right ones
  const auto alone = ranks::alone();
  const DataParallel* parallel = stepper_.parallel();
  for (const ranks::Bytes& bytes : ranks::spread(parallel != nullptr ? parallel->ranks() : *alone, batches, of_batch)) {
    const std::vector<float> numbers = numbers_in(bytes);
    loss += double{numbers.at(0)};
    scores.insert(scores.end(), numbers.begin() + 1, numbers.end());
  }
  if (evaluation_.predictions > 1) {
    const auto predictions = static_cast<double>(data.size()) * static_cast<double>(evaluation_.predictions);
    return score_of_predictions(loss / predictions, std::accumulate(scores.begin(), scores.end(), 0.0) / predictions);
  }
  scores.resize(scores.size() / (batches * size) * data.size());  // without what filled up the last batch
  return {loss / static_cast<double>(data.size()), metrics_of(data.kind, scores, data.targets)};
}

std::vector<Value> Trainer::parameters() const {
  const auto count = static_cast<std::ptrdiff_t>(evaluation_.variables.size());
  return {state_.values.begin(), state_.values.begin() + count};
}

}  // namespace systole::training
