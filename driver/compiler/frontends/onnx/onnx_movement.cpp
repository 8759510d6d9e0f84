// SPDX-License-Identifier: Apache-2.0
// Operators that copy elements.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

constexpr std::size_t kMostPieces = 4096;  // limit on the operators that one node may become

}  // namespace

/// Each run with constant stride becomes one slice.
TensorId take(Translation& t, TensorId id, std::size_t axis, const std::vector<std::int64_t>& positions) {
  const Shape shape = t.shape(id);
  if (axis >= shape.size()) {
    t.fail(fmt::format("'{}' has shape {}; expected a tensor with axis {}", t.tensor(id).name, to_string(shape), axis));
  }
  std::vector<TensorId> pieces;
  for (std::size_t first = 0; first < positions.size();) {
    std::size_t end = first + 1;
    const std::int64_t step = end < positions.size() ? positions[end] - positions[first] : 1;
    while (end < positions.size() && step != 0 && positions[end] - positions[end - 1] == step) {
      ++end;
    }
    Slice slice{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 1)};
    slice.begin[axis] = positions[first];
    slice.step[axis] = step == 0 ? 1 : step;
    Shape part = shape;
    part[axis] = static_cast<std::int64_t>(end - first);
    pieces.push_back(part == shape && slice.begin[axis] == 0 ? id : t.move(slice, id, part));
    first = end;
    if (pieces.size() > kMostPieces) {
      t.refuse(OnnxRefusal::kTooLarge, fmt::format("would become more than {} slices", kMostPieces));
    }
  }
  if (pieces.size() == 1) {
    return pieces[0];
  }
  return t.emit(Concat{static_cast<int>(axis)}, pieces, t.tensor(pieces[0]).type, t.tensor(pieces[0]).quantization);
}

namespace {

/// Pads with the elements of the other end. What negative amounts cut off is not among them, as in ONNX Runtime.
TensorId wrapped(Translation& t, TensorId id, const Pad& pad) {
  const Shape shape = t.shape(id);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    constexpr std::int64_t kMaxSize = 1 << 20;
    const std::int64_t before = pad.before[axis];
    const std::int64_t after = pad.after[axis];
    const auto is_small = [](std::int64_t amount) { return amount >= -kMaxSize && amount <= kMaxSize; };
    if (!is_small(before) || !is_small(after) || !is_small(shape[axis])) {
      t.refuse(OnnxRefusal::kTooLarge,
               fmt::format("axis {} of {} elements is padded with {} and {} that wrap around; at "
                           "most {} are supported",
                           axis, shape[axis], before, after, kMaxSize));
    }
    const std::int64_t first = std::max<std::int64_t>(0, -before);
    const std::int64_t left = shape[axis] - first - std::max<std::int64_t>(0, -after);
    if (left < 1) {
      t.refuse(OnnxRefusal::kEmptyTensor, fmt::format("removes all elements along axis {}", axis));
    }
    std::vector<std::int64_t> positions;
    for (std::int64_t at = -std::max<std::int64_t>(0, before); at < left + std::max<std::int64_t>(0, after); ++at) {
      positions.push_back(first + (at % left + left) % left);
    }
    id = take(t, id, axis, positions);
  }
  return id;
}

/// Whether the value may be an integer that no real number of Pad holds.
bool is_beyond_reals(ElementType type, double value) {
  constexpr double kMostExact = 9007199254740992.0;  // 2^53
  return (type == ElementType::kInt64 || type == ElementType::kUint64) && std::abs(value) >= kMostExact;
}

/// Pads with a constant of the tensor's type, which is selected outside of the input.
TensorId padded_with(Translation& t, TensorId id, Pad pad, TensorId value) {
  pad.value = 0;
  const TensorId inside = t.move(pad, expand(t, t.numbers(ElementType::kBool, {}, {1}), t.shape(id)));
  return t.select(inside, t.move(pad, id), t.reshape(value, {}));
}

}  // namespace

void pad(Translation& t) {
  const TensorId input = t.input(0);
  const std::size_t rank = t.shape(input).size();
  const std::string mode = t.text("mode", "constant");
  std::vector<std::int64_t> amounts;
  double value = 0;
  if (t.opset() < 11) {
    amounts = t.integers(t.opset() < 2 ? "paddings" : "pads").value_or(std::vector<std::int64_t>{});
    value = double{t.real("value", 0.0F)};
  } else {
    amounts = t.integers_of(1, "the padding");
    value = t.has_input(2) ? t.real_of(2, "the value of padding") : 0;
  }
  if (t.opset() >= 18 && t.has_input(3)) {  // pads only these axes
    const std::vector<std::int64_t> axes = t.integers_of(3, "the axes");
    if (amounts.size() != 2 * axes.size()) {
      t.fail(fmt::format("pads has {} values for {} axes; expected two per axis", amounts.size(), axes.size()));
    }
    std::vector<std::int64_t> all(2 * rank);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::size_t axis = t.axis(axes[i], rank);
      all[axis] = amounts[i];
      all[rank + axis] = amounts[axes.size() + i];
    }
    amounts = std::move(all);
  }
  if (amounts.size() != 2 * rank) {
    t.fail(fmt::format("pads has {} values for shape {}; expected two per dimension", amounts.size(),
                       to_string(t.shape(input))));
  }
  Pad pad;
  pad.before.assign(amounts.begin(), amounts.begin() + static_cast<std::ptrdiff_t>(rank));
  pad.after.assign(amounts.begin() + static_cast<std::ptrdiff_t>(rank), amounts.end());
  pad.mode = mode == "reflect" ? Pad::Mode::kReflect : mode == "edge" ? Pad::Mode::kEdge : Pad::Mode::kConstant;
  if (mode == "wrap") {
    return t.result(wrapped(t, input, pad));
  }
  if (mode != "constant" && mode != "reflect" && mode != "edge") {
    t.fail(fmt::format("mode '{}'; expected constant, reflect, edge or wrap", mode));
  }
  pad.value = value;
  if (mode == "constant" && t.opset() >= 11 && is_beyond_reals(t.tensor(input).type, value)) {
    return t.result(padded_with(t, input, pad, t.input(2)));
  }
  const Quantization* q = t.tensor(input).quantization ? &*t.tensor(input).quantization : nullptr;
  if (q != nullptr) {
    pad.value = double{q->scale[0]} * (value - q->zero_point[0]);  // the file's value is quantized
  }
  t.result(t.move(pad, input));
}

void transpose(Translation& t) {
  const TensorId input = t.input(0);
  const std::size_t rank = t.shape(input).size();
  std::vector<int> permutation;
  if (const auto given = t.integers("perm")) {
    for (const std::int64_t axis : *given) {
      permutation.push_back(static_cast<int>(t.axis(axis, rank)));
    }
  } else {
    for (std::size_t i = rank; i-- > 0;) {
      permutation.push_back(static_cast<int>(i));
    }
  }
  t.result(t.move(Transpose{permutation}, input));
}

void concat(Translation& t) {
  std::vector<TensorId> parts;
  bool one_quantization = true;
  for (std::size_t i = 0; i < t.input_count(); ++i) {
    if (t.is_empty(i)) {
      continue;
    }
    parts.push_back(t.input(i));
    const auto& first = t.tensor(parts[0]).quantization;
    const auto& here = t.tensor(parts.back()).quantization;
    one_quantization = one_quantization && first.has_value() == here.has_value() &&
                       (!here || (first->scale == here->scale && first->zero_point == here->zero_point));
  }
  if (t.input_count() == 0) {
    t.fail("has no inputs");
  }
  if (parts.empty()) {
    Tensor all = t.empty_input(0);
    const std::size_t axis = t.axis(t.integer("axis", 1), all.shape.size());
    for (std::size_t i = 1; i < t.input_count(); ++i) {
      const Shape& shape = t.empty_input(i).shape;
      all.shape[axis] += shape.size() == all.shape.size() ? shape[axis] : 0;
    }
    t.empty_result(all);
    return;
  }
  if (!one_quantization) {
    std::transform(parts.begin(), parts.end(), parts.begin(), [&](TensorId id) { return t.plain(id); });
  }
  const int axis = static_cast<int>(
      t.axis(t.opset() < 4 ? t.integer("axis", 1) : t.needed_integer("axis"), t.shape(parts[0]).size()));
  t.result(t.emit(Concat{axis}, parts, t.tensor(parts[0]).type, t.tensor(parts[0]).quantization));
}

void split(Translation& t) {
  const Tensor whole = t.is_empty(0) ? t.empty_input(0) : t.tensor(t.input(0));
  const Shape& shape = whole.shape;
  const std::size_t axis = t.axis(t.integer("axis", 0), shape.size());
  const auto parts = static_cast<std::int64_t>(t.output_count());
  std::vector<std::int64_t> sizes;
  if (const auto given = t.integers("split")) {
    sizes = *given;
  } else if (t.has_input(1)) {
    sizes = t.integers_of(1, "the sizes of parts");
  } else if (t.opset() >= 18 && t.has("num_outputs")) {  // the last part is smaller
    const std::int64_t number = t.integer("num_outputs", 0);
    const std::int64_t part = number < 1 ? 0 : (shape[axis] + number - 1) / number;
    if (number != parts || part * (number - 1) >= shape[axis]) {
      t.fail(fmt::format("num_outputs is {}, but the node has {} outputs and the axis {} elements", number, parts,
                         shape[axis]));
    }
    sizes.assign(static_cast<std::size_t>(parts), part);
    sizes.back() = shape[axis] - part * (number - 1);
  } else {
    if (parts == 0 || shape[axis] % parts != 0) {
      t.fail(fmt::format("{} elements cannot be split into {} equal parts", shape[axis], parts));
    }
    sizes.assign(static_cast<std::size_t>(parts), shape[axis] / parts);
  }
  if (sizes.size() != t.output_count()) {
    t.fail(fmt::format("split has {} sizes, but the node has {} outputs", sizes.size(), t.output_count()));
  }
  std::vector<Shape> shapes;
  std::vector<std::size_t> results;  // the non-empty parts
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Shape part = shape;
    part[axis] = sizes[i];
    if (count(part) == 0) {
      t.empty_result(whole.type, part, i);
    } else {
      shapes.push_back(std::move(part));
      results.push_back(i);
    }
  }
  if (shapes.empty()) {
    return;
  }
  const std::vector<TensorId> ids = t.emit_split(Split{static_cast<int>(axis)}, t.input(0), shapes);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    t.result(ids[i], results[i]);
  }
}

void slice(Translation& t) {
  const Tensor whole = t.is_empty(0) ? t.empty_input(0) : t.tensor(t.input(0));
  const Shape& shape = whole.shape;
  const bool attributes = t.opset() < 10;
  const auto values = [&](std::size_t i, const char* name) {
    return attributes       ? t.integers(name).value_or(std::vector<std::int64_t>{})
           : t.has_input(i) ? t.integers_of(i, name)
                            : std::vector<std::int64_t>{};
  };
  const auto starts = values(1, "starts");
  const auto ends = values(2, "ends");
  std::vector<std::int64_t> axes = values(3, "axes");
  std::vector<std::int64_t> steps = attributes ? std::vector<std::int64_t>{} : values(4, "steps");
  for (std::size_t i = axes.size(); i < starts.size(); ++i) {
    axes.push_back(static_cast<std::int64_t>(i));
  }
  steps.resize(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size()) {
    t.fail(
        fmt::format("{} starts, {} ends and {} axes; expected equally many", starts.size(), ends.size(), axes.size()));
  }
  Slice slice{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 1)};
  Shape result = shape;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t at = t.axis(axes[i], shape.size());
    const std::int64_t size = shape[at];
    const std::int64_t step = steps[i];
    if (step == 0 || step == std::numeric_limits<std::int64_t>::min()) {
      t.fail(fmt::format("step {}; steps must not be 0 or -2^63", step));
    }
    if (size == 0) {
      continue;
    }
    const auto from_front = [&](std::int64_t value) {
      return value < 0 ? value + size : value;
    };  // size is positive, so this cannot overflow
    const std::int64_t begin = std::clamp<std::int64_t>(from_front(starts[i]), 0, step > 0 ? size : size - 1);
    const std::int64_t end = std::clamp<std::int64_t>(from_front(ends[i]), step > 0 ? 0 : -1, size);
    const std::int64_t distance = step > 0 ? end - begin : begin - end;
    if (distance <= 0) {
      result[at] = 0;
      continue;
    }
    slice.begin[at] = begin;
    const std::int64_t stride = step > 0 ? step : -step;
    result[at] = (distance - 1) / stride + 1;
    slice.step[at] = result[at] == 1 ? 1 : step;
  }
  if (count(result) == 0) {
    t.empty_result(whole.type, result);
    return;
  }
  t.result(t.move(slice, t.input(0), result));
}

void tile(Translation& t) {
  TensorId id = t.input(0);
  const std::vector<std::int64_t> repeats = t.integers_of(1, "the repeats");
  if (repeats.size() != t.shape(id).size()) {
    t.fail(fmt::format("repeats has {} values for shape {}; expected one per dimension", repeats.size(),
                       to_string(t.shape(id))));
  }
  for (std::size_t axis = 0; axis < repeats.size(); ++axis) {
    if (repeats[axis] < 1 || repeats[axis] > static_cast<std::int64_t>(kMostPieces)) {
      t.refuse(repeats[axis] == 0 ? OnnxRefusal::kEmptyTensor : OnnxRefusal::kTooLarge,
               fmt::format("{} repeats; the range is 1 .. {}", repeats[axis], kMostPieces));
    }
    if (repeats[axis] > 1) {
      const std::vector<TensorId> parts(static_cast<std::size_t>(repeats[axis]), id);
      id = t.emit(Concat{static_cast<int>(axis)}, parts, t.tensor(id).type, t.tensor(id).quantization);
    }
  }
  t.result(id);
}

namespace {

/// The node's block size, and its image N,C,H,W.
std::int64_t block_of(Translation& t, TensorId input) {
  const std::int64_t block = t.needed_integer("blocksize");
  if (t.shape(input).size() != 4 || block < 1 || block > (1 << 15)) {
    t.fail(fmt::format("blocksize {} for an input of shape {}; expected 1 .. 32768 and N,C,H,W", block,
                       to_string(t.shape(input))));
  }
  return block;
}

}  // namespace

void depth_to_space(Translation& t) {
  const TensorId input = t.input(0);
  const std::int64_t b = block_of(t, input);
  const Shape s = t.shape(input);
  if (s[1] % (b * b) != 0) {
    t.fail(fmt::format("{} channels are not a multiple of {}", s[1], b * b));
  }
  const std::int64_t c = s[1] / (b * b);
  const bool columns_first = t.text("mode", "DCR") == "CRD";
  const TensorId parts = columns_first ? t.transpose(t.reshape(input, {s[0], c, b, b, s[2], s[3]}), {0, 1, 4, 2, 5, 3})
                                       : t.transpose(t.reshape(input, {s[0], b, b, c, s[2], s[3]}), {0, 3, 4, 1, 5, 2});
  t.result(t.reshape(parts, {s[0], c, s[2] * b, s[3] * b}));
}

void space_to_depth(Translation& t) {
  const TensorId input = t.input(0);
  const std::int64_t b = block_of(t, input);
  const Shape s = t.shape(input);
  if (s[2] % b != 0 || s[3] % b != 0) {
    t.fail(fmt::format("image size {} x {} is not a multiple of blocksize {}", s[2], s[3], b));
  }
  const std::string mode = t.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") {
    t.fail(fmt::format("mode '{}'; expected DCR or CRD", mode));
  }
  const std::vector<int> order =
      mode == "DCR" ? std::vector<int>{0, 3, 5, 1, 2, 4} : std::vector<int>{0, 1, 3, 5, 2, 4};
  const TensorId parts = t.transpose(t.reshape(input, {s[0], s[1], s[2] / b, b, s[3] / b, b}), order);
  t.result(t.reshape(parts, {s[0], s[1] * b * b, s[2] / b, s[3] / b}));
}

}  // namespace systole::graph::onnx_file
