// SPDX-License-Identifier: Apache-2.0
// Operators of transformers.
#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::ElementType;
using graph::TensorId;

OneOperator builder_of(const Spec& spec) { return OneOperator(static_cast<std::uint64_t>(spec.at("seed"))); }

graph::Graph layer_normalization(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const TensorId input = one.input(image_of(spec));
  const TensorId gamma = one.real_constant({spec.at("channels")}, 1.0F);
  const TensorId beta = one.real_constant({spec.at("channels")}, 1.0F);
  return one.finish(graph::LayerNormalize{static_cast<float>(one.between(1e-6, 1e-2))}, {input, gamma, beta},
                    one.output({}, 0.02));
}

/// A right operand whose zero point is 0, which the device multiplies where it is.
graph::Graph symmetric_product(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const auto [a_shape, b_shape] = shapes_of_product(spec);
  const TensorId a = one.input(a_shape), b = one.symmetric(one.input(b_shape));
  if (spec.at("left_symmetric") != 0) {
    one.symmetric(a);
  }
  std::vector<TensorId> inputs = {a, b};
  if (spec.at("bias") != 0) {
    inputs.push_back(one.bias(spec.at("columns"), a, b));
  }
  const TensorId output = one.output({}, one.scale_of_sums(a, b, spec.at("depth")));
  return one.finish(graph::MatMul{spec.at("transpose_a") != 0, spec.at("transpose_b") != 0}, inputs, output);
}

/// softmax(q k') v, with the heads as neighbouring channels of q, k, v and the result.
graph::Graph attention(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const int queries = spec.at("queries"), keys = spec.at("keys"), heads = spec.at("heads"), width = spec.at("width");
  const auto of_heads = [&](TensorId tensor, int rows) {
    const TensorId split = one.apply(graph::Reshape{}, {tensor}, one.output({1, rows, heads, width}, 0, tensor));
    return one.apply(graph::Transpose{{0, 2, 1, 3}}, {split}, one.output({}, 0, tensor));
  };
  const TensorId q = one.input({1, queries, heads * width});
  const TensorId k = one.input({1, keys, heads * width});
  const TensorId v = one.input({1, keys, heads * width});
  if (spec.at("symmetric") != 0) {
    for (const TensorId operand : {q, k, v}) {
      one.symmetric(operand);
    }
  }
  const TensorId scores = one.apply(graph::MatMul{false, true}, {of_heads(q, queries), of_heads(k, keys)},
                                    one.output({}, one.scale_of_sums(q, k, width)));
  const TensorId shares = one.apply(graph::Softmax{-1, static_cast<float>(one.between(0.5, 2)), false}, {scores},
                                    one.output(graph::Quantization{{1.0F / 256}, {-128}, 0}));
  const TensorId mixed = one.apply(graph::MatMul{}, {shares, of_heads(v, keys)}, one.output({}, 0.05));
  const TensorId turned = one.apply(graph::Transpose{{0, 2, 1, 3}}, {mixed}, one.output({}, 0, mixed));
  return one.finish(graph::Reshape{}, {turned}, one.output({1, queries, heads * width}, 0, mixed));
}

/// Blocks of x = layer normalization(x + W2 gelu(W1 x)), each with a table of its own.
graph::Graph perceptrons(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const int width = spec.at("width"), hidden = spec.at("hidden");
  const auto dense = [&](TensorId from, int inputs, int outputs) {
    const TensorId weights = one.weights({outputs, inputs}, false);
    return one.apply(graph::Dense{}, {from, weights, one.bias(outputs, from, weights)},
                     one.output({}, one.scale_of_sums(from, weights, inputs)));
  };
  const auto added = [&](TensorId x) {
    const TensorId gelu =
        one.apply(graph::Unary{graph::UnaryKind::kGelu}, {dense(x, width, hidden)}, one.output({}, 0.05));
    return one.apply(graph::Binary{graph::BinaryKind::kAdd, Activation::kNone}, {dense(gelu, hidden, width), x},
                     one.output({}, 0.08));
  };
  const auto normalized = [&](TensorId x) {
    return std::vector<TensorId>{x, one.real_constant({width}, 1.0F), one.real_constant({width}, 1.0F)};
  };
  TensorId x = one.input({spec.at("rows"), width});
  for (int block = 1; block < spec.at("blocks"); ++block) {
    x = one.apply(graph::LayerNormalize{1e-5F}, normalized(added(x)), one.output({}, 0.02));
  }
  return one.finish(graph::LayerNormalize{1e-5F}, normalized(added(x)), one.output({}, 0.02));
}

}  // namespace

std::vector<Kind> attention_kinds() {
  const Parameters flags = {{"bias", 0, 1}, {"left_symmetric", 0, 1}};
  const Parameters sizes = {
      {"queries", 1, 24}, {"keys", 1, 24}, {"heads", 1, 3}, {"width", 1, 20}, {"symmetric", 0, 1}};
  const Parameters many = {
      {"queries", 64, 150}, {"keys", 1, 40}, {"heads", 1, 2}, {"width", 1, 20}, {"symmetric", 1, 1}};
  const Parameters deep = {{"rows", 64, 150}, {"width", 1, 40}, {"hidden", 1, 60}, {"blocks", 1, 3}};
  return {{"layer_normalization", "layer normalization", kImage + Parameters{kSeed}, layer_normalization},
          {"symmetric_product", "product of two computed matrices, the right one symmetric",
           kProduct + flags + Parameters{kSeed}, symmetric_product},
          {"attention", "attention of several heads", sizes + Parameters{kSeed}, attention},
          {"attention_in_parts", "attention of many queries, some after others", many + Parameters{kSeed}, attention},
          {"perceptrons_in_parts", "perceptrons of many rows with layer normalization, some rows after others",
           deep + Parameters{kSeed}, perceptrons}};
}

}  // namespace systole::shapes
