// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "infer_kinds.hpp"
#include "kind_rules.hpp"

namespace systole::graph {
namespace {

std::int64_t reach(std::int64_t kernel, std::int64_t dilation) { return (kernel - 1) * dilation + 1; }

std::int64_t extent(const char* axis, std::int64_t input, std::int64_t kernel, std::int64_t stride,
                    std::int64_t dilation, std::int64_t before, std::int64_t after) {
  const std::int64_t padded = input + before + after;
  if (padded > std::numeric_limits<std::int32_t>::max()) {
    throw GraphError(
        fmt::format("a {} of {}, padded by {} and {}, is larger than 2^31 - 1", axis, input, before, after));
  }
  const std::int64_t free = padded - reach(kernel, dilation);
  if (free < 0) {
    throw GraphError(fmt::format("a kernel reaching over {} does not fit into {} {}, padded by {} and {}",
                                 reach(kernel, dilation), axis, input, before, after));
  }
  return free / stride + 1;
}

/// Output height and width of a window over an image.
Shape slide(const Window& s, const Shape& image, std::int64_t channels) {
  for (const auto& [what, value] :
       {std::pair{"kernel height", s.kernel_h}, std::pair{"kernel width", s.kernel_w},
        std::pair{"vertical stride", s.stride_h}, std::pair{"horizontal stride", s.stride_w},
        std::pair{"vertical dilation", s.dilation_h}, std::pair{"horizontal dilation", s.dilation_w}}) {
    require_at_least(what, value, 1);
  }
  for (const auto& [what, value] : {std::pair{"padding above", s.pad_top}, std::pair{"padding below", s.pad_bottom},
                                    std::pair{"padding left", s.pad_left}, std::pair{"padding right", s.pad_right}}) {
    require_at_least(what, value, 0);
  }
  return {image[0], extent("height", image[1], s.kernel_h, s.stride_h, s.dilation_h, s.pad_top, s.pad_bottom),
          extent("width", image[2], s.kernel_w, s.stride_w, s.dilation_w, s.pad_left, s.pad_right), channels};
}

/// A window that covers only padding would have no maximum and no average.
void require_windows_inside(const char* axis, std::int64_t input, std::int64_t output, std::int64_t kernel,
                            std::int64_t stride, std::int64_t dilation, std::int64_t before) {
  if (before >= reach(kernel, dilation) || (output - 1) * stride - before >= input) {
    throw GraphError(
        fmt::format("a window over {} of {} holds padding only: kernel reach {}, stride {}, padding before {}", axis,
                    input, reach(kernel, dilation), stride, before));
  }
}

/// Infers the shapes of the results of kinds whose rows in kinds.toml do not give them.
template <class Kind>
Shapes inferred(const Kind& op, const Shapes& inputs, const Shapes& given) {
  if constexpr (requires { infer(op, inputs, given); }) {
    return infer(op, inputs, given);
  } else {
    return {};
  }
}

}  // namespace

bool takes_bias(const OperatorKind& kind) {
  const auto operands = rules_of(kind).operands;
  return operands.size() > 2 && operands[2].optional;
}

void require_at_least(const char* what, std::int64_t value, std::int64_t least) {
  if (value < least) {
    throw GraphError(fmt::format("{} is {}; it must be at least {}", what, value, least));
  }
}

std::string index_out_of_range(std::int64_t index, std::size_t axis, std::int64_t size) {
  return fmt::format("index {} on axis {} of size {}; the range is {} .. {}", index, axis, size, -size, size - 1);
}

std::size_t axis_of(int axis, std::size_t rank) {
  const auto dimensions = static_cast<std::int64_t>(rank);
  if (axis < -dimensions || axis >= dimensions) {
    throw GraphError(
        fmt::format("axis {} of {} dimensions; the range is {} .. {}", axis, rank, -dimensions, dimensions - 1));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + dimensions : axis);
}

Shape broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const std::size_t at = longer.size() - shorter.size() + i;
    if (longer[at] != shorter[i] && longer[at] != 1 && shorter[i] != 1) {
      throw GraphError(fmt::format("shapes {} and {} cannot be broadcast: {} and {}; dimensions must be equal or 1",
                                   to_string(a), to_string(b), longer[at], shorter[i]));
    }
    result[at] = longer[at] == 1 ? shorter[i] : longer[at];  // a dimension may be 0
  }
  return result;
}

Shapes infer(const Conv2d& op, const Shapes& inputs, const Shapes&) {
  const Shape& image = inputs[0];
  const Shape& weights = inputs[1];
  if (weights[1] != op.window.kernel_h || weights[2] != op.window.kernel_w) {
    throw GraphError(fmt::format("kernel {}x{} does not match weights {}", op.window.kernel_h, op.window.kernel_w,
                                 to_string(weights)));
  }
  if (op.groups < 1 || weights[0] % op.groups != 0 || image[3] % op.groups != 0 || image[3] / op.groups != weights[3]) {
    throw GraphError(fmt::format("{} groups do not divide {} input channels into {} each and {} output channels",
                                 op.groups, image[3], weights[3], weights[0]));
  }
  return {slide(op.window, image, weights[0])};
}

Shapes infer(const MatMul& op, const Shapes& inputs, const Shapes&) {
  Shape a = inputs[0];
  Shape b = inputs[1];
  if (a.size() < 2 || b.size() < 2) {
    throw GraphError(
        fmt::format("operands have shapes {} and {}; expected at least 2 dimensions each", to_string(a), to_string(b)));
  }
  if (op.transpose_a) {
    std::swap(a.end()[-1], a.end()[-2]);
  }
  if (op.transpose_b) {
    std::swap(b.end()[-1], b.end()[-2]);
  }
  if (a.back() != b.end()[-2]) {
    throw GraphError(fmt::format("a product of {} and {} (after transposition): {} columns do not match {} rows",
                                 to_string(a), to_string(b), a.back(), b.end()[-2]));
  }
  Shape result = broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  result.push_back(a.end()[-2]);
  result.push_back(b.back());
  if (inputs.size() > 2 && broadcast(result, inputs[2]) != result) {
    throw GraphError(fmt::format("bias of shape {} cannot be broadcast to a product of shape {}", to_string(inputs[2]),
                                 to_string(result)));
  }
  return {result};
}

Shapes infer(const Pool& op, const Shapes& inputs, const Shapes&) {
  const Shape& image = inputs[0];
  const Window& s = op.window;
  const Shape result = slide(s, image, image[3]);
  if (!op.count_padding) {
    require_windows_inside("height", image[1], result[1], s.kernel_h, s.stride_h, s.dilation_h, s.pad_top);
    require_windows_inside("width", image[2], result[2], s.kernel_w, s.stride_w, s.dilation_w, s.pad_left);
  }
  return {result};
}

Shapes infer(const MaxIndices& op, const Shapes& inputs, const Shapes& given) {
  Pool pool;
  pool.window = op.window;
  return infer(pool, inputs, given);
}

Shapes infer(const Reduce& op, const Shapes& inputs, const Shapes&) {
  Shape result = inputs[0];
  for (const int axis : op.axes) {
    std::int64_t& dimension = result[axis_of(axis, inputs[0].size())];
    if (dimension == 0) {
      throw GraphError(fmt::format("axis {} is named twice", axis));
    }
    dimension = 0;
  }
  if (op.keep_dimensions) {
    std::replace(result.begin(), result.end(), std::int64_t{0}, std::int64_t{1});
  } else {
    result.erase(std::remove(result.begin(), result.end(), 0), result.end());
  }
  return {result};
}

Shapes infer(const ArgExtreme& op, const Shapes& inputs, const Shapes& given) {
  Reduce reduce;
  reduce.axes = {op.axis};
  reduce.keep_dimensions = op.keep_dimensions;
  return infer(reduce, inputs, given);
}

std::vector<Shape> output_shapes(const OperatorKind& kind, const std::vector<Shape>& inputs,
                                 const std::vector<Shape>& given) {
  const KindRules& rules = rules_of(kind);
  const Number counts = number_of(rules.operands);
  if (inputs.size() < counts.least || inputs.size() > counts.most) {
    throw GraphError(
        fmt::format("{} has {} inputs; expected {} .. {}", name_of(kind), inputs.size(), counts.least, counts.most));
  }
  for (const Shape& shape : inputs) {
    count(shape);  // also checks that no dimension is below 1
  }
  try {
    Shapes result = shapes_by_rules(rules, inputs);
    check_attributes(kind, inputs[0]);
    if (result.empty()) {
      result = std::visit([&](const auto& op) { return inferred(op, inputs, given); }, kind);
    }
    for (const Shape& shape : result) {
      count(shape);
    }
    return result;
  } catch (const GraphError& error) {
    throw GraphError(fmt::format("{}: {}", name_of(kind), error.what()));
  }
}

std::vector<Shape> output_shapes(const Graph& graph, const Operator& op) {
  Shapes inputs;
  Shapes given;
  for (const TensorId id : op.inputs) {
    if (id != kNoTensor) {
      inputs.push_back(graph.tensor(id).shape);
    }
  }
  for (const TensorId id : op.outputs) {
    given.push_back(graph.tensor(id).shape);
  }
  return output_shapes(op.kind, inputs, given);
}

}  // namespace systole::graph
