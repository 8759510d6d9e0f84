// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft that are several of ONNX: activations with a bias, normalizations of sums, products of
// transposed matrices, embeddings.
#include <fmt/core.h>

#include <functional>
#include <utility>

#include "onnx_operators.hpp"
#include "onnx_parameters.hpp"

namespace systole::graph::onnx_file {
namespace {

TensorId plus(Translation& t, TensorId a, TensorId b) { return t.binary(BinaryKind::kAdd, a, b); }

}  // namespace

/// BiasGelu: of x plus a bias, by the error function.
void bias_gelu(Translation& t) { t.result(t.unary(UnaryKind::kGelu, plus(t, t.input(0), t.input(1)))); }

/// FastGelu: of x plus a bias that may be missing, by tanh.
void fast_gelu(Translation& t) {
  t.result(gelu_by_tanh(t, t.has_input(1) ? plus(t, t.input(0), t.input(1)) : t.input(0)));
}

void quick_gelu(Translation& t) { t.result(swished(t, t.input(0), t.real("alpha", 1.702F))); }

/// The sum of the input, what is skipped and a bias, normalized by mean and deviation, or by the root mean square
/// alone.
void skip_normalization(Translation& t) {
  const bool by_mean = t.type() == "SkipLayerNormalization";
  TensorId sum = plus(t, t.input(0), t.input(1));
  if (const std::size_t bias = by_mean ? 4 : 3; t.has_input(bias)) {
    sum = plus(t, sum, t.input(bias));
  }
  const float epsilon = t.real("epsilon", 1e-12F);
  const TensorId summands = by_mean ? t.optional_input(3) : kNoTensor;
  t.result(by_mean ? layer_normalized(t, sum, t.input(2), summands, epsilon)
                   : root_mean_square_normalized(t, sum, t.input(2), -1, epsilon),
           0);
  t.result(sum, 3);
}

namespace {

/// Words, places and segments looked up, added and normalized. `real`: the real numbers of an input.
void embedded(Translation& t, TensorId places, const std::function<TensorId(std::size_t)>& real) {
  const TensorId ids = t.input(0);
  const Shape shape = t.shape(ids);
  if (shape.size() != 2) {
    t.fail(fmt::format("the words have shape {}; expected [batch, sequence]", to_string(shape)));
  }
  const auto looked_up = [&](std::size_t table, TensorId at) {
    const TensorId numbers = real(table);
    return t.emit(Gather{0}, {numbers, at}, t.tensor(numbers).type);
  };
  if (places == kNoTensor) {
    places = t.count_along(ElementType::kInt64, 1, 2, shape[1]);
  }
  TensorId sum = plus(t, looked_up(2, ids), looked_up(3, places));
  if (t.has_input(1) && t.has_input(4)) {
    sum = plus(t, sum, looked_up(4, t.input(1)));
  }
  t.result(layer_normalized(t, sum, real(5), real(6), t.real("epsilon", 1e-12F)), 0);
  if (t.wants_output(1)) {
    t.result(t.has_input(7) ? reduce(t, ReduceKind::kSum, t.plain(t.input(7)), {1}, false)
                            : expand(t, t.numbers(ElementType::kInt32, {}, {0}), {shape[0]}),
             1);
  }
  t.result(sum, 2);
}

}  // namespace

void embed_layer_normalization(Translation& t) {
  embedded(t, t.optional_input(8), [&t](std::size_t i) { return t.input(i); });
}

/// QEmbedLayerNormalization: the tables 2 .. 6 are quantized; their scales and zero points are other inputs.
void quantized_embeddings(Translation& t) {
  embedded(t, kNoTensor, [&t](std::size_t i) {
    const Quantization q = one_scale(t, i + 6, i + 11, t.tensor(t.input(i)).type);
    return t.convert(t.with_quantization(t.input(i), q), ElementType::kFloat32);
  });
}

/// alpha A B, each transposed if the node says so.
void fused_matmul(Translation& t) {
  if (t.integer("transBatchA", 0) != 0 || t.integer("transBatchB", 0) != 0) {
    t.refuse(OnnxRefusal::kMode, "transBatchA and transBatchB are not supported");
  }
  const auto operand = [&](std::size_t i, const char* attribute) {
    const TensorId id = t.input(i);
    const std::size_t rank = t.shape(id).size();
    if (t.integer(attribute, 0) == 0 || rank < 2) {
      return id;
    }
    std::vector<int> swapped(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
      swapped[axis] = static_cast<int>(axis);
    }
    std::swap(swapped[rank - 2], swapped[rank - 1]);
    return t.transpose(id, swapped);
  };
  const TensorId a = operand(0, "transA");
  const float alpha = t.real("alpha", 1.0F);
  const TensorId result = matrix_product(t, a, operand(1, "transB"), t.tensor(a).type);
  t.result(alpha == 1 ? result : t.binary(BinaryKind::kMultiply, result, t.scalar(double{alpha}, result)));
}

/// A gate A that lets B through: swish(A) B.
void gated_swish(Translation& t) {
  t.result(t.binary(BinaryKind::kMultiply, swished(t, t.input(0), t.real("alpha", 1.0F)), t.input(1)));
}

}  // namespace systole::graph::onnx_file
