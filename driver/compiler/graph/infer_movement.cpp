// SPDX-License-Identifier: Apache-2.0
// Shape inference for operators that only move elements.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "infer.hpp"
#include "infer_kinds.hpp"

namespace systole::graph {
namespace {

const Shape& only(const Shapes& given) {
  if (given.size() != 1) {
    throw GraphError(fmt::format("{} output shapes are given; expected 1", given.size()));
  }
  return given[0];
}

void require_per_axis(const char* what, std::size_t values, const Shape& shape) {
  if (values != shape.size()) {
    throw GraphError(
        fmt::format("{} has {} values for input {}; expected one per dimension", what, values, to_string(shape)));
  }
}

/// Requires all dimensions but one to equal those of `input`.
void require_same_but(std::size_t axis, const Shape& input, const Shape& other, const char* what) {
  Shape expected = input;
  if (other.size() == expected.size()) {
    expected[axis] = other[axis];
  }
  if (other != expected) {
    throw GraphError(
        fmt::format("{} {} and {} differ in more than axis {}", what, to_string(other), to_string(input), axis));
  }
}

}  // namespace

Shapes infer(const Pad& op, const Shapes& inputs, const Shapes&) {
  Shape result = inputs[0];
  require_per_axis("padding before", op.before.size(), result);
  require_per_axis("padding after", op.after.size(), result);
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t limit = op.mode == Pad::Mode::kReflect     ? result[i] - 1
                               : op.mode == Pad::Mode::kSymmetric ? result[i]
                                                                  : kMost;
    for (const std::int64_t amount : {op.before[i], op.after[i]}) {
      if (amount > limit || amount < -kMost) {
        throw GraphError(
            fmt::format("axis {} of {} is padded by {}; the maximum is {}", i, to_string(inputs[0]), amount, limit));
      }
    }
    result[i] += op.before[i] + op.after[i];
    // Negative padding may only remove elements of the input, never padding added on the other side.
    if (result[i] < 1 ||
        std::min(op.before[i], std::int64_t{0}) + std::min(op.after[i], std::int64_t{0}) + inputs[0][i] < 1) {
      throw GraphError(fmt::format("axis {} of {}: padding by {} and {} leaves nothing", i, to_string(inputs[0]),
                                   op.before[i], op.after[i]));
    }
  }
  return {result};
}

Shapes infer(const Reshape&, const Shapes& inputs, const Shapes& given) {
  if (count(only(given)) != count(inputs[0])) {
    throw GraphError(fmt::format("{} has {} elements, but {} has {}", to_string(inputs[0]), count(inputs[0]),
                                 to_string(given[0]), count(given[0])));
  }
  return given;
}

Shapes infer(const Transpose& op, const Shapes& inputs, const Shapes&) {
  const Shape& input = inputs[0];
  require_per_axis("permutation", op.permutation.size(), input);
  Shape result(input.size(), 0);
  std::vector<bool> seen(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    const int from = op.permutation[i];
    if (from < 0 || static_cast<std::size_t>(from) >= input.size() || seen[static_cast<std::size_t>(from)]) {
      throw GraphError(
          fmt::format("[{}] is not a permutation of 0 .. {}", fmt::join(op.permutation, ", "), input.size() - 1));
    }
    seen[static_cast<std::size_t>(from)] = true;
    result[i] = input[static_cast<std::size_t>(from)];
  }
  return {result};
}

Shapes infer(const Concat& op, const Shapes& inputs, const Shapes&) {
  Shape result = inputs[0];
  const std::size_t axis = axis_of(op.axis, result.size());
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    require_same_but(axis, inputs[0], inputs[i], "part");
    if (__builtin_add_overflow(result[axis], inputs[i][axis], &result[axis])) {
      throw GraphError(fmt::format("the parts together are longer than 2^63 - 1 along axis {}", axis));
    }
  }
  return {result};
}

Shapes infer(const Split& op, const Shapes& inputs, const Shapes& given) {
  const Shape& input = inputs[0];
  const std::size_t axis = axis_of(op.axis, input.size());
  std::int64_t left = input[axis];
  for (const Shape& part : given) {
    count(part);
    require_same_but(axis, input, part, "part");
    if (part[axis] > left) {
      left = -1;
      break;
    }
    left -= part[axis];
  }
  if (left != 0) {
    throw GraphError(fmt::format("the {} parts do not add up to the {} of {} along axis {}", given.size(), input[axis],
                                 to_string(input), axis));
  }
  return given;
}

Shapes infer(const Slice& op, const Shapes& inputs, const Shapes& given) {
  const Shape& input = inputs[0];
  const Shape& result = only(given);
  require_per_axis("begin", op.begin.size(), input);
  require_per_axis("step", op.step.size(), input);
  require_per_axis("the output", result.size(), input);
  count(result);
  for (std::size_t i = 0; i < input.size(); ++i) {
    std::int64_t last = 0;
    const bool fits = op.step[i] != 0 && !__builtin_mul_overflow(result[i] - 1, op.step[i], &last) &&
                      !__builtin_add_overflow(last, op.begin[i], &last) && last >= 0 && last < input[i] &&
                      op.begin[i] >= 0 && op.begin[i] < input[i];
    if (!fits) {
      throw GraphError(fmt::format("axis {} of {}: {} elements from {} by steps of {} reach outside", i,
                                   to_string(input), result[i], op.begin[i], op.step[i]));
    }
  }
  return given;
}

Shapes infer(const ResizeNearest&, const Shapes& inputs, const Shapes& given) {
  const Shape& input = inputs[0];
  const Shape& result = only(given);
  count(result);
  if (result.size() != 4 || input[0] != result[0] || input[3] != result[3]) {
    throw GraphError(
        fmt::format("{} cannot be resized to {}; both must be NHWC and may differ only in height and width",
                    to_string(input), to_string(result)));
  }
  return given;
}

Shapes infer(const ResizeBilinear& op, const Shapes& inputs, const Shapes& given) {
  if (op.align_corners && op.half_pixel_centers) {
    throw GraphError("align_corners and half_pixel_centers are mutually exclusive");
  }
  return infer(ResizeNearest{op.align_corners, op.half_pixel_centers}, inputs, given);
}

}  // namespace systole::graph
