// SPDX-License-Identifier: Apache-2.0
// Pools over lines, images and volumes.
#include <fmt/core.h>

#include "import/onnx/images.hpp"
#include "import/onnx/operators.hpp"

namespace systole::graph::onnx_file {
namespace {

TensorId apply(Translation& t, const Pool& pool, TensorId image) {
  return pool.kind == PoolKind::kMax ? t.move(pool, image) : t.emit(pool, {image}, t.tensor(image).type, t.tensor(image).quantization);
}

/// A volume is pooled image by image, and the results along the depth: sums, counts and maxima are products of those.
TensorId over_volume(Translation& t, const Pool& kind, TensorId input, const std::vector<std::int64_t>& kernel) {
  const TensorId last = t.transpose(input, {0, 2, 3, 4, 1});
  const Shape s = t.shape(last);
  for (const char* attribute : {"strides", "pads", "dilations"}) {
    for (const std::int64_t value : t.integers(attribute).value_or(std::vector<std::int64_t>{})) {
      if (value != (attribute[0] == 'p' ? 0 : 1)) {
        t.refuse(OnnxRefusal::kMode, fmt::format("{} of {} over a volume; plain windows are supported", attribute, value));
      }
    }
  }
  Pool pool = kind;
  pool.sliding = {};
  pool.sliding.kernel_h = static_cast<int>(kernel[1]);
  pool.sliding.kernel_w = static_cast<int>(kernel[2]);
  const TensorId images = apply(t, pool, t.reshape(last, {s[0] * s[1], s[2], s[3], s[4]}));
  const Shape flat = t.shape(images);
  pool.sliding.kernel_h = static_cast<int>(kernel[0]);
  pool.sliding.kernel_w = 1;
  const TensorId deep = apply(t, pool, t.reshape(images, {s[0], s[1], flat[1] * flat[2], s[4]}));
  return t.transpose(t.reshape(deep, {s[0], t.shape(deep)[1], flat[1], flat[2], s[4]}), {0, 4, 1, 2, 3});
}

void pool_with(Translation& t, Pool pool) {
  const TensorId input = t.input(0);
  const std::size_t rank = t.shape(input).size();
  const auto kernel = t.integers("kernel_shape");
  if (!kernel || kernel->size() + 2 != rank || kernel->empty() || kernel->size() > 3) {
    t.fail(fmt::format("kernel_shape is missing or has not a value per dimension of an image of shape {}", to_string(t.shape(input))));
  }
  for (const std::int64_t size : *kernel) {
    if (size < 1 || size > (1 << 24)) {
      t.fail(fmt::format("a kernel of {}; the range is 1 .. 2^24", size));
    }
  }
  if (rank == 5) {
    t.result(over_volume(t, pool, input, *kernel));
    return;
  }
  const bool ceil = t.integer("ceil_mode", 0) != 0;
  const TensorId image = to_image(t, input);
  pool.sliding = sliding_of(t, t.shape(image), *kernel, ceil);
  if (ceil && pool.count_padding) {
    t.refuse(OnnxRefusal::kMode, "ceil_mode with count_include_pad; whether the last windows count what they lack is not defined");
  }
  t.result(from_image(t, apply(t, pool, image), rank));
}

}  // namespace

void max_pool(Translation& t) {
  if (t.wants_output(1)) {
    t.refuse(OnnxRefusal::kSecondResult, "indices of the maxima; the maxima alone are supported");
  }
  Pool pool;
  pool.kind = PoolKind::kMax;
  pool_with(t, pool);
}

void average_pool(Translation& t) {
  Pool pool;
  pool.kind = PoolKind::kAverage;
  pool.count_padding = t.integer("count_include_pad", 0) != 0;
  pool_with(t, pool);
}

void global_pool(Translation& t) {
  const TensorId input = t.input(0);
  const bool largest = t.type() == "GlobalMaxPool";
  const std::size_t rank = t.shape(input).size();
  if (rank == 4) {
    const TensorId image = to_image(t, input);
    Pool pool;
    pool.kind = largest ? PoolKind::kMax : PoolKind::kAverage;
    pool.sliding.kernel_h = static_cast<int>(t.shape(image)[1]);
    pool.sliding.kernel_w = static_cast<int>(t.shape(image)[2]);
    t.result(from_image(t, apply(t, pool, image), rank));
    return;
  }
  std::vector<int> axes;
  for (std::size_t i = 2; i < rank; ++i) {
    axes.push_back(static_cast<int>(i));
  }
  t.result(reduce(t, largest ? ReduceKind::kMax : ReduceKind::kMean, input, axes, true));
}

}  // namespace systole::graph::onnx_file
