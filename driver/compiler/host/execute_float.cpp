// SPDX-License-Identifier: Apache-2.0
// Pooling, reductions and softmax of floats, and reductions of integers: sums in double, rounded once.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "element_visit.hpp"
#include "execute_binary32.hpp"
#include "extremes.hpp"
#include "float_ops.hpp"
#include "indices.hpp"
#include "infer.hpp"
#include "quantized_values.hpp"

namespace systole::graph {
namespace {

/// Calls visit(input row, input column) for the part of the window inside the image.
template <class Visit>
void for_each_tap(const Shape& image, const Window& w, int y, int x, Visit visit) {
  for (int ky = 0; ky < w.kernel_h; ++ky) {
    for (int kx = 0; kx < w.kernel_w; ++kx) {
      const std::int64_t in_y = golden::input_y(w, y, ky);
      const std::int64_t in_x = golden::input_x(w, x, kx);
      if (in_y >= 0 && in_y < image[1] && in_x >= 0 && in_x < image[2]) {
        visit(in_y, in_x);
      }
    }
  }
}

}  // namespace

double activated(double value, Activation activation) {
  switch (activation) {
    case Activation::kRelu: return std::max(value, 0.0);
    case Activation::kRelu6: return std::clamp(value, 0.0, 6.0);
    case Activation::kReluN1To1: return std::clamp(value, -1.0, 1.0);
    default: return value;
  }
}

std::vector<double> reals(const Call& call, const Value& value) {
  return with_element(value.type, [&](auto element) {
    using Element = decltype(element);
    if (!kIsReal<Element>) {
      call.unsupported("only int8, uint8 and floating-point are supported");
    }
    const auto stored = elements<Element>(value);
    std::vector<double> result(stored.size());
    std::transform(stored.begin(), stored.end(), result.begin(),
                   [](Element number) { return static_cast<double>(number); });
    return result;
  });
}

Value rounded(const std::vector<double>& values, const Tensor& tensor, Activation activation) {
  return with_element(tensor.type, [&](auto element) {
    using Element = decltype(element);
    std::vector<Element> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(),
                   [&](double value) { return static_cast<Element>(activated(value, activation)); });
    return make_value(tensor.type, tensor.shape, result);
  });
}

Value run_plain(const Call& call, const Pool& op) {
  if (auto value = in_binary32(call, op)) {
    return std::move(*value);
  }
  const auto input = reals(call, call.input(0));
  const Shape& image = call.input(0).shape;
  const Shape& output = call.output_tensor().shape;
  const Window window = op.window;
  const bool largest = op.kind == PoolKind::kMax;
  std::vector<double> result(static_cast<std::size_t>(count(output)));
  for_each_index(output, [&](const Index& at, std::size_t position) {
    double value = largest ? -std::numeric_limits<double>::infinity() : 0.0;
    int seen = 0;
    for_each_tap(image, window, static_cast<int>(at[1]), static_cast<int>(at[2]), [&](std::int64_t y, std::int64_t x) {
      const double element =
          input[static_cast<std::size_t>(((at[0] * image[1] + y) * image[2] + x) * image[3] + at[3])];
      value = largest ? greater(value, element) : value + element;
      ++seen;
    });
    if (seen == 0 && (largest || !op.count_padding)) {
      call.unsupported("a window that contains only padding");
    }
    result[position] = largest ? value : value / (op.count_padding ? window.kernel_h * window.kernel_w : seen);
  });
  return rounded(result, call.output_tensor(), op.activation);
}

namespace {

double added(double a, double b) { return a + b; }
double multiplied(double a, double b) { return a * b; }
std::uint64_t added(std::uint64_t a, std::uint64_t b) { return a + b; }
std::uint64_t multiplied(std::uint64_t a, std::uint64_t b) { return a * b; }
std::int64_t added(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t multiplied(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// Wide holds any element; sums and products in it may wrap.
template <class Element, class Wide>
Value reduced(const Call& call, const Reduce& op) {
  const auto input = elements<Element>(call.input(0));
  const Shape& shape = call.input(0).shape;
  Shape kept = shape;
  for (const int axis : op.axes) {
    kept[axis_of(axis, shape.size())] = 1;
  }
  std::vector<Wide> wide(static_cast<std::size_t>(count(kept)), op.kind == ReduceKind::kProduct ? Wide{1} : Wide{0});
  std::vector<bool> seen(wide.size());
  Index to(shape.size());
  for_each_index(shape, [&](const Index& at, std::size_t position) {
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      to[axis] = kept[axis] == 1 ? 0 : at[axis];
    }
    const std::size_t target = position_of(kept, to);
    const auto element = static_cast<Wide>(input[position]);
    Wide& value = wide[target];
    switch (op.kind) {
      case ReduceKind::kMax: value = seen[target] ? greater(value, element) : element; break;
      case ReduceKind::kMin: value = seen[target] ? lesser(value, element) : element; break;
      case ReduceKind::kProduct: value = multiplied(value, element); break;
      default: value = added(value, element);
    }
    seen[target] = true;
  });
  std::vector<Element> result(wide.size());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    // Sums and products of integers wrap; their mean is truncated.
    result[i] = static_cast<Element>(
        op.kind == ReduceKind::kMean ? wide[i] / static_cast<Wide>(input.size() / wide.size()) : wide[i]);
  }
  return make_value(call.input(0).type, call.output_tensor().shape, result);
}

}  // namespace

Value run_plain(const Call& call, const Reduce& op) {
  if (auto value = in_binary32(call, op)) {
    return std::move(*value);
  }
  if (call.input(0).type == ElementType::kBool) {
    call.unsupported("only numbers are supported");
  }
  return with_element(call.input(0).type, [&](auto element) {
    using Element = decltype(element);
    if constexpr (kIsReal<Element>) {
      return reduced<Element, double>(call, op);
    } else {
      if (op.kind == ReduceKind::kMean && call.op.arithmetic != Arithmetic::kOnnx) {
        call.unsupported("a mean of integers without a scale");
      }
      return reduced<Element, std::conditional_t<std::is_signed_v<Element>, std::int64_t, std::uint64_t>>(call, op);
    }
  });
}

Value run_plain(const Call& call, const Softmax& op) {
  if (auto value = in_binary32(call, op)) {
    return std::move(*value);
  }
  const auto input = reals(call, call.input(0));
  const Shape& shape = call.input(0).shape;
  const std::size_t axis = axis_of(op.axis, shape.size());
  std::size_t stride = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) {
    stride *= static_cast<std::size_t>(shape[i]);
  }
  const auto length = static_cast<std::size_t>(shape[axis]);
  std::vector<double> result(input.size());
  for (std::size_t position = 0; position < input.size(); ++position) {
    if (position / stride % length != 0) {
      continue;  // not the first element of its row
    }
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < length; ++i) {
      most = std::max(most, input[position + i * stride]);
    }
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) {
      sum += std::exp((input[position + i * stride] - most) * double{op.beta});
    }
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t at = position + i * stride;
      const double scaled = (input[at] - most) * double{op.beta};
      result[at] = op.logarithm ? scaled - std::log(sum) : std::exp(scaled) / sum;
    }
  }
  return rounded(result, call.output_tensor());
}

Value l2_normalized(const Call& call) {
  auto values = reals(call, call.input(0));
  const auto depth = static_cast<std::size_t>(call.input(0).shape.back());
  constexpr double kLeast = 1e-6;  // as in TensorFlow Lite: rows of zeros remain zeros
  for (std::size_t start = 0; start < values.size(); start += depth) {
    double squares = 0;
    for (std::size_t i = start; i < start + depth; ++i) {
      squares += values[i] * values[i];
    }
    const double length = std::max(std::sqrt(squares), kLeast);
    for (std::size_t i = start; i < start + depth; ++i) {
      values[i] /= length;
    }
  }
  return rounded(values, call.output_tensor());
}

Value layer_normalized(const Call& call, double epsilon) {
  auto values = reals(call, call.input(0));
  const std::vector<double> gamma = reals(call, call.input(1));
  const std::vector<double> beta = reals(call, call.input(2));
  const std::size_t depth = gamma.size();
  const auto count = static_cast<double>(depth);
  for (std::size_t start = 0; start < values.size(); start += depth) {
    double sum = 0;
    for (std::size_t i = start; i < start + depth; ++i) {
      sum += values[i];
    }
    const double mean = sum / count;
    double squares = 0;
    for (std::size_t i = start; i < start + depth; ++i) {
      squares += (values[i] - mean) * (values[i] - mean);
    }
    const double deviation = std::sqrt(squares / count + epsilon);
    for (std::size_t i = 0; i < depth; ++i) {
      values[start + i] = (values[start + i] - mean) / deviation * gamma[i] + beta[i];
    }
  }
  return rounded(values, call.output_tensor());
}

}  // namespace systole::graph
