// SPDX-License-Identifier: Apache-2.0
#include "onnx_operators.hpp"

#include <algorithm>
#include <array>

namespace systole::graph::onnx_file {
namespace {

struct Entry {
  std::string_view type;
  Handler handler;
};

constexpr Entry kEntries[] = {{"Abs", unary_operator},
                              {"Acos", unary_operator},
                              {"Acosh", unary_operator},
                              {"Add", binary_operator},
                              {"And", logic},
                              {"ArgMax", arg_extreme},
                              {"ArgMin", arg_extreme},
                              {"Asin", unary_operator},
                              {"Asinh", unary_operator},
                              {"Atan", unary_operator},
                              {"Atanh", unary_operator},
                              {"AveragePool", average_pool},
                              {"BatchNormalization", batch_normalization},
                              {"BitShift", bit_shift},
                              {"BlackmanWindow", window},
                              {"Cast", cast_operator},
                              {"CastLike", cast_like},
                              {"Ceil", unary_operator},
                              {"Celu", celu},
                              {"Clip", clip},
                              {"Compress", compress},
                              {"Concat", concat},
                              {"Constant", constant},
                              {"ConstantOfShape", constant_of_shape},
                              {"Conv", conv},
                              {"ConvInteger", conv_integer},
                              {"ConvTranspose", conv_transpose},
                              {"Cos", unary_operator},
                              {"Cosh", unary_operator},
                              {"CumSum", cumulative_sum},
                              {"DFT", fourier},
                              {"DepthToSpace", depth_to_space},
                              {"DequantizeLinear", dequantize_linear},
                              {"Det", determinant},
                              {"Div", binary_operator},
                              {"Dropout", dropout},
                              {"DynamicQuantizeLinear", dynamic_quantize_linear},
                              {"Einsum", einsum},
                              {"Elu", unary_operator},
                              {"Equal", comparison},
                              {"Erf", unary_operator},
                              {"Exp", unary_operator},
                              {"Expand", expand_operator},
                              {"EyeLike", eye_like},
                              {"Flatten", flatten},
                              {"Floor", unary_operator},
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
                              {"HardSigmoid", unary_operator},
                              {"HardSwish", unary_operator},
                              {"Hardmax", hardmax},
                              {"Identity", identity},
                              {"InstanceNormalization", instance_normalization},
                              {"IsInf", test_operator},
                              {"IsNaN", test_operator},
                              {"LRN", local_response_normalization},
                              {"LSTM", recurrent},
                              {"LayerNormalization", layer_normalization},
                              {"LeakyRelu", unary_operator},
                              {"Less", comparison},
                              {"LessOrEqual", comparison},
                              {"Log", unary_operator},
                              {"LogSoftmax", softmax},
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
                              {"Mul", binary_operator},
                              {"Neg", unary_operator},
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
                              {"Reciprocal", unary_operator},
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
                              {"Relu", unary_operator},
                              {"Reshape", reshape},
                              {"Resize", resize},
                              {"ReverseSequence", reverse_sequence},
                              {"RoiAlign", roi_align},
                              {"Round", unary_operator},
                              {"STFT", short_time_fourier},
                              {"Scatter", scatter_elements},
                              {"ScatterElements", scatter_elements},
                              {"ScatterND", scatter_nd},
                              {"Selu", selu},
                              {"Shape", shape_operator},
                              {"Shrink", shrink},
                              {"Sigmoid", unary_operator},
                              {"Sign", unary_operator},
                              {"Sin", unary_operator},
                              {"Sinh", unary_operator},
                              {"Size", size_operator},
                              {"Slice", slice},
                              {"Softmax", softmax},
                              {"SoftmaxCrossEntropyLoss", softmax_cross_entropy},
                              {"Softplus", unary_operator},
                              {"Softsign", softsign},
                              {"SpaceToDepth", space_to_depth},
                              {"Split", split},
                              {"Sqrt", unary_operator},
                              {"Squeeze", squeeze},
                              {"Sub", binary_operator},
                              {"Sum", variadic},
                              {"Swish", swish},
                              {"Tan", unary_operator},
                              {"Tanh", unary_operator},
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

constexpr Entry kMicrosoft[] = {{"Gelu", gelu},
                                {"QLinearAdd", qlinear_binary},
                                {"QLinearGlobalAveragePool", qlinear_global_average_pool},
                                {"QLinearLeakyRelu", qlinear_unary},
                                {"QLinearMul", qlinear_binary},
                                {"QLinearSigmoid", qlinear_unary}};

struct Class {
  std::string_view type;
  OnnxRefusal reason;
};

constexpr Class kClasses[] = {{"Bernoulli", OnnxRefusal::kRandom},
                              {"ConcatFromSequence", OnnxRefusal::kSequence},
                              {"If", OnnxRefusal::kControlFlow},
                              {"Loop", OnnxRefusal::kControlFlow},
                              {"Multinomial", OnnxRefusal::kRandom},
                              {"NonMaxSuppression", OnnxRefusal::kDynamicShape},
                              {"Optional", OnnxRefusal::kOptional},
                              {"OptionalGetElement", OnnxRefusal::kOptional},
                              {"OptionalHasElement", OnnxRefusal::kOptional},
                              {"RandomNormal", OnnxRefusal::kRandom},
                              {"RandomNormalLike", OnnxRefusal::kRandom},
                              {"RandomUniform", OnnxRefusal::kRandom},
                              {"RandomUniformLike", OnnxRefusal::kRandom},
                              {"Scan", OnnxRefusal::kControlFlow},
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
    return find(kEntries);
  }
  return domain == "com.microsoft" ? find(kMicrosoft) : nullptr;
}

OnnxRefusal refusal_of(std::string_view type) {
  const auto* found =
      std::find_if(std::begin(kClasses), std::end(kClasses), [&](const Class& c) { return c.type == type; });
  return found == std::end(kClasses) ? OnnxRefusal::kUnknownOperator : found->reason;
}

}  // namespace systole::graph::onnx_file
