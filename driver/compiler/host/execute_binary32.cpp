// SPDX-License-Identifier: Apache-2.0
#include "execute_binary32.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "binary32.hpp"
#include "binary32_operands.hpp"
#include "boxes.hpp"
#include "execute_rows.hpp"
#include "indices.hpp"
#include "infer.hpp"
#include "parallel.hpp"
#include "window.hpp"

namespace systole::graph {
namespace {

namespace b32 = golden::binary32;

using Combination = float (*)(float, float);

constexpr float kInfinite = std::numeric_limits<float>::infinity();

/// Neighbours, from the first to the last.
float folded_at_once(const float* first, std::int64_t count, ReduceKind kind) {
  const auto fold = [&](float start, Combination combine) {
    return std::accumulate(first, first + count, start, combine);
  };
  switch (kind) {
    case ReduceKind::kMax: return fold(-kInfinite, b32::maximum);
    case ReduceKind::kMin: return fold(kInfinite, b32::minimum);
    case ReduceKind::kProduct: return fold(1, b32::multiply);
    default: {
      b32::Sum sum;
      std::for_each(first, first + count, [&](float value) { sum.add(value); });
      return sum.result();
    }
  }
}

/// In groups of neighbours, until one number is left.
float folded(std::vector<float>& values, ReduceKind kind) {
  do {
    const auto count = static_cast<std::int64_t>(values.size());
    const std::int64_t part = b32::folded_at_once(count);
    for (std::int64_t i = 0; i < count / part; ++i) {
      values[static_cast<std::size_t>(i)] = folded_at_once(values.data() + i * part, part, kind);
    }
    values.resize(static_cast<std::size_t>(count / part));
  } while (values.size() > 1);
  return values[0];
}

/// The number that outside of the image changes no fold.
float outside(PoolKind kind) { return kind == PoolKind::kMax ? -kInfinite : 0; }

/// Along axes, which then have length 1, in `kept`.
std::vector<float> folded(const std::vector<float>& input, const Shape& shape, const std::vector<int>& axes,
                          ReduceKind kind, Shape& kept) {
  kept = shape;
  for (const int axis : axes) {
    kept[axis_of(axis, shape.size())] = 1;
  }
  const Places dense = dense_places(shape);
  Shape turned;  // with the axes last, so that what becomes one number is contiguous
  Places from;
  for (const bool last : {false, true}) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if ((kept[axis] == 1) == last) {
        turned.push_back(shape[axis]);
        from.steps.push_back(dense.steps[axis]);
      }
    }
  }
  const Value lines = boxed(make_value(ElementType::kFloat32, shape, input), turned, from);
  const auto* numbers = reinterpret_cast<const float*>(lines.data.data());
  std::vector<float> results(static_cast<std::size_t>(count(kept)));
  const std::size_t each = results.empty() ? 0 : input.size() / results.size();
  golden::parallel_ranges(results.size(), kCost * each, [&](std::size_t i, std::size_t last) {
    for (; i < last; ++i) {
      std::vector<float> values(numbers + i * each, numbers + (i + 1) * each);
      results[i] = folded(values, kind);
    }
  });
  return results;
}

/// Each element with the one that `kept` has for it.
std::vector<float> combined(const std::vector<float>& a, const Shape& shape, const std::vector<float>& b,
                            const Shape& kept, Combination combine) {
  const Value narrow = make_value(ElementType::kFloat32, kept, b);
  std::vector<float> results(a.size());
  for_all(a.data(), Operand(narrow, shape).data(), combine, results.data(), results.size());
  return results;
}

/// Whether the rule for matrix products holds for these sums of `depth` products.
bool multiplies(const Call& call, std::int64_t depth) {
  return applies(call) && call.input(1).type == ElementType::kFloat32 &&
         call.output_tensor().type == ElementType::kFloat32 &&
         count(call.output_tensor().shape) * depth <= b32::kMostProducts;
}

/// Sums of products: factors(result) returns the two functions of k whose products are summed for a result.
template <class Factors>
std::vector<float> sums_of_products(std::int64_t results, std::int64_t depth, const Factors& factors) {
  constexpr std::size_t kSteps = 8;  // of a product and its place in the sum
  std::vector<float> sums(static_cast<std::size_t>(results));
  golden::parallel_ranges(sums.size(), kSteps * kCost * static_cast<std::size_t>(depth),
                          [&](std::size_t i, std::size_t last) {
                            std::vector<float> products;
                            for (; i < last; ++i) {
                              const auto [a, b] = factors(static_cast<std::int64_t>(i));
                              products.clear();
                              for (std::int64_t k = 0; k < depth; ++k) {
                                products.push_back(b32::multiply(a(k), b(k)));
                              }
                              sums[i] = folded(products, ReduceKind::kSum);
                            }
                          });
  return sums;
}

Value with_bias(const Call& call, std::vector<float> sums) {
  const Tensor& output = call.output_tensor();
  if (call.has_input(2)) {
    const auto bias = elements<float>(broadcast_to(call.input(2), output.shape));
    std::transform(sums.begin(), sums.end(), bias.begin(), sums.begin(), b32::add);
  }
  return make_value(output.type, output.shape, sums);
}

}  // namespace

std::optional<Value> in_binary32(const Call& call, const Reduce& op) {
  if (!applies(call)) {
    return in_rows(call, op);
  }
  const auto input = elements<float>(call.input(0));
  Shape kept;
  std::vector<float> results = folded(input, call.input(0).shape, op.axes, op.kind, kept);
  if (op.kind == ReduceKind::kMean) {
    const auto number = static_cast<float>(input.size() / results.size());
    apply_to(results, [=](float sum) { return b32::divide(sum, number); });
  }
  return make_value(call.output_tensor().type, call.output_tensor().shape, results);
}

std::optional<Value> in_binary32(const Call& call, const Softmax& op) {
  if (!applies(call) || op.beta != 1 || is_strict_row(op, call.input(0).shape)) {
    return in_rows(call, op);
  }
  const Shape& shape = call.input(0).shape;
  Shape kept;
  auto values = elements<float>(call.input(0));
  const auto most = folded(values, shape, {op.axis}, ReduceKind::kMax, kept);
  const std::vector<float> below = combined(values, shape, most, kept, b32::subtract);
  values = below;
  apply_to(values, b32::exponential);
  std::vector<float> sum = folded(values, shape, {op.axis}, ReduceKind::kSum, kept);
  if (op.logarithm) {
    apply_to(sum, b32::logarithm);
    values = combined(below, shape, sum, kept, b32::subtract);
  } else {
    apply_to(sum, [](float of_powers) { return b32::divide(1, of_powers); });
    values = combined(values, shape, sum, kept, b32::multiply);
  }
  return make_value(call.output_tensor().type, call.output_tensor().shape, values);
}

std::optional<Value> in_binary32(const Call& call, const Pool& op) {
  if (!applies(call) || op.activation != Activation::kNone) {
    return std::nullopt;
  }
  const auto input = elements<float>(call.input(0));
  const Shape &image = call.input(0).shape, &output = call.output_tensor().shape;
  const Window& window = op.window;
  const bool largest = op.kind == PoolKind::kMax;
  std::vector<float> results(static_cast<std::size_t>(count(output)));
  std::vector<float> taps;
  bool only_padding = false;
  for_each_index(output, [&](const Index& at, std::size_t position) {
    taps.clear();
    int inside = 0;
    for (int tap = 0; tap < window.kernel_h * window.kernel_w; ++tap) {
      const std::int64_t y = golden::input_y(window, static_cast<int>(at[1]), tap / window.kernel_w);
      const std::int64_t x = golden::input_x(window, static_cast<int>(at[2]), tap % window.kernel_w);
      const bool there = y >= 0 && y < image[1] && x >= 0 && x < image[2];
      inside += there ? 1 : 0;
      taps.push_back(there ? input[static_cast<std::size_t>(((at[0] * image[1] + y) * image[2] + x) * image[3] + at[3])]
                           : outside(op.kind));
    }
    only_padding = only_padding || inside == 0;
    const int number = op.count_padding ? window.kernel_h * window.kernel_w : inside;
    const float result = folded(taps, largest ? ReduceKind::kMax : ReduceKind::kSum);
    results[position] = largest ? result : b32::divide(result, static_cast<float>(number));
  });
  return only_padding ? std::nullopt : std::optional(make_value(call.output_tensor().type, output, results));
}

std::optional<Value> in_binary32(const Call& call, const MatMul& op) {
  const Shape& output = call.output_tensor().shape;
  const Shape& of_a = call.input(0).shape;
  const std::int64_t depth = op.transpose_a ? of_a.end()[-2] : of_a.back();
  if (!multiplies(call, depth)) {
    return std::nullopt;
  }
  const auto operand = [&](std::size_t i) {
    Shape shape(output.begin(), output.end() - 2);
    shape.insert(shape.end(), call.input(i).shape.end() - 2, call.input(i).shape.end());
    return elements<float>(broadcast_to(call.input(i), shape));
  };
  const std::vector<float> a = operand(0), b = operand(1);
  const std::int64_t rows = output.end()[-2], columns = output.back();
  return with_bias(
      call, sums_of_products(count(output), depth, [&](std::int64_t at) {
        const std::int64_t column = at % columns, row = at / columns % rows, matrix = at / columns / rows * depth;
        return std::pair(
            [=, &a, &op](std::int64_t k) {
              return a[static_cast<std::size_t>(matrix * rows + (op.transpose_a ? k * rows + row : row * depth + k))];
            },
            [=, &b, &op](std::int64_t k) {
              return b[static_cast<std::size_t>(matrix * columns +
                                                (op.transpose_b ? column * depth + k : k * columns + column))];
            });
      }));
}

std::optional<Value> in_binary32(const Call& call, const Dense& op) {
  const std::int64_t depth = call.input(1).shape[1], outputs = call.input(1).shape[0];
  if (!multiplies(call, depth) || op.activation != Activation::kNone) {
    return std::nullopt;
  }
  const auto input = elements<float>(call.input(0)), weights = elements<float>(call.input(1));
  return with_bias(call, sums_of_products(count(call.output_tensor().shape), depth, [&](std::int64_t at) {
                     const float* row = input.data() + at / outputs * depth;
                     const float* column = weights.data() + at % outputs * depth;
                     return std::pair([=](std::int64_t k) { return row[k]; },
                                      [=](std::int64_t k) { return column[k]; });
                   }));
}

std::optional<Value> in_binary32(const Call& call, const Conv2d& op) {
  const Shape &image = call.input(0).shape, &filter = call.input(1).shape, &output = call.output_tensor().shape;
  const std::int64_t channels = image[3], depth = filter[1] * filter[2] * filter[3];
  if (!multiplies(call, depth) || op.activation != Activation::kNone || op.groups != 1) {
    return std::nullopt;
  }
  const auto input = elements<float>(call.input(0)), weights = elements<float>(call.input(1));
  return with_bias(call, sums_of_products(count(output), depth, [&](std::int64_t at) {
                     const std::int64_t place = at / output[3];
                     const int column = static_cast<int>(place % output[2]),
                               row = static_cast<int>(place / output[2] % output[1]);
                     const std::int64_t sample = place / output[2] / output[1];
                     const auto pixel = [=, &input, &image, &op](std::int64_t k) {
                       const int tap = static_cast<int>(k / channels);
                       const std::int64_t y = golden::input_y(op.window, row, tap / op.window.kernel_w);
                       const std::int64_t x = golden::input_x(op.window, column, tap % op.window.kernel_w);
                       const bool there = y >= 0 && y < image[1] && x >= 0 && x < image[2];
                       return there ? input[static_cast<std::size_t>(
                                          ((sample * image[1] + y) * image[2] + x) * channels + k % channels)]
                                    : 0.0F;
                     };
                     const float* of_output = weights.data() + at % output[3] * depth;
                     return std::pair(pixel, [=](std::int64_t k) { return of_output[k]; });
                   }));
}

int whole_power(const Tensor& exponent) {
  if (!exponent.constant || exponent.type != ElementType::kFloat32) {
    return 0;
  }
  const auto values = elements<float>(constant_value(exponent));
  for (const int power : {2, 3}) {
    if (std::all_of(values.begin(), values.end(), [&](float value) { return value == static_cast<float>(power); })) {
      return power;
    }
  }
  return 0;
}

}  // namespace systole::graph
