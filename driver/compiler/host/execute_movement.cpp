// SPDX-License-Identifier: Apache-2.0
// Operators that copy elements.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "boxes.hpp"
#include "element_visit.hpp"
#include "execute_kinds.hpp"
#include "indices.hpp"
#include "infer.hpp"
#include "quantized_types.hpp"

namespace systole::graph {
namespace {

/// A real number as one element of the tensor's type; integers are rounded to nearest and saturate.
Bytes element_of(const Call& call, const Tensor& tensor, double real) {
  double steps = real;
  if (tensor.quantization) {
    if (tensor.quantization->per_channel()) {
      call.unsupported("a padding value for a tensor with per-channel scales");
    }
    const IntegerRange range = integer_range(tensor.type);
    steps = std::round(real / double{tensor.quantization->scale[0]}) + tensor.quantization->zero_point[0];
    steps = std::clamp(steps, static_cast<double>(range.min), static_cast<double>(range.max));
  }
  if (tensor.type == ElementType::kBool) {
    steps = real != 0 ? 1 : 0;
  }
  return with_element(tensor.type, [&](auto element) {
    element = cut_off<decltype(element)>(steps);
    Bytes bytes(sizeof element);
    std::memcpy(bytes.data(), &element, sizeof element);
    return bytes;
  });
}

/// Mirrors at the border, repeating the edge element.
std::int64_t reflected_with_edge(std::int64_t at, std::int64_t size) {
  return at < 0 ? -at - 1 : at >= size ? 2 * size - 1 - at : at;
}
std::int64_t reflected(std::int64_t at, std::int64_t size) {
  return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
}

/// Input row of a nearest-neighbour resize; scales in float32, as in TensorFlow Lite's reference kernel.
std::int64_t nearest(std::int64_t at, std::int64_t input, std::int64_t output, const ResizeNearest& op) {
  const bool align = op.align_corners && output > 1;
  const float scale = align ? static_cast<float>(input - 1) / static_cast<float>(output - 1)
                            : static_cast<float>(input) / static_cast<float>(output);
  const float offset = op.half_pixel_centers ? 0.5F : 0.0F;
  const float position = (static_cast<float>(at) + offset) * scale;
  const auto row = static_cast<std::int64_t>(op.align_corners ? std::round(position) : std::floor(position));
  return std::clamp<std::int64_t>(row, 0, input - 1);
}

}  // namespace

Value broadcast_to(const Value& value, const Shape& shape) {
  if (value.shape == shape) {
    return value;
  }
  const std::size_t missing = shape.size() - value.shape.size();
  const Places dense = dense_places(value.shape);
  Places repeated{0, std::vector<std::int64_t>(shape.size())};
  for (std::size_t axis = 0; axis < value.shape.size(); ++axis) {
    repeated.steps[missing + axis] = value.shape[axis] == 1 ? 0 : dense.steps[axis];
  }
  return boxed(value, shape, repeated);
}

namespace {

/// The elements that stay, between new ones.
Value padded_with(const Value& input, const Shape& shape, const Pad& op, const Bytes& fill) {
  Value result{input.type, shape, Bytes(static_cast<std::size_t>(count(shape)) * fill.size())};
  for (std::size_t i = 0; i < result.data.size(); i += fill.size()) {
    std::memcpy(result.data.data() + i, fill.data(), fill.size());
  }
  Places from = dense_places(input.shape), to = dense_places(shape);
  Shape box = input.shape;
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    const std::int64_t cut = std::max<std::int64_t>(0, -op.before[axis]);
    box[axis] -= cut + std::max<std::int64_t>(0, -op.after[axis]);
    from.first += cut * from.steps[axis];
    to.first += std::max<std::int64_t>(0, op.before[axis]) * to.steps[axis];
  }
  copy_box(box, fill.size(), input.data.data(), from, result.data.data(), to);
  return result;
}

}  // namespace

Value run(const Call& call, const Pad& op) {
  const Value& input = call.input(0);
  const Bytes fill = element_of(call, call.output_tensor(), op.value);
  if (op.mode == Pad::Mode::kConstant) {
    return padded_with(input, call.output_tensor().shape, op, fill);
  }
  return gather(input, call.output_tensor().shape, fill, [&](const Index& at, Index& from) {
    bool inside = true;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const std::int64_t size = input.shape[axis];
      std::int64_t position = at[axis] - op.before[axis];
      if (op.mode == Pad::Mode::kEdge) {
        position = std::clamp<std::int64_t>(position, 0, size - 1);
      } else if (op.mode == Pad::Mode::kReflect) {
        position = reflected(position, size);
      } else if (op.mode == Pad::Mode::kSymmetric) {
        position = reflected_with_edge(position, size);
      }
      inside = inside && position >= 0 && position < size;
      from[axis] = position;
    }
    return inside;
  });
}

Value run(const Call& call, const Reshape&) {
  return {call.input(0).type, call.output_tensor().shape, call.input(0).data};
}

Value run(const Call& call, const Reinterpret&) {
  return {call.output_tensor().type, call.output_tensor().shape, call.input(0).data};
}

Value run(const Call& call, const Transpose& op) {
  const Places dense = dense_places(call.input(0).shape);
  Places turned = dense;
  for (std::size_t axis = 0; axis < op.permutation.size(); ++axis) {
    turned.steps[axis] = dense.steps[static_cast<std::size_t>(op.permutation[axis])];
  }
  return boxed(call.input(0), call.output_tensor().shape, turned);
}

Value run(const Call& call, const Concat& op) {
  const Tensor& output = call.output_tensor();
  const std::size_t axis = axis_of(op.axis, output.shape.size());
  Shape outer(output.shape.begin(), output.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  const auto rows = static_cast<std::size_t>(count(outer));
  Value result{output.type, output.shape, {}};
  result.data.resize(static_cast<std::size_t>(count(output.shape)) * element_size(output.type));
  const std::size_t stride = result.data.size() / rows;
  std::size_t start = 0;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Value part = same_quantization(call.input_tensor(i), output)
                           ? call.input(i)
                           : convert(call, call.input(i), call.input_tensor(i), output);
    const std::size_t length = part.data.size() / rows;
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(result.data.data() + row * stride + start, part.data.data() + row * length, length);
    }
    start += length;
  }
  return result;
}

std::vector<Value> run(const Call& call, const Split& op) {
  const Value& input = call.input(0);
  const std::size_t axis = axis_of(op.axis, input.shape.size());
  std::vector<Value> parts;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < call.op.outputs.size(); ++i) {
    const Shape& shape = call.output_tensor(i).shape;
    Places part = dense_places(input.shape);
    part.first = start * part.steps[axis];
    parts.push_back(boxed(input, shape, part));
    start += shape[axis];
  }
  return parts;
}

Value run(const Call& call, const Slice& op) {
  Places part = dense_places(call.input(0).shape);
  for (std::size_t axis = 0; axis < op.begin.size(); ++axis) {
    part.first += op.begin[axis] * part.steps[axis];
    part.steps[axis] *= op.step[axis];
  }
  return boxed(call.input(0), call.output_tensor().shape, part);
}

Value run(const Call& call, const ResizeNearest& op) {
  const Shape& input = call.input(0).shape;
  const Shape& output = call.output_tensor().shape;
  return gather(call.input(0), output, {}, [&](const Index& at, Index& from) {
    from = {at[0], nearest(at[1], input[1], output[1], op), nearest(at[2], input[2], output[2], op), at[3]};
    return true;
  });
}

}  // namespace systole::graph
