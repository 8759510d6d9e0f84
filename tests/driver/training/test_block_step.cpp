// SPDX-License-Identifier: Apache-2.0
// Training steps for block floating point are the same steps, in other operators.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "block_step.hpp"
#include "networks.hpp"
#include "small_pictures.hpp"
#include "step.hpp"
#include "systole/execute.hpp"

namespace systole::training {
namespace {

using graph::ElementType;
using graph::Value;

constexpr std::int64_t kSide = 12;
constexpr std::size_t kBatch = 5;

Step step_of(const char* name) {
  NetworkOptions options;
  options.batch = static_cast<std::int64_t>(kBatch);
  options.height = options.width = kSide;
  options.scale = 0.2;
  return training_step(network(name, options), {});
}

std::vector<Value> inputs_of(const Step& step) {
  const Dataset data = small_pictures(kBatch, 1, kSide);
  std::vector<std::size_t> order(kBatch);
  for (std::size_t i = 0; i < kBatch; ++i) {
    order[i] = i;
  }
  Batch batch = batch_of(data, order, 0, kBatch);
  std::vector<Value> inputs = {batch.inputs.at(0), batch.targets,
                               make_value(ElementType::kFloat32, {}, std::vector<float>{0.5F})};
  for (const Variable& variable : step.variables) {
    inputs.push_back(variable.initial);
  }
  return inputs;
}

template <class Kind>
std::ptrdiff_t count(const graph::Graph& graph) {
  return std::count_if(graph.operators.begin(), graph.operators.end(),
                       [](const graph::Operator& op) { return std::holds_alternative<Kind>(op.kind); });
}

/// Sums over all positions of images.
std::ptrdiff_t sums_of_positions(const graph::Graph& graph) {
  return std::count_if(graph.operators.begin(), graph.operators.end(), [&](const graph::Operator& op) {
    const auto* reduce = std::get_if<graph::Reduce>(&op.kind);
    return reduce != nullptr && reduce->axes == std::vector<int>{0, 1, 2} &&
           graph.tensor(op.inputs[0]).shape.size() == 4;
  });
}

/// All results within rounding of the step's own.
void expect_same(const Step& step, const graph::Graph& other) {
  const std::vector<Value> inputs = inputs_of(step);
  const auto wanted = execute(step.graph, inputs), seen = execute(other, inputs);
  ASSERT_EQ(seen.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto a = graph::elements<float>(wanted[i]), b = graph::elements<float>(seen[i]);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t at = 0; at < a.size(); ++at) {
      EXPECT_NEAR(a[at], b[at], 1e-5 * (1 + std::abs(a[at]))) << "result " << i;
    }
  }
}

TEST(BlockStep, BiasGradientsAreChannelsOfWeights) {
  const Step step = step_of("cnn");
  const graph::Graph blocks = for_blocks(step.graph);
  EXPECT_EQ(sums_of_positions(step.graph), 2);
  EXPECT_EQ(sums_of_positions(blocks), 0);
  EXPECT_EQ(count<graph::Conv2d>(blocks), count<graph::Conv2d>(step.graph));
  expect_same(step, blocks);
}

}  // namespace
}  // namespace systole::training
