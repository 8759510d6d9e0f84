// SPDX-License-Identifier: Apache-2.0
// Bilinear resize of images.
#include <algorithm>
#include <cmath>

#include "element_visit.hpp"
#include "indices.hpp"
#include "quantized_types.hpp"
#include "quantized_values.hpp"
#include "resize.hpp"

namespace systole::graph {
namespace {

/// The two input rows between which an output row lies, and its distance from the first; in float32, as in TensorFlow
/// Lite's reference kernel.
struct Between {
  std::int64_t lower, upper;
  float behind;
};

Between between(std::int64_t at, std::int64_t input, std::int64_t output, const ResizeBilinear& op) {
  const bool align = op.align_corners && output > 1;
  const float scale = align ? static_cast<float>(input - 1) / static_cast<float>(output - 1)
                            : static_cast<float>(input) / static_cast<float>(output);
  const float position =
      op.half_pixel_centers ? (static_cast<float>(at) + 0.5F) * scale - 0.5F : static_cast<float>(at) * scale;
  const auto lower = std::max<std::int64_t>(static_cast<std::int64_t>(std::floor(position)), 0);
  const auto upper = std::min<std::int64_t>(static_cast<std::int64_t>(std::ceil(position)), input - 1);
  return {lower, upper, position - static_cast<float>(lower)};
}

Value real(const Call& call, const ResizeBilinear& op) {
  const Shape& from = call.input(0).shape;
  const Shape& to = call.output_tensor().shape;
  return with_element(call.input(0).type, [&](auto element) {
    using Element = decltype(element);
    const auto input = elements<Element>(call.input(0));
    std::vector<Element> result(static_cast<std::size_t>(count(to)));
    for_each_index(to, [&](const Index& at, std::size_t position) {
      const Between row = between(at[1], from[1], to[1], op);
      const Between column = between(at[2], from[2], to[2], op);
      const auto pixel = [&](std::int64_t y, std::int64_t x) {
        return static_cast<float>(input[position_of(from, {at[0], y, x, at[3]})]);
      };
      result[position] = static_cast<Element>(pixel(row.lower, column.lower) * (1 - row.behind) * (1 - column.behind) +
                                              pixel(row.upper, column.lower) * row.behind * (1 - column.behind) +
                                              pixel(row.lower, column.upper) * (1 - row.behind) * column.behind +
                                              pixel(row.upper, column.upper) * row.behind * column.behind);
    });
    return make_value(call.input(0).type, to, result);
  });
}

}  // namespace

Value run(const Call& call, const ResizeBilinear& op) {
  const Tensor& output = call.output_tensor();
  if (is_byte(output.type)) {
    const golden::Resize resize{static_cast<int>(output.shape[1]), static_cast<int>(output.shape[2]), op.align_corners,
                                op.half_pixel_centers};
    return from_int8(golden::resize_bilinear(tensor8(call.input(0)), resize).data, output);
  }
  if (!with_element(output.type, [](auto element) { return kIsReal<decltype(element)>; })) {
    call.unsupported("only int8, uint8 and floating-point are supported");
  }
  return real(call, op);
}

}  // namespace systole::graph
