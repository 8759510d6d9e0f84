// SPDX-License-Identifier: Apache-2.0
#include "kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <random>
#include <stdexcept>
#include <utility>

#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::GraphError;
using graph::TensorId;

const Parameters kWeighted = {kActivation, {"bias", 0, 1}, {"scales_per_channel", 0, 1}, kSeed};

Activation activation_of(const Spec& spec) { return static_cast<Activation>(spec.at("activation")); }

graph::Graph weighted(OneOperator& one, const Spec& spec, graph::OperatorKind kind, TensorId input,
                      const graph::Shape& weight_shape) {
  const TensorId weights = one.weights(weight_shape, spec.at("scales_per_channel") != 0);
  std::vector<TensorId> inputs = {input, weights};
  if (spec.at("bias") != 0) {
    inputs.push_back(one.bias(static_cast<int>(weight_shape[0]), input, weights));
  }
  const double depth = static_cast<double>(graph::count(weight_shape)) / static_cast<double>(weight_shape[0]);
  return one.finish(std::move(kind), inputs, one.output({}, one.scale_of_sums(input, weights, depth)));
}

graph::Graph convolution(const Spec& spec, int groups, int channels, int outputs) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const Window s = sliding_of(spec);
  const TensorId input = one.input({spec.at("batch"), spec.at("height"), spec.at("width"), channels});
  return weighted(one, spec, graph::Conv2d{s, groups, activation_of(spec)}, input,
                  {outputs, s.kernel_h, s.kernel_w, channels / groups});
}

graph::Graph pool(const Spec& spec, graph::PoolKind kind) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input(image_of(spec));
  const bool count_padding = kind == graph::PoolKind::kAverage && spec.at("count_padding") != 0;
  return one.finish(graph::Pool{kind, sliding_of(spec), count_padding, activation_of(spec)}, {input},
                    one.output({}, 0, input));
}

graph::Graph binary(const Spec& spec, graph::BinaryKind kind, bool with_constant) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId lhs = one.input(image_of(spec));
  const TensorId rhs = with_constant ? one.constant({1}) : one.input(image_of(spec));
  const double scale = kind == graph::BinaryKind::kMultiply ? 0.15 : 0.07;
  return one.finish(graph::Binary{kind, activation_of(spec)}, {lhs, rhs}, one.output({}, scale));
}

/// TensorFlow Lite's sigmoid and tanh have a fixed result quantization.
graph::Graph unary(const Spec& spec, graph::UnaryKind kind, float alpha) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input(image_of(spec));
  const TensorId output = kind == graph::UnaryKind::kSigmoid ? one.output(graph::Quantization{{1.0F / 256}, {-128}, 0})
                          : kind == graph::UnaryKind::kTanh  ? one.output(graph::Quantization{{1.0F / 128}, {0}, 0})
                                                             : one.output({}, 0.04);
  return one.finish(graph::Unary{kind, alpha, 0}, {input}, output);
}

graph::Graph conversion(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input(image_of(spec));
  return one.finish(graph::Convert{}, {input}, one.output(image_of(spec)));
}

graph::Graph reshape(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input(image_of(spec));
  const graph::Shape shape = image_of(spec);
  return one.finish(graph::Reshape{}, {input}, one.output({shape[2], shape[0] * shape[3], shape[1]}, 0, input));
}

graph::Graph dense(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input({spec.at("rows"), spec.at("inputs")});
  return weighted(one, spec, graph::Dense{activation_of(spec)}, input, {spec.at("outputs"), spec.at("inputs")});
}

/// Parts have different sizes and, if requested, different scales or a constant last part.
graph::Graph concat(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  std::vector<TensorId> parts = {one.input(image_of(spec))};
  for (int i = 1; i < spec.at("parts"); ++i) {
    graph::Shape shape = image_of(spec);
    shape[static_cast<std::size_t>(spec.at("axis"))] += i;
    const bool constant = spec.at("constant_part") != 0 && i + 1 == spec.at("parts");
    parts.push_back(constant                       ? one.constant_like(parts[0], shape)
                    : spec.at("other_scales") != 0 ? one.input(shape)
                                                   : one.input_like(parts[0], shape));
  }
  return one.finish(graph::Concat{spec.at("axis")}, parts, one.output({}, 0, parts[0]));
}

graph::Graph split(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const auto axis = static_cast<std::size_t>(spec.at("axis"));
  graph::Shape whole = image_of(spec);
  std::vector<graph::Shape> shapes;
  whole[axis] = 0;
  for (int i = 0; i < spec.at("parts"); ++i) {
    shapes.push_back(image_of(spec));
    shapes.back()[axis] += i;
    whole[axis] += shapes.back()[axis];
  }
  const TensorId input = one.input(whole);
  std::vector<TensorId> parts;
  for (const graph::Shape& shape : shapes) {
    parts.push_back(one.output(shape, 0, input));
  }
  return one.finish(graph::Split{spec.at("axis")}, {input}, parts);
}

/// Every axis but the first, forwards with a step or backwards from the end.
graph::Graph slice(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const graph::Shape from = image_of(spec);
  const bool backwards = spec.at("backwards") != 0;
  graph::Slice op{{0, 0, 0, 0}, {1, 1, 1, 1}};
  graph::Shape to = from;
  const std::array<std::pair<const char*, const char*>, 3> names = {
      {{"begin_h", "step_h"}, {"begin_w", "step_w"}, {"begin_c", "step_c"}}};
  for (std::size_t axis = 1; axis < 4; ++axis) {
    const int begin = spec.at(names[axis - 1].first), step = spec.at(names[axis - 1].second);
    op.begin[axis] = backwards ? from[axis] - 1 - begin : begin;
    op.step[axis] = backwards ? -step : step;
    to[axis] = (from[axis] - begin + step - 1) / step;
    if (begin >= from[axis]) {
      throw GraphError("a slice that begins behind its tensor");
    }
  }
  const TensorId input = one.input(from);
  return one.finish(op, {input}, one.output(to, 0, input));
}

graph::Graph pad(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input(image_of(spec));
  graph::Pad op;
  op.before = {0, spec.at("before_h"), spec.at("before_w"), spec.at("before_c")};
  op.after = {0, spec.at("after_h"), spec.at("after_w"), spec.at("after_c")};
  op.mode = static_cast<graph::Pad::Mode>(spec.at("mode"));
  op.value = one.between(-4, 4);
  return one.finish(op, {input}, one.output({}, 0, input));
}

graph::Graph transpose(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  std::vector<int> permutation = {0, 1, 2, 3};
  for (int i = 0; i < spec.at("permutation"); ++i) {
    std::next_permutation(permutation.begin(), permutation.end());
  }
  const TensorId input = one.input(image_of(spec));
  return one.finish(graph::Transpose{permutation}, {input}, one.output({}, 0, input));
}

graph::Graph resize(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input(image_of(spec));
  const graph::Shape to = {spec.at("batch"), spec.at("output_height"), spec.at("output_width"), spec.at("channels")};
  return one.finish(graph::ResizeNearest{spec.at("align_corners") != 0, spec.at("half_pixel_centers") != 0}, {input},
                    one.output(to, 0, input));
}

graph::Graph resize_bilinear(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const auto type = spec.at("uint8") != 0 ? graph::ElementType::kUint8 : graph::ElementType::kInt8;
  const TensorId input = one.input(image_of(spec), 0.05F, type);
  const graph::Shape to = {spec.at("batch"), spec.at("output_height"), spec.at("output_width"), spec.at("channels")};
  return one.finish(graph::ResizeBilinear{spec.at("align_corners") != 0, spec.at("half_pixel_centers") != 0}, {input},
                    one.output(to, 0, input));
}

graph::Graph product(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const auto [a_shape, b_shape] = shapes_of_product(spec);
  const TensorId a = one.input(a_shape), b = one.input(b_shape);
  std::vector<TensorId> inputs = {a, b};
  if (spec.at("bias") != 0) {
    inputs.push_back(one.bias(spec.at("columns"), a, b));
  }
  const TensorId output = one.output({}, one.scale_of_sums(a, b, spec.at("depth")));
  return one.finish(graph::MatMul{spec.at("transpose_a") != 0, spec.at("transpose_b") != 0}, inputs, output);
}

Kind unary_kind(const char* name, const char* title, graph::UnaryKind kind, float alpha = 0) {
  return {name, title, kImage + Parameters{kSeed}, [=](const Spec& spec) { return unary(spec, kind, alpha); }};
}

std::vector<Kind> convolutions() {
  const Parameters image = {{"batch", 1, 3}, {"height", 1, 20}, {"width", 1, 20}};
  const Parameters rest = kWindow + kDilation + kBorder + kWeighted;
  return {{"conv2d", "convolution", image + Parameters{{"channels", 1, 40}, {"outputs", 1, 40}} + rest,
           [](const Spec& spec) { return convolution(spec, 1, spec.at("channels"), spec.at("outputs")); }},
          {"grouped", "grouped convolution",
           image + Parameters{{"groups", 2, 4}, {"group_channels", 2, 12}, {"group_outputs", 1, 12}} + rest,
           [](const Spec& spec) {
             const int groups = spec.at("groups");
             return convolution(spec, groups, groups * spec.at("group_channels"), groups * spec.at("group_outputs"));
           }},
          {"depthwise", "depthwise convolution", image + Parameters{{"channels", 1, 40}, {"multiplier", 1, 3}} + rest,
           [](const Spec& spec) {
             const int channels = spec.at("channels");
             return convolution(spec, channels, channels, channels * spec.at("multiplier"));
           }}};
}

std::vector<Kind> movements() {
  const Parameters image = {{"batch", 1, 3}, {"height", 1, 16}, {"width", 1, 16}, {"channels", 1, 40}};
  const Parameters axis = {{"axis", 0, 3}, {"parts", 2, 4}};
  const Parameters stepped = {{"begin_h", 0, 4}, {"begin_w", 0, 4}, {"begin_c", 0, 4},  {"step_h", 1, 3},
                              {"step_w", 1, 3},  {"step_c", 1, 3},  {"backwards", 0, 1}};
  const Parameters padded = {{"before_h", 0, 3}, {"after_h", 0, 3}, {"before_w", 0, 3}, {"after_w", 0, 3},
                             {"before_c", 0, 3}, {"after_c", 0, 3}, {"mode", 0, 2}};
  const Parameters resized = {
      {"output_height", 1, 30}, {"output_width", 1, 30}, {"align_corners", 0, 1}, {"half_pixel_centers", 0, 1}};
  const Parameters seed = {kSeed};
  return {
      {"concat", "concat", image + axis + Parameters{{"other_scales", 0, 1}, {"constant_part", 0, 1}} + seed, concat},
      {"split", "split", image + axis + seed, split},
      {"slice", "slice", image + stepped + seed, slice},
      {"pad", "pad", image + padded + seed, pad},
      {"transpose", "transpose", image + Parameters{{"permutation", 0, 23}} + seed, transpose},
      {"resize_nearest", "resize nearest", image + resized + seed, resize},
      {"resize_bilinear", "resize bilinear", image + resized + Parameters{{"uint8", 0, 1}} + seed, resize_bilinear}};
}

std::vector<Kind> make_list() {
  using graph::BinaryKind;
  using graph::UnaryKind;
  std::vector<Kind> list = convolutions();
  const Parameters pooled = kImage + kWindow + kBorder + Parameters{kActivation, kSeed};
  const Parameters elementwise = kImage + Parameters{kActivation, kSeed};
  const auto more = {
      Kind{"dense", "fully connected", Parameters{{"rows", 1, 12}, {"inputs", 1, 300}, {"outputs", 1, 70}} + kWeighted,
           dense},
      Kind{"matmul", "product of two computed matrices", kProduct + Parameters{{"bias", 0, 1}, kSeed}, product},
      Kind{"max_pool", "max pool", pooled, [](const Spec& spec) { return pool(spec, graph::PoolKind::kMax); }},
      Kind{"average_pool", "average pool", pooled + Parameters{{"count_padding", 0, 1}},
           [](const Spec& spec) { return pool(spec, graph::PoolKind::kAverage); }},
      Kind{"add", "add", elementwise, [](const Spec& spec) { return binary(spec, BinaryKind::kAdd, false); }},
      Kind{"multiply", "multiply", elementwise,
           [](const Spec& spec) { return binary(spec, BinaryKind::kMultiply, false); }},
      Kind{"add_constant", "add, one constant", elementwise,
           [](const Spec& spec) { return binary(spec, BinaryKind::kAdd, true); }},
      Kind{"multiply_constant", "multiply, one constant", elementwise,
           [](const Spec& spec) { return binary(spec, BinaryKind::kMultiply, true); }},
      Kind{"requantize", "from one quantization to another", kImage + Parameters{kSeed}, conversion},
      Kind{"reshape", "reshape", kImage + Parameters{kSeed}, reshape},
      unary_kind("relu", "relu", UnaryKind::kRelu),
      unary_kind("relu6", "relu6", UnaryKind::kRelu6),
      unary_kind("leaky_relu", "leaky relu", UnaryKind::kLeakyRelu, 0.1F),
      unary_kind("hard_swish", "hard swish", UnaryKind::kHardSwish),
      unary_kind("sigmoid", "sigmoid", UnaryKind::kSigmoid),
      unary_kind("tanh", "tanh", UnaryKind::kTanh)};
  list.insert(list.end(), more.begin(), more.end());
  for (const std::vector<Kind>& others :
       {operand_kinds(), elementwise_kinds(), movements(), reduction_kinds(), attention_kinds(), wide_kinds(),
        wide_sum_kinds(), wide_window_kinds(), unquantized_kinds(), block_kinds(), recurrent_kinds(), uint8_kinds(),
        onnx_kinds(), training_kinds()}) {
    list.insert(list.end(), others.begin(), others.end());
  }
  return list;
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list = make_list();
  return list;
}

const Kind& find_kind(const std::string& name) {
  const auto found = std::find_if(kinds().begin(), kinds().end(), [&](const Kind& kind) { return kind.name == name; });
  if (found == kinds().end()) {
    std::vector<std::string> names;
    std::transform(kinds().begin(), kinds().end(), std::back_inserter(names),
                   [](const Kind& kind) { return kind.name; });
    throw std::invalid_argument(fmt::format("'{}' is no kind of operator; there are {}", name, fmt::join(names, ", ")));
  }
  return *found;
}

void settle(Spec& spec) {
  if (spec.values.count("kernel_h") == 0) {
    return;
  }
  const Window s = sliding_of(spec);
  const int most_h = (s.kernel_h - 1) * s.dilation_h, most_w = (s.kernel_w - 1) * s.dilation_w;
  for (const auto& [name, most] :
       {std::pair{"pad_top", most_h}, {"pad_bottom", most_h}, {"pad_left", most_w}, {"pad_right", most_w}}) {
    spec.values[name] = std::min(spec.values[name], most);
  }
}

std::vector<std::uint8_t> floats(std::size_t count, std::mt19937_64& random, bool only_moderate) {
  constexpr std::array<std::uint32_t, 10> kSpecial = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                                      0xffa00001, 0x00000001, 0x807fffff, 0x3f800000, 0x00800000};
  std::uniform_real_distribution<float> moderate(-10, 10);
  std::vector<std::uint32_t> words(count);
  std::generate(words.begin(), words.end(), [&] {
    const auto which = only_moderate ? 0 : random() % 16;
    return which < 10    ? std::bit_cast<std::uint32_t>(moderate(random))
           : which == 10 ? kSpecial[random() % kSpecial.size()]
                         : static_cast<std::uint32_t>(random());
  });
  std::vector<std::uint8_t> bytes(count * sizeof words[0]);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::vector<std::vector<std::uint8_t>> inputs_of(const graph::Graph& graph, const Spec& spec) {
  std::mt19937_64 random(static_cast<std::uint64_t>(spec.at("seed")) + 1);
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const TensorId id : graph.inputs) {
    const std::size_t size = graph::element_size(graph.tensor(id).type);
    auto& bytes = inputs.emplace_back(size * static_cast<std::size_t>(graph::count(graph.tensor(id).shape)));
    if (graph.tensor(id).type == graph::ElementType::kBool) {
      std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random() & 1); });
      continue;
    }
    if (graph.tensor(id).type == graph::ElementType::kFloat32) {
      const bool moderate = spec.values.count("moderate") != 0 && spec.at("moderate") != 0;
      bytes = floats(bytes.size() / size, random, moderate);
      continue;
    }
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
    for (std::size_t byte = 0; byte < size; ++byte) {  // the least element first, and the greatest last
      const bool high = byte + 1 == size;
      bytes[byte] = high ? 0x80 : 0;
      bytes[bytes.size() - size + byte] = high ? 0x7f : 0xff;
    }
  }
  return inputs;
}

}  // namespace systole::shapes
