// SPDX-License-Identifier: Apache-2.0
// uint8 in TensorFlow Lite's arithmetic: weights have zero points, too.
#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::TensorId;

constexpr graph::ElementType kType = graph::ElementType::kUint8;

OneOperator builder_of(const Spec& spec) { return OneOperator(static_cast<std::uint64_t>(spec.at("seed"))); }
Activation activation_of(const Spec& spec) { return static_cast<Activation>(spec.at("activation")); }

TensorId result(OneOperator& one, double scale) { return one.output({}, scale, graph::kNoTensor, kType); }

graph::Graph weighted(OneOperator& one, const Spec& spec, graph::OperatorKind kind, TensorId input,
                      const graph::Shape& shape) {
  const TensorId weights = one.asymmetric_weights(shape, false, kType);
  std::vector<TensorId> inputs = {input, weights};
  if (spec.at("bias") != 0) {
    inputs.push_back(one.bias(static_cast<int>(shape[0]), input, weights));
  }
  const double depth = static_cast<double>(graph::count(shape)) / static_cast<double>(shape[0]);
  return one.finish(std::move(kind), inputs, result(one, one.scale_of_sums(input, weights, depth)));
}

graph::Graph convolution(const Spec& spec, bool depthwise) {
  OneOperator one = builder_of(spec);
  const Window s = sliding_of(spec);
  const int channels = spec.at("channels");
  const TensorId input = one.input({spec.at("batch"), spec.at("height"), spec.at("width"), channels}, 0.05F, kType);
  const int outputs = depthwise ? channels * spec.at("multiplier") : spec.at("outputs");
  return weighted(one, spec, graph::Conv2d{s, depthwise ? channels : 1, activation_of(spec)}, input,
                  {outputs, s.kernel_h, s.kernel_w, depthwise ? 1 : channels});
}

graph::Graph dense(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const TensorId input = one.input({spec.at("rows"), spec.at("inputs")}, 0.05F, kType);
  return weighted(one, spec, graph::Dense{activation_of(spec)}, input, {spec.at("outputs"), spec.at("inputs")});
}

graph::Graph pool(const Spec& spec, graph::PoolKind kind) {
  OneOperator one = builder_of(spec);
  const TensorId input = one.input(image_of(spec), 0.05F, kType);
  return one.finish(graph::Pool{kind, sliding_of(spec), false, activation_of(spec)}, {input}, one.output({}, 0, input));
}

graph::Graph binary(const Spec& spec, graph::BinaryKind kind, double scale) {
  OneOperator one = builder_of(spec);
  const TensorId lhs = one.input(image_of(spec), 0.05F, kType), rhs = one.input(image_of(spec), 0.05F, kType);
  return one.finish(graph::Binary{kind, activation_of(spec)}, {lhs, rhs}, result(one, scale));
}

}  // namespace

std::vector<Kind> uint8_kinds() {
  const Parameters rest = {kActivation, {"bias", 0, 1}, kSeed};
  const Parameters image = {{"batch", 1, 2}, {"height", 1, 12}, {"width", 1, 12}};
  const Parameters pooled = kImage + kWindow + kBorder + Parameters{kActivation, kSeed};
  const Parameters elementwise = kImage + Parameters{kActivation, kSeed};
  return {
      {"uint8_conv2d", "uint8: convolution",
       image + Parameters{{"channels", 1, 20}, {"outputs", 1, 20}} + kWindow + kDilation + kBorder + rest,
       [](const Spec& spec) { return convolution(spec, false); }},
      {"uint8_depthwise", "uint8: depthwise convolution",
       image + Parameters{{"channels", 1, 36}, {"multiplier", 1, 2}} + kWindow + kDilation + kBorder + rest,
       [](const Spec& spec) { return convolution(spec, true); }},
      {"uint8_dense", "uint8: fully connected",
       Parameters{{"rows", 1, 12}, {"inputs", 1, 200}, {"outputs", 1, 50}} + rest, dense},
      {"uint8_max_pool", "uint8: max pool", pooled, [](const Spec& spec) { return pool(spec, graph::PoolKind::kMax); }},
      {"uint8_average_pool", "uint8: average pool", pooled,
       [](const Spec& spec) { return pool(spec, graph::PoolKind::kAverage); }, true},
      {"uint8_add", "uint8: add", elementwise,
       [](const Spec& spec) { return binary(spec, graph::BinaryKind::kAdd, 0.07); }},
      {"uint8_multiply", "uint8: multiply", elementwise,
       [](const Spec& spec) { return binary(spec, graph::BinaryKind::kMultiply, 0.15); }}};
}

}  // namespace systole::shapes
