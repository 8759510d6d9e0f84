// SPDX-License-Identifier: Apache-2.0
// The supported operators, one function each, and shared helpers.
#pragma once

#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {

/// Converts the element type: integers keep the lower bits, fractions are truncated.
TensorId cast(Translation& t, TensorId id, ElementType type);
/// Elements at the given indices along an axis.
TensorId take(Translation& t, TensorId id, std::size_t axis, const std::vector<std::int64_t>& positions);
/// Takes the same elements as take(): by slices if a few suffice, otherwise by one Gather.
TensorId take_or_gather(Translation& t, TensorId id, std::size_t axis, const std::vector<std::int64_t>& positions);
/// Broadcasts to `shape`.
TensorId expand(Translation& t, TensorId id, Shape shape);
/// The second operand of operator sets below 7, aligned with the first at an axis that the node names.
TensorId along_operand(Translation& t, TensorId a, TensorId b);
/// Translates an element-wise operator or a reduction of a tensor without elements. Returns false for all others.
bool handled_without_elements(Translation& t);
/// Averages as AveragePool computes them, by the attributes of the node.
TensorId average_pooled(Translation& t, TensorId input);
/// Softmax as the operator set of the file defines it, by the node's axis.
TensorId softmaxed(Translation& t, TensorId input, std::int64_t opset);
TensorId reduce(Translation& t, ReduceKind kind, TensorId id, const std::vector<int>& axes, bool keep);
/// A product of matrices or vectors, as MatMul has it.
TensorId matrix_product(Translation& t, TensorId a, TensorId b, ElementType type,
                        const std::optional<Quantization>& quantization = {});
/// x sigmoid(alpha x)
TensorId swished(Translation& t, TensorId x, float alpha);
/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
TensorId gelu_by_tanh(Translation& t, TensorId x);
/// Along the last axis, with factors and, unless kNoTensor, summands.
TensorId layer_normalized(Translation& t, TensorId x, TensorId factors, TensorId summands, float epsilon);
/// x divided by the root mean square over the axes from `axis` on, with factors.
TensorId root_mean_square_normalized(Translation& t, TensorId x, TensorId factors, std::int64_t axis, float epsilon);

// Convolutions and products.
void conv(Translation& t);
void qlinear_conv(Translation& t);
void conv_integer(Translation& t);
void conv_transpose(Translation& t);
void matmul(Translation& t);
void qlinear_matmul(Translation& t);
void matmul_integer(Translation& t);
void gemm(Translation& t);
void einsum(Translation& t);
void recurrent(Translation& t);
void fourier(Translation& t);
void short_time_fourier(Translation& t);

// Control flow.
void branch(Translation& t);
void loop(Translation& t);
void scan(Translation& t);

// Products of quantized operands.
void quantized_gemm(Translation& t);
void matmul_integer_to_float(Translation& t);
void dynamic_quantize_matmul(Translation& t);

// Quantization.
void quantize_linear(Translation& t);
void dequantize_linear(Translation& t);
void dynamic_quantize_linear(Translation& t);

// Sequences of numbers.
void count_sequences(Translation& t);

// Attention.
void attention(Translation& t);
void rotary_embedding(Translation& t);

// Domain com.microsoft.
void packed_attention(Translation& t);
void multi_head_attention(Translation& t);
void group_query_attention(Translation& t);
void bias_gelu(Translation& t);
void fast_gelu(Translation& t);
void quick_gelu(Translation& t);
void skip_normalization(Translation& t);
void embed_layer_normalization(Translation& t);
void quantized_attention(Translation& t);
void quantized_embeddings(Translation& t);
void fused_matmul(Translation& t);
void qlinear_binary(Translation& t);
void qlinear_unary(Translation& t);
void qlinear_global_average_pool(Translation& t);
void qlinear_average_pool(Translation& t);
void qlinear_concat(Translation& t);
void qlinear_reduce_mean(Translation& t);
void qlinear_softmax(Translation& t);
void qlinear_where(Translation& t);

// Element-wise.
void binary_operator(Translation& t);
void variadic(Translation& t);
void power(Translation& t);
void unary_operator(Translation& t);
void clip(Translation& t);
void cast_operator(Translation& t);
void cast_like(Translation& t);
void identity(Translation& t);
void dropout(Translation& t);

// Composed of others.
void prelu(Translation& t);
void selu(Translation& t);
void celu(Translation& t);
void softsign(Translation& t);
void gelu(Translation& t);
void mish(Translation& t);
void swish(Translation& t);
void gated_swish(Translation& t);

// Booleans, bitwise integers.
void comparison(Translation& t);
void logic(Translation& t);
void test_operator(Translation& t);
void where(Translation& t);
void bit_shift(Translation& t);
void bit_cast(Translation& t);
void bitwise(Translation& t);
void bitwise_not(Translation& t);
void modulo(Translation& t);
void shrink(Translation& t);
void thresholded_relu(Translation& t);

// Indices.
void gather(Translation& t);
void gather_elements(Translation& t);
void gather_nd(Translation& t);
void scatter_elements(Translation& t);
void scatter_nd(Translation& t);
void max_unpool(Translation& t);
void reverse_sequence(Translation& t);
void one_hot(Translation& t);
void compress(Translation& t);
void non_zero(Translation& t);
void arg_extreme(Translation& t);
void hardmax(Translation& t);
void top_k(Translation& t);
void cumulative_sum(Translation& t);

// Along a sequence, step after step.
void cumulative_product(Translation& t);
void causal_convolution(Translation& t);
void linear_attention(Translation& t);

// Pooling, reductions, normalization.
void max_pool(Translation& t);
void average_pool(Translation& t);
void global_pool(Translation& t);
void lp_pool(Translation& t);
void reduction(Translation& t);
void softmax(Translation& t);
void batch_normalization(Translation& t);
void instance_normalization(Translation& t);
void layer_normalization(Translation& t);
void group_normalization(Translation& t);
void root_mean_square_normalization(Translation& t);
void mean_variance_normalization(Translation& t);
void local_response_normalization(Translation& t);
void lp_normalization(Translation& t);
void negative_log_likelihood(Translation& t);
void softmax_cross_entropy(Translation& t);

// Movement.
void pad(Translation& t);
void transpose(Translation& t);
void concat(Translation& t);
void split(Translation& t);
void slice(Translation& t);
void tile(Translation& t);
void depth_to_space(Translation& t);
void space_to_depth(Translation& t);
void resize(Translation& t);
void grid_sample(Translation& t);
void roi_align(Translation& t);
void affine_grid(Translation& t);
void center_crop_pad(Translation& t);
void columns_to_image(Translation& t);
void tensor_scatter(Translation& t);

// Shapes and constants.
void reshape(Translation& t);
void flatten(Translation& t);
void squeeze(Translation& t);
void unsqueeze(Translation& t);
void expand_operator(Translation& t);
void constant(Translation& t);
void constant_of_shape(Translation& t);
void shape_operator(Translation& t);
void size_operator(Translation& t);
void range(Translation& t);
void window(Translation& t);
void eye_like(Translation& t);
void triangle(Translation& t);
void mel_weights(Translation& t);
void registered_operator(Translation& t);  ///< ImportOptions::operators

}  // namespace systole::graph::onnx_file
