// SPDX-License-Identifier: Apache-2.0
// Quantized operators of the domain com.microsoft, which ONNX quantizers emit.
#include <fmt/core.h>

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

}  // namespace systole::graph::onnx_file
