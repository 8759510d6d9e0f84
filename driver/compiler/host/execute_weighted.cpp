// SPDX-License-Identifier: Apache-2.0
// 8-bit convolutions, dense layers and matrix products.
#include <algorithm>

#include "convolution.hpp"
#include "indices.hpp"
#include "infer.hpp"
#include "matmul.hpp"
#include "quantized_values.hpp"

namespace systole::graph {
namespace {

using golden::Bias;
using golden::Matrix8;

/// As int8: one, or one per output channel.
std::vector<std::int32_t> weight_zero_points(const Call& call) {
  const Tensor& weights = call.input_tensor(1);
  const std::int32_t difference = weights.type == ElementType::kUint8 ? 128 : 0;
  std::vector<std::int32_t> points =
      weights.quantization ? weights.quantization->zero_point : std::vector<std::int32_t>{0};
  for (std::int32_t& point : points) {
    point -= difference;
  }
  if (std::all_of(points.begin(), points.end(), [&](std::int32_t point) { return point == points[0]; })) {
    points.resize(1);
  }
  return points;
}

/// Corrects the sums for the weights' zero point of each output channel (the last dimension): `ones` are the sums with
/// all weights 1.
void take_off(std::vector<std::int32_t>& sums, const std::vector<std::int32_t>& ones,
              const std::vector<std::int32_t>& zero_points) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] =
        golden::wrap_to_int32(std::int64_t{sums[i]} - std::int64_t{zero_points[i % zero_points.size()]} * ones[i]);
  }
}

Bias bias_of(const Call& call) { return call.has_input(2) ? elements<std::int32_t>(call.input(2)) : Bias{}; }

enum class Kernel { kConvolution, kDense };

/// TensorFlow Lite's kernels differ: convolutions multiply scales in double; uint8 convolutions and dense layers with
/// one scale in float32.
std::vector<QuantParam> scales_of(const Call& call, Kernel kernel) {
  const float input = call.input_tensor(0).quantization->scale.at(0);
  const std::vector<float>& weights = call.input_tensor(1).quantization->scale;
  const float output = call.output_tensor().quantization->scale.at(0);
  if (call.op.arithmetic == Arithmetic::kOnnx) {
    return golden::float_scales(input, weights, output);
  }
  if (weights.size() == 1 && (kernel == Kernel::kDense || call.input(0).type == ElementType::kUint8)) {
    return {golden::dense_scale(input, weights[0], output)};
  }
  return golden::convolution_scales(input, weights, output);
}

/// The result of a dense layer in Arithmetic::kLiteRt.
std::vector<std::int8_t> dense_results(const Call& call, Activation activation, const golden::Matrix32& sums) {
  const Tensor& output = call.output_tensor();
  const golden::Clamp clamp = clamp_of(activation, output);
  const std::vector<double> scales =
      golden::real_scales(call.input_tensor(0).quantization->scale.at(0), call.input_tensor(1).quantization->scale,
                          output.quantization->scale.at(0));
  std::vector<std::int8_t> results;
  results.reserve(sums.data.size());
  for (std::size_t i = 0; i < sums.data.size(); ++i) {
    const std::size_t channel = i % static_cast<std::size_t>(sums.columns);
    results.push_back(
        golden::requantize_once(sums.data[i], scales[scales.size() == 1 ? 0 : channel], zero_point_of(output), clamp));
  }
  return results;
}

Requantize stage_of(const Call& call, Kernel kernel, Activation activation) {
  const Tensor& output = call.output_tensor();
  const golden::Clamp clamp = clamp_of(activation, output);
  Requantize stage;
  stage.scale = scales_of(call, kernel);
  stage.zero_point = zero_point_of(output);
  stage.clamp_min = clamp.min;
  stage.clamp_max = clamp.max;
  stage.rounding = call.op.arithmetic == Arithmetic::kOnnx ? Rounding::kEven : Rounding::kDouble;
  return stage;
}

bool wants_sums(const Call& call) { return call.output_tensor().type == ElementType::kInt32; }

void refuse_activation_of_sums(const Call& call, Activation activation) {
  if (wants_sums(call) && activation != Activation::kNone) {
    call.unsupported("an activation of int32 results without a scale");
  }
}

Value sums(const Call& call, const std::vector<std::int32_t>& data) {
  return make_value(ElementType::kInt32, call.output_tensor().shape, data);
}

}  // namespace

Value run_quantized(const Call& call, const Conv2d& op) {
  refuse_activation_of_sums(call, op.activation);
  const std::vector<std::int32_t> zero_points = weight_zero_points(call);
  golden::Convolution convolution;
  convolution.window = op.window;
  convolution.groups = op.groups;
  convolution.input_zero_point = zero_point_of(call.input_tensor(0));
  convolution.weight_zero_point = zero_points.size() == 1 ? zero_points[0] : 0;
  const golden::Tensor8 input = tensor8(call.input(0));
  golden::Tensor8 weights = tensor8(call.input(1));
  golden::Tensor32 result = golden::conv2d_raw(input, weights, bias_of(call), convolution);
  if (zero_points.size() != 1) {
    std::fill(weights.data.begin(), weights.data.end(), std::int8_t{1});
    take_off(result.data, golden::conv2d_raw(input, weights, {}, convolution).data, zero_points);
  }
  if (wants_sums(call)) {
    return sums(call, result.data);
  }
  return from_int8(golden::apply(stage_of(call, Kernel::kConvolution, op.activation), result).data,
                   call.output_tensor());
}

Value run_quantized(const Call& call, const Dense& op) {
  refuse_activation_of_sums(call, op.activation);
  const std::vector<std::int32_t> zero_points = weight_zero_points(call);
  const int depth = static_cast<int>(call.input_tensor(1).shape[1]);
  const auto rows = static_cast<int>(call.input(0).data.size() / static_cast<std::size_t>(depth));
  const Matrix8 input(rows, depth, as_int8(call.input(0)));
  Matrix8 weights(static_cast<int>(call.input_tensor(1).shape[0]), depth, as_int8(call.input(1)));
  const std::int32_t input_zero_point = zero_point_of(call.input_tensor(0));
  golden::Matrix32 result =
      golden::dense_raw(input, weights, bias_of(call), input_zero_point, zero_points.size() == 1 ? zero_points[0] : 0);
  if (zero_points.size() != 1) {
    std::fill(weights.data.begin(), weights.data.end(), std::int8_t{1});
    take_off(result.data, golden::dense_raw(input, weights, {}, input_zero_point, 0).data, zero_points);
  }
  if (wants_sums(call)) {
    return sums(call, result.data);
  }
  return from_int8(call.op.arithmetic == Arithmetic::kLiteRt
                       ? dense_results(call, op.activation, result)
                       : golden::apply(stage_of(call, Kernel::kDense, op.activation), result).data,
                   call.output_tensor());
}

Value run_quantized(const Call& call, const MatMul& op) {
  const Tensor& output = call.output_tensor();
  const auto rows = static_cast<int>(output.shape.end()[-2]);
  const auto columns = static_cast<int>(output.shape.back());
  const Shape batches(output.shape.begin(), output.shape.end() - 2);
  // The last two dimensions of each operand, for every index of the leading ones.
  const auto operand = [&](std::size_t i) {
    Shape shape = batches;
    shape.insert(shape.end(), call.input(i).shape.end() - 2, call.input(i).shape.end());
    return as_int8(broadcast_to(call.input(i), shape));
  };
  const std::vector<std::int8_t> a = operand(0);
  const std::vector<std::int8_t> b = operand(1);
  const auto matrix = [&](std::size_t i, const std::vector<std::int8_t>& all, std::size_t batch, bool transposed) {
    const auto height = static_cast<int>(call.input(i).shape.end()[-2]);
    const auto width = static_cast<int>(call.input(i).shape.back());
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(batch) * height * width;
    const Matrix8 stored(height, width, std::vector<std::int8_t>(first, first + std::ptrdiff_t{height} * width));
    return transposed ? golden::transpose(stored) : stored;
  };
  std::vector<std::int32_t> bias;
  if (call.has_input(2)) {
    bias = elements<std::int32_t>(broadcast_to(call.input(2), output.shape));
  }
  golden::Tensor32 all({1, 1, static_cast<int>(count(output.shape) / columns), columns});
  const std::vector<std::int32_t> zero_points = weight_zero_points(call);
  const std::int32_t input_zero_point = zero_point_of(call.input_tensor(0));
  const auto batch_count = static_cast<std::size_t>(count(batches));
  const std::size_t size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  for (std::size_t batch = 0; batch < batch_count; ++batch) {
    const Matrix8 left = matrix(0, a, batch, op.transpose_a);
    Matrix8 right = matrix(1, b, batch, op.transpose_b);
    golden::Matrix32 product =
        golden::matmul_raw(left, right, {}, input_zero_point, zero_points.size() == 1 ? zero_points[0] : 0);
    if (zero_points.size() != 1) {
      std::fill(right.data.begin(), right.data.end(), std::int8_t{1});
      take_off(product.data, golden::matmul_raw(left, right, {}, input_zero_point, 0).data, zero_points);
    }
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = batch * size + i;
      all.data[at] = golden::wrap_to_int32(std::int64_t{product.data[i]} + (bias.empty() ? 0 : bias[at]));
    }
  }
  if (wants_sums(call)) {
    return sums(call, all.data);
  }
  return from_int8(golden::apply(stage_of(call, Kernel::kDense, Activation::kNone), all).data, output);
}

}  // namespace systole::graph
