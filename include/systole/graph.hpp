// SPDX-License-Identifier: Apache-2.0
// A network as a graph of operators on tensors with a type, a shape and a quantization. Importers produce graphs, the
// quantizer converts them from float to integer, the host runs them (systole/execute.hpp), and the compiler translates
// them for the device.
//
// Images are NHWC and convolution weights OHWI. Importers of other layouts insert Transpose operators, and a pass
// removes those that cancel. A tensor is the output of one operator, an input of the graph, or a constant. Operators
// are in topological order.
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

/// real = scale * (quantized - zero_point). There is one scale for the tensor, or one for each index of `axis`, and as
/// many zero points as scales. Scales are positive and finite.
struct Quantization {
  std::vector<float> scale;
  std::vector<std::int32_t> zero_point;
  int axis = 0;
  bool per_channel() const { return scale.size() > 1; }
};

/// Every dimension is at least 1; only an empty constant may have a dimension of 0. A scalar has no dimensions.
using Shape = std::vector<std::int64_t>;
using Bytes = std::vector<std::uint8_t>;

struct Tensor {
  std::string name;
  ElementType type = ElementType::kInt8;
  Shape shape;
  std::optional<Quantization> quantization;
  std::shared_ptr<const Bytes> constant;  ///< row-major, little-endian; null when computed at run time
  /// An input of the graph that changes little from run to run, as the keys and values that a language model keeps: the
  /// host may write it to the device as it writes constant weights.
  bool as_weights = false;
};

/// Index into Graph::tensors.
using TensorId = int;
inline constexpr TensorId kNoTensor = -1;  ///< an optional input that is absent

/// Largest size of a tensor in bytes. All its indices and sizes fit into an int.
inline constexpr std::int64_t kMaxTensorBytes = (std::int64_t{1} << 31) - 1;

/// The framework whose rules convert sums to quantized results. They differ in rounding and in the precision of scales.
enum class Arithmetic {
  kTfLite,  ///< TensorFlow Lite's reference kernels: scales multiplied in double, rounded twice, ties away from zero
  kOnnx,    ///< ONNX's QLinear operators: scales multiplied in float32, rounded once, ties to even
  kBlocks,  ///< products of float32 in block floating point (sim/golden/block_float.md), bias in binary32; beside them
            ///< means, softmax, sigmoid, roots, reciprocal roots and quotients by the rules of
            ///< sim/golden/binary32_rows.hpp
};

// ---------------------------------------------------------------------------------------------------------------------
// Operators. Each comment lists the inputs with their shapes; an input in brackets, such as [bias [O]], is optional.

/// input [N,H,W,C], weights [O,KH,KW,C/groups], [bias [O]]. An int32 output without quantization holds the plain sums.
struct Conv2d {
  Window window;
  int groups = 1;
  Activation activation = Activation::kNone;
};

/// input [..., K], weights [O,K], [bias [O]]. The leading dimensions of the input together are the rows.
struct Dense {
  Activation activation = Activation::kNone;
};

/// a [..., M,K], b [..., K,N], [bias [N] or [M,N]]. Leading dimensions are equal or broadcast. Both a and b may be
/// constants. An int32 output without quantization holds the plain sums.
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
  kModulo,     ///< the result has the sign of rhs
  kRemainder,  ///< the result has the sign of lhs
  kEqual,
  kLess,
  kLessOrEqual,  ///< the result is of kBool
  kAnd,          ///< of truth values, or of the bits of integers
  kOr,           ///< as kAnd
  kXor,          ///< as kAnd
  kShiftLeft,
  kShiftRight,
  kFloorDivide,
  kSquaredDifference,
  kPrelu  ///< lhs where it is not negative, else lhs * rhs
};
/// lhs, rhs. Shapes broadcast.
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
/// input. `alpha` and `beta` are the parameters of the function: the slope of kLeakyRelu, alpha and beta of
/// kHardSigmoid, the bounds of kClip, whether kIsInfinite detects negative (alpha) and positive (beta) infinity.
struct Unary {
  UnaryKind kind = UnaryKind::kRelu;
  float alpha = 0, beta = 0;
};

enum class PoolKind { kMax, kAverage };
/// input [N,H,W,C]. A global pool has a kernel as large as the image.
struct Pool {
  PoolKind kind = PoolKind::kMax;
  Window window;
  bool count_padding = false;  ///< kAverage: padding is counted, as zeros
  Activation activation = Activation::kNone;
};

/// input: reduced over the given axes.
enum class ReduceKind { kSum, kMean, kMax, kMin, kProduct };
struct Reduce {
  ReduceKind kind = ReduceKind::kMean;
  std::vector<int> axes;
  bool keep_dimensions = true;
};

/// input. kConstant pads with `value`, a real number that is quantized if the tensor is.
struct Pad {
  std::vector<std::int64_t> before, after;  ///< elements per axis; negative numbers remove elements
  enum class Mode {
    kConstant,
    kReflect,
    kEdge,
    kSymmetric
  } mode = Mode::kConstant;  ///< kSymmetric repeats the edge, kReflect does not
  double value = 0;
};

struct Reshape {};  ///< input. The output has the new shape. Also for flatten, squeeze and unsqueeze.
struct Transpose {
  std::vector<int> permutation;  ///< output axis i is input axis permutation[i]
};
struct Concat {
  int axis =
      0;  ///< any number of inputs. Inputs with another quantization than the output's are converted as by Convert
};
struct Split {
  int axis = 0;  ///< one output per part; the shapes of the outputs are the sizes of the parts
};
/// input: every `step`-th element from `begin`; the output's shape is the number of elements. Steps may be negative.
struct Slice {
  std::vector<std::int64_t> begin, step;  ///< per axis
};
/// input [N,H,W,C]: the nearest pixel.
struct ResizeNearest {
  bool align_corners = false;
  bool half_pixel_centers = false;
};
/// input [N,H,W,C]: interpolated between the two nearest rows and the two nearest columns.
struct ResizeBilinear {
  bool align_corners = false;
  bool half_pixel_centers = false;
};
/// input: x / sqrt(sum of x^2), along the last axis.
struct L2Normalize {};
/// input [..., C], gamma [C], beta [C]: (x - mean) / sqrt(variance + epsilon) * gamma + beta along the last axis. gamma
/// and beta are float32 constants of an int8 input, and have the input's type otherwise.
struct LayerNormalize {
  float epsilon = 1e-5F;
};
/// input: exp(beta * x) / (sum of exp(beta * x)), along one axis; the logarithm of this if `logarithm`.
struct Softmax {
  int axis = -1;
  float beta = 1;
  bool logarithm = false;
};

/// input. Converts between float and quantized, between two quantizations, or between types, as the tensors specify.
struct Convert {};

/// condition (kBool), a, b: elements of `a` where the condition is true, else of `b`. Shapes broadcast.
struct Select {};

/// input: the index of the largest or smallest element along the axis, int32 or int64. Of equal elements the first, or
/// the last.
struct ArgExtreme {
  bool largest = true;
  int axis = 0;
  bool keep_dimensions = true;
  bool last = false;
};

/// input: for each element, the sum of the elements before it along the axis, and of itself unless `exclusive`; if
/// `reverse`, of the elements after it.
struct CumulativeSum {
  int axis = 0;
  bool exclusive = false, reverse = false;
};

/// data, indices (int32 or int64): the slices of `data` at these indices of the axis. In the shape of the result, the
/// shape of `indices` replaces the axis. Negative indices count from the end. An index out of range throws IndexError.
struct Gather {
  int axis = 0;
};

/// indices [..., K] into the first K dimensions, `shape`, of a tensor: the row-major positions [...], int64.
struct FlatIndex {
  Shape shape;
};

/// data [N, ...], indices [U] (int64), updates [U, ...]: `data` with the rows at the indices replaced by the updates,
/// or combined with them, in order.
struct Scatter {
  enum class Combine { kReplace, kAdd, kMultiply, kMaximum, kMinimum } combine = Combine::kReplace;
};

/// input: the largest or smallest elements along the axis, sorted, and their indices (int64). Their number is given by
/// the shapes of the outputs. Of equal elements the one with the lower index comes first.
struct TopK {
  int axis = -1;
  bool largest = true;
};

/// input [N,H,W,C]: the position of the maximum of each window, int64, as an index into a tensor of layout N,C,H,W, or
/// N,C,W,H if `columns_first`.
struct MaxIndices {
  Window window;
  bool columns_first = false;
};

/// input [..., N,N]: the determinant of each matrix.
struct Determinant {};

/// input [N,T,I], or [T,N,I] if `time_major`; for each of the gates input, forget, cell and output: weights for the
/// input [U,I], weights for the hidden state [U,U], and bias [U]; initial hidden state and cell state, each [N,U]. The
/// result is the hidden state after each step, [N,T,U] or [T,N,U], with the quantization of the hidden state. The cell
/// state is int16 with a power of two as its scale.
struct Lstm {
  bool time_major = false;
  float cell_clip = 0;  ///< limit of the magnitude of a cell, as a real number; 0: no limit
  static constexpr std::size_t kInputWeights = 1, kHiddenWeights = 5, kBias = 9, kHidden = 13, kCell = 14, kInputs = 15;
};

/// input [N,I], feature weights [U*rank,I], time weights [U*rank,M], state [N,U*rank*M] before the step, [bias [U]].
/// The input's features are shifted into the state, which drops the oldest of its M steps. Each of the results [N,U] is
/// the sum over time of `rank` features.
struct Svdf {
  int rank = 1;
  static constexpr std::size_t kFeatureWeights = 1, kTimeWeights = 2, kState = 3, kBias = 4;
};

using OperatorKind =
    std::variant<Conv2d, Dense, MatMul, Binary, Unary, Pool, Reduce, Pad, Reshape, Transpose, Concat, Split, Slice,
                 ResizeNearest, Softmax, Convert, Select, ArgExtreme, CumulativeSum, Gather, FlatIndex, Scatter, TopK,
                 MaxIndices, Determinant, Lstm, Svdf, ResizeBilinear, L2Normalize, LayerNormalize>;

struct Operator {
  std::string name;    ///< unique in the graph; from the file, or made from kind and output
  std::string origin;  ///< the operator's name in the file's format, such as DEPTHWISE_CONV_2D or QLinearConv
  OperatorKind kind;
  Arithmetic arithmetic = Arithmetic::kTfLite;
  std::vector<TensorId> inputs;  ///< kNoTensor for an optional input that is absent
  std::vector<TensorId> outputs;
};

struct Graph {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;
  std::vector<TensorId> inputs, outputs;
  /// Values that live from run to run, such as the window of a network that hears sound as it comes: the last inputs
  /// are the states before a run, as many as there are elements here, and the last outputs are the states after it. The
  /// elements are the states before the first run, row-major and little-endian.
  std::vector<std::shared_ptr<const Bytes>> states = {};

  /// The tensor with this id. Throws OutOfRange if there is none.
  const Tensor& tensor(TensorId id) const { return tensors[checked(id)]; }
  Tensor& tensor(TensorId id) { return tensors[checked(id)]; }

 private:
  std::size_t checked(TensorId id) const {
    if (id < 0 || static_cast<std::size_t>(id) >= tensors.size()) {
      throw OutOfRange("graph '" + name + "': there is no tensor " + std::to_string(id) + "; it has " +
                       std::to_string(tensors.size()) + " tensors, counted from 0");
    }
    return static_cast<std::size_t>(id);
  }
};

/// A graph or model file is invalid or not supported. The text names the operator, tensor, value and legal range.
class GraphError : public ErrorOf<std::runtime_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// The value of an index tensor is out of range, for example of a Gather operator.
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

/// The inputs that a user gives, the outputs that a user gets, and the inputs that are states (Graph::states).
std::vector<TensorId> sample_inputs(const Graph& graph);
std::vector<TensorId> sample_outputs(const Graph& graph);
std::vector<TensorId> states_of(const Graph& graph);

/// Checks everything that the compiler and the host rely on: ids are in range; each tensor has one producer; operators
/// are in topological order; inputs and outputs have legal numbers, types and shapes; integer tensors are quantized
/// where necessary, with the same quantization on both sides of operators that only copy; constants have the right
/// size. Does not check whether the host or the compiler supports the types and the arithmetic. Throws GraphError.
void validate(const Graph& graph);

/// Useful multiply-accumulates of a convolution, dense layer, matrix product, LSTM or SVDF (the ones that utilization
/// counts); 0 for other operators.
std::uint64_t useful_macs(const Graph& graph, const Operator& op);

}  // namespace systole::graph
