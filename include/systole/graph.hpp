// SPDX-License-Identifier: Apache-2.0
// A network as a graph of operators on typed, shaped, quantized tensors: what importers produce, what the quantizer
// turns from float into integer, what the host executes exactly (systole/execute.hpp) and the compiler brings to the
// device.
//
// Images are NHWC and convolution weights OHWI; importers of other layouts insert Transpose operators, and a pass takes
// out those that cancel. A tensor is produced by one operator, or is an input of the graph, or is constant. Operators
// are in an order in which they can run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "systole/errors.hpp"
#include "systole/operator_types.hpp"

namespace systole::graph {

enum class ElementType {
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kInt64,
  kFloat32,
  kFloat64,
  kBool,
  kUint32,
  kUint64,
  kFloat16,
  kBfloat16
};

/// real = scale * (quantized - zero_point). One scale for the tensor, or one for each index of `axis`; as many zero
/// points as scales. Scales are positive and finite.
struct Quantization {
  std::vector<float> scale;
  std::vector<std::int32_t> zero_point;
  int axis = 0;
  bool per_channel() const { return scale.size() > 1; }
};

/// Every dimension is at least 1, except of a constant result that has no elements; a scalar has no dimensions.
using Shape = std::vector<std::int64_t>;
using Bytes = std::vector<std::uint8_t>;

struct Tensor {
  std::string name;
  ElementType type = ElementType::kInt8;
  Shape shape;
  std::optional<Quantization> quantization;
  std::shared_ptr<const Bytes> constant;  ///< row-major, little-endian; null when computed at run time
};

/// Index into Graph::tensors.
using TensorId = int;
inline constexpr TensorId kNoTensor = -1;  ///< an optional input that is not there

/// The most a tensor may have: all indices and sizes fit an int.
inline constexpr std::int64_t kMaxTensorBytes = (std::int64_t{1} << 31) - 1;

/// Whose rules turn sums into quantized results: they differ in rounding and in the precision of scales.
enum class Arithmetic {
  kTfLite,  ///< TensorFlow Lite's reference kernels: scales multiplied in double, rounded twice, ties away from zero
  kOnnx,    ///< ONNX's QLinear operators: scales multiplied in float32, rounded once, ties to even
};

// ---------------------------------------------------------------------------------------------------------------------
// Operators. Inputs are listed in their comments; a name in brackets is optional.

/// input [N,H,W,C], weights [O,KH,KW,C/groups], [bias [O]]. An output of int32 without quantization is the sum itself.
struct Conv2d {
  Window window;
  int groups = 1;
  Activation activation = Activation::kNone;
};

/// input [..., K], weights [O,K], [bias [O]]: all leading dimensions are rows.
struct Dense {
  Activation activation = Activation::kNone;
};

/// a [..., M,K], b [..., K,N], both computed or constant; leading dimensions are equal or broadcast. [bias [N] or
/// [M,N]]. Without quantization an int32 output is the sum.
struct MatMul {
  bool transpose_a = false, transpose_b = false;
};

enum class BinaryKind {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kMinimum,
  kMaximum,
  kPower,
  kModulo,     ///< with the sign of rhs
  kRemainder,  ///< with the sign of lhs
  kEqual,
  kLess,
  kLessOrEqual,  ///< the result is of kBool
  kAnd,
  kOr,
  kXor,  ///< of kBool
  kShiftLeft,
  kShiftRight,
  kFloorDivide,
  kSquaredDifference,
  kPrelu  ///< lhs where it is not negative, else lhs * rhs
};
/// lhs, rhs; shapes broadcast.
struct Binary {
  BinaryKind kind = BinaryKind::kAdd;
  Activation activation = Activation::kNone;
};

enum class UnaryKind {
  kRelu,
  kRelu6,
  kClip,
  kLeakyRelu,
  kElu,
  kHardSigmoid,
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
  kRound,
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
  kIsNan,
  kIsInfinite,  ///< the result is of kBool
  kReciprocalSqrt
};
/// input. `alpha` and `beta` are the named constants of the function (slope of kLeakyRelu; alpha and beta of
/// kHardSigmoid; bounds of kClip; whether kIsInfinite finds negative and positive ones).
struct Unary {
  UnaryKind kind = UnaryKind::kRelu;
  float alpha = 0, beta = 0;
};

enum class PoolKind { kMax, kAverage };
/// input [N,H,W,C]. A global pool has the image as its kernel.
struct Pool {
  PoolKind kind = PoolKind::kMax;
  Window window;
  bool count_padding = false;  ///< kAverage: what lies outside is counted, as zero
  Activation activation = Activation::kNone;
};

/// input: sum, mean, ... over some axes.
enum class ReduceKind { kSum, kMean, kMax, kMin, kProduct };
struct Reduce {
  ReduceKind kind = ReduceKind::kMean;
  std::vector<int> axes;
  bool keep_dimensions = true;
};

/// input; outside is `value` (a real number; the nearest quantized one where the tensor is quantized).
struct Pad {
  std::vector<std::int64_t> before, after;  ///< per axis; negative takes away
  enum class Mode {
    kConstant,
    kReflect,
    kEdge,
    kSymmetric
  } mode = Mode::kConstant;  ///< kSymmetric repeats the edge, kReflect does not
  double value = 0;
};

struct Reshape {};  ///< input; the output's shape says it all. Also flatten, squeeze and unsqueeze.
struct Transpose {
  std::vector<int> permutation;  ///< output axis i is input axis permutation[i]
};
struct Concat {
  int axis =
      0;  ///< any number of inputs; parts of another quantization than the output's are brought to it as Convert does
};
struct Split {
  int axis = 0;  ///< as many outputs as parts; their shapes say how large
};
/// input: begin, and every `step`-th element; the output's shape says how many. Steps may be negative.
struct Slice {
  std::vector<std::int64_t> begin, step;  ///< per axis
};
/// input [N,H,W,C]; nearest neighbour.
struct ResizeNearest {
  bool align_corners = false;
  bool half_pixel_centers = false;
};
/// input [N,H,W,C]: interpolated between the nearest two rows and columns.
struct ResizeBilinear {
  bool align_corners = false;
  bool half_pixel_centers = false;
};
/// input: along the last axis, x over the square root of the sum of x^2.
struct L2Normalize {};
/// input, along one axis: exp(beta x) over its sum.
struct Softmax {
  int axis = -1;
  float beta = 1;
  bool logarithm = false;
};

/// Between float and quantized, from one quantization to another, and between number types: the tensors say which.
struct Convert {};

/// condition (kBool), a, b: elements of `a` where the condition holds, else of `b`; shapes broadcast.
struct Select {};

/// input: where along the axis the largest or smallest element is, as int64; the first of equal ones, or the last.
struct ArgExtreme {
  bool largest = true;
  int axis = 0;
  bool keep_dimensions = true;
  bool last = false;
};

/// input: at each place along the axis the sum of what is before it, and of itself unless `exclusive`; from the end if
/// `reverse`.
struct CumulativeSum {
  int axis = 0;
  bool exclusive = false, reverse = false;
};

/// data, indices (int32 or int64): rows of `data` along the axis, in the place of which the result has the shape of
/// `indices`. An index counts from the end where it is negative; one that is out of range is an error when it runs.
struct Gather {
  int axis = 0;
};

/// indices [..., K] into a tensor whose first K dimensions are `shape`: row-major positions [...], int64.
struct FlatIndex {
  Shape shape;
};

/// data [N, ...], indices [U] (int64), updates [U, ...]: `data` with rows replaced by the updates, or combined with
/// them, one after the other.
struct Scatter {
  enum class Combine { kReplace, kAdd, kMultiply, kMaximum, kMinimum } combine = Combine::kReplace;
};

/// input: along the axis the largest or smallest elements in order, and where they are (int64); the outputs' shapes say
/// how many. Of equal elements the one in front comes first.
struct TopK {
  int axis = -1;
  bool largest = true;
};

/// input [N,H,W,C]: where the maximum of each window is, int64, as a position in N,C,H,W, or in N,C,W,H if
/// `columns_first`.
struct MaxIndices {
  Window window;
  bool columns_first = false;
};

/// input [..., N,N]: the determinant of each matrix, of real numbers.
struct Determinant {};

/// input [N,T,I], or [T,N,I] if `time_major`; for each of the gates input, forget, cell and output: weights of the
/// input [U,I], weights of the hidden state [U,U], and bias [U]; hidden state and cell state [N,U] before the first
/// step. The result is the hidden state behind each step, [N,T,U] or [T,N,U], with its quantization. The cell state is
/// int16, its scale a power of two.
struct Lstm {
  bool time_major = false;
  float cell_clip = 0;  ///< the most that a cell may be, as a real number; 0: no limit
  static constexpr std::size_t kInputWeights = 1, kHiddenWeights = 5, kBias = 9, kHidden = 13, kCell = 14, kInputs = 15;
};

/// input [N,I], weights of features [U*rank,I], weights of time [U*rank,M], state [N,U*rank*M] before the step, [bias
/// [U]]: each feature of the input enters the state, which forgets its oldest, and the sum over time of `rank` of them
/// is a result [N,U].
struct Svdf {
  int rank = 1;
  static constexpr std::size_t kFeatureWeights = 1, kTimeWeights = 2, kState = 3, kBias = 4;
};

using OperatorKind =
    std::variant<Conv2d, Dense, MatMul, Binary, Unary, Pool, Reduce, Pad, Reshape, Transpose, Concat, Split, Slice,
                 ResizeNearest, Softmax, Convert, Select, ArgExtreme, CumulativeSum, Gather, FlatIndex, Scatter, TopK,
                 MaxIndices, Determinant, Lstm, Svdf, ResizeBilinear, L2Normalize>;

struct Operator {
  std::string name;    ///< unique in the graph; the file's, or made from kind and output
  std::string origin;  ///< the operator as the file calls it, such as DEPTHWISE_CONV_2D or QLinearConv
  OperatorKind kind;
  Arithmetic arithmetic = Arithmetic::kTfLite;
  std::vector<TensorId> inputs;  ///< kNoTensor where an optional one is not there
  std::vector<TensorId> outputs;
};

struct Graph {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;
  std::vector<TensorId> inputs, outputs;

  const Tensor& tensor(TensorId id) const { return tensors.at(static_cast<std::size_t>(id)); }
  Tensor& tensor(TensorId id) { return tensors.at(static_cast<std::size_t>(id)); }
};

/// What is wrong with a graph or a model file; the text names operator, tensor, value and legal range.
class GraphError : public ErrorOf<std::runtime_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// An operator was given an index that its axis does not have.
class IndexError : public GraphError {
 public:
  using GraphError::GraphError;
};

std::size_t element_size(ElementType type);
const char* name_of(ElementType type);
const char* name_of(const OperatorKind& kind);
std::string to_string(const Shape& shape);  ///< "1x28x28x16"; a scalar is "scalar"

/// Number of elements. Throws GraphError when it does not fit std::int64_t or a dimension is negative.
std::int64_t count(const Shape& shape);

/// Demands what the compiler and the host rely on: ids in range, one producer per tensor, order, number and types of
/// inputs and outputs, shapes that follow from those of the inputs, quantization where integers need it and the same
/// one on both sides of what only copies elements, constants of the right size. Whether host or compiler have an
/// operator for the types and the arithmetic is theirs to say. Throws GraphError.
void validate(const Graph& graph);

/// Multiply-accumulates of a convolution, dense layer, matrix product, LSTM or SVDF, as utilization counts them; 0 for
/// the others.
std::uint64_t useful_macs(const Graph& graph, const Operator& op);

}  // namespace systole::graph
