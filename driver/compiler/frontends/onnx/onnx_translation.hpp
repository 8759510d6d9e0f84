// SPDX-License-Identifier: Apache-2.0
// Builds a graph node by node while a file is read. Every tensor has a known shape; constant expressions are folded at
// once, so that computed shapes are numbers.
#pragma once

#include <onnx/onnx_pb.h>

#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph_builder.hpp"
#include "import_onnx.hpp"
#include "onnx_file.hpp"
#include "onnx_not_supported.hpp"

namespace systole::graph::onnx_file {

/// Thrown when a parameter depends on inputs whose values were given: the translation restarts with these bound.
struct NeedsValues {
  std::vector<std::string> inputs;
};

/// The limit that ImportOptions::constant_bytes gives for a file of this size.
std::size_t most_constant_bytes(const OnnxOptions& options, std::size_t file_size);

class Translation;
using Handler = void (*)(Translation&);

/// A value of the file: a tensor of the graph, or the type and shape of one without elements.
struct FileValue {
  TensorId id = kNoTensor;
  std::optional<Tensor> empty = {};
};

using Names = std::unordered_map<std::string, std::string>;

/// A graph that is an attribute of a node. All of this is read once, whatever the number of its inlined copies.
struct Body {
  const onnx::GraphProto* graph = nullptr;
  std::vector<std::size_t> order;               ///< of its nodes
  std::vector<std::vector<std::string>> reads;  ///< names_read() of each node
  Names constants;                              ///< its initializers: their names to unique ones
  std::size_t names = 0;                        ///< how many names its copies resolve
};

class Translation {
 public:
  /// `bound`: names of inputs that are constant from the beginning; their values are in the options.
  Translation(File& file, const std::string& name, const OnnxOptions& options, const std::set<std::string>& bound);

  /// Translates the whole file, without simplification. Unsupported nodes are left out and reported.
  ModelContents run();
  /// The exception of the first obstacle, or null.
  std::exception_ptr first_obstacle() const { return first_obstacle_; }

  // -- The current node; messages begin with its number, kind and name.
  const std::string& type() const { return node_->op_type(); }
  std::string full_type() const;  ///< with the domain, unless that is the default: com.microsoft.QGemm
  std::int64_t opset() const { return file_.opset(); }
  bool is_microsoft() const { return node_->domain() == "com.microsoft"; }
  std::string title() const;
  [[noreturn]] void fail(const std::string& what) const;  ///< the file is malformed
  /// The file is valid but unsupported, unless one of the `options` is given (Obstacle::options).
  [[noreturn]] void refuse(OnnxRefusal reason, const std::string& what, std::vector<std::string> options = {}) const;

  bool has(const char* attribute) const { return find(attribute) != nullptr; }
  std::int64_t integer(const char* attribute, std::int64_t otherwise) const;
  std::int64_t needed_integer(const char* attribute) const;
  float real(const char* attribute, float otherwise) const;
  std::string text(const char* attribute, const char* otherwise) const;
  std::optional<std::vector<std::int64_t>> integers(const char* attribute) const;
  std::optional<std::vector<float>> reals(const char* attribute) const;
  std::vector<std::string> texts(const char* attribute) const;  ///< empty if there is no such attribute
  const onnx::TensorProto* tensor_attribute(const char* attribute) const;
  /// All of the current node; refuses one that is neither a number, a text nor a list of numbers.
  Attributes attributes() const;
  /// ImportOptions::training.
  bool trains() const { return options_.training; }
  /// The function that the options have for the current node, or null.
  const OperatorFunction* registered() const;

  std::size_t input_count() const { return static_cast<std::size_t>(node_->input_size()); }
  /// An empty list counts as absent.
  bool has_input(std::size_t i) const { return i < input_count() && !input_name(i).empty() && !is_empty(i); }
  bool is_empty(std::size_t i) const { return i < input_count() && empty_.count(input_name(i)) != 0; }
  std::size_t output_count() const { return static_cast<std::size_t>(node_->output_size()); }
  bool wants_output(std::size_t i) const;  ///< true if it is used
  TensorId input(std::size_t i) const;     ///< fails if it is missing
  TensorId optional_input(std::size_t i) const { return has_input(i) ? input(i) : kNoTensor; }

  // -- Tensors of the graph.
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  const Shape& shape(TensorId id) const { return graph_.tensor(id).shape; }
  TensorId add_tensor(Tensor tensor) { return graph::add_tensor(graph_, std::move(tensor)); }
  /// Call before making constants of this size. Refuses if it would exceed ImportOptions::constant_bytes.
  void spend(std::size_t bytes);
  /// Adds a constant that was accounted for by spend().
  TensorId add_computed(Tensor tensor);
  /// Makes `id` constant if it is an input whose value was given; otherwise does nothing.
  void bind(TensorId id);
  /// The elements of a constant or bound input; `what` names it in the message if it is computed.
  std::vector<std::int64_t> integers_of(std::size_t i, const char* what) { return integers_at(input(i), what); }
  std::vector<std::int64_t> integers_at(TensorId id, const char* what);
  std::vector<double> reals_of(std::size_t i, const char* what);
  double real_of(std::size_t i, const char* what);  ///< exactly one

  // -- Operators: each returns its result, folded if all inputs are constant.
  TensorId emit(OperatorKind kind, std::vector<TensorId> inputs, ElementType type,
                std::optional<Quantization> quantization = {}, const std::optional<Shape>& given = {});
  /// With the types, shapes and quantizations of the results. A move of dequantized values becomes one of the quantized
  /// values, whose results are dequantized, if that gives the same numbers.
  std::vector<TensorId> emit_all(OperatorKind kind, std::vector<TensorId> inputs, std::vector<Tensor> results);
  std::vector<TensorId> emit_split(const Split& split, TensorId input, const std::vector<Shape>& parts);
  /// Moves elements: type and quantization stay.
  TensorId move(OperatorKind kind, TensorId input, const std::optional<Shape>& given = {});
  TensorId transpose(TensorId input, const std::vector<int>& permutation);
  TensorId reshape(TensorId input, const Shape& shape);
  TensorId binary(BinaryKind kind, TensorId a, TensorId b) { return emit(Binary{kind}, {a, b}, tensor(a).type); }
  /// A comparison, or boolean logic.
  TensorId test(BinaryKind kind, TensorId a, TensorId b) { return emit(Binary{kind}, {a, b}, ElementType::kBool); }
  TensorId select(TensorId condition, TensorId a, TensorId b) {
    return emit(Select{}, {condition, a, b}, tensor(a).type, tensor(a).quantization);
  }
  TensorId unary(UnaryKind kind, TensorId a, float alpha = 0, float beta = 0) {
    return emit(Unary{kind, alpha, beta}, {a}, tensor(a).type);
  }
  TensorId convert(TensorId a, ElementType type, std::optional<Quantization> quantization = {});
  /// A float32 tensor with the values of `id`, if that is of a 16-bit float; otherwise `id`.
  TensorId widen(TensorId id);
  /// The type of the tensor, before widen() if it was widened.
  ElementType stored_type(TensorId id) const;
  /// A constant; fractions are truncated for integer types.
  TensorId numbers(ElementType type, const Shape& shape, const std::vector<double>& values);
  /// 0, 1, ... size - 1 along one axis of `rank`.
  TensorId count_along(ElementType type, std::size_t axis, std::size_t rank, std::int64_t size);
  /// A constant of the type of `like`, of one element.
  TensorId scalar(double value, TensorId like) { return numbers(tensor(like).type, {}, {value}); }

  /// The integer tensor with this quantization.
  TensorId with_quantization(TensorId id, const Quantization& quantization);
  /// Constant, or dequantized from a constant.
  bool is_constant(TensorId id) const;
  /// Without quantization: plain numbers.
  TensorId plain(TensorId id);

  /// Sets the node's i-th result.
  void result(TensorId id, std::size_t i = 0);

  /// Sets the node's i-th result to an empty tensor: `tensor` has its type and shape. Graph
  /// operators do not support empty tensors, but lists of axes and graph outputs may be empty.
  void empty_result(Tensor tensor, std::size_t i = 0);
  void empty_result(ElementType type, const Shape& shape, std::size_t i = 0) {
    empty_result(Tensor{"", type, shape, {}, nullptr}, i);
  }
  /// Type and shape of an empty input. Requires is_empty(i).
  const Tensor& empty_input(std::size_t i) const { return empty_.at(input_name(i)); }

  /// An axis of the node, counted from the front.
  std::size_t axis(std::int64_t axis, std::size_t rank) const;

  // -- Bodies of control flow operators (onnx_bodies.cpp).
  FileValue value(std::size_t i) const;  ///< input i, which may be without elements
  void result(const FileValue& value, std::size_t i);
  const Body& body(const char* attribute);  ///< fails if it is missing
  /// Translates a body as part of the network, and returns its outputs. `label` is unique among the copies of the
  /// node's bodies, such as the number of an iteration. Refuses if the file becomes too large by that.
  std::vector<FileValue> inlined(const Body& body, const std::vector<FileValue>& inputs, const std::string& label);

 private:
  class InBody;
  /// The results of a move on the quantized tensors that its operands were dequantized from; none if it is no such
  /// move.
  std::optional<std::vector<TensorId>> moved_before_dequantizing(const Operator& op,
                                                                 const std::vector<Tensor>& results);
  const onnx::AttributeProto* find(const char* attribute) const;
  /// The name of a value in the graph that is read: one of a body has a unique name instead of its own.
  const std::string& resolved(const std::string& name) const;
  const std::string& input_name(std::size_t i) const { return resolved(node_->input(static_cast<int>(i))); }
  const std::string& output_name(std::size_t i) const { return resolved(node_->output(static_cast<int>(i))); }
  std::string prefix_of(const std::string& label) const;
  std::string unique_name(const std::string& name);
  FileValue value_of(const std::string& name) const;
  void read_constants(Body& body, const std::string& prefix);
  void translate_in_body(const Body& body, int index);
  void count_unrolled(std::size_t operators);
  Tensor as_constant(TensorId id) const;
  void check_file();
  void check_constants() const;
  void count_readers();
  void import_constants();
  void import_inputs();
  void import_given(const onnx::ValueInfoProto& value, const GivenConstant& given);
  void import_outputs();
  TensorId as_real_type(TensorId id, ElementType type, const std::string& name);
  TensorId as_declared(TensorId id, const onnx::ValueInfoProto& output);
  Tensor described(const onnx::ValueInfoProto& value, const std::string& title, bool is_input);
  void import_input(const onnx::ValueInfoProto& value);
  std::optional<std::int64_t> dimension(const onnx::ValueInfoProto& value, int axis, bool is_input);
  void check_dimensions() const;
  void translate(int index);
  Handler checked_handler() const;
  void handle(Handler handler);
  bool takes_unknown() const;
  void leave_out(bool waits);
  void obstacle(const GraphError& error, const std::string& name);
  TensorId id_of(const std::string& name) const;
  void name_made(std::size_t first);
  bool fold(const Operator& op);
  void free_unused();
  [[noreturn]] void need(TensorId id, const char* what) const;

  File& file_;
  const OnnxOptions& options_;
  const std::set<std::string>& bound_;
  Graph graph_;
  std::unordered_map<std::string, TensorId> ids_;
  std::unordered_map<TensorId, std::string> bindable_;
  std::unordered_map<TensorId, TensorId> dequantized_;  // real tensor: the quantized one that it was dequantized from
  std::unordered_map<TensorId, TensorId> narrow_;  // float32 tensor: the one of 16-bit floats that it was widened from
  std::unordered_map<std::string, std::size_t> readers_;  // number of unread nodes that use a value, plus graph outputs
  std::unordered_map<std::string, Tensor> empty_;         // type and shape of empty tensors
  std::unordered_set<std::string> names_;
  std::unordered_set<TensorId> used_;

  // Bytes of folded constants: in total, in use as of the last count, and the total at the last free_unused().
  std::size_t computed_bytes_ = 0, bytes_in_use_ = 0, freed_at_ = 0;
  std::uint64_t computed_macs_ = 0;
  std::vector<std::weak_ptr<const Bytes>> computed_;

  ModelContents contents_;
  std::unordered_map<std::string, const onnx::ValueInfoProto*> described_;  // shapes that the file declares for results
  std::unordered_set<std::string> unknown_;  // names of values that were not read and have no shape
  std::vector<TensorId> taken_by_unread_;
  std::exception_ptr first_obstacle_;

  std::unordered_set<std::string> file_names_;  // of all values outside of bodies, and the unique ones of those inside
  std::vector<const Names*> scopes_;            // of the bodies that are read, innermost last: names to unique ones
  std::unordered_map<const onnx::GraphProto*, Body> bodies_;
  std::string prefix_, context_;  // of the names in these bodies, and of messages about them
  std::size_t unrolled_ = 0;      // operators of bodies

  int index_ = 0;
  int place_ = 0;                  // the node of the file that has the node in its body; otherwise the node itself
  std::size_t first_tensor_ = 0;   // first tensor of the node
  std::vector<std::string> made_;  // results of the node so far
  const onnx::NodeProto* node_ = nullptr;
};

/// The handler of a node type; null if unsupported.
Handler handler_of(std::string_view domain, std::string_view type);
/// Why it is unsupported.
OnnxRefusal refusal_of(std::string_view type);

}  // namespace systole::graph::onnx_file
