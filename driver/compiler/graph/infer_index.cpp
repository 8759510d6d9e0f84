// SPDX-License-Identifier: Apache-2.0
// Shape inference for operators that take or return indices.
#include <fmt/core.h>

#include "infer.hpp"
#include "infer_kinds.hpp"

namespace systole::graph {

Shapes infer(const Gather& op, const Shapes& inputs, const Shapes&) {
  const Shape& data = inputs[0];
  const auto axis = static_cast<std::ptrdiff_t>(axis_of(op.axis, data.size()));
  Shape result(data.begin(), data.begin() + axis);
  result.insert(result.end(), inputs[1].begin(), inputs[1].end());
  result.insert(result.end(), data.begin() + axis + 1, data.end());
  return {result};
}

Shapes infer(const FlatIndex& op, const Shapes& inputs, const Shapes&) {
  count(op.shape);
  if (inputs[0].empty() || inputs[0].back() != static_cast<std::int64_t>(op.shape.size())) {
    throw GraphError(fmt::format("indices of shape {} for data {}; the last dimension must be {}", to_string(inputs[0]),
                                 to_string(op.shape), op.shape.size()));
  }
  return {Shape(inputs[0].begin(), inputs[0].end() - 1)};
}

Shapes infer(const TopK& op, const Shapes& inputs, const Shapes& given) {
  const Shape& input = inputs[0];
  const std::size_t axis = axis_of(op.axis, input.size());
  if (given.size() != 2 || given[0] != given[1] || given[0].size() != input.size()) {
    throw GraphError("expected two outputs of equal shape, with as many dimensions as the input");
  }
  Shape expected = input;
  expected[axis] = given[0][axis];
  if (given[0] != expected || expected[axis] < 1 || expected[axis] > input[axis]) {
    throw GraphError(fmt::format("{} elements of {} along axis {}; the range is 1 .. {}", to_string(given[0]),
                                 to_string(input), axis, input[axis]));
  }
  return given;
}

}  // namespace systole::graph
