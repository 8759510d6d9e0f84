// SPDX-License-Identifier: Apache-2.0
#include "stepper.hpp"

#include <iterator>
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
double number_in(const Value& value) { return double{graph::elements<float>(value).at(0)}; }

}  // namespace

std::vector<Value> Stepper::scalars(std::int64_t number, const std::vector<ScalarKind>& kinds,
                                    std::size_t first_sample) const {
  const double rate = rate_of(schedule_, number);
  const AdamScalars adam = adam_scalars(optimizer_, rate, number + 1);
  std::vector<Value> values;
  for (const ScalarKind kind : kinds) {
    switch (kind) {
      case ScalarKind::kRate: values.push_back(real(rate)); break;
      case ScalarKind::kAdamRate: values.push_back(real(adam.rate)); break;
      case ScalarKind::kAdamEpsilon: values.push_back(real(adam.epsilon)); break;
      case ScalarKind::kSeed: values.push_back(word(seed_)); break;
      case ScalarKind::kStep: values.push_back(word(static_cast<std::uint64_t>(number))); break;
      case ScalarKind::kFirstSample: values.push_back(word(first_sample)); break;
    }
  }
  return values;
}

StepResult Stepper::run(std::int64_t number, const DataParallel::Part& part, const std::vector<Value>& values) const {
  StepResult result = unpruned(number, part, values);
  if (pruner_ != nullptr) {
    pruner_->after_step(number, values, result.values);
  }
  return result;
}

StepResult Stepper::unpruned(std::int64_t number, const DataParallel::Part& part,
                             const std::vector<Value>& values) const {
  if (parallel_ != nullptr) {
    return parallel_->run(
        part, [&](const auto& kinds, std::size_t first) { return scalars(number, kinds, first); }, values);
  }
  Batch batch = part(0, batch_size());
  std::vector<Value> inputs = std::move(batch.inputs);
  inputs.push_back(std::move(batch.targets));
  const std::vector<Value> varying = scalars(number, step_.scalars, 0);
  inputs.insert(inputs.end(), varying.begin(), varying.end());
  inputs.insert(inputs.end(), values.begin(), values.end());
  std::vector<Value> results = runner_(step_.graph, inputs);
  StepResult result{number_in(results.at(0)), number_in(results.at(1)), {}};
  result.values.assign(std::make_move_iterator(results.begin() + 2), std::make_move_iterator(results.end()));
  return result;
}

}  // namespace systole::training
