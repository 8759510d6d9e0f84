// SPDX-License-Identifier: Apache-2.0
// Operators in ONNX's arithmetic: int8 and uint8, zero points of weights, int32 sums, computed matrices.
#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::ElementType;
using graph::TensorId;

ElementType type_of(const Spec& spec, const char* is_unsigned) {
  return spec.at(is_unsigned) != 0 ? ElementType::kUint8 : ElementType::kInt8;
}

OneOperator builder_of(const Spec& spec) {
  return OneOperator(static_cast<std::uint64_t>(spec.at("seed")), graph::Arithmetic::kOnnx);
}

/// The int32 sums, or requantized.
TensorId result(OneOperator& one, const Spec& spec, TensorId a, TensorId b, double depth) {
  return spec.at("sums") != 0
             ? one.plain(graph::ElementType::kInt32)
             : one.output({}, one.scale_of_sums(a, b, depth), graph::kNoTensor, type_of(spec, "unsigned_output"));
}

graph::Graph weighted(OneOperator& one, const Spec& spec, graph::OperatorKind kind, TensorId input,
                      const graph::Shape& shape) {
  const bool per_channel = spec.at("scales_per_channel") != 0;
  const TensorId weights = spec.at("zero_points_of_weights") != 0
                               ? one.asymmetric_weights(shape, per_channel, type_of(spec, "unsigned_weights"))
                               : one.weights(shape, per_channel);
  std::vector<TensorId> inputs = {input, weights};
  if (spec.at("bias") != 0) {
    inputs.push_back(one.bias(static_cast<int>(shape[0]), input, weights));
  }
  const double depth = static_cast<double>(graph::count(shape)) / static_cast<double>(shape[0]);
  const TensorId output = result(one, spec, input, weights, depth);
  return one.finish(std::move(kind), inputs, output);
}

graph::Graph convolution(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const Window s = sliding_of(spec);
  const int groups = spec.at("groups"), channels = spec.at("group_channels");
  const TensorId input = one.input({spec.at("batch"), spec.at("height"), spec.at("width"), groups * channels}, 0.05F,
                                   type_of(spec, "unsigned_input"));
  return weighted(one, spec, graph::Conv2d{s, groups, Activation::kNone}, input,
                  {groups * spec.at("group_outputs"), s.kernel_h, s.kernel_w, channels});
}

graph::Graph dense(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const TensorId input = one.input({spec.at("rows"), spec.at("inputs")}, 0.05F, type_of(spec, "unsigned_input"));
  return weighted(one, spec, graph::Dense{}, input, {spec.at("outputs"), spec.at("inputs")});
}

graph::Graph product(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const auto [a_shape, b_shape] = shapes_of_product(spec);
  const TensorId a = one.input(a_shape, 0.05F, type_of(spec, "unsigned_input"));
  const TensorId b = one.input(b_shape, 0.05F, type_of(spec, "unsigned_weights"));
  const TensorId output = result(one, spec, a, b, spec.at("depth"));
  return one.finish(graph::MatMul{spec.at("transpose_a") != 0, spec.at("transpose_b") != 0}, {a, b}, output);
}

graph::Graph binary(const Spec& spec, graph::BinaryKind kind, double scale) {
  OneOperator one = builder_of(spec);
  const TensorId lhs = one.input(image_of(spec), 0.05F, type_of(spec, "unsigned_input"));
  const TensorId rhs = one.input(image_of(spec), 0.05F, type_of(spec, "unsigned_input"));
  const TensorId output = one.output({}, scale, graph::kNoTensor, type_of(spec, "unsigned_output"));
  return one.finish(graph::Binary{kind, Activation::kNone}, {lhs, rhs}, output);
}

graph::Graph max_pool(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const TensorId input = one.input(image_of(spec), 0.05F, type_of(spec, "unsigned_input"));
  const TensorId output = one.output({}, 0, input);
  return one.finish(graph::Pool{graph::PoolKind::kMax, sliding_of(spec), false, Activation::kNone}, {input}, output);
}

/// With an odd number of elements, drawn as 1, 3 or 5 on each side.
graph::Graph average_pool(const Spec& spec) {
  OneOperator one = builder_of(spec);
  Window s = sliding_of(spec);
  s.kernel_h = 2 * s.kernel_h - 1;
  s.kernel_w = 2 * s.kernel_w - 1;
  const TensorId input = one.input(image_of(spec), 0.05F, type_of(spec, "unsigned_input"));
  const TensorId output = one.output({}, 0, input);
  return one.finish(graph::Pool{graph::PoolKind::kAverage, s, true, Activation::kNone}, {input}, output);
}

graph::Graph requantize(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const TensorId input = one.input(image_of(spec), 0.05F, type_of(spec, "unsigned_input"));
  const TensorId output = one.output(image_of(spec), 0.05, graph::kNoTensor, type_of(spec, "unsigned_output"));
  return one.finish(graph::Convert{}, {input}, output);
}

graph::Graph greatest(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const TensorId input = one.input(image_of(spec), 0.05F, type_of(spec, "unsigned_input"));
  const graph::Reduce reduce{graph::ReduceKind::kMax, {spec.at("axis")}, true};
  return one.finish(reduce, {input}, one.output({}, 0, input));
}

}  // namespace

std::vector<Kind> onnx_kinds() {
  const Parameters bytes = {{"unsigned_input", 0, 1}, {"unsigned_output", 0, 1}};
  const Parameters products = bytes + Parameters{{"unsigned_weights", 0, 1}, {"sums", 0, 1}};
  const Parameters weights =
      products + Parameters{{"zero_points_of_weights", 0, 1}, {"scales_per_channel", 0, 1}, {"bias", 0, 1}, kSeed};
  const Parameters image = {{"batch", 1, 2}, {"height", 1, 12}, {"width", 1, 12}};
  const Parameters groups = {{"groups", 1, 3}, {"group_channels", 1, 12}, {"group_outputs", 1, 12}};
  return {
      {"qlinear_conv", "ONNX: convolution", image + groups + kWindow + kDilation + kBorder + weights, convolution},
      {"qlinear_dense", "ONNX: product with a constant",
       Parameters{{"rows", 1, 12}, {"inputs", 1, 200}, {"outputs", 1, 50}} + weights, dense},
      {"qlinear_matmul", "ONNX: product of two computed matrices", kProduct + products + Parameters{kSeed}, product},
      {"qlinear_add", "ONNX: add", kImage + bytes + Parameters{kSeed},
       [](const Spec& spec) { return binary(spec, graph::BinaryKind::kAdd, 0.07); }, true},
      {"qlinear_multiply", "ONNX: multiply", kImage + bytes + Parameters{kSeed},
       [](const Spec& spec) { return binary(spec, graph::BinaryKind::kMultiply, 0.15); }, true},
      {"qlinear_max_pool", "ONNX: max pool", kImage + kWindow + kBorder + Parameters{{"unsigned_input", 0, 1}, kSeed},
       max_pool},
      {"qlinear_average_pool", "ONNX: average pool of (2 kernel - 1) on each side, padding counted",
       kImage + Parameters{{"kernel_h", 1, 3}, {"kernel_w", 1, 3}, {"stride_h", 1, 3}, {"stride_w", 1, 3}} + kBorder +
           Parameters{{"unsigned_input", 0, 1}, kSeed},
       average_pool},
      {"qlinear_reduce_max", "ONNX: greatest along an axis",
       image + Parameters{{"channels", 1, 40}, {"axis", 0, 3}, {"unsigned_input", 0, 1}, kSeed}, greatest},
      {"qlinear_requantize", "ONNX: from one quantization to another", kImage + bytes + Parameters{kSeed}, requantize}};
}

}  // namespace systole::shapes
