// SPDX-License-Identifier: Apache-2.0
// Operators that move elements.
#include <fmt/core.h>

#include <algorithm>

#include "attributes.hpp"
#include "infer.hpp"
#include "quantized_types.hpp"
#include "tflite_translation.hpp"

namespace systole::graph::tflite_file {
namespace {

using Code = format::OperatorCodeNumber;

/// One value per dimension.
std::vector<std::int64_t> per_dimension(Translation& t, std::size_t i, const char* what, std::size_t count) {
  std::vector<std::int64_t> values = t.integers(i, what);
  if (values.size() != count) {
    t.fail(fmt::format("{} has {} values; expected {}", what, values.size(), count));
  }
  return values;
}

void pad(Translation& t) {
  const std::size_t rank = t.tensor(t.input(0)).shape.size();
  const std::vector<std::int64_t> amounts = per_dimension(t, 1, "the padding", 2 * rank);
  Pad pad;
  for (std::size_t i = 0; i < rank; ++i) {
    pad.before.push_back(amounts[2 * i]);
    pad.after.push_back(amounts[2 * i + 1]);
  }
  if (std::any_of(amounts.begin(), amounts.end(), [](std::int64_t amount) { return amount < 0; })) {
    t.fail("padding must not be negative");
  }
  if (t.code() == Code::PADV2) {
    const Tensor& value = t.tensor(t.input(2));
    if (value.type != t.tensor(t.input(0)).type ||
        (is_quantizable(value.type) && !same_quantization(value, t.tensor(t.input(0))))) {
      t.fail(fmt::format("the padding value ({}) must have the type and quantization of the input", title(value)));
    }
    pad.value = t.real(2, "the value");
  }
  t.add(pad, 1);
}

void reshape(Translation& t) { t.add(Reshape{}, 1); }  // the declared output shape already equals the shape operand

void transpose(Translation& t) {
  const Shape shape = t.tensor(t.input(0)).shape;
  Transpose transpose;
  for (const std::int64_t axis : per_dimension(t, 1, "the permutation", shape.size())) {
    transpose.permutation.push_back(axis_in(axis, shape));
  }
  t.add(transpose, 1);
}

void concatenation(Translation& t) {
  const auto& o = t.options<format::ConcatenationOptions>();
  if (o.activation() != format::FusedActivation::NONE) {
    t.fail("fused activations are not supported here; use a separate operator");
  }
  const Tensor output = t.tensor(t.output());
  for (std::size_t i = 0; i < t.input_count(); ++i) {
    const Tensor& part = t.tensor(t.input(i));
    if (is_quantizable(part.type) && !same_quantization(part, output)) {
      t.fail(fmt::format("{} has {}, the result {}; they must be equal: insert a QUANTIZE", title(part),
                         quantization_text(part), quantization_text(output)));
    }
  }
  t.add(Concat{axis_in(o.axis(), output.shape)}, t.input_count());
}

void split_outputs(Translation& t, std::size_t input, std::size_t axis) {
  const std::vector<std::int64_t> axes = per_dimension(t, axis, "the axis", 1);
  const TensorId from = t.input(input);
  std::vector<TensorId> outputs;
  for (std::size_t i = 0; i < t.output_count(); ++i) {
    outputs.push_back(t.output(i));
  }
  if (outputs.empty()) {
    t.fail("it has no outputs");
  }
  t.add(Split{axis_in(axes[0], t.tensor(from).shape)}, {from}, outputs);
}
void split(Translation& t) { split_outputs(t, 1, 0); }
void split_v(Translation& t) { split_outputs(t, 0, 2); }

void slice(Translation& t) {
  const Shape shape = t.tensor(t.input(0)).shape;
  Slice slice;
  slice.begin = per_dimension(t, 1, "the begin", shape.size());
  const std::vector<std::int64_t> sizes = per_dimension(t, 2, "the size", shape.size());
  slice.step.assign(shape.size(), 1);
  Shape wanted;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    wanted.push_back(sizes[i] == -1 ? shape[i] - slice.begin[i] : sizes[i]);  // -1: to the end
  }
  if (wanted != t.tensor(t.output()).shape) {
    t.fail(fmt::format("{} does not have the shape of the slice, {}", title(t.tensor(t.output())), to_string(wanted)));
  }
  t.add(slice, 1);
}

/// Start, step and length of a strided slice along one dimension.
struct Range {
  std::int64_t begin, count;
};

Range range_of(const Translation& t, std::int64_t size, std::int64_t begin, std::int64_t end, std::int64_t step,
               bool from_first, bool to_last) {
  if (step == 0) {
    t.fail("stride 0; strides must not be 0");
  }
  const std::int64_t least = step > 0 ? 0 : -1;
  const std::int64_t most = step > 0 ? size : size - 1;
  const auto inside = [&](std::int64_t at) { return std::clamp(at < 0 ? at + size : at, least, most); };
  const std::int64_t first = from_first ? (step > 0 ? 0 : size - 1) : inside(begin);
  const std::int64_t last = to_last ? (step > 0 ? size : -1) : inside(end);
  const std::int64_t length = step > 0 ? last - first : first - last;
  const std::int64_t stride = step > 0 ? step : -step;
  if (length <= 0 || stride < 0) {
    t.fail(fmt::format("the slice of a dimension of {} from {} to {} by {} is empty", size, begin, end, step));
  }
  return {first, (length - 1) / stride + 1};
}

void strided_slice(Translation& t) {
  const auto& o = t.options<format::StridedSliceOptions>();
  if (o.ellipsis_mask() != 0 || o.new_axis_mask() != 0) {
    t.fail("ellipsis_mask and new_axis_mask are not supported; give begin and end of every dimension, and use RESHAPE");
  }
  const TensorId input = t.input(0);
  const Shape shape = t.tensor(input).shape;
  const std::vector<std::int64_t> begin = per_dimension(t, 1, "the begin", shape.size());
  const std::vector<std::int64_t> end = per_dimension(t, 2, "the end", shape.size());
  Slice slice;
  slice.step = per_dimension(t, 3, "the stride", shape.size());
  Shape cut;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto marked = [&](int mask) { return (mask >> i & 1) != 0; };
    Range range{};
    if (marked(o.shrink_axis_mask())) {
      const std::int64_t at = begin[i] < 0 ? begin[i] + shape[i] : begin[i];
      range = {at, 1};  // shape inference reports an index out of range
      slice.step[i] = 1;
    } else {
      std::int64_t stop = end[i];
      if (o.offset() && __builtin_add_overflow(begin[i], end[i], &stop)) {
        t.fail(fmt::format("begin {} plus offset {} is out of range", begin[i], end[i]));
      }
      range = range_of(t, shape[i], begin[i], stop, slice.step[i], marked(o.begin_mask()), marked(o.end_mask()));
    }
    slice.begin.push_back(range.begin);
    cut.push_back(range.count);
  }
  if (cut == t.tensor(t.output()).shape) {
    t.add(slice, {input}, {t.output()});
    return;
  }
  const TensorId whole = t.add_like(t.output(), cut, "/all_axes");
  t.add(slice, {input}, {whole});
  t.add(Reshape{}, {whole}, {t.output()});
}

template <class Kind, class Options>
void resize(Translation& t) {
  const auto* o = t.optional_options<Options>();
  const std::vector<std::int64_t> size = per_dimension(t, 1, "the size", 2);
  const Shape& output = t.tensor(t.output()).shape;
  if (output.size() != 4 || output[1] != size[0] || output[2] != size[1]) {
    t.fail(fmt::format("{} does not have height {} and width {}", title(t.tensor(t.output())), size[0], size[1]));
  }
  t.add(Kind{o != nullptr && o->align_corners(), o != nullptr && o->half_pixel_centers()}, 1);
}

}  // namespace

Handler movement_handler(Code code) {
  switch (code) {
    case Code::PAD:
    case Code::PADV2: return pad;
    case Code::RESHAPE:
    case Code::SQUEEZE:
    case Code::EXPAND_DIMS: return reshape;
    case Code::TRANSPOSE: return transpose;
    case Code::CONCATENATION: return concatenation;
    case Code::SPLIT: return split;
    case Code::SPLIT_V: return split_v;
    case Code::SLICE: return slice;
    case Code::STRIDED_SLICE: return strided_slice;
    case Code::RESIZE_NEAREST_NEIGHBOR: return resize<ResizeNearest, format::ResizeNearestNeighborOptions>;
    case Code::RESIZE_BILINEAR: return resize<ResizeBilinear, format::ResizeBilinearOptions>;
    default: return nullptr;
  }
}

}  // namespace systole::graph::tflite_file
