// SPDX-License-Identifier: Apache-2.0
// Operators that depend on the order of elements: argmax/argmin, top-k, cumulative sums.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "arithmetic.hpp"
#include "binary32.hpp"
#include "element_visit.hpp"
#include "execute_kinds.hpp"
#include "indices.hpp"
#include "infer.hpp"
#include "quantized_types.hpp"
#include "quantized_values.hpp"

namespace systole::graph {
namespace {

/// A tensor as lines along one axis: element i of a line lies `stride` elements after element i - 1.
struct Lines {
  Lines(const Shape& shape, int named) {
    const std::size_t axis = axis_of(named, shape.size());
    length = static_cast<std::size_t>(shape[axis]);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i != axis) {
        (i < axis ? outer : stride) *= static_cast<std::size_t>(shape[i]);
      }
    }
  }
  /// Calls visit(position of the line's first element, number of the line).
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < outer; ++i) {
      for (std::size_t j = 0; j < stride; ++j) {
        visit(i * length * stride + j, i * stride + j);
      }
    }
  }
  std::size_t outer = 1, length = 1, stride = 1;
};

/// A total order of all elements: NaN is above everything.
template <class Element>
bool below(Element a, Element b) {
  if constexpr (kIsReal<Element>) {
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    return std::isnan(y) ? !std::isnan(x) : x < y;
  } else {
    return a < b;
  }
}

}  // namespace

Value run(const Call& call, const ArgExtreme& op) {
  const Value& input = call.input(0);
  const Lines lines(input.shape, op.axis);
  std::vector<std::int64_t> result(lines.outer * lines.stride);
  with_element(input.type, [&](auto element) {
    auto values = elements<decltype(element)>(input);
    if constexpr (std::is_same_v<decltype(element), float>) {
      if (call.op.arithmetic == Arithmetic::kOnnx) {  // subnormal numbers count as zeros
        std::transform(values.begin(), values.end(), values.begin(),
                       [](float value) { return golden::binary32::add(value, 0); });
      }
    }
    lines.each([&](std::size_t first, std::size_t line) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < lines.length; ++i) {
        const auto here = values[first + i * lines.stride];
        const auto there = values[first + best * lines.stride];
        const bool better = op.largest ? below(there, here) : below(here, there);
        const bool worse = op.largest ? below(here, there) : below(there, here);
        best = better || (op.last && !worse) ? i : best;
      }
      result[line] = static_cast<std::int64_t>(best);
    });
    return 0;
  });
  const graph::Tensor& output = call.output_tensor();
  return output.type == ElementType::kInt64
             ? make_value(output.type, output.shape, result)
             : make_value(output.type, output.shape, std::vector<std::int32_t>(result.begin(), result.end()));
}

std::vector<Value> run(const Call& call, const TopK& op) {
  const Value& input = call.input(0);
  const Shape& shape = call.output_tensor().shape;
  const Lines from(input.shape, op.axis);
  const Lines to(shape, op.axis);
  std::vector<std::int64_t> places(static_cast<std::size_t>(count(shape)));
  return with_element(input.type, [&](auto element) {
    using Element = decltype(element);
    const auto values = elements<Element>(input);
    std::vector<Element> chosen(places.size());
    std::vector<std::size_t> order(from.length);
    from.each([&](std::size_t first, std::size_t line) {
      std::iota(order.begin(), order.end(), 0);
      const auto before = [&](std::size_t a, std::size_t b) {
        const Element x = values[first + a * from.stride];
        const Element y = values[first + b * from.stride];
        if (below(x, y) || below(y, x)) {
          return op.largest ? below(y, x) : below(x, y);
        }
        return a < b;
      };
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(to.length), order.end(), before);
      const std::size_t target = line / to.stride * to.length * to.stride + line % to.stride;
      for (std::size_t i = 0; i < to.length; ++i) {
        chosen[target + i * to.stride] = values[first + order[i] * from.stride];
        places[target + i * to.stride] = static_cast<std::int64_t>(order[i]);
      }
    });
    return std::vector<Value>{make_value(input.type, shape, chosen), make_value(ElementType::kInt64, shape, places)};
  });
}

namespace {

Value quantized_sums(const Call& call, const CumulativeSum& op) {
  const Value& input = call.input(0);
  const Lines lines(input.shape, op.axis);
  const golden::NhwcShape shape{1, static_cast<int>(lines.outer), static_cast<int>(lines.length),
                                static_cast<int>(lines.stride)};
  const golden::Tensor8 sums = golden::cumulative_sum({shape, as_int8(input)}, quantization_of(call.input_tensor(0)),
                                                      quantization_of(call.output_tensor()), op.exclusive, op.reverse);
  return from_int8(sums.data, call.output_tensor());
}

}  // namespace

Value run(const Call& call, const CumulativeSum& op) {
  const Value& input = call.input(0);
  if (is_byte(input.type) && call.output_tensor().quantization) {
    return quantized_sums(call, op);
  }
  const Lines lines(input.shape, op.axis);
  return with_element(input.type, [&](auto element) {
    using Element = decltype(element);
    using Sum = std::conditional_t<kIsReal<Element>, double, std::uint64_t>;  // integers wrap
    auto values = elements<Element>(input);
    lines.each([&](std::size_t first, std::size_t) {
      Sum sum{};
      for (std::size_t i = 0; i < lines.length; ++i) {
        Element& value = values[first + (op.reverse ? lines.length - 1 - i : i) * lines.stride];
        const Sum before = sum;
        sum += static_cast<Sum>(value);
        value = static_cast<Element>(op.exclusive ? before : sum);
      }
    });
    return make_value(input.type, input.shape, values);
  });
}

Value run(const Call& call, const MaxIndices& op) {
  const Value& input = call.input(0);
  const Shape& image = input.shape;
  const Shape& output = call.output_tensor().shape;
  const Window window = op.window;
  std::vector<std::int64_t> result(static_cast<std::size_t>(count(output)));
  with_element(input.type, [&](auto element) {
    using Element = decltype(element);
    const auto values = elements<Element>(input);
    for_each_index(output, [&](const Index& at, std::size_t position) {
      bool seen = false;
      Element most{};
      for (int tap = 0; tap < window.kernel_h * window.kernel_w; ++tap) {
        const std::int64_t y = golden::input_y(window, static_cast<int>(at[1]), tap / window.kernel_w);
        const std::int64_t x = golden::input_x(window, static_cast<int>(at[2]), tap % window.kernel_w);
        if (y < 0 || y >= image[1] || x < 0 || x >= image[2]) {
          continue;
        }
        const Element here = values[position_of(image, {at[0], y, x, at[3]})];
        if (!seen || below(most, here)) {
          seen = true;
          most = here;
          const std::int64_t plane = (at[0] * image[3] + at[3]) * image[1] * image[2];
          result[position] = plane + (op.columns_first ? x * image[1] + y : y * image[2] + x);
        }
      }
    });
    return 0;
  });
  return make_value(ElementType::kInt64, output, result);
}

}  // namespace systole::graph
