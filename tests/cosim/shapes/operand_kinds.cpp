// SPDX-License-Identifier: Apache-2.0
// Operators whose second operand is constant or broadcast, means over images, padding before convolutions, sequences.
#include <algorithm>

#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::BinaryKind;
using graph::TensorId;

/// Kinds of second operands.
enum Operand { kConstantPerChannel, kPixel, kConstantImage, kConstantColumn };

graph::Graph binary(const Spec& spec, BinaryKind kind) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const graph::Shape image = image_of(spec);
  const TensorId whole = one.input(image);
  TensorId other = graph::kNoTensor;
  switch (spec.at("operand")) {
    case kConstantPerChannel: other = one.constant({image[3]}); break;
    case kPixel: other = one.input({1, 1, 1, image[3]}); break;
    case kConstantImage: other = one.constant(image); break;
    default: other = one.constant({1, image[1], 1, image[3]}); break;
  }
  std::vector<TensorId> operands = {whole, other};
  if (spec.at("swapped") != 0) {
    std::swap(operands[0], operands[1]);
  }
  const double scale = kind == BinaryKind::kMultiply ? 0.15 : 0.07;
  return one.finish(graph::Binary{kind, static_cast<Activation>(spec.at("activation"))}, operands,
                    one.output({}, scale));
}

graph::Graph difference(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId lhs = one.input(image_of(spec)), rhs = one.input(image_of(spec));
  return one.finish(graph::Binary{BinaryKind::kSubtract, static_cast<Activation>(spec.at("activation"))}, {lhs, rhs},
                    one.output({}, 0.07));
}

graph::Graph mean(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input(image_of(spec));
  return one.finish(graph::Reduce{graph::ReduceKind::kMean, {1, 2}, spec.at("keep_dimensions") != 0}, {input},
                    one.output({}, 0.02));
}

/// Zero padding around the image, as the following convolution would apply it itself.
graph::Graph padded_convolution(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const int groups = spec.at("depthwise") != 0 ? spec.at("channels") : 1;
  const int outputs = groups == 1 ? spec.at("outputs") : groups;
  const TensorId input = one.input(image_of(spec));
  graph::Pad pad;
  pad.before = {0, spec.at("pad_top"), spec.at("pad_left"), 0};
  pad.after = {0, spec.at("pad_bottom"), spec.at("pad_right"), 0};
  const TensorId padded = one.apply(pad, {input}, one.output({}, 0, input));
  Window s;
  s.kernel_h = spec.at("kernel_h");
  s.kernel_w = spec.at("kernel_w");
  s.stride_h = spec.at("stride_h");
  s.stride_w = spec.at("stride_w");
  const graph::Shape shape = {outputs, s.kernel_h, s.kernel_w, spec.at("channels") / groups};
  const TensorId weights = one.weights(shape, true);
  const double depth = static_cast<double>(graph::count(shape)) / outputs;
  return one.finish(graph::Conv2d{s, groups, Activation::kNone}, {padded, weights},
                    one.output({}, one.scale_of_sums(input, weights, depth)));
}

/// A row of many taps along the only axis longer than one.
graph::Graph sequence(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const bool column = spec.at("column") != 0;
  const int length = spec.at("length"), taps = spec.at("taps"), channels = spec.at("channels"),
            lines = column ? 1 : spec.at("lines");
  Window s;
  (column ? s.kernel_h : s.kernel_w) = taps;
  (column ? s.pad_top : s.pad_left) = std::min(taps - 1, spec.at("before"));
  (column ? s.pad_bottom : s.pad_right) = std::min(taps - 1, spec.at("after"));
  const TensorId input = one.input({1, column ? length : lines, column ? 1 : length, channels});
  const TensorId weights = one.weights({channels, s.kernel_h, s.kernel_w, 1}, true);
  return one.finish(graph::Conv2d{s, channels, Activation::kNone}, {input, weights},
                    one.output({}, one.scale_of_sums(input, weights, taps)));
}

}  // namespace

std::vector<Kind> operand_kinds() {
  const Parameters operands = kImage + Parameters{{"operand", 0, 3}, {"swapped", 0, 1}, kActivation, kSeed};
  const auto combined = [&](const char* name, const char* title, BinaryKind kind) {
    return Kind{name, title, operands, [kind](const Spec& spec) { return binary(spec, kind); }};
  };
  return {
      combined("add_operand", "add, an operand constant or one pixel", BinaryKind::kAdd),
      combined("subtract_operand", "subtract, an operand constant or one pixel", BinaryKind::kSubtract),
      combined("multiply_operand", "multiply, an operand constant or one pixel", BinaryKind::kMultiply),
      {"subtract", "subtract", kImage + Parameters{kActivation, kSeed}, difference},
      {"depthwise_sequence", "depthwise convolution of sequences",
       Parameters{{"length", 20, 300},
                  {"lines", 1, 3},
                  {"column", 0, 1},
                  {"channels", 2, 36},
                  {"taps", 4, 20},
                  {"before", 0, 12},
                  {"after", 0, 12},
                  kSeed},
       sequence},
      {"mean", "mean over height and width",
       Parameters{
           {"batch", 1, 3}, {"height", 1, 16}, {"width", 1, 16}, {"channels", 1, 40}, {"keep_dimensions", 0, 1}, kSeed},
       mean},
      {"padded_conv", "padding before a convolution",
       kImage + kWindow + kBorder + Parameters{{"outputs", 1, 20}, {"depthwise", 0, 1}, kSeed}, padded_convolution}};
}

}  // namespace systole::shapes
