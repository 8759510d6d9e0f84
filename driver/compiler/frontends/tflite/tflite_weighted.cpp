// SPDX-License-Identifier: Apache-2.0
// Convolutions, dense layers, matrix products and pooling.
#include <fmt/core.h>

#include "attributes.hpp"
#include "tflite_translation.hpp"

namespace systole::graph::tflite_file {
namespace {

/// Input, weights and optional bias.
std::vector<TensorId> with_bias(Translation& t, TensorId input, TensorId weights, std::size_t bias_position = 2) {
  std::vector<TensorId> inputs = {input, t.weights_for(input, weights)};
  if (const TensorId bias = t.optional_input(bias_position); bias != kNoTensor) {
    inputs.push_back(bias);
  }
  return inputs;
}

}  // namespace

std::vector<TensorId> with_wide_bias(Translation& t, TensorId input, TensorId weights, std::size_t bias_position) {
  std::vector<TensorId> inputs = with_bias(t, input, weights, bias_position);
  if (inputs.size() > 2 && t.tensor(input).type == ElementType::kInt16 &&
      t.tensor(inputs[2]).type != ElementType::kInt64) {
    t.fail(fmt::format("{}: the bias of 16-bit activations must be int64", title(t.tensor(inputs[2]))));
  }
  return inputs;
}

namespace {

Shape four_dimensions(const Translation& t, TensorId id, const char* what) {
  const Shape shape = t.tensor(id).shape;
  if (shape.size() != 4) {
    t.fail(fmt::format("{} of shape {}; expected 4 dimensions", what, to_string(shape)));
  }
  return shape;
}

/// whole / part, which must be an integer.
int ratio(const Translation& t, const char* what, std::int64_t whole, std::int64_t part) {
  if (whole % part != 0) {
    t.fail(fmt::format("{}: {} is not a multiple of {}", what, whole, part));
  }
  return static_cast<int>(whole / part);
}

void conv_2d(Translation& t) {
  const auto& o = t.options<format::Conv2DOptions>();
  const TensorId input = t.input(0);
  const TensorId weights = t.input(1);
  const Shape filter = four_dimensions(t, weights, "weights");
  Conv2d conv;
  conv.window =
      sliding_of(t, four_dimensions(t, input, "the input"),
                 {o.padding(), filter[1], filter[2], o.stride_h(), o.stride_w(), o.dilation_h(), o.dilation_w()});
  conv.groups = ratio(t, "input channels by those of the weights", t.tensor(input).shape[3], filter[3]);
  conv.activation = activation_of(t, o.activation());
  t.add(conv, with_bias(t, input, weights), {t.output()});
}

void depthwise_conv_2d(Translation& t) {
  const auto& o = t.options<format::DepthwiseConv2DOptions>();
  const TensorId input = t.input(0);
  const TensorId weights = t.depthwise_weights(t.input(1));
  const Shape filter = t.tensor(weights).shape;
  Conv2d conv;
  conv.window =
      sliding_of(t, four_dimensions(t, input, "the input"),
                 {o.padding(), filter[1], filter[2], o.stride_h(), o.stride_w(), o.dilation_h(), o.dilation_w()});
  // The shapes imply depth_multiplier; the option is not read.
  ratio(t, "output channels by input channels", filter[0], t.tensor(input).shape[3]);
  conv.groups = static_cast<int>(t.tensor(input).shape[3]);
  conv.activation = activation_of(t, o.activation());
  t.add(conv, with_wide_bias(t, input, weights), {t.output()});
}

void fully_connected(Translation& t) {
  const auto& o = t.options<format::FullyConnectedOptions>();
  if (o.weights_format() != 0) {
    t.fail(fmt::format("weights_format {} is not supported; only DEFAULT (0) is", o.weights_format()));
  }
  TensorId input = t.input(0);
  const TensorId weights = t.input(1);
  const Shape filter = t.tensor(weights).shape;
  if (filter.size() != 2) {
    t.fail(fmt::format("weights have shape {}; expected outputs x inputs", to_string(filter)));
  }
  const Shape given = t.tensor(input).shape;
  const Shape wanted = t.tensor(t.output()).shape;
  const Dense dense{activation_of(t, o.activation())};
  Shape direct = given;
  if (!direct.empty()) {
    direct.back() = filter[0];
  }
  if (!given.empty() && given.back() == filter[1] && direct == wanted) {
    t.add(dense, with_wide_bias(t, input, weights), {t.output()});
    return;
  }
  // All dimensions before the weights' inputs are rows; the output's shape arranges them.
  const Shape rows = {ratio(t, "elements of the input by inputs of the weights", count(given), filter[1]), filter[1]};
  if (given != rows) {
    const TensorId reshaped = t.add_like(input, rows, "/rows");
    t.add(Reshape{}, {input}, {reshaped});
    input = reshaped;
  }
  const Shape result = {rows[0], filter[0]};
  if (wanted == result) {
    t.add(dense, with_wide_bias(t, input, weights), {t.output()});
    return;
  }
  const TensorId flat = t.add_like(t.output(), result, "/rows");
  t.add(dense, with_wide_bias(t, input, weights), {flat});
  t.add(Reshape{}, {flat}, {t.output()});
}

void batch_matmul(Translation& t) {
  const auto* o = t.optional_options<format::BatchMatMulOptions>();
  const TensorId a = t.input(0);
  t.add(MatMul{o != nullptr && o->transpose_a(), o != nullptr && o->transpose_b()}, {a, t.weights_for(a, t.input(1))},
        {t.output()});
}

void pool(Translation& t) {
  const auto& o = t.options<format::Pool2DOptions>();
  Pool pool;
  pool.kind = t.code() == format::OperatorCodeNumber::MAX_POOL_2D ? PoolKind::kMax : PoolKind::kAverage;
  pool.window = sliding_of(t, t.tensor(t.input(0)).shape,
                           {o.padding(), o.kernel_h(), o.kernel_w(), o.stride_h(), o.stride_w(), 1, 1});
  pool.activation = activation_of(t, o.activation());
  t.add(pool, 1);
}

}  // namespace

Handler weighted_handler(format::OperatorCodeNumber code) {
  switch (code) {
    case format::OperatorCodeNumber::CONV_2D: return conv_2d;
    case format::OperatorCodeNumber::DEPTHWISE_CONV_2D: return depthwise_conv_2d;
    case format::OperatorCodeNumber::FULLY_CONNECTED: return fully_connected;
    case format::OperatorCodeNumber::BATCH_MATMUL: return batch_matmul;
    case format::OperatorCodeNumber::TRANSPOSE_CONV: return transpose_conv;
    case format::OperatorCodeNumber::AVERAGE_POOL_2D:
    case format::OperatorCodeNumber::MAX_POOL_2D: return pool;
    default: return nullptr;
  }
}

}  // namespace systole::graph::tflite_file
