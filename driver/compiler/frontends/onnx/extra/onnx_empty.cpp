// SPDX-License-Identifier: Apache-2.0
// Element-wise operators and reductions of tensors without elements, which graph operators do not support.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "infer.hpp"
#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

constexpr std::array<std::string_view, 14> kElementwise = {"Abs", "Add", "Ceil", "Div",   "Exp",     "Floor", "Log",
                                                           "Mul", "Neg", "Relu", "Round", "Sigmoid", "Sqrt",  "Sub"};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Reduction {
  std::string_view type;
  double of_nothing;
};

/// A mean of nothing is not defined.
constexpr std::array kReductions = {Reduction{"ReduceL1", 0},
                                    Reduction{"ReduceL2", 0},
                                    Reduction{"ReduceLogSum", -kInfinity},
                                    Reduction{"ReduceLogSumExp", -kInfinity},
                                    Reduction{"ReduceMax", -kInfinity},
                                    Reduction{"ReduceMin", kInfinity},
                                    Reduction{"ReduceProd", 1},
                                    Reduction{"ReduceSum", 0},
                                    Reduction{"ReduceSumSquare", 0}};

Shape shape_of(const Translation& t, std::size_t i) {
  return t.is_empty(i) ? t.empty_input(i).shape : t.shape(t.input(i));
}

void reduce_nothing(Translation& t, double value) {
  const Tensor input = t.empty_input(0);
  const std::size_t rank = input.shape.size();
  std::vector<std::int64_t> axes = t.integers("axes").value_or(std::vector<std::int64_t>{});
  if (t.has_input(1)) {
    axes = t.integers_of(1, "the axes");
  }
  if (axes.empty() && t.integer("noop_with_empty_axes", 0) != 0) {
    t.empty_result(input);
    return;
  }
  std::vector<bool> reduced(rank, axes.empty());
  for (const std::int64_t axis : axes) {
    reduced[t.axis(axis, rank)] = true;
  }
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!reduced[i] || t.integer("keepdims", 1) != 0) {
      shape.push_back(reduced[i] ? 1 : input.shape[i]);
    }
  }
  if (count(shape) == 0) {
    t.empty_result(input.type, shape);
    return;
  }
  const bool boolean = input.type == ElementType::kBool;
  t.result(t.numbers(input.type, shape,
                     std::vector<double>(static_cast<std::size_t>(count(shape)), boolean ? value > 0 ? 1 : 0 : value)));
}

}  // namespace

bool handled_without_elements(Translation& t) {
  const bool first = t.is_empty(0);
  if (!first && !t.is_empty(1)) {
    return false;
  }
  const std::string_view type = t.type();
  if (std::find(kElementwise.begin(), kElementwise.end(), type) != kElementwise.end()) {
    const ElementType element = t.empty_input(first ? 0 : 1).type;
    t.empty_result(element, t.input_count() == 1 ? shape_of(t, 0) : broadcast(shape_of(t, 0), shape_of(t, 1)));
    return true;
  }
  const auto* reduction =
      std::find_if(kReductions.begin(), kReductions.end(), [&](const Reduction& r) { return r.type == type; });
  if (first && reduction != kReductions.end()) {
    reduce_nothing(t, reduction->of_nothing);
    return true;
  }
  return false;
}

}  // namespace systole::graph::onnx_file
