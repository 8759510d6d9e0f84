// SPDX-License-Identifier: Apache-2.0
#include "data_parallel.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "graph_builder.hpp"
#include "ordered_sum.hpp"
#include "systole/errors.hpp"

namespace systole::training {

using graph::GraphBuilder;
using graph::TensorId;
namespace {

using graph::ElementType;
using graph::Value;

Value vector_of(ranks::Bytes bytes) {
  const auto length = static_cast<std::int64_t>(bytes.size() / sizeof(float));
  return {ElementType::kFloat32, {length}, std::move(bytes)};
}

graph::Graph addition_of(std::int64_t length) {
  graph::Graph graph;
  graph.name = "gradient sum";
  GraphBuilder w(graph, "sum");
  const TensorId a = w.input("a", ElementType::kFloat32, {length}), b = w.input("b", ElementType::kFloat32, {length});
  graph.outputs = {w.add(a, b)};
  return graph;
}

double number(const Value& value) { return double{graph::elements<float>(value).at(0)}; }

}  // namespace

DataParallel::DataParallel(const SplitStep& step, std::int64_t micro_batches, ranks::Ranks& ranks,
                           const ranks::Link& link, Runner runner)
    : step_(step), micro_batches_(static_cast<std::size_t>(micro_batches)), ranks_(ranks), runner_(std::move(runner)) {
  const auto size = static_cast<std::size_t>(ranks.size()), rank = static_cast<std::size_t>(ranks.rank());
  if (micro_batches_ < size) {
    throw InvalidArgument(
        fmt::format("{} micro-batches for {} ranks; each rank computes one or more", micro_batches, size));
  }
  first_ = micro_batches_ * rank / size;
  last_ = micro_batches_ * (rank + 1) / size;
  std::size_t bytes = 0;
  for (const graph::TensorId id : step.gradient.graph.outputs) {
    bytes += static_cast<std::size_t>(graph::count(step.gradient.graph.tensor(id).shape)) * sizeof(float);
  }
  pieces_ = ranks::best_pieces(link, ranks.size(), static_cast<double>(bytes));
  const std::size_t numbers = bytes / sizeof(float), length = (numbers + pieces_ - 1) / pieces_;
  piece_bytes_ = length * sizeof(float);
  addition_ = addition_of(static_cast<std::int64_t>(length));
}

std::size_t DataParallel::samples() const { return step_.gradient.samples(); }

std::size_t DataParallel::batch_size() const { return samples() * micro_batches_; }

ranks::Bytes DataParallel::contribution(const Batch& batch, const std::vector<Value>& scalars,
                                        const std::vector<Value>& values) const {
  std::vector<Value> inputs = batch.inputs;
  inputs.push_back(batch.targets);
  inputs.insert(inputs.end(), scalars.begin(), scalars.end());
  inputs.insert(inputs.end(), values.begin(),
                values.begin() + static_cast<std::ptrdiff_t>(step_.gradient.variables.size()));
  ranks::Bytes bytes;
  bytes.reserve(this->bytes());
  for (const Value& value : runner_(step_.gradient.graph, inputs)) {
    bytes.insert(bytes.end(), value.data.begin(), value.data.end());
  }
  bytes.resize(this->bytes());  // the last piece is filled up with zeros
  return bytes;
}

ranks::Bytes DataParallel::sum(const ranks::Bytes& a, const ranks::Bytes& b) const {
  return std::move(runner_(addition_, {vector_of(a), vector_of(b)}).at(0).data);
}

std::vector<Value> DataParallel::unpacked(const ranks::Bytes& sum) const {
  std::vector<Value> values;
  auto at = sum.begin();
  for (const graph::TensorId id : step_.gradient.graph.outputs) {
    const graph::Tensor& tensor = step_.gradient.graph.tensor(id);
    const auto end =
        at + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(graph::count(tensor.shape)) * sizeof(float));
    values.push_back({tensor.type, tensor.shape, {at, end}});
    at = end;
  }
  return values;
}

StepResult DataParallel::run(const Part& part, const Scalars& scalars, const std::vector<Value>& values) const {
  std::vector<ranks::Bytes> mine;
  for (std::size_t i = first_; i < last_; ++i) {
    const std::size_t first = i * samples();
    mine.push_back(contribution(part(first, samples()), scalars(step_.gradient.scalars, first), values));
  }
  const auto add = [this](const ranks::Bytes& a, const ranks::Bytes& b) { return sum(a, b); };
  const std::vector<Value> sums = unpacked(ranks::ordered_sum(ranks_, mine, pieces_, add));
  std::vector<Value> inputs = scalars(step_.update.scalars, 0);
  inputs.insert(inputs.end(), sums.begin() + 2, sums.end());
  inputs.insert(inputs.end(), values.begin(), values.end());
  return {number(sums.at(0)), number(sums.at(1)), runner_(step_.update.graph, inputs)};
}

}  // namespace systole::training
