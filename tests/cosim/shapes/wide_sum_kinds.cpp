// SPDX-License-Identifier: Apache-2.0
// Convolutions, fully connected layers and products of computed matrices, with activations of 16 bits.
#include <utility>

#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::ElementType;
using graph::TensorId;

constexpr float kScale = 0.0005F;
constexpr auto kWide = ElementType::kInt16;

/// `bias`: none, of 64 bits, of 32 bits. `coarse`: results whose scale is so large that the product of a sum with the
/// multiplier takes two words.
graph::Graph weighted(OneOperator& one, const Spec& spec, graph::OperatorKind kind, TensorId input,
                      const graph::Shape& weight_shape) {
  const TensorId weights = one.weights(weight_shape, spec.at("scales_per_channel") != 0);
  std::vector<TensorId> inputs = {input, weights};
  if (spec.at("bias") != 0) {
    inputs.push_back(one.bias(static_cast<int>(weight_shape[0]), input, weights,
                              spec.at("bias") == 1 ? ElementType::kInt64 : ElementType::kInt32));
  }
  const double depth = static_cast<double>(graph::count(weight_shape)) / static_cast<double>(weight_shape[0]);
  const double scale = one.scale_of_sums(input, weights, depth) * (spec.at("coarse") != 0 ? 4096 : 1);
  return one.finish(std::move(kind), inputs, one.output({}, scale, graph::kNoTensor, kWide));
}

Activation activation_of(const Spec& spec) { return static_cast<Activation>(spec.at("activation")); }

graph::Graph convolution(const Spec& spec, int groups, int channels, int outputs) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const Window s = sliding_of(spec);
  const TensorId input = one.input({spec.at("batch"), spec.at("height"), spec.at("width"), channels}, kScale, kWide);
  return weighted(one, spec, graph::Conv2d{s, groups, activation_of(spec)}, input,
                  {outputs, s.kernel_h, s.kernel_w, channels / groups});
}

graph::Graph dense(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input({spec.at("rows"), spec.at("inputs")}, kScale, kWide);
  return weighted(one, spec, graph::Dense{activation_of(spec)}, input, {spec.at("outputs"), spec.at("inputs")});
}

graph::Graph product(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const auto [a_shape, b_shape] = shapes_of_product(spec);
  const TensorId a = one.input(a_shape, kScale, kWide), b = one.input(b_shape, kScale, kWide);
  constexpr double kSteps = 256;  // twice as many bits in b
  return one.finish(graph::MatMul{spec.at("transpose_a") != 0, spec.at("transpose_b") != 0}, {a, b},
                    one.output({}, kSteps * one.scale_of_sums(a, b, spec.at("depth")), graph::kNoTensor, kWide));
}

}  // namespace

std::vector<Kind> wide_sum_kinds() {
  const Parameters weighted = {kActivation, {"bias", 0, 2}, {"scales_per_channel", 0, 1}, {"coarse", 0, 1}, kSeed};
  const Parameters image = {{"batch", 1, 3}, {"height", 1, 16}, {"width", 1, 16}};
  const Parameters rest = kWindow + kDilation + kBorder + weighted;
  return {{"int16_conv2d", "int16: convolution", image + Parameters{{"channels", 1, 40}, {"outputs", 1, 40}} + rest,
           [](const Spec& spec) { return convolution(spec, 1, spec.at("channels"), spec.at("outputs")); }},
          {"int16_depthwise", "int16: depthwise convolution",
           image + Parameters{{"channels", 1, 40}, {"multiplier", 1, 3}} + rest,
           [](const Spec& spec) {
             const int channels = spec.at("channels");
             return convolution(spec, channels, channels, channels * spec.at("multiplier"));
           }},
          {"int16_dense", "int16: fully connected",
           Parameters{{"rows", 1, 12}, {"inputs", 1, 1500}, {"outputs", 1, 70}} + weighted, dense},
          {"int16_matmul", "int16: product of two computed matrices", kProduct + Parameters{kSeed}, product}};
}

}  // namespace systole::shapes
