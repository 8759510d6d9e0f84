// SPDX-License-Identifier: Apache-2.0
// Generated from driver/compiler/graph/kinds.toml by scripts/gen/generate. Do not edit.
// clang-format off

#include "infer.hpp"
#include "kind_rules.hpp"

namespace systole::graph {

namespace {

constexpr OperandRule kConv2dOperands[] = {
    {"input", Elements::kAny, -1, "N,H,W,C", false, false},
    {"weights", Elements::kAny, -1, "O,KH,KW,I", false, false},
    {"bias", Elements::kAny, -1, "O", true, false},
};
constexpr OperandRule kConv2dResults[] = {
    {"result", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kDenseOperands[] = {
    {"input", Elements::kAny, -1, "...,K", false, false},
    {"weights", Elements::kAny, -1, "O,K", false, false},
    {"bias", Elements::kAny, -1, "O", true, false},
};
constexpr OperandRule kDenseResults[] = {
    {"result", Elements::kAny, -1, "...,O", false, false},
};
constexpr OperandRule kMatMulOperands[] = {
    {"a", Elements::kAny, -1, nullptr, false, false},
    {"b", Elements::kAny, -1, nullptr, false, false},
    {"bias", Elements::kAny, -1, nullptr, true, false},
};
constexpr OperandRule kMatMulResults[] = {
    {"result", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kBinaryOperands[] = {
    {"lhs", Elements::kAny, -1, nullptr, false, false},
    {"rhs", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kBinaryResults[] = {
    {"result", Elements::kAny, -1, "broadcast", false, false},
};
constexpr OperandRule kUnaryOperands[] = {
    {"input", Elements::kAny, -1, "...", false, false},
};
constexpr OperandRule kUnaryResults[] = {
    {"result", Elements::kAny, -1, "...", false, false},
};
constexpr OperandRule kPoolOperands[] = {
    {"input", Elements::kScaledOrReal, -1, "N,H,W,C", false, false},
};
constexpr OperandRule kPoolResults[] = {
    {"result", Elements::kAny, 0, nullptr, false, false},
};
constexpr OperandRule kReduceOperands[] = {
    {"input", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kReduceResults[] = {
    {"result", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kPadOperands[] = {
    {"input", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kPadResults[] = {
    {"result", Elements::kAny, 0, nullptr, false, false},
};
constexpr OperandRule kReshapeOperands[] = {
    {"input", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kReshapeResults[] = {
    {"result", Elements::kAny, 0, nullptr, false, false},
};
constexpr OperandRule kTransposeOperands[] = {
    {"input", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kTransposeResults[] = {
    {"result", Elements::kAny, 0, nullptr, false, false},
};
constexpr OperandRule kConcatOperands[] = {
    {"part", Elements::kAny, -1, nullptr, false, true},
};
constexpr OperandRule kConcatResults[] = {
    {"result", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kSplitOperands[] = {
    {"input", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kSplitResults[] = {
    {"part", Elements::kAny, 0, nullptr, false, true},
};
constexpr OperandRule kSliceOperands[] = {
    {"input", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kSliceResults[] = {
    {"result", Elements::kAny, 0, nullptr, false, false},
};
constexpr OperandRule kResizeNearestOperands[] = {
    {"input", Elements::kAny, -1, "N,H,W,C", false, false},
};
constexpr OperandRule kResizeNearestResults[] = {
    {"result", Elements::kAny, 0, nullptr, false, false},
};
constexpr OperandRule kSoftmaxOperands[] = {
    {"input", Elements::kScaledOrReal, -1, "...", false, false},
};
constexpr OperandRule kSoftmaxResults[] = {
    {"result", Elements::kAny, -1, "...", false, false},
};
constexpr OperandRule kConvertOperands[] = {
    {"input", Elements::kAny, -1, "...", false, false},
};
constexpr OperandRule kConvertResults[] = {
    {"result", Elements::kAny, -1, "...", false, false},
};
constexpr OperandRule kSelectOperands[] = {
    {"condition", Elements::kBool, -1, nullptr, false, false},
    {"a", Elements::kAny, -1, nullptr, false, false},
    {"b", Elements::kAny, 1, nullptr, false, false},
};
constexpr OperandRule kSelectResults[] = {
    {"result", Elements::kAny, 1, "broadcast", false, false},
};
constexpr OperandRule kArgExtremeOperands[] = {
    {"input", Elements::kOneScaleAtMost, -1, nullptr, false, false},
};
constexpr OperandRule kArgExtremeResults[] = {
    {"result", Elements::kIndex, -1, nullptr, false, false},
};
constexpr OperandRule kCumulativeSumOperands[] = {
    {"input", Elements::kAny, -1, "...", false, false},
};
constexpr OperandRule kCumulativeSumResults[] = {
    {"result", Elements::kAny, -1, "...", false, false},
};
constexpr OperandRule kGatherOperands[] = {
    {"data", Elements::kOneScaleAtMost, -1, nullptr, false, false},
    {"indices", Elements::kIndex, -1, nullptr, false, false},
};
constexpr OperandRule kGatherResults[] = {
    {"result", Elements::kAny, 0, nullptr, false, false},
};
constexpr OperandRule kFlatIndexOperands[] = {
    {"indices", Elements::kIndex, -1, "...,K", false, false},
};
constexpr OperandRule kFlatIndexResults[] = {
    {"result", Elements::kInt64, -1, nullptr, false, false},
};
constexpr OperandRule kScatterOperands[] = {
    {"data", Elements::kOneScaleAtMost, -1, "N,...", false, false},
    {"indices", Elements::kIndex, -1, "U", false, false},
    {"updates", Elements::kAny, 0, "U,...", false, false},
};
constexpr OperandRule kScatterResults[] = {
    {"result", Elements::kAny, 0, "N,...", false, false},
};
constexpr OperandRule kTopKOperands[] = {
    {"input", Elements::kOneScaleAtMost, -1, nullptr, false, false},
};
constexpr OperandRule kTopKResults[] = {
    {"values", Elements::kAny, 0, nullptr, false, false},
    {"indices", Elements::kInt64, -1, nullptr, false, false},
};
constexpr OperandRule kMaxIndicesOperands[] = {
    {"input", Elements::kOneScaleAtMost, -1, "N,H,W,C", false, false},
};
constexpr OperandRule kMaxIndicesResults[] = {
    {"result", Elements::kInt64, -1, nullptr, false, false},
};
constexpr OperandRule kDeterminantOperands[] = {
    {"input", Elements::kReal, -1, "...,N,N", false, false},
};
constexpr OperandRule kDeterminantResults[] = {
    {"result", Elements::kAny, 0, "...", false, false},
};
constexpr OperandRule kLstmOperands[] = {
    {"input", Elements::kAny, -1, "A,B,I", false, false},
    {"input weights", Elements::kAny, -1, "U,I", false, false},
    {"input weights", Elements::kAny, -1, "U,I", false, false},
    {"input weights", Elements::kAny, -1, "U,I", false, false},
    {"input weights", Elements::kAny, -1, "U,I", false, false},
    {"hidden weights", Elements::kAny, -1, "U,U", false, false},
    {"hidden weights", Elements::kAny, -1, "U,U", false, false},
    {"hidden weights", Elements::kAny, -1, "U,U", false, false},
    {"hidden weights", Elements::kAny, -1, "U,U", false, false},
    {"bias", Elements::kAny, -1, "U", false, false},
    {"bias", Elements::kAny, -1, "U", false, false},
    {"bias", Elements::kAny, -1, "U", false, false},
    {"bias", Elements::kAny, -1, "U", false, false},
    {"hidden", Elements::kAny, -1, "N,U", false, false},
    {"cell", Elements::kAny, -1, "N,U", false, false},
};
constexpr OperandRule kLstmResults[] = {
    {"result", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kSvdfOperands[] = {
    {"input", Elements::kAny, -1, "N,I", false, false},
    {"feature weights", Elements::kAny, -1, "F,I", false, false},
    {"time weights", Elements::kAny, -1, "F,M", false, false},
    {"state", Elements::kAny, -1, "N,S", false, false},
    {"bias", Elements::kAny, -1, "U", true, false},
};
constexpr OperandRule kSvdfResults[] = {
    {"result", Elements::kAny, -1, nullptr, false, false},
};
constexpr OperandRule kResizeBilinearOperands[] = {
    {"input", Elements::kAny, -1, "N,H,W,C", false, false},
};
constexpr OperandRule kResizeBilinearResults[] = {
    {"result", Elements::kAny, 0, nullptr, false, false},
};
constexpr OperandRule kL2NormalizeOperands[] = {
    {"input", Elements::kAny, -1, "...,C", false, false},
};
constexpr OperandRule kL2NormalizeResults[] = {
    {"result", Elements::kAny, -1, "...,C", false, false},
};
constexpr OperandRule kLayerNormalizeOperands[] = {
    {"input", Elements::kAny, -1, "...,C", false, false},
    {"gamma", Elements::kAny, -1, "C", false, false},
    {"beta", Elements::kAny, -1, "C", false, false},
};
constexpr OperandRule kLayerNormalizeResults[] = {
    {"result", Elements::kAny, -1, "...,C", false, false},
};
constexpr OperandRule kReinterpretOperands[] = {
    {"input", Elements::kAny, -1, "...", false, false},
};
constexpr OperandRule kReinterpretResults[] = {
    {"result", Elements::kAny, -1, "...", false, false},
};
constexpr OperandRule kLocalResponseOperands[] = {
    {"input", Elements::kAny, -1, "...,C", false, false},
};
constexpr OperandRule kLocalResponseResults[] = {
    {"result", Elements::kAny, -1, "...,C", false, false},
};
constexpr OperandRule kBatchNormalizeOperands[] = {
    {"input", Elements::kReal, -1, "...,C", false, false},
    {"scale", Elements::kAny, 0, "C", false, false},
    {"bias", Elements::kAny, 0, "C", false, false},
    {"mean", Elements::kAny, 0, "C", false, false},
    {"variance", Elements::kAny, 0, "C", false, false},
};
constexpr OperandRule kBatchNormalizeResults[] = {
    {"result", Elements::kAny, 0, "...,C", false, false},
};
constexpr OperandRule kDropoutOperands[] = {
    {"input", Elements::kReal, -1, "...", false, false},
};
constexpr OperandRule kDropoutResults[] = {
    {"result", Elements::kAny, 0, "...", false, false},
};

constexpr KindRules kRules[] = {
    {"Conv2d", kConv2dOperands, kConv2dResults, Batch::kRows},
    {"Dense", kDenseOperands, kDenseResults, Batch::kRows},
    {"MatMul", kMatMulOperands, kMatMulResults, Batch::kOwn},
    {"Binary", kBinaryOperands, kBinaryResults, Batch::kBroadcast},
    {"Unary", kUnaryOperands, kUnaryResults, Batch::kRows},
    {"Pool", kPoolOperands, kPoolResults, Batch::kRows},
    {"Reduce", kReduceOperands, kReduceResults, Batch::kOwn},
    {"Pad", kPadOperands, kPadResults, Batch::kOwn},
    {"Reshape", kReshapeOperands, kReshapeResults, Batch::kOwn},
    {"Transpose", kTransposeOperands, kTransposeResults, Batch::kOwn},
    {"Concat", kConcatOperands, kConcatResults, Batch::kAlong},
    {"Split", kSplitOperands, kSplitResults, Batch::kAlong},
    {"Slice", kSliceOperands, kSliceResults, Batch::kOwn},
    {"ResizeNearest", kResizeNearestOperands, kResizeNearestResults, Batch::kRows},
    {"Softmax", kSoftmaxOperands, kSoftmaxResults, Batch::kAlong},
    {"Convert", kConvertOperands, kConvertResults, Batch::kRows},
    {"Select", kSelectOperands, kSelectResults, Batch::kBroadcast},
    {"ArgExtreme", kArgExtremeOperands, kArgExtremeResults, Batch::kAlong},
    {"CumulativeSum", kCumulativeSumOperands, kCumulativeSumResults, Batch::kAlong},
    {"Gather", kGatherOperands, kGatherResults, Batch::kOwn},
    {"FlatIndex", kFlatIndexOperands, kFlatIndexResults, Batch::kRows},
    {"Scatter", kScatterOperands, kScatterResults, Batch::kOwn},
    {"TopK", kTopKOperands, kTopKResults, Batch::kAlong},
    {"MaxIndices", kMaxIndicesOperands, kMaxIndicesResults, Batch::kOwn},
    {"Determinant", kDeterminantOperands, kDeterminantResults, Batch::kRows},
    {"Lstm", kLstmOperands, kLstmResults, Batch::kOwn},
    {"Svdf", kSvdfOperands, kSvdfResults, Batch::kRows},
    {"ResizeBilinear", kResizeBilinearOperands, kResizeBilinearResults, Batch::kRows},
    {"L2Normalize", kL2NormalizeOperands, kL2NormalizeResults, Batch::kRows},
    {"LayerNormalize", kLayerNormalizeOperands, kLayerNormalizeResults, Batch::kRows},
    {"Reinterpret", kReinterpretOperands, kReinterpretResults, Batch::kRows},
    {"LocalResponse", kLocalResponseOperands, kLocalResponseResults, Batch::kRows},
    {"BatchNormalize", kBatchNormalizeOperands, kBatchNormalizeResults, Batch::kRows},
    {"Dropout", kDropoutOperands, kDropoutResults, Batch::kRows},
};

}  // namespace

const KindRules& rules_of(const OperatorKind& kind) { return kRules[kind.index()]; }

const char* name_of(const OperatorKind& kind) { return rules_of(kind).name; }
const char* name_of(BinaryKind value) {
  static constexpr const char* kNames[] = {
      "add", "subtract", "multiply", "divide", "minimum", "maximum", "power", "modulo", "remainder", "equal", "less",
      "less or equal", "and", "or", "xor", "shift left", "shift right", "floor divide", "squared difference", "prelu",
      "straight through", "atan2"};
  return kNames[static_cast<std::size_t>(value)];
}
const char* name_of(UnaryKind value) {
  static constexpr const char* kNames[] = {
      "relu", "relu6", "clip", "leaky relu", "elu", "hard sigmoid", "hard swish", "sigmoid", "tanh", "gelu",
      "softplus", "abs", "negate", "exp", "log", "sqrt", "reciprocal", "floor", "ceil", "round", "sign", "erf", "sin",
      "cos", "identity", "tan", "acos", "asin", "atan", "sinh", "cosh", "acosh", "asinh", "atanh", "not", "is nan",
      "is infinite", "reciprocal square root", "expm1", "log1p", "cbrt", "log gamma", "digamma", "inverse erf",
      "complementary erf"};
  return kNames[static_cast<std::size_t>(value)];
}
const char* name_of(PoolKind value) {
  static constexpr const char* kNames[] = {
      "max", "average"};
  return kNames[static_cast<std::size_t>(value)];
}
const char* name_of(ReduceKind value) {
  static constexpr const char* kNames[] = {
      "sum", "mean", "max", "min", "product"};
  return kNames[static_cast<std::size_t>(value)];
}
const char* name_of(PadMode value) {
  static constexpr const char* kNames[] = {
      "", "reflected", "repeating the edge", "reflected with the edge"};
  return kNames[static_cast<std::size_t>(value)];
}
const char* name_of(ScatterCombine value) {
  static constexpr const char* kNames[] = {
      "", "add", "multiply", "maximum", "minimum"};
  return kNames[static_cast<std::size_t>(value)];
}

void check_attributes(const OperatorKind& kind, const Shape& first) {
  switch (kind.index()) {
    case 0: {
      const auto& op = std::get<Conv2d>(kind);
      require_at_least("groups", op.groups, 1);
      break;
    }
    case 10: {
      const auto& op = std::get<Concat>(kind);
      axis_of(op.axis, first.size());
      break;
    }
    case 11: {
      const auto& op = std::get<Split>(kind);
      axis_of(op.axis, first.size());
      break;
    }
    case 14: {
      const auto& op = std::get<Softmax>(kind);
      axis_of(op.axis, first.size());
      break;
    }
    case 17: {
      const auto& op = std::get<ArgExtreme>(kind);
      axis_of(op.axis, first.size());
      break;
    }
    case 18: {
      const auto& op = std::get<CumulativeSum>(kind);
      axis_of(op.axis, first.size());
      break;
    }
    case 19: {
      const auto& op = std::get<Gather>(kind);
      axis_of(op.axis, first.size());
      break;
    }
    case 22: {
      const auto& op = std::get<TopK>(kind);
      axis_of(op.axis, first.size());
      break;
    }
    case 26: {
      const auto& op = std::get<Svdf>(kind);
      require_at_least("rank", op.rank, 1);
      break;
    }
    case 31: {
      const auto& op = std::get<LocalResponse>(kind);
      require_at_least("before", op.before, 0);
      require_at_least("after", op.after, 0);
      break;
    }
    default: break;
  }
}

}  // namespace systole::graph
