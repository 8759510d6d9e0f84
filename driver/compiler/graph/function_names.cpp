// SPDX-License-Identifier: Apache-2.0
// Generated from driver/compiler/graph/kinds.toml by scripts/gen/generate. Do not edit.
// clang-format off

#include "function_names.hpp"
#include <limits>

namespace systole::graph {

std::optional<Unary> unary_of_onnx(std::string_view name) {
  if (name == "Relu") return Unary{UnaryKind::kRelu};
  if (name == "LeakyRelu") return Unary{UnaryKind::kLeakyRelu, 0.01F};
  if (name == "Elu") return Unary{UnaryKind::kElu, 1.0F};
  if (name == "HardSigmoid") return Unary{UnaryKind::kHardSigmoid, 0.2F, 0.5F};
  if (name == "HardSwish") return Unary{UnaryKind::kHardSwish};
  if (name == "Sigmoid") return Unary{UnaryKind::kSigmoid};
  if (name == "Tanh") return Unary{UnaryKind::kTanh};
  if (name == "Gelu") return Unary{UnaryKind::kGelu};
  if (name == "Softplus") return Unary{UnaryKind::kSoftplus};
  if (name == "Abs") return Unary{UnaryKind::kAbs};
  if (name == "Neg") return Unary{UnaryKind::kNegate};
  if (name == "Exp") return Unary{UnaryKind::kExp};
  if (name == "Log") return Unary{UnaryKind::kLog};
  if (name == "Sqrt") return Unary{UnaryKind::kSqrt};
  if (name == "Reciprocal") return Unary{UnaryKind::kReciprocal};
  if (name == "Floor") return Unary{UnaryKind::kFloor};
  if (name == "Ceil") return Unary{UnaryKind::kCeil};
  if (name == "Round") return Unary{UnaryKind::kRound};
  if (name == "Sign") return Unary{UnaryKind::kSign};
  if (name == "Erf") return Unary{UnaryKind::kErf};
  if (name == "Sin") return Unary{UnaryKind::kSin};
  if (name == "Cos") return Unary{UnaryKind::kCos};
  if (name == "Identity") return Unary{UnaryKind::kIdentity};
  if (name == "Tan") return Unary{UnaryKind::kTan};
  if (name == "Acos") return Unary{UnaryKind::kAcos};
  if (name == "Asin") return Unary{UnaryKind::kAsin};
  if (name == "Atan") return Unary{UnaryKind::kAtan};
  if (name == "Sinh") return Unary{UnaryKind::kSinh};
  if (name == "Cosh") return Unary{UnaryKind::kCosh};
  if (name == "Acosh") return Unary{UnaryKind::kAcosh};
  if (name == "Asinh") return Unary{UnaryKind::kAsinh};
  if (name == "Atanh") return Unary{UnaryKind::kAtanh};
  if (name == "Not") return Unary{UnaryKind::kNot};
  if (name == "IsNaN") return Unary{UnaryKind::kIsNan};
  if (name == "IsInf") return Unary{UnaryKind::kIsInfinite, 1.0F, 1.0F};
  return std::nullopt;
}
std::optional<Unary> unary_of_tflite(std::string_view name) {
  if (name == "RELU") return Unary{UnaryKind::kRelu};
  if (name == "RELU6") return Unary{UnaryKind::kRelu6};
  if (name == "ELU") return Unary{UnaryKind::kElu, 1.0F};
  if (name == "HARD_SWISH") return Unary{UnaryKind::kHardSwish};
  if (name == "LOGISTIC") return Unary{UnaryKind::kSigmoid};
  if (name == "TANH") return Unary{UnaryKind::kTanh};
  if (name == "ABS") return Unary{UnaryKind::kAbs};
  if (name == "NEG") return Unary{UnaryKind::kNegate};
  if (name == "EXP") return Unary{UnaryKind::kExp};
  if (name == "LOG") return Unary{UnaryKind::kLog};
  if (name == "SQRT") return Unary{UnaryKind::kSqrt};
  if (name == "FLOOR") return Unary{UnaryKind::kFloor};
  if (name == "CEIL") return Unary{UnaryKind::kCeil};
  if (name == "ROUND") return Unary{UnaryKind::kRound};
  if (name == "SIN") return Unary{UnaryKind::kSin};
  if (name == "COS") return Unary{UnaryKind::kCos};
  if (name == "RSQRT") return Unary{UnaryKind::kReciprocalSqrt};
  return std::nullopt;
}
const char* onnx_name_of(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::kRelu: return "Relu";
    case UnaryKind::kLeakyRelu: return "LeakyRelu";
    case UnaryKind::kElu: return "Elu";
    case UnaryKind::kHardSigmoid: return "HardSigmoid";
    case UnaryKind::kHardSwish: return "HardSwish";
    case UnaryKind::kSigmoid: return "Sigmoid";
    case UnaryKind::kTanh: return "Tanh";
    case UnaryKind::kGelu: return "Gelu";
    case UnaryKind::kSoftplus: return "Softplus";
    case UnaryKind::kAbs: return "Abs";
    case UnaryKind::kNegate: return "Neg";
    case UnaryKind::kExp: return "Exp";
    case UnaryKind::kLog: return "Log";
    case UnaryKind::kSqrt: return "Sqrt";
    case UnaryKind::kReciprocal: return "Reciprocal";
    case UnaryKind::kFloor: return "Floor";
    case UnaryKind::kCeil: return "Ceil";
    case UnaryKind::kRound: return "Round";
    case UnaryKind::kSign: return "Sign";
    case UnaryKind::kErf: return "Erf";
    case UnaryKind::kSin: return "Sin";
    case UnaryKind::kCos: return "Cos";
    case UnaryKind::kIdentity: return "Identity";
    case UnaryKind::kTan: return "Tan";
    case UnaryKind::kAcos: return "Acos";
    case UnaryKind::kAsin: return "Asin";
    case UnaryKind::kAtan: return "Atan";
    case UnaryKind::kSinh: return "Sinh";
    case UnaryKind::kCosh: return "Cosh";
    case UnaryKind::kAcosh: return "Acosh";
    case UnaryKind::kAsinh: return "Asinh";
    case UnaryKind::kAtanh: return "Atanh";
    case UnaryKind::kNot: return "Not";
    case UnaryKind::kIsNan: return "IsNaN";
    case UnaryKind::kIsInfinite: return "IsInf";
    default: return nullptr;
  }
}
std::optional<UnaryKind> unary_in_words(std::string_view words) {
  if (words == "relu") return UnaryKind::kRelu;
  if (words == "relu6") return UnaryKind::kRelu6;
  if (words == "clip") return UnaryKind::kClip;
  if (words == "leaky relu") return UnaryKind::kLeakyRelu;
  if (words == "elu") return UnaryKind::kElu;
  if (words == "hard sigmoid") return UnaryKind::kHardSigmoid;
  if (words == "hard swish") return UnaryKind::kHardSwish;
  if (words == "sigmoid") return UnaryKind::kSigmoid;
  if (words == "tanh") return UnaryKind::kTanh;
  if (words == "gelu") return UnaryKind::kGelu;
  if (words == "softplus") return UnaryKind::kSoftplus;
  if (words == "abs") return UnaryKind::kAbs;
  if (words == "negate") return UnaryKind::kNegate;
  if (words == "exp") return UnaryKind::kExp;
  if (words == "log") return UnaryKind::kLog;
  if (words == "sqrt") return UnaryKind::kSqrt;
  if (words == "reciprocal") return UnaryKind::kReciprocal;
  if (words == "floor") return UnaryKind::kFloor;
  if (words == "ceil") return UnaryKind::kCeil;
  if (words == "round") return UnaryKind::kRound;
  if (words == "sign") return UnaryKind::kSign;
  if (words == "erf") return UnaryKind::kErf;
  if (words == "sin") return UnaryKind::kSin;
  if (words == "cos") return UnaryKind::kCos;
  if (words == "identity") return UnaryKind::kIdentity;
  if (words == "tan") return UnaryKind::kTan;
  if (words == "acos") return UnaryKind::kAcos;
  if (words == "asin") return UnaryKind::kAsin;
  if (words == "atan") return UnaryKind::kAtan;
  if (words == "sinh") return UnaryKind::kSinh;
  if (words == "cosh") return UnaryKind::kCosh;
  if (words == "acosh") return UnaryKind::kAcosh;
  if (words == "asinh") return UnaryKind::kAsinh;
  if (words == "atanh") return UnaryKind::kAtanh;
  if (words == "not") return UnaryKind::kNot;
  if (words == "is nan") return UnaryKind::kIsNan;
  if (words == "is infinite") return UnaryKind::kIsInfinite;
  if (words == "reciprocal square root") return UnaryKind::kReciprocalSqrt;
  if (words == "expm1") return UnaryKind::kExpm1;
  if (words == "log1p") return UnaryKind::kLog1p;
  if (words == "cbrt") return UnaryKind::kCbrt;
  if (words == "log gamma") return UnaryKind::kLogGamma;
  if (words == "digamma") return UnaryKind::kDigamma;
  if (words == "inverse erf") return UnaryKind::kInverseErf;
  if (words == "complementary erf") return UnaryKind::kComplementaryErf;
  return std::nullopt;
}
bool has_near_formula(UnaryKind kind) { return kind == UnaryKind::kSigmoid || kind == UnaryKind::kSqrt || kind == UnaryKind::kReciprocalSqrt; }
std::optional<BinaryKind> binary_of_onnx(std::string_view name) {
  if (name == "Add") return BinaryKind{BinaryKind::kAdd};
  if (name == "Sum") return BinaryKind{BinaryKind::kAdd};
  if (name == "Mean") return BinaryKind{BinaryKind::kAdd};
  if (name == "Sub") return BinaryKind{BinaryKind::kSubtract};
  if (name == "Mul") return BinaryKind{BinaryKind::kMultiply};
  if (name == "Div") return BinaryKind{BinaryKind::kDivide};
  if (name == "Min") return BinaryKind{BinaryKind::kMinimum};
  if (name == "Max") return BinaryKind{BinaryKind::kMaximum};
  if (name == "Pow") return BinaryKind{BinaryKind::kPower};
  if (name == "Equal") return BinaryKind{BinaryKind::kEqual};
  if (name == "Less") return BinaryKind{BinaryKind::kLess};
  if (name == "Greater") return BinaryKind{BinaryKind::kLess};
  if (name == "LessOrEqual") return BinaryKind{BinaryKind::kLessOrEqual};
  if (name == "GreaterOrEqual") return BinaryKind{BinaryKind::kLessOrEqual};
  if (name == "And") return BinaryKind{BinaryKind::kAnd};
  if (name == "BitwiseAnd") return BinaryKind{BinaryKind::kAnd};
  if (name == "Or") return BinaryKind{BinaryKind::kOr};
  if (name == "BitwiseOr") return BinaryKind{BinaryKind::kOr};
  if (name == "Xor") return BinaryKind{BinaryKind::kXor};
  if (name == "BitwiseXor") return BinaryKind{BinaryKind::kXor};
  if (name == "PRelu") return BinaryKind{BinaryKind::kPrelu};
  return std::nullopt;
}
std::optional<BinaryKind> binary_of_tflite(std::string_view name) {
  if (name == "ADD") return BinaryKind{BinaryKind::kAdd};
  if (name == "SUB") return BinaryKind{BinaryKind::kSubtract};
  if (name == "MUL") return BinaryKind{BinaryKind::kMultiply};
  if (name == "DIV") return BinaryKind{BinaryKind::kDivide};
  if (name == "MINIMUM") return BinaryKind{BinaryKind::kMinimum};
  if (name == "MAXIMUM") return BinaryKind{BinaryKind::kMaximum};
  if (name == "POW") return BinaryKind{BinaryKind::kPower};
  if (name == "FLOOR_MOD") return BinaryKind{BinaryKind::kModulo};
  if (name == "FLOOR_DIV") return BinaryKind{BinaryKind::kFloorDivide};
  if (name == "SQUARED_DIFFERENCE") return BinaryKind{BinaryKind::kSquaredDifference};
  if (name == "PRELU") return BinaryKind{BinaryKind::kPrelu};
  return std::nullopt;
}
const char* onnx_name_of(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kAdd: return "Add";
    case BinaryKind::kSubtract: return "Sub";
    case BinaryKind::kMultiply: return "Mul";
    case BinaryKind::kDivide: return "Div";
    case BinaryKind::kMinimum: return "Min";
    case BinaryKind::kMaximum: return "Max";
    case BinaryKind::kPower: return "Pow";
    case BinaryKind::kEqual: return "Equal";
    case BinaryKind::kLess: return "Less";
    case BinaryKind::kLessOrEqual: return "LessOrEqual";
    case BinaryKind::kAnd: return "And";
    case BinaryKind::kOr: return "Or";
    case BinaryKind::kXor: return "Xor";
    case BinaryKind::kPrelu: return "PRelu";
    default: return nullptr;
  }
}
std::optional<BinaryKind> binary_in_words(std::string_view words) {
  if (words == "add") return BinaryKind::kAdd;
  if (words == "subtract") return BinaryKind::kSubtract;
  if (words == "multiply") return BinaryKind::kMultiply;
  if (words == "divide") return BinaryKind::kDivide;
  if (words == "minimum") return BinaryKind::kMinimum;
  if (words == "maximum") return BinaryKind::kMaximum;
  if (words == "power") return BinaryKind::kPower;
  if (words == "modulo") return BinaryKind::kModulo;
  if (words == "remainder") return BinaryKind::kRemainder;
  if (words == "equal") return BinaryKind::kEqual;
  if (words == "less") return BinaryKind::kLess;
  if (words == "less or equal") return BinaryKind::kLessOrEqual;
  if (words == "and") return BinaryKind::kAnd;
  if (words == "or") return BinaryKind::kOr;
  if (words == "xor") return BinaryKind::kXor;
  if (words == "shift left") return BinaryKind::kShiftLeft;
  if (words == "shift right") return BinaryKind::kShiftRight;
  if (words == "floor divide") return BinaryKind::kFloorDivide;
  if (words == "squared difference") return BinaryKind::kSquaredDifference;
  if (words == "prelu") return BinaryKind::kPrelu;
  if (words == "straight through") return BinaryKind::kStraightThrough;
  if (words == "atan2") return BinaryKind::kAtan2;
  return std::nullopt;
}
bool has_near_formula(BinaryKind kind) { return kind == BinaryKind::kDivide; }
std::optional<ReduceKind> reduce_of_onnx(std::string_view name) {
  if (name == "ReduceSum") return ReduceKind{ReduceKind::kSum};
  if (name == "ReduceMean") return ReduceKind{ReduceKind::kMean};
  if (name == "ReduceMax") return ReduceKind{ReduceKind::kMax};
  if (name == "ReduceMin") return ReduceKind{ReduceKind::kMin};
  if (name == "ReduceProd") return ReduceKind{ReduceKind::kProduct};
  return std::nullopt;
}
std::optional<ReduceKind> reduce_of_tflite(std::string_view name) {
  if (name == "SUM") return ReduceKind{ReduceKind::kSum};
  if (name == "MEAN") return ReduceKind{ReduceKind::kMean};
  if (name == "REDUCE_MAX") return ReduceKind{ReduceKind::kMax};
  if (name == "REDUCE_MIN") return ReduceKind{ReduceKind::kMin};
  if (name == "REDUCE_PROD") return ReduceKind{ReduceKind::kProduct};
  return std::nullopt;
}
const char* onnx_name_of(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kSum: return "ReduceSum";
    case ReduceKind::kMean: return "ReduceMean";
    case ReduceKind::kMax: return "ReduceMax";
    case ReduceKind::kMin: return "ReduceMin";
    case ReduceKind::kProduct: return "ReduceProd";
    default: return nullptr;
  }
}
std::optional<ReduceKind> reduce_in_words(std::string_view words) {
  if (words == "sum") return ReduceKind::kSum;
  if (words == "mean") return ReduceKind::kMean;
  if (words == "max") return ReduceKind::kMax;
  if (words == "min") return ReduceKind::kMin;
  if (words == "product") return ReduceKind::kProduct;
  return std::nullopt;
}
int parameters_of(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::kClip: return 2;
    case UnaryKind::kLeakyRelu: return 1;
    case UnaryKind::kElu: return 1;
    case UnaryKind::kHardSigmoid: return 2;
    case UnaryKind::kIsInfinite: return 2;
    default: return 0;
  }
}

}  // namespace systole::graph
