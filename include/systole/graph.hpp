// SPDX-License-Identifier: Apache-2.0
// A network as a graph of operators on tensors with a type, a shape and a quantization. Importers produce graphs, the
// quantizer converts them from float to integer, the host runs them (systole/execute.hpp), and the compiler translates
// them for the device.
//
// Images are NHWC and convolution weights OHWI. Importers of other layouts insert Transpose operators, and a pass
// removes those that cancel. A tensor is the output of one operator, an input of the graph, or a constant. Operators
// are in topological order. The kinds of operators are in systole/generated/operator_kinds.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "systole/errors.hpp"
#include "systole/generated/operator_kinds.hpp"

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
  kLiteRt,  ///< dense layers of int8 in LiteRT's reference kernels: scales multiplied in double, the sum times them in
            ///< double, rounded once, ties away from zero
};

struct Operator {
  std::string name;    ///< unique in the graph; from the file, or made from kind and output
  std::string origin;  ///< the operator's name in the file's format, such as DEPTHWISE_CONV_2D or QLinearConv
  OperatorKind kind;
  Arithmetic arithmetic = Arithmetic::kTfLite;
  std::vector<TensorId> inputs;  ///< kNoTensor for an optional input that is absent
  std::vector<TensorId> outputs;
};

/// Tells an object from all others, also from those that had its address before. A copy has its own, and so has what is
/// moved or assigned.
class Identity {
 public:
  Identity() = default;
  Identity(const Identity&) noexcept : Identity() {}
  Identity& operator=(const Identity&) noexcept {
    mark_ = Identity().mark_;
    return *this;
  }
  ~Identity() = default;

  /// Ordered by std::owner_less; no two are equal. Expires with the object.
  std::weak_ptr<const void> mark() const { return mark_; }

 private:
  std::shared_ptr<const char> mark_ = std::make_shared<const char>();
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
  Identity identity = {};  ///< for what is kept by graph, such as what was compiled from it

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
