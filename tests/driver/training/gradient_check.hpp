// SPDX-License-Identifier: Apache-2.0
// Gradients against central differences. The graph is of float64, which the host computes in double.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "differentiate.hpp"
#include "graph_builder.hpp"
#include "systole/execute.hpp"

namespace systole::training {

using graph::GraphBuilder;
using graph::Shape;
using graph::TensorId;

using Operands = std::vector<TensorId>;
using Body = std::function<TensorId(GraphBuilder&, const Operands&)>;

struct Range {
  double low = -1, high = 1;
};

/// Checks the gradients of body(operands) with respect to each of them. The scalar is the sum of the result's elements,
/// each times a random factor, so that errors of order show.
class GradientCheck {
 public:
  explicit GradientCheck(std::vector<Shape> shapes, std::vector<Range> ranges = {}) : shapes_(std::move(shapes)) {
    ranges.resize(shapes_.size());
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      values_.push_back(random(shapes_[i], ranges[i]));
    }
  }

  void run(const Body& body) {
    graph::Graph graph;
    GraphBuilder writer(graph, "forward");
    Operands operands;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      operands.push_back(writer.input("x" + std::to_string(i), graph::ElementType::kFloat64, shapes_[i]));
    }
    const TensorId result = body(writer, operands);
    const TensorId factors = writer.constant(random(writer.shape(result), {-1, 1}));
    const TensorId sum = writer.reduce(graph::ReduceKind::kSum, writer.multiply(result, factors),
                                       graph::all_axes(writer.shape(result).size()), false);
    graph::Graph forward = graph;
    forward.outputs = {sum};
    graph.outputs = differentiate(graph, sum, operands);
    ASSERT_NO_THROW(validate(graph));
    const std::vector<graph::Value> gradients = execute(graph, values_);
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      ASSERT_EQ(gradients[i].shape, shapes_[i]);
      compare(forward, i, graph::elements<double>(gradients[i]));
    }
  }

 private:
  graph::Value random(const Shape& shape, Range range) {
    std::vector<double> values(static_cast<std::size_t>(graph::count(shape)));
    for (double& value : values) {
      value = std::uniform_real_distribution<>(range.low, range.high)(random_);
    }
    return make_value(graph::ElementType::kFloat64, shape, values);
  }

  void compare(const graph::Graph& forward, std::size_t operand, const std::vector<double>& gradient) {
    constexpr double kStep = 1e-5, kTolerance = 1e-6;
    const auto at = graph::elements<double>(values_[operand]);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto moved = [&](double by) {
        auto elements = at;
        elements[i] += by;
        auto values = values_;
        values[operand] = make_value(graph::ElementType::kFloat64, shapes_[operand], elements);
        return graph::elements<double>(execute(forward, values).at(0)).at(0);
      };
      const double expected = (moved(kStep) - moved(-kStep)) / (2 * kStep);
      EXPECT_NEAR(gradient[i], expected, kTolerance * std::max(1.0, std::abs(expected)))
          << "operand " << operand << ", element " << i;
    }
  }

  std::vector<Shape> shapes_;
  std::vector<graph::Value> values_;
  std::mt19937_64 random_{7};
};

}  // namespace systole::training
