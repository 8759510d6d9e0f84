// SPDX-License-Identifier: Apache-2.0
#include "trainer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

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

}  // namespace

Trainer::Trainer(const Step& step, const Step& evaluation, const Optimizer& optimizer, const Schedule& schedule,
                 std::uint64_t order_seed, Runner runner)
    : step_(step),
      evaluation_(evaluation),
      optimizer_(optimizer),
      schedule_(schedule),
      seed_(order_seed),
      runner_(std::move(runner)) {
  for (const Variable& variable : step.variables) {
    state_.values.push_back(variable.initial);
  }
}

std::size_t Trainer::batch_size() const {
  return static_cast<std::size_t>(step_.graph.tensor(step_.graph.inputs.at(1)).shape.at(0));
}

std::int64_t Trainer::batches(const Dataset& data) const {
  return static_cast<std::int64_t>(data.size() / batch_size());
}

std::vector<std::size_t> Trainer::order(const Dataset& data) const {
  return order_of(data.size(), seed_, state_.epoch);
}

std::vector<Value> Trainer::scalars() const {
  const auto step = static_cast<std::int64_t>(state_.history.losses.size());
  const auto correction = [&](double beta) { return 1 / (1 - std::pow(beta, static_cast<double>(step + 1))); };
  std::vector<Value> values;
  for (const ScalarKind kind : step_.scalars) {
    switch (kind) {
      case ScalarKind::kRate: values.push_back(real(rate_of(schedule_, step))); break;
      case ScalarKind::kCorrection1: values.push_back(real(correction(optimizer_.beta1))); break;
      case ScalarKind::kCorrection2: values.push_back(real(correction(optimizer_.beta2))); break;
      case ScalarKind::kSeed: values.push_back(word(seed_)); break;
      case ScalarKind::kStep: values.push_back(word(static_cast<std::uint64_t>(step))); break;
    }
  }
  return values;
}

double Trainer::step(const Dataset& data, const std::vector<std::size_t>& order) {
  Batch batch = batch_of(data, order, static_cast<std::size_t>(state_.batch) * batch_size(), batch_size());
  std::vector<Value> inputs = {std::move(batch.images), std::move(batch.labels)};
  const std::vector<Value> varying = scalars();
  inputs.insert(inputs.end(), varying.begin(), varying.end());
  inputs.insert(inputs.end(), state_.values.begin(), state_.values.end());
  std::vector<Value> results = runner_(step_.graph, inputs);
  const double loss = number(results.at(0));
  state_.loss_sum += loss;
  state_.right += number(results.at(1));
  state_.history.losses.push_back(loss);
  state_.values.assign(std::make_move_iterator(results.begin() + 2), std::make_move_iterator(results.end()));
  ++state_.batch;
  return loss;
}

void Trainer::end_epoch(const Dataset* validation) {
  const auto steps = static_cast<double>(state_.batch);
  EpochRecord record{{state_.loss_sum / steps, state_.right / (steps * static_cast<double>(batch_size()))}, {}};
  ++state_.epoch;
  if (validation != nullptr) {
    record.validation = evaluate(*validation, parameters());
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
  double loss = 0, right = 0;
  for (std::size_t first = 0; first < data.size(); first += size) {
    Batch batch = batch_of(data, order, first, size);
    std::vector<Value> inputs = {std::move(batch.images), std::move(batch.labels)};
    inputs.insert(inputs.end(), parameters.begin(), parameters.end());
    const std::vector<Value> results = runner_(evaluation_.graph, inputs);
    loss += number(results.at(0));
    right += number(results.at(1));
  }
  const auto samples = static_cast<double>(data.size());
  return {loss / samples, right / samples};
}

std::vector<Value> Trainer::parameters() const {
  const auto count = static_cast<std::ptrdiff_t>(evaluation_.variables.size());
  return {state_.values.begin(), state_.values.begin() + count};
}

}  // namespace systole::training
