// SPDX-License-Identifier: Apache-2.0
// Functions of arrays, written as ordinary code and recorded as a graph:
//
//   const graph::Graph silu = record("silu", {{graph::ElementType::kFloat32, {4, 1000}}},
//                                    [](const std::vector<Array>& in) { return std::vector{in[0] * sigmoid(in[0])}; });
//   Network network(device, silu);
//
// The graph is a network like any other: element-wise operators that follow each other become one kernel, its gradients
// are known, it can be saved. Shapes broadcast as NumPy's do. A number takes the type of the array beside it. All
// functions throw graph::GraphError for arrays that do not fit each other, InvalidArgument for arrays of two
// recordings.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "systole/graph.hpp"

namespace systole {

/// An array whose elements are not known yet: a tensor of the graph that is being recorded.
class Array {
 public:
  class Recording;
  Array(std::shared_ptr<Recording> recording, graph::TensorId id) : recording_(std::move(recording)), id_(id) {}

  graph::Shape shape() const;
  graph::ElementType type() const;
  graph::TensorId id() const { return id_; }

  Array unary(graph::UnaryKind kind, float alpha = 0, float beta = 0) const;
  Array binary(graph::BinaryKind kind, const Array& other) const;
  Array binary(graph::BinaryKind kind, double other) const { return binary(kind, number(other)); }
  /// A number of this array's type.
  Array number(double value) const;
  /// Along axes; all of them if there are none. Negative axes count from the last.
  Array reduce(graph::ReduceKind kind, std::vector<int> axes, bool keep_dimensions = false) const;
  Array reshape(const graph::Shape& shape) const;
  /// Axis `i` of the result is axis permutation[i].
  Array transpose(std::vector<int> permutation) const;
  /// Product of matrices, or of batches of them.
  Array matmul(const Array& other) const;
  /// a where this array of kBool is true, else b.
  Array select(const Array& a, const Array& b) const;

  /// The results of a graph, whose inputs these arrays are. Throws graph::GraphError for arrays of other types and
  /// shapes than the inputs have, and for a graph with states.
  static std::vector<Array> of(const graph::Graph& graph, const std::vector<Array>& inputs);

 private:
  std::shared_ptr<Recording> recording_;
  graph::TensorId id_;
};

inline Array operator+(const Array& a, const Array& b) { return a.binary(graph::BinaryKind::kAdd, b); }
inline Array operator-(const Array& a, const Array& b) { return a.binary(graph::BinaryKind::kSubtract, b); }
inline Array operator*(const Array& a, const Array& b) { return a.binary(graph::BinaryKind::kMultiply, b); }
inline Array operator/(const Array& a, const Array& b) { return a.binary(graph::BinaryKind::kDivide, b); }
inline Array operator<(const Array& a, const Array& b) { return a.binary(graph::BinaryKind::kLess, b); }
inline Array operator+(const Array& a, double b) { return a + a.number(b); }
inline Array operator-(const Array& a, double b) { return a - a.number(b); }
inline Array operator*(const Array& a, double b) { return a * a.number(b); }
inline Array operator/(const Array& a, double b) { return a / a.number(b); }
inline Array operator<(const Array& a, double b) { return a < a.number(b); }
inline Array operator+(double a, const Array& b) { return b.number(a) + b; }
inline Array operator-(double a, const Array& b) { return b.number(a) - b; }
inline Array operator*(double a, const Array& b) { return b.number(a) * b; }
inline Array operator/(double a, const Array& b) { return b.number(a) / b; }
inline Array operator-(const Array& a) { return a.unary(graph::UnaryKind::kNegate); }

inline Array minimum(const Array& a, const Array& b) { return a.binary(graph::BinaryKind::kMinimum, b); }
inline Array maximum(const Array& a, const Array& b) { return a.binary(graph::BinaryKind::kMaximum, b); }
/// a, which in a training has the gradient of b.
inline Array straight_through(const Array& a, const Array& b) {
  return a.binary(graph::BinaryKind::kStraightThrough, b);
}
inline Array abs(const Array& a) { return a.unary(graph::UnaryKind::kAbs); }
inline Array sqrt(const Array& a) { return a.unary(graph::UnaryKind::kSqrt); }
inline Array exp(const Array& a) { return a.unary(graph::UnaryKind::kExp); }
inline Array log(const Array& a) { return a.unary(graph::UnaryKind::kLog); }
inline Array tanh(const Array& a) { return a.unary(graph::UnaryKind::kTanh); }
inline Array sigmoid(const Array& a) { return a.unary(graph::UnaryKind::kSigmoid); }
inline Array erf(const Array& a) { return a.unary(graph::UnaryKind::kErf); }

/// Type and shape of an array.
struct ArrayType {
  graph::ElementType type = graph::ElementType::kFloat32;
  graph::Shape shape;
};

/// A function of arrays, with one result or more.
using ArrayFunction = std::function<std::vector<Array>(const std::vector<Array>&)>;

/// The attributes of an operator in a file, by name.
using Attributes =
    std::map<std::string,
             std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>>;
/// An operator of one's own, made of those that there are.
using OperatorFunction = std::function<std::vector<Array>(const std::vector<Array>&, const Attributes&)>;

/// The graph of a function of arrays of these types. Its inputs are named a, b, c, ..., of more than 26 input0 and so
/// on. Throws InvalidArgument for a function without results, and for one that returns an operand as it is.
graph::Graph record(const std::string& name, const std::vector<ArrayType>& inputs, const ArrayFunction& function);

}  // namespace systole
