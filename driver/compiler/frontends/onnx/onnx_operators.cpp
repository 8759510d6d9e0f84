// SPDX-License-Identifier: Apache-2.0
#include "onnx_operators.hpp"

#include <algorithm>
#include <array>

#include "function_names.hpp"
#include "onnx_kind.hpp"

namespace systole::graph::onnx_file {
namespace {

struct Entry {
  std::string_view type;
  Handler handler;
};

constexpr Entry kEntries[] = {{"AffineGrid", affine_grid},
                              {"And", logic},
                              {"ArgMax", arg_extreme},
                              {"ArgMin", arg_extreme},
                              {"Attention", attention},
                              {"AveragePool", average_pool},
                              {"BatchNormalization", batch_normalization},
                              {"BitCast", bit_cast},
                              {"BitShift", bit_shift},
                              {"BitwiseAnd", bitwise},
                              {"BitwiseNot", bitwise_not},
                              {"BitwiseOr", bitwise},
                              {"BitwiseXor", bitwise},
                              {"BlackmanWindow", window},
                              {"Cast", cast_operator},
                              {"CastLike", cast_like},
                              {"CausalConvWithState", causal_convolution},
                              {"Celu", celu},
                              {"CenterCropPad", center_crop_pad},
                              {"Clip", clip},
                              {"Col2Im", columns_to_image},
                              {"Compress", compress},
                              {"Concat", concat},
                              {"Constant", constant},
                              {"ConstantOfShape", constant_of_shape},
                              {"Conv", conv},
                              {"ConvInteger", conv_integer},
                              {"ConvTranspose", conv_transpose},
                              {"CumProd", cumulative_product},
                              {"CumSum", cumulative_sum},
                              {"DFT", fourier},
                              {"DepthToSpace", depth_to_space},
                              {"DequantizeLinear", dequantize_linear},
                              {"Dropout", dropout},
                              {"DynamicQuantizeLinear", dynamic_quantize_linear},
                              {"Einsum", einsum},
                              {"Equal", comparison},
                              {"Expand", expand_operator},
                              {"EyeLike", eye_like},
                              {"Flatten", flatten},
                              {"GRU", recurrent},
                              {"Gather", gather},
                              {"GatherElements", gather_elements},
                              {"GatherND", gather_nd},
                              {"Gelu", gelu},
                              {"Gemm", gemm},
                              {"GlobalAveragePool", global_pool},
                              {"GlobalLpPool", lp_pool},
                              {"GlobalMaxPool", global_pool},
                              {"Greater", comparison},
                              {"GreaterOrEqual", comparison},
                              {"GridSample", grid_sample},
                              {"GroupNormalization", group_normalization},
                              {"HammingWindow", window},
                              {"HannWindow", window},
                              {"Hardmax", hardmax},
                              {"Identity", identity},
                              {"If", branch},
                              {"InstanceNormalization", instance_normalization},
                              {"IsInf", test_operator},
                              {"IsNaN", test_operator},
                              {"LRN", local_response_normalization},
                              {"LSTM", recurrent},
                              {"LayerNormalization", layer_normalization},
                              {"Less", comparison},
                              {"LessOrEqual", comparison},
                              {"LinearAttention", linear_attention},
                              {"LogSoftmax", softmax},
                              {"Loop", loop},
                              {"LpNormalization", lp_normalization},
                              {"LpPool", lp_pool},
                              {"MatMul", matmul},
                              {"MatMulInteger", matmul_integer},
                              {"Max", variadic},
                              {"MaxPool", max_pool},
                              {"MaxUnpool", max_unpool},
                              {"Mean", variadic},
                              {"MeanVarianceNormalization", mean_variance_normalization},
                              {"MelWeightMatrix", mel_weights},
                              {"Min", variadic},
                              {"Mish", mish},
                              {"Mod", modulo},
                              {"NegativeLogLikelihoodLoss", negative_log_likelihood},
                              {"NonZero", non_zero},
                              {"Not", test_operator},
                              {"OneHot", one_hot},
                              {"Or", logic},
                              {"PRelu", prelu},
                              {"Pad", pad},
                              {"Pow", power},
                              {"QLinearConv", qlinear_conv},
                              {"QLinearMatMul", qlinear_matmul},
                              {"QuantizeLinear", quantize_linear},
                              {"RMSNormalization", root_mean_square_normalization},
                              {"RNN", recurrent},
                              {"Range", range},
                              {"ReduceL1", reduction},
                              {"ReduceL2", reduction},
                              {"ReduceLogSum", reduction},
                              {"ReduceLogSumExp", reduction},
                              {"ReduceMax", reduction},
                              {"ReduceMean", reduction},
                              {"ReduceMin", reduction},
                              {"ReduceProd", reduction},
                              {"ReduceSum", reduction},
                              {"ReduceSumSquare", reduction},
                              {"Reshape", reshape},
                              {"Resize", resize},
                              {"ReverseSequence", reverse_sequence},
                              {"RoiAlign", roi_align},
                              {"RotaryEmbedding", rotary_embedding},
                              {"STFT", short_time_fourier},
                              {"Scan", scan},
                              {"Scatter", scatter_elements},
                              {"ScatterElements", scatter_elements},
                              {"ScatterND", scatter_nd},
                              {"Selu", selu},
                              {"Shape", shape_operator},
                              {"Shrink", shrink},
                              {"SimplifiedLayerNormalization", root_mean_square_normalization},
                              {"Size", size_operator},
                              {"Slice", slice},
                              {"Softmax", softmax},
                              {"SoftmaxCrossEntropyLoss", softmax_cross_entropy},
                              {"Softsign", softsign},
                              {"SpaceToDepth", space_to_depth},
                              {"Split", split},
                              {"Squeeze", squeeze},
                              {"Sum", variadic},
                              {"SwiGLU", gated_swish},
                              {"Swish", swish},
                              {"TensorScatter", tensor_scatter},
                              {"TfIdfVectorizer", count_sequences},
                              {"ThresholdedRelu", thresholded_relu},
                              {"Tile", tile},
                              {"TopK", top_k},
                              {"Transpose", transpose},
                              {"Trilu", triangle},
                              {"Unsqueeze", unsqueeze},
                              {"Upsample", resize},
                              {"Where", where},
                              {"Xor", logic}};

constexpr Entry kMicrosoft[] = {{"Attention", packed_attention},
                                {"BiasGelu", bias_gelu},
                                {"DequantizeLinear", dequantize_linear},
                                {"DynamicQuantizeMatMul", dynamic_quantize_matmul},
                                {"DynamicQuantizeLSTM", recurrent},
                                {"EmbedLayerNormalization", embed_layer_normalization},
                                {"FastGelu", fast_gelu},
                                {"FusedMatMul", fused_matmul},
                                {"Gelu", gelu},
                                {"GroupQueryAttention", group_query_attention},
                                {"MatMulIntegerToFloat", matmul_integer_to_float},
                                {"MultiHeadAttention", multi_head_attention},
                                {"QAttention", quantized_attention},
                                {"QEmbedLayerNormalization", quantized_embeddings},
                                {"QGemm", quantized_gemm},
                                {"QLinearAdd", qlinear_binary},
                                {"QLinearAveragePool", qlinear_average_pool},
                                {"QLinearConcat", qlinear_concat},
                                {"QLinearGlobalAveragePool", qlinear_global_average_pool},
                                {"QLinearLeakyRelu", qlinear_unary},
                                {"QLinearMul", qlinear_binary},
                                {"QLinearReduceMean", qlinear_reduce_mean},
                                {"QLinearSigmoid", qlinear_unary},
                                {"QLinearSoftmax", qlinear_softmax},
                                {"QLinearWhere", qlinear_where},
                                {"QuantizeLinear", quantize_linear},
                                {"QuickGelu", quick_gelu},
                                {"RotaryEmbedding", rotary_embedding},
                                {"SimplifiedLayerNormalization", root_mean_square_normalization},
                                {"SkipLayerNormalization", skip_normalization},
                                {"SkipSimplifiedLayerNormalization", skip_normalization}};

struct Class {
  std::string_view type;
  OnnxRefusal reason;
};

constexpr Class kClasses[] = {{"Bernoulli", OnnxRefusal::kRandom},
                              {"ConcatFromSequence", OnnxRefusal::kSequence},
                              {"Multinomial", OnnxRefusal::kRandom},
                              {"NonMaxSuppression", OnnxRefusal::kDynamicShape},
                              {"Optional", OnnxRefusal::kOptional},
                              {"OptionalGetElement", OnnxRefusal::kOptional},
                              {"OptionalHasElement", OnnxRefusal::kOptional},
                              {"RandomNormal", OnnxRefusal::kRandom},
                              {"RandomNormalLike", OnnxRefusal::kRandom},
                              {"RandomUniform", OnnxRefusal::kRandom},
                              {"RandomUniformLike", OnnxRefusal::kRandom},
                              {"SequenceAt", OnnxRefusal::kSequence},
                              {"SequenceConstruct", OnnxRefusal::kSequence},
                              {"SequenceEmpty", OnnxRefusal::kSequence},
                              {"SequenceErase", OnnxRefusal::kSequence},
                              {"SequenceInsert", OnnxRefusal::kSequence},
                              {"SequenceLength", OnnxRefusal::kSequence},
                              {"SequenceMap", OnnxRefusal::kControlFlow},
                              {"SplitToSequence", OnnxRefusal::kSequence},
                              {"StringNormalizer", OnnxRefusal::kString},
                              {"Unique", OnnxRefusal::kDynamicShape}};

}  // namespace

Handler handler_of(std::string_view domain, std::string_view type) {
  const auto find = [&](const auto& entries) {
    const auto* found =
        std::find_if(std::begin(entries), std::end(entries), [&](const Entry& e) { return e.type == type; });
    return found == std::end(entries) ? nullptr : found->handler;
  };
  if (domain.empty() || domain == "ai.onnx") {
    const Handler own = find(kEntries);
    return own != nullptr         ? own
           : unary_of_onnx(type)  ? unary_operator
           : binary_of_onnx(type) ? binary_operator
                                  : kind_handler(type);
  }
  return domain == "com.microsoft" ? find(kMicrosoft) : nullptr;
}

OnnxRefusal refusal_of(std::string_view type) {
  const auto* found =
      std::find_if(std::begin(kClasses), std::end(kClasses), [&](const Class& c) { return c.type == type; });
  return found == std::end(kClasses) ? OnnxRefusal::kUnknownOperator : found->reason;
}

}  // namespace systole::graph::onnx_file
