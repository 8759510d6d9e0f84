// SPDX-License-Identifier: Apache-2.0
// Generated from driver/compiler/graph/kinds.toml by scripts/gen/generate. Do not edit.
// The kinds of operators. Comments list the operands with their shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>
#include "systole/operator_types.hpp"

namespace systole::graph {

enum class BinaryKind {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kMinimum,
  kMaximum,
  kPower,
  kModulo,  ///< the result has the sign of rhs
  kRemainder,  ///< the result has the sign of lhs
  kEqual,  ///< the result is of kBool
  kLess,  ///< the result is of kBool
  kLessOrEqual,  ///< the result is of kBool
  kAnd,  ///< of truth values, or of the bits of integers
  kOr,  ///< as kAnd
  kXor,  ///< as kAnd
  kShiftLeft,
  kShiftRight,
  kFloorDivide,
  kSquaredDifference,
  kPrelu,  ///< lhs where it is not negative, else lhs * rhs
  kStraightThrough,  ///< lhs; in a training, rhs has the gradient and lhs has none
  kAtan2,  ///< the angle of the point (rhs, lhs)
};
const char* name_of(BinaryKind value);  ///< in words, as in listings

enum class UnaryKind {
  kRelu,
  kRelu6,
  kClip,  ///< bounds alpha and beta
  kLeakyRelu,  ///< slope alpha
  kElu,  ///< alpha (exp(x) - 1) below 0
  kHardSigmoid,  ///< alpha x + beta, 0 to 1
  kHardSwish,
  kSigmoid,
  kTanh,
  kGelu,
  kSoftplus,
  kAbs,
  kNegate,
  kExp,
  kLog,
  kSqrt,
  kReciprocal,
  kFloor,
  kCeil,
  kRound,  ///< ties to even
  kSign,
  kErf,
  kSin,
  kCos,
  kIdentity,
  kTan,
  kAcos,
  kAsin,
  kAtan,
  kSinh,
  kCosh,
  kAcosh,
  kAsinh,
  kAtanh,
  kNot,  ///< of kBool
  kIsNan,  ///< the result is of kBool
  kIsInfinite,  ///< -inf if alpha, inf if beta; gives kBool
  kReciprocalSqrt,
  kExpm1,  ///< exp(x) - 1
  kLog1p,  ///< log(1 + x)
  kCbrt,  ///< the cube root
  kLogGamma,  ///< log |gamma(x)|
  kDigamma,  ///< the derivative of log gamma
  kInverseErf,
  kComplementaryErf,  ///< 1 - erf(x)
};
const char* name_of(UnaryKind value);  ///< in words, as in listings

enum class PoolKind {
  kMax,
  kAverage,
};
const char* name_of(PoolKind value);  ///< in words, as in listings

enum class ReduceKind {
  kSum,
  kMean,
  kMax,
  kMin,
  kProduct,
};
const char* name_of(ReduceKind value);  ///< in words, as in listings

enum class PadMode {
  kConstant,
  kReflect,  ///< does not repeat the edge
  kEdge,
  kSymmetric,  ///< repeats the edge
};
const char* name_of(PadMode value);  ///< in words, as in listings

enum class ScatterCombine {
  kReplace,
  kAdd,
  kMultiply,
  kMaximum,
  kMinimum,
};
const char* name_of(ScatterCombine value);  ///< in words, as in listings

/// input [N,H,W,C], weights [O,KH,KW,I], [bias [O]]. C is `groups` times I. An int32 output without quantization holds
/// the plain sums.
struct Conv2d {
  Window window;
  int groups = 1;  ///< at least 1
  Activation activation = Activation::kNone;
};

/// input [...,K], weights [O,K], [bias [O]] -> result [...,O]. The leading dimensions of the input together are the
/// rows.
struct Dense {
  Activation activation = Activation::kNone;
};

/// a (...,M,K), b (...,K,N), [bias ([N] or [M,N])]. Leading dimensions are equal or broadcast. Both a and b may be
/// constants. An int32 output without quantization holds the plain sums.
struct MatMul {
  bool transpose_a = false;
  bool transpose_b = false;
};

/// lhs, rhs -> result [broadcast]. Element by element.
struct Binary {
  BinaryKind kind = BinaryKind::kAdd;
  Activation activation = Activation::kNone;
};

/// input [...] -> result [...]. Element by element. `alpha` and `beta` are the parameters of the function, if it has
/// some.
struct Unary {
  UnaryKind kind = UnaryKind::kRelu;
  float alpha = 0;
  float beta = 0;
};

/// input [N,H,W,C] (scaled or real) -> result (as input). A global pool has a kernel as large as the image.
struct Pool {
  PoolKind kind = PoolKind::kMax;
  Window window;
  bool count_padding = false;  ///< kAverage: padding is counted, as zeros
  Activation activation = Activation::kNone;
};

/// input. Reduced over the given axes.
struct Reduce {
  ReduceKind kind = ReduceKind::kMean;
  std::vector<int> axes;
  bool keep_dimensions = true;
};

/// input -> result (as input). kConstant pads with `value`, a real number that is quantized if the tensor is.
struct Pad {
  std::vector<std::int64_t> before;  ///< elements per axis; negative numbers remove some
  std::vector<std::int64_t> after;  ///< the same at the end
  using Mode = PadMode;
  PadMode mode = PadMode::kConstant;
  double value = 0.0;
};

/// input -> result (as input). The output has the new shape. Also for flatten, squeeze and unsqueeze.
struct Reshape {};

/// input -> result (as input). The axes in another order.
struct Transpose {
  std::vector<int> permutation;  ///< output axis i is input axis permutation[i]
};

/// part, any number of them. Inputs with another quantization than the output's are converted as by Convert.
struct Concat {
  int axis = 0;
};

/// input -> part (as input), any number of them. One output per part; the shapes of the outputs are the sizes of the
/// parts.
struct Split {
  int axis = 0;
};

/// input -> result (as input). Every `step`-th element from `begin`; the output's shape is the number of elements.
/// Steps may be negative.
struct Slice {
  std::vector<std::int64_t> begin;  ///< per axis
  std::vector<std::int64_t> step;  ///< per axis
};

/// input [N,H,W,C] -> result (as input). The nearest pixel.
struct ResizeNearest {
  bool align_corners = false;
  bool half_pixel_centers = false;
};

/// input [...] (scaled or real) -> result [...]. exp(beta * x) / (sum of exp(beta * x)), along one axis; the logarithm
/// of this if `logarithm`.
struct Softmax {
  int axis = -1;
  float beta = 1.0F;
  bool logarithm = false;
};

/// input [...] -> result [...]. Converts between float and quantized, between two quantizations, or between types, as
/// the tensors specify.
struct Convert {};

/// condition (bool), a, b (as a) -> result [broadcast] (as a). Elements of `a` where the condition is true, else of
/// `b`.
struct Select {};

/// input (one scale at most) -> result (index). The index of the largest or smallest element along the axis. Of equal
/// elements the first, or the last.
struct ArgExtreme {
  bool largest = true;
  int axis = 0;
  bool keep_dimensions = true;
  bool last = false;
};

/// input [...] -> result [...]. For each element, the sum of the elements before it along the axis, and of itself
/// unless `exclusive`; if `reverse`, of the elements after it.
struct CumulativeSum {
  int axis = 0;
  bool exclusive = false;
  bool reverse = false;
};

/// data (one scale at most), indices (index) -> result (as data). The slices of `data` at these indices of the axis. In
/// the shape of the result, the shape of `indices` replaces the axis. Negative indices count from the end. An index out
/// of range throws IndexError.
struct Gather {
  int axis = 0;
};

/// indices [...,K] (index) -> result (...) (int64). Of indices into the first K dimensions, `shape`, of a tensor, the
/// row-major positions.
struct FlatIndex {
  std::vector<std::int64_t> shape;
};

/// data [N,...] (one scale at most), indices [U] (index), updates [U,...] (as data) -> result [N,...] (as data). `data`
/// with the rows at the indices replaced by the updates, or combined with them as by Binary, in order.
struct Scatter {
  using Combine = ScatterCombine;
  ScatterCombine combine = ScatterCombine::kReplace;
};

/// input (one scale at most) -> values (as input); indices (int64). The largest or smallest elements along the axis,
/// sorted, and their indices. Their number is given by the shapes of the outputs. Of equal elements the one with the
/// lower index comes first.
struct TopK {
  int axis = -1;
  bool largest = true;
};

/// input [N,H,W,C] (one scale at most) -> result (int64). The position of the maximum of each window, as an index into
/// a tensor of layout N,C,H,W, or N,C,W,H if `columns_first`.
struct MaxIndices {
  Window window;
  bool columns_first = false;
};

/// input [...,N,N] (real) -> result [...] (as input). The determinant of each matrix.
struct Determinant {};

/// input [A,B,I], input weights [U,I] (each of 4), hidden weights [U,U] (each of 4), bias [U] (each of 4), hidden
/// [N,U], cell [N,U] -> result (A,B,U). The input is [N,T,I], or [T,N,I] if `time_major`; weights and bias are those of
/// the gates input, forget, cell and output. The result is the hidden state after each step, [N,T,U] or [T,N,U], with
/// the quantization of the hidden state. The cell state is int16 with a power of two as its scale.
struct Lstm {
  bool time_major = false;
  float cell_clip = 0.0F;  ///< limit of a magnitude; 0: none
  static constexpr std::size_t kInputWeights = 1, kHiddenWeights = 5, kBias = 9, kHidden = 13, kCell = 14, kInputs = 15;
};

/// input [N,I], feature weights [F,I], time weights [F,M], state [N,S], [bias [U]]. The input's features are shifted
/// into the state before the step, which drops the oldest of its M steps. F is U * rank, S is F * M. Each of the
/// results is the sum over time of `rank` features.
struct Svdf {
  int rank = 1;  ///< at least 1
  static constexpr std::size_t kFeatureWeights = 1, kTimeWeights = 2, kState = 3, kBias = 4, kInputs = 5;
};

/// input [N,H,W,C] -> result (as input). Interpolated between the two nearest rows and the two nearest columns.
struct ResizeBilinear {
  bool align_corners = false;
  bool half_pixel_centers = false;
};

/// input [...,C] -> result [...,C]. x / sqrt(sum of x^2), along the last axis.
struct L2Normalize {};

/// input [...,C], gamma [C], beta [C] -> result [...,C]. (x - mean) / sqrt(variance + epsilon) * gamma + beta along the
/// last axis. gamma and beta are float32 constants of an int8 input, and have the input's type otherwise.
struct LayerNormalize {
  float epsilon = 1e-05F;
};

/// input [...] -> result [...]. The same bits as elements of another type, which has as many bits.
struct Reinterpret {};

/// input [...,C] -> result [...,C]. x / (bias + factor * sum of x^2)^beta along the last axis, where the sum is that of
/// `before` channels before the element's, its own and `after` channels after it. Channels that do not exist have no
/// part in it.
struct LocalResponse {
  int before = 0;  ///< at least 0
  int after = 0;  ///< at least 0
  float factor = 1.0F;
  float bias = 1.0F;
  float beta = 0.75F;
};

/// input [...,C] (real), scale [C] (as input), bias [C] (as input), mean [C] (as input), variance [C] (as input) ->
/// result [...,C] (as input). (x - mean) / sqrt(variance + epsilon) * scale + bias for each channel, the last axis. A
/// training takes mean and variance of the samples of a step instead, and moves the running ones towards them:
/// `momentum` is the share that they keep in a step.
struct BatchNormalize {
  float epsilon = 1e-05F;
  float momentum = 0.9F;
  static constexpr std::size_t kScale = 1, kBias = 2, kMean = 3, kVariance = 4, kInputs = 5;
};

/// input [...] (real) -> result [...] (as input). The input. A training replaces elements by 0 at the rate `ratio`, and
/// divides the others by 1 - ratio.
struct Dropout {
  float ratio = 0.5F;
};

using OperatorKind = std::variant<
    Conv2d, Dense, MatMul, Binary, Unary, Pool, Reduce, Pad, Reshape, Transpose, Concat, Split, Slice, ResizeNearest,
    Softmax, Convert, Select, ArgExtreme, CumulativeSum, Gather, FlatIndex, Scatter, TopK, MaxIndices, Determinant,
    Lstm, Svdf, ResizeBilinear, L2Normalize, LayerNormalize, Reinterpret, LocalResponse, BatchNormalize, Dropout>;
const char* name_of(const OperatorKind& kind);

}  // namespace systole::graph
