// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/operators.hpp"

#include <algorithm>
#include <array>

namespace systole::graph::onnx_file {
namespace {

struct Entry {
  std::string_view type;
  Handler handler;
};

constexpr Entry kEntries[] = {
    {"Abs", unary_operator}, {"Add", binary_operator}, {"AveragePool", average_pool}, {"BatchNormalization", batch_normalization},
    {"Cast", cast_operator}, {"CastLike", cast_like}, {"Ceil", unary_operator}, {"Celu", celu}, {"Clip", clip}, {"Concat", concat},
    {"Constant", constant}, {"ConstantOfShape", constant_of_shape}, {"Conv", conv}, {"ConvInteger", conv_integer}, {"Cos", unary_operator},
    {"Cosh", hyperbolic}, {"DepthToSpace", depth_to_space}, {"DequantizeLinear", dequantize_linear}, {"Div", binary_operator},
    {"Dropout", dropout}, {"DynamicQuantizeLinear", dynamic_quantize_linear}, {"Elu", unary_operator}, {"Erf", unary_operator},
    {"Exp", unary_operator}, {"Expand", expand_operator}, {"Flatten", flatten}, {"Floor", unary_operator}, {"Gather", gather},
    {"Gemm", gemm}, {"GlobalAveragePool", global_pool}, {"GlobalMaxPool", global_pool}, {"HardSigmoid", unary_operator},
    {"HardSwish", unary_operator}, {"Identity", identity}, {"InstanceNormalization", instance_normalization},
    {"LayerNormalization", layer_normalization}, {"LeakyRelu", unary_operator}, {"Log", unary_operator}, {"LogSoftmax", softmax},
    {"MatMul", matmul}, {"MatMulInteger", matmul_integer}, {"Max", variadic}, {"MaxPool", max_pool}, {"Mean", variadic},
    {"MeanVarianceNormalization", mean_variance_normalization}, {"Min", variadic}, {"Mul", binary_operator}, {"Neg", unary_operator},
    {"PRelu", prelu}, {"Pad", pad}, {"Pow", power}, {"QLinearConv", qlinear_conv}, {"QLinearMatMul", qlinear_matmul},
    {"QuantizeLinear", quantize_linear}, {"Range", range}, {"Reciprocal", unary_operator}, {"ReduceL1", reduction}, {"ReduceL2", reduction},
    {"ReduceLogSum", reduction}, {"ReduceLogSumExp", reduction}, {"ReduceMax", reduction}, {"ReduceMean", reduction},
    {"ReduceMin", reduction}, {"ReduceProd", reduction}, {"ReduceSum", reduction}, {"ReduceSumSquare", reduction},
    {"Relu", unary_operator}, {"Reshape", reshape}, {"Resize", resize}, {"Round", unary_operator}, {"Selu", selu},
    {"Shape", shape_operator}, {"Sigmoid", unary_operator}, {"Sign", unary_operator}, {"Sin", unary_operator}, {"Sinh", hyperbolic},
    {"Size", size_operator}, {"Slice", slice}, {"Softmax", softmax}, {"Softplus", unary_operator}, {"Softsign", softsign},
    {"SpaceToDepth", space_to_depth}, {"Split", split}, {"Sqrt", unary_operator}, {"Squeeze", squeeze}, {"Sub", binary_operator},
    {"Sum", variadic}, {"Tan", tangent}, {"Tanh", unary_operator}, {"Tile", tile}, {"Transpose", transpose}, {"Unsqueeze", unsqueeze},
    {"Upsample", resize}};

struct Class {
  std::string_view type;
  OnnxRefusal reason;
};

constexpr Class kClasses[] = {
    {"If", OnnxRefusal::kControlFlow}, {"Loop", OnnxRefusal::kControlFlow}, {"Scan", OnnxRefusal::kControlFlow},
    {"SequenceMap", OnnxRefusal::kControlFlow}, {"SequenceConstruct", OnnxRefusal::kSequence}, {"SequenceEmpty", OnnxRefusal::kSequence},
    {"SequenceInsert", OnnxRefusal::kSequence}, {"SequenceAt", OnnxRefusal::kSequence}, {"SequenceErase", OnnxRefusal::kSequence},
    {"SequenceLength", OnnxRefusal::kSequence}, {"SplitToSequence", OnnxRefusal::kSequence}, {"ConcatFromSequence", OnnxRefusal::kSequence},
    {"Optional", OnnxRefusal::kOptional}, {"OptionalGetElement", OnnxRefusal::kOptional}, {"OptionalHasElement", OnnxRefusal::kOptional},
    {"StringNormalizer", OnnxRefusal::kString}, {"TfIdfVectorizer", OnnxRefusal::kOperator}, {"Bernoulli", OnnxRefusal::kRandom},
    {"RandomNormal", OnnxRefusal::kRandom}, {"RandomUniform", OnnxRefusal::kRandom}, {"RandomNormalLike", OnnxRefusal::kRandom},
    {"RandomUniformLike", OnnxRefusal::kRandom}, {"Multinomial", OnnxRefusal::kRandom}, {"NegativeLogLikelihoodLoss", OnnxRefusal::kTraining},
    {"SoftmaxCrossEntropyLoss", OnnxRefusal::kTraining}, {"RNN", OnnxRefusal::kRecurrent}, {"GRU", OnnxRefusal::kRecurrent},
    {"LSTM", OnnxRefusal::kRecurrent}, {"NonZero", OnnxRefusal::kDynamicShape}, {"Unique", OnnxRefusal::kDynamicShape},
    {"Compress", OnnxRefusal::kDynamicShape}, {"NonMaxSuppression", OnnxRefusal::kDynamicShape}};

}  // namespace

Handler handler_of(std::string_view type) {
  const auto* found = std::find_if(std::begin(kEntries), std::end(kEntries), [&](const Entry& e) { return e.type == type; });
  return found == std::end(kEntries) ? nullptr : found->handler;
}

OnnxRefusal refusal_of(std::string_view type) {
  const auto* found = std::find_if(std::begin(kClasses), std::end(kClasses), [&](const Class& c) { return c.type == type; });
  return found == std::end(kClasses) ? OnnxRefusal::kOperator : found->reason;
}

}  // namespace systole::graph::onnx_file
