// SPDX-License-Identifier: Apache-2.0
// Quantized operators of the domain com.microsoft, which ONNX quantizers emit.
#include <fmt/core.h>

#include <algorithm>

#include "onnx_images.hpp"
#include "onnx_operators.hpp"
#include "onnx_parameters.hpp"

namespace systole::graph::onnx_file {
namespace {

/// The node's input `i` with the scale and zero point that follow it.
TensorId quantized(Translation& t, std::size_t i) {
  const Quantization q = one_scale(t, i + 1, i + 2, t.tensor(t.input(i)).type);
  return t.with_quantization(t.input(i), q);
}

/// In steps of another scale.
TensorId requantized(Translation& t, TensorId id, ElementType type, const Quantization& to) {
  const Quantization& from = *t.tensor(id).quantization;
  const bool same = t.tensor(id).type == type && from.scale == to.scale && from.zero_point == to.zero_point;
  return same ? id : t.convert(id, type, to);
}

TensorId as_real(Translation& t, TensorId id) { return t.convert(id, ElementType::kFloat32); }

/// N,H,W,C as N,C,H,W.
TensorId channels_first(Translation& t, TensorId id) {
  const int rank = static_cast<int>(t.shape(id).size());
  std::vector<int> order = {0, rank - 1};
  for (int axis = 1; axis + 1 < rank; ++axis) {
    order.push_back(axis);
  }
  return t.transpose(id, order);
}

/// N,C,H,W as N,H,W,C.
TensorId channels_last(Translation& t, TensorId id) {
  std::vector<int> order = {0};
  for (int axis = 2; axis < static_cast<int>(t.shape(id).size()); ++axis) {
    order.push_back(axis);
  }
  order.push_back(1);
  return t.transpose(id, order);
}

}  // namespace

/// QLinearAdd and QLinearMul: A, B and the result, each with scale and zero point.
void qlinear_binary(Translation& t) {
  const TensorId a = quantized(t, 0);
  const TensorId b = quantized(t, 3);
  const BinaryKind kind = t.type() == "QLinearAdd" ? BinaryKind::kAdd : BinaryKind::kMultiply;
  const ElementType type = t.tensor(a).type;
  t.result(t.emit(Binary{kind}, {a, b}, type, one_scale(t, 6, 7, type)));
}

/// QLinearSigmoid and QLinearLeakyRelu
void qlinear_unary(Translation& t) {
  const TensorId x = quantized(t, 0);
  const ElementType type = t.tensor(x).type;
  const Unary kind =
      t.type() == "QLinearSigmoid" ? Unary{UnaryKind::kSigmoid} : Unary{UnaryKind::kLeakyRelu, t.real("alpha", 0.01F)};
  t.result(t.emit(kind, {x}, type, one_scale(t, 3, 4, type)));
}

/// The mean over the image, N,C,H,W or N,H,W,C.
void qlinear_global_average_pool(Translation& t) {
  const TensorId x = quantized(t, 0);
  const bool channels_last = t.integer("channels_last", 0) != 0;
  const std::size_t rank = t.shape(x).size();
  if (rank < 3) {
    t.fail(fmt::format("input has shape {}; expected at least 3 dimensions", to_string(t.shape(x))));
  }
  std::vector<int> axes;
  for (std::size_t i = 2; i < rank; ++i) {
    axes.push_back(static_cast<int>(channels_last ? i - 1 : i));
  }
  const ElementType type = t.tensor(x).type;
  const Quantization to = one_scale(t, 3, 4, type);
  const Quantization from = *t.tensor(x).quantization;
  if (rank == 4 && from.scale == to.scale && from.zero_point == to.zero_point) {  // a pooling, which the device may
                                                                                  // support
    const TensorId image = channels_last ? x : to_image(t, x);
    Pool pool;
    pool.kind = PoolKind::kAverage;
    pool.window.kernel_h = static_cast<int>(t.shape(image)[1]);
    pool.window.kernel_w = static_cast<int>(t.shape(image)[2]);
    const TensorId mean = t.emit(pool, {image}, type, to);
    t.result(channels_last ? mean : from_image(t, mean, rank));
    return;
  }
  t.result(t.emit(Reduce{ReduceKind::kMean, axes, true}, {x}, type, to));
}

/// The mean of each window, N,C,H,W or N,H,W,C.
void qlinear_average_pool(Translation& t) {
  const TensorId x = quantized(t, 0);
  const ElementType type = t.tensor(x).type;
  const bool last = t.integer("channels_last", 0) != 0;
  if (last && t.shape(x).size() < 3) {
    t.fail(fmt::format("input has shape {}; expected at least 3 dimensions", to_string(t.shape(x))));
  }
  const TensorId real = as_real(t, x);
  const TensorId mean = average_pooled(t, last ? channels_first(t, real) : real);
  t.result(t.convert(last ? channels_last(t, mean) : mean, type, one_scale(t, 3, 4, type)));
}

void qlinear_reduce_mean(Translation& t) {
  const TensorId x = quantized(t, 0);
  const std::size_t rank = t.shape(x).size();
  std::vector<int> axes;
  for (const std::int64_t axis : t.integers("axes").value_or(std::vector<std::int64_t>{})) {
    axes.push_back(static_cast<int>(t.axis(axis, rank)));
  }
  for (std::size_t axis = 0; axis < rank && !t.has("axes"); ++axis) {
    axes.push_back(static_cast<int>(axis));
  }
  std::sort(axes.begin(), axes.end());
  const ElementType type = t.tensor(x).type;
  const bool keep = t.integer("keepdims", 1) != 0;
  t.result(t.emit(Reduce{ReduceKind::kMean, axes, keep}, {x}, type, one_scale(t, 3, 4, type)));
}

/// The operands have scales of their own; they follow the result's.
void qlinear_concat(Translation& t) {
  if (t.input_count() < 5 || t.input_count() % 3 != 2) {
    t.fail(
        fmt::format("{} inputs; expected scale and zero point of the result, and 3 for each operand", t.input_count()));
  }
  const ElementType type = type_of_zero_point(t, 1);
  const Quantization to = one_scale(t, 0, 1, type);
  std::vector<TensorId> parts;
  for (std::size_t i = 2; i < t.input_count(); i += 3) {
    parts.push_back(requantized(t, quantized(t, i), type, to));
  }
  const std::size_t axis = t.axis(t.needed_integer("axis"), t.shape(parts[0]).size());
  t.result(t.emit(Concat{static_cast<int>(axis)}, parts, type, to));
}

/// The softmax of the operator set that the node names.
void qlinear_softmax(Translation& t) {
  const TensorId x = quantized(t, 0);
  const ElementType type = t.tensor(x).type;
  const TensorId real = softmaxed(t, as_real(t, x), t.needed_integer("opset"));
  t.result(t.convert(real, type, one_scale(t, 3, 4, type)));
}

void qlinear_where(Translation& t) {
  const TensorId a = quantized(t, 1);
  const ElementType type = t.tensor(a).type;
  const Quantization to = one_scale(t, 7, 8, type);
  t.result(t.select(t.input(0), requantized(t, a, type, to), requantized(t, quantized(t, 4), type, to)));
}

}  // namespace systole::graph::onnx_file
