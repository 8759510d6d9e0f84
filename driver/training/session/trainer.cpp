// SPDX-License-Identifier: Apache-2.0
#include "trainer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "shared_work.hpp"

namespace systole::training {
namespace {

using graph::ElementType;
using graph::Value;

Value real(double value) {
  return make_value(ElementType::kFloat32, {}, std::vector<float>{static_cast<float>(value)});
}
Value word(std::uint64_t value) {
  return make_value(ElementType::kUint32, {}, std::vector<std::uint32_t>{static_cast<std::uint32_t>(value)});
}
double number(const Value& value) { return double{graph::elements<float>(value).at(0)}; }

/// Loss and right answers of a batch, as the evaluation gives them.
ranks::Bytes bytes_of(const std::vector<Value>& results) {
  ranks::Bytes bytes = results.at(0).data;
  bytes.insert(bytes.end(), results.at(1).data.begin(), results.at(1).data.end());
  return bytes;
}

}  // namespace

Trainer::Trainer(const Step& step, const Step& evaluation, const Optimizer& optimizer, const Schedule& schedule,
                 std::uint64_t order_seed, Runner runner, const DataParallel* parallel)
    : step_(step),
      evaluation_(evaluation),
      optimizer_(optimizer),
      schedule_(schedule),
      seed_(order_seed),
      runner_(std::move(runner)),
      parallel_(parallel) {
  for (const Variable& variable : step.variables) {
    state_.values.push_back(variable.initial);
  }
}

std::size_t Trainer::batch_size() const {
  return parallel_ != nullptr ? parallel_->batch_size()
                              : static_cast<std::size_t>(step_.graph.tensor(step_.graph.inputs.at(1)).shape.at(0));
}

std::int64_t Trainer::batches(const Dataset& data) const {
  return static_cast<std::int64_t>(data.size() / batch_size());
}

EpochSize Trainer::epoch_size(const Dataset& data) const {
  return {batches(data), static_cast<std::int64_t>(batch_size())};
}

std::vector<std::size_t> Trainer::order(const Dataset& data) const {
  return order_of(data.size(), seed_, state_.epoch);
}

std::vector<Value> Trainer::scalars(const std::vector<ScalarKind>& kinds, std::size_t first_sample) const {
  const auto step = static_cast<std::int64_t>(state_.history.losses.size());
  const double rate = rate_of(schedule_, step);
  const AdamScalars adam = adam_scalars(optimizer_, rate, step + 1);
  std::vector<Value> values;
  for (const ScalarKind kind : kinds) {
    switch (kind) {
      case ScalarKind::kRate: values.push_back(real(rate)); break;
      case ScalarKind::kAdamRate: values.push_back(real(adam.rate)); break;
      case ScalarKind::kAdamEpsilon: values.push_back(real(adam.epsilon)); break;
      case ScalarKind::kSeed: values.push_back(word(seed_)); break;
      case ScalarKind::kStep: values.push_back(word(static_cast<std::uint64_t>(step))); break;
      case ScalarKind::kFirstSample: values.push_back(word(first_sample)); break;
    }
  }
  return values;
}

StepResult Trainer::whole(const Dataset& data, const std::vector<std::size_t>& order, std::size_t first) const {
  Batch batch = batch_of(data, order, first, batch_size());
  std::vector<Value> inputs = {std::move(batch.images), std::move(batch.labels)};
  const std::vector<Value> varying = scalars(step_.scalars, 0);
  inputs.insert(inputs.end(), varying.begin(), varying.end());
  inputs.insert(inputs.end(), state_.values.begin(), state_.values.end());
  std::vector<Value> results = runner_(step_.graph, inputs);
  StepResult result{number(results.at(0)), number(results.at(1)), {}};
  result.values.assign(std::make_move_iterator(results.begin() + 2), std::make_move_iterator(results.end()));
  return result;
}

StepResult Trainer::in_parts(const Dataset& data, const std::vector<std::size_t>& order, std::size_t first) const {
  return parallel_->run([&](std::size_t from, std::size_t size) { return batch_of(data, order, first + from, size); },
                        [&](const auto& kinds, std::size_t from) { return scalars(kinds, from); }, state_.values);
}

double Trainer::step(const Dataset& data, const std::vector<std::size_t>& order) {
  const std::size_t first = static_cast<std::size_t>(state_.batch) * batch_size();
  StepResult result = parallel_ != nullptr ? in_parts(data, order, first) : whole(data, order, first);
  state_.loss_sum += result.loss;
  state_.right += result.right;
  state_.history.losses.push_back(result.loss);
  state_.values = std::move(result.values);
  ++state_.batch;
  return result.loss;
}

void Trainer::end_epoch(const Dataset* validation) {
  const auto steps = static_cast<double>(state_.batch);
  EpochRecord record{{state_.loss_sum / steps, state_.right / (steps * static_cast<double>(batch_size()))}, {}};
  if (validation != nullptr) {
    record.validation = evaluate(*validation, parameters());
  }
  ++state_.epoch;
  if (record.validation) {
    if (!state_.best || record.validation->loss < state_.best->loss) {
      state_.best = Best{state_.epoch, record.validation->loss, parameters()};
    }
  }
  state_.history.epochs.push_back(record);
  state_.batch = 0;
  state_.loss_sum = state_.right = 0;
}

Score Trainer::evaluate(const Dataset& data, const std::vector<Value>& parameters) const {
  const auto size = static_cast<std::size_t>(evaluation_.graph.tensor(evaluation_.graph.inputs.at(1)).shape.at(0));
  std::vector<std::size_t> order(data.size());
  std::iota(order.begin(), order.end(), 0);
  const auto of_batch = [&](std::size_t i) {
    Batch batch = batch_of(data, order, i * size, size);
    std::vector<Value> inputs = {std::move(batch.images), std::move(batch.labels)};
    inputs.insert(inputs.end(), parameters.begin(), parameters.end());
    return runner_(evaluation_.graph, inputs);
  };
  const std::size_t batches = (data.size() + size - 1) / size;
  double loss = 0, right = 0;
  const auto alone = ranks::alone();
  for (const ranks::Bytes& bytes : ranks::spread(parallel_ != nullptr ? parallel_->ranks() : *alone, batches,
                                                 [&](std::size_t i) { return bytes_of(of_batch(i)); })) {
    const auto sums = graph::elements<float>({ElementType::kFloat32, {2}, bytes});
    loss += double{sums.at(0)};
    right += double{sums.at(1)};
  }
  const auto samples = static_cast<double>(data.size());
  return {loss / samples, right / samples};
}

std::vector<Value> Trainer::parameters() const {
  const auto count = static_cast<std::ptrdiff_t>(evaluation_.variables.size());
  return {state_.values.begin(), state_.values.begin() + count};
}

}  // namespace systole::training
