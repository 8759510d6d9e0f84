// SPDX-License-Identifier: Apache-2.0
// 1-D, 2-D and 3-D pooling.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "onnx_images.hpp"
#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

TensorId apply(Translation& t, const Pool& pool, TensorId image) {
  return pool.kind == PoolKind::kMax ? t.move(pool, image)
                                     : t.emit(pool, {image}, t.tensor(image).type, t.tensor(image).quantization);
}

/// A volume is pooled image by image, then along the depth.
TensorId over_volume(Translation& t, Pool pool, TensorId input, const std::vector<Steps>& steps) {
  const TensorId last = t.transpose(input, {0, 2, 3, 4, 1});
  const Shape s = t.shape(last);
  pool.window = window(steps[1], steps[2]);
  const TensorId images = apply(t, pool, t.reshape(last, {s[0] * s[1], s[2], s[3], s[4]}));
  const Shape flat = t.shape(images);
  pool.window = window(steps[0], Steps{});
  const TensorId deep = apply(t, pool, t.reshape(images, {s[0], s[1], flat[1] * flat[2], s[4]}));
  return t.transpose(t.reshape(deep, {s[0], t.shape(deep)[1], flat[1], flat[2], s[4]}), {0, 4, 1, 2, 3});
}

std::vector<Steps> steps_of(Translation& t, TensorId input, bool ceil) {
  const Shape sizes = spatial(t.shape(input));
  const auto kernel = t.integers("kernel_shape");
  if (!kernel || kernel->size() != sizes.size() || sizes.empty() || sizes.size() > 3) {
    t.fail(fmt::format("kernel_shape is missing or does not have one value per spatial dimension of input {}",
                       to_string(t.shape(input))));
  }
  return onnx_file::steps_of(t, sizes, *kernel, ceil);
}

TensorId pooled(Translation& t, Pool pool, TensorId input, const std::vector<Steps>& steps) {
  if (steps.size() == 3) {
    return over_volume(t, pool, input, steps);
  }
  pool.window = window(steps);
  return from_image(t, apply(t, pool, to_image(t, input)), t.shape(input).size());
}

}  // namespace

void max_pool(Translation& t) {
  const TensorId input = t.input(0);
  const std::vector<Steps> steps = steps_of(t, input, t.integer("ceil_mode", 0) != 0);
  Pool pool;
  pool.kind = PoolKind::kMax;
  t.result(pooled(t, pool, input, steps));
  if (t.wants_output(1)) {
    if (steps.size() == 3) {
      t.refuse(OnnxRefusal::kSecondResult,
               "indices of 3-D pooling are not supported; those of 1-D and 2-D pooling are");
    }
    const TensorId image = to_image(t, input);
    const MaxIndices indices{window(steps), t.integer("storage_order", 0) != 0};
    t.result(from_image(t, t.emit(indices, {image}, ElementType::kInt64), t.shape(input).size()), 1);
  }
}

namespace {

/// The input with its padding as elements. What is beyond remains padding of the windows.
TensorId padded(Translation& t, TensorId input, std::vector<Steps>& steps) {
  Pad pad;
  pad.before.assign(t.shape(input).size(), 0);
  pad.after = pad.before;
  bool any = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Steps& s = steps[i];
    pad.before[i + 2] = s.before;
    pad.after[i + 2] = s.after - s.beyond;
    any = any || s.before + s.after > s.beyond;
    s.before = 0;
    s.after = s.beyond;
  }
  return any ? t.move(pad, input) : input;
}

}  // namespace

/// With count_include_pad the padding counts, but not what the last window of ceil_mode has beyond it.
TensorId average_pooled(Translation& t, TensorId input) {
  std::vector<Steps> steps = steps_of(t, input, t.integer("ceil_mode", 0) != 0);
  Pool pool;
  pool.kind = PoolKind::kAverage;
  pool.count_padding = t.integer("count_include_pad", 0) != 0;
  if (pool.count_padding && std::any_of(steps.begin(), steps.end(), [](const Steps& s) { return s.beyond > 0; })) {
    input = padded(t, input, steps);
    pool.count_padding = false;
  }
  return pooled(t, pool, input, steps);
}

void average_pool(Translation& t) { t.result(average_pooled(t, t.input(0))); }

/// The p-norm of each window. In operator set 1, p is a real number.
void lp_pool(Translation& t) {
  const TensorId input = t.input(0);
  const bool global = t.type() == "GlobalLpPool";
  const double p = t.opset() < 2 ? double{t.real("p", 2.0F)} : static_cast<double>(t.integer("p", 2));
  if (!(p > 0) || !std::isfinite(p)) {
    t.fail(fmt::format("p is {}; expected a finite number greater than 0", p));
  }
  const TensorId powers = t.binary(BinaryKind::kPower, t.unary(UnaryKind::kAbs, input), t.scalar(p, input));
  TensorId sums = kNoTensor;
  if (global) {
    std::vector<int> axes;
    for (std::size_t i = 2; i < t.shape(input).size(); ++i) {
      axes.push_back(static_cast<int>(i));
    }
    sums = reduce(t, ReduceKind::kSum, powers, axes, true);
  } else {
    const std::vector<Steps> steps = steps_of(t, input, t.opset() >= 18 && t.integer("ceil_mode", 0) != 0);
    double elements = 1;
    for (const Steps& s : steps) {
      elements *= static_cast<double>(s.kernel);
    }
    Pool pool;
    pool.kind = PoolKind::kAverage;
    pool.count_padding = true;
    sums = t.binary(BinaryKind::kMultiply, pooled(t, pool, powers, steps), t.scalar(elements, input));
  }
  t.result(t.binary(BinaryKind::kPower, sums, t.scalar(1 / p, input)));
}

void global_pool(Translation& t) {
  const TensorId input = t.input(0);
  const bool largest = t.type() == "GlobalMaxPool";
  const Shape sizes = spatial(t.shape(input));
  if (sizes.size() == 2) {
    Pool pool;
    pool.kind = largest ? PoolKind::kMax : PoolKind::kAverage;
    std::vector<Steps> steps(2);
    steps[0].kernel = sizes[0];
    steps[1].kernel = sizes[1];
    t.result(pooled(t, pool, input, steps));
    return;
  }
  std::vector<int> axes;
  for (std::size_t i = 2; i < t.shape(input).size(); ++i) {
    axes.push_back(static_cast<int>(i));
  }
  t.result(reduce(t, largest ? ReduceKind::kMax : ReduceKind::kMean, input, axes, true));
}

}  // namespace systole::graph::onnx_file
