// SPDX-License-Identifier: Apache-2.0
// Builds a graph operator by operator while a file is read.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph_builder.hpp"
#include "systole/import_model.hpp"
#include "tflite_file.hpp"

namespace systole::graph::tflite_file {

class Translation {
 public:
  Translation(const File& file, const std::string& name);

  /// Translates the whole subgraph to a valid graph. Unsupported operators are left out and reported.
  ModelContents run();

  // The current operator; messages begin with its number and name.

  [[noreturn]] void fail(const std::string& what) const;
  format::OperatorCodeNumber code() const { return code_; }

  std::size_t input_count() const;
  std::size_t output_count() const;
  /// Graph tensors of the operator's inputs and outputs.
  TensorId input(std::size_t i);
  TensorId optional_input(std::size_t i);  ///< kNoTensor when there is none
  TensorId output(std::size_t i = 0);
  /// A variable used by this operator only: a constant with its initial value, the zero point.
  TensorId state(std::size_t i);

  // Variables that operators read and assign, in the order of the file. A resource tensor stands for one.

  /// Names the variable of output 0, a resource.
  void declare_variable(const std::string& name);
  /// Makes output 0 the value of the variable of input 0.
  void read_variable();
  /// Makes input 1 the value of the variable of input 0; in an initializing subgraph, its first value.
  void assign_variable();
  /// Translates the operators of another subgraph in place of this operator: its inputs from `first_input` on are the
  /// subgraph's, the subgraph's outputs are its own.
  void call(std::int64_t subgraph, std::size_t first_input, bool initializes = false);
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }

  /// Values of a constant int32 or int64 input; `what` names it in messages.
  std::vector<std::int64_t> integers(std::size_t i, const char* what);
  /// The only value of a constant input, as a real number.
  double real(std::size_t i, const char* what);

  /// The operator's options of the given kind; fails when the file has none.
  template <class Options>
  const Options& options() const {
    const auto* found = op_->template options_as<Options>();
    if (found == nullptr) {
      fail("its options are missing; the file is damaged");
    }
    return *found;
  }
  /// The same, or null if the file has none.
  template <class Options>
  const Options* optional_options() const {
    return op_->template options_as<Options>();
  }

  TensorId add_tensor(Tensor tensor) { return graph::add_tensor(graph_, std::move(tensor)); }
  /// A computed tensor like `other`, with another shape.
  TensorId add_like(TensorId other, const Shape& shape, const char* suffix);

  /// Adds an operator between tensors of the graph. The one that computes the file's output is named after it.
  void add(OperatorKind kind, std::vector<TensorId> inputs, std::vector<TensorId> outputs);
  /// Adds an operator from the first `count` inputs of the file's operator to all its outputs.
  void add(OperatorKind kind, std::size_t count);

  // Intermediate operators: each returns its result, constant if all inputs are.

  TensorId emit(OperatorKind kind, std::vector<TensorId> inputs, ElementType type,
                std::optional<Quantization> quantization = {}, const std::optional<Shape>& given = {});
  /// Moves elements: type and quantization stay.
  TensorId move(OperatorKind kind, TensorId input, const std::optional<Shape>& given = {});
  TensorId reshape(TensorId input, const Shape& shape);
  TensorId transpose(TensorId input, const std::vector<int>& permutation);
  /// A constant of int32 or int64.
  TensorId numbers(ElementType type, const Shape& shape, const std::vector<std::int64_t>& values);
  /// Sets the operator's output.
  void result(TensorId id, std::size_t i = 0);

  /// Integer weights as float32, for a float input: the hybrid operators of TensorFlow Lite.
  TensorId weights_for(TensorId input, TensorId weights);
  /// Depthwise weights 1HWO as OHWI; constants are rearranged once.
  TensorId depthwise_weights(TensorId weights);
  /// Weights OHWI reversed along height and width; constants are rearranged once.
  TensorId turned_weights(TensorId weights);

 private:
  /// A subgraph, and what of it was read.
  struct Scope {
    const format::SubGraph* subgraph = nullptr;
    std::unordered_map<std::int64_t, TensorId> ids = {};
    std::unordered_map<std::int64_t, std::string> variables = {};  ///< names, by resource tensor
    std::unordered_set<std::int64_t> states = {};
    std::string place = {};  ///< of the operator that calls it, for messages
    std::size_t index = 0;   ///< of the operator of subgraph 0 that it is a part of, unless it is subgraph 0
    int depth = 0;           ///< 0: subgraph 0
    bool initializes = false;
  };
  struct Variable {
    TensorId before = kNoTensor;  ///< the value at the begin of a run, if it is read
    TensorId now = kNoTensor;
    TensorId first = kNoTensor;  ///< a constant
  };

  /// Parts of a file may be referenced many times, which could turn a small file into a huge graph: counts copied
  /// bytes, and throws GraphError beyond a few times the file size.
  void charge(std::size_t bytes);
  TensorId import_tensor(std::int64_t index);
  const format::Tensor& file_tensor(std::int64_t index) const { return File::tensor(*scope_.subgraph, index); }
  std::int64_t raw_input(std::size_t i) const;
  std::string place() const;
  void limit_states(const Tensor& tensor);
  Variable& variable_of_input();
  void finish_variables();
  /// Name, type, shape and quantization.
  Tensor described(const format::Tensor& from, std::int64_t index, const std::string& title);
  std::shared_ptr<const Bytes> constant(const format::Tensor& tensor, const std::string& title);
  bool computes_reals(const OperatorKind& kind, const std::vector<TensorId>& inputs,
                      const std::vector<TensorId>& outputs) const;
  void translate(std::size_t index);
  /// Makes an operator of the scope's subgraph the current one.
  void begin(std::size_t index);
  void translate_operator();
  void handle();
  std::vector<TensorId> translated(Scope callee);
  void leave_out(bool waits);
  bool takes_unknown() const;
  std::string name_of_result() const;
  void obstacle(const GraphError& error);
  std::vector<std::size_t> order() const;
  std::string unique(const std::string& wanted);
  bool fold(const Operator& op);

  const File& file_;
  Graph graph_;
  Scope scope_;
  std::map<std::string, Variable> variables_;
  std::map<std::pair<const void*, std::size_t>, std::shared_ptr<const Bytes>> constants_;
  std::size_t copied_ = 0;
  std::size_t computed_ = 0;  // bytes of constants that are not in the file
  std::unordered_map<TensorId, TensorId> depthwise_, turned_;
  std::size_t state_elements_ = 0;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::size_t> repeats_;

  ModelContents contents_;
  std::unordered_set<std::int64_t> unknown_;  // tensors that could not be read
  std::vector<TensorId> taken_by_unread_;

  std::size_t index_ = 0;
  const format::Operator* op_ = nullptr;
  format::OperatorCodeNumber code_{};
};

/// Handler of an operator of the file; null if unsupported.
using Handler = void (*)(Translation&);
Handler weighted_handler(format::OperatorCodeNumber code);
Handler arithmetic_handler(format::OperatorCodeNumber code);
Handler movement_handler(format::OperatorCodeNumber code);
Handler block_handler(format::OperatorCodeNumber code);
Handler index_handler(format::OperatorCodeNumber code);
Handler recurrent_handler(format::OperatorCodeNumber code);
Handler variable_handler(format::OperatorCodeNumber code);

/// Handler of transposed convolutions, in a source file of its own.
void transpose_conv(Translation& t);

/// Elements that stand for the real number 0.
std::shared_ptr<const Bytes> zeros(const Tensor& tensor);

/// Resolves an axis of the file, which may count from the back.
int axis_in(std::int64_t axis, const Shape& shape);

/// Input, weights and optional bias, for kernels that do not support a 32-bit bias with 16-bit activations.
std::vector<TensorId> with_wide_bias(Translation& t, TensorId input, TensorId weights, std::size_t bias_position = 2);

/// Calls `fail` for functions that cannot be fused into an operator here.
Activation activation_of(const Translation& translation, format::FusedActivation activation);

/// Strides, dilations and SAME padding for an NHWC image.
struct SlidingOptions {
  format::Padding padding;
  std::int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
};
Window sliding_of(const Translation& translation, const Shape& image, const SlidingOptions& options);

}  // namespace systole::graph::tflite_file
