// SPDX-License-Identifier: Apache-2.0
#include "export_onnx.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "any_batch.hpp"
#include "attributes.hpp"
#include "function_names.hpp"
#include "numbered_names.hpp"
#include "onnx_writer.hpp"
#include "simplify.hpp"
#include "systole/errors.hpp"
#include "systole/execute.hpp"

namespace systole::training {
namespace {

using graph::BinaryKind;
using graph::UnaryKind;
using Names = std::vector<std::string>;

const std::vector<std::int64_t> kChannelsFirst = {0, 3, 1, 2}, kChannelsLast = {0, 2, 3, 1};

std::vector<std::int64_t> wide(const std::vector<int>& values) { return {values.begin(), values.end()}; }

/// One operator as nodes; its result has the name of the operator's output.
class Translation {
 public:
  /// `batch` is batch_tensors() of the graph.
  Translation(OnnxWriter& out, const graph::Graph& graph, const graph::Operator& op, const std::vector<bool>& batch)
      : out_(out), graph_(graph), op_(op), batch_(batch) {
    for (const TensorId id : op.inputs) {
      inputs_.push_back(id == graph::kNoTensor ? "" : graph.tensor(id).name);
    }
  }

  void operator()(const graph::Conv2d& op) {
    Names inputs = {out_.transposed(inputs_[0], kChannelsFirst), out_.transposed(inputs_[1], kChannelsFirst)};
    inputs.insert(inputs.end(), inputs_.begin() + 2, inputs_.end());
    onnx::NodeProto& node = image_node("Conv", inputs, op.activation);
    attribute(node, "group", std::int64_t{op.groups});
    add_window(node, op.window);
  }
  void operator()(const graph::Pool& op) {
    const bool largest = op.kind == graph::PoolKind::kMax;
    onnx::NodeProto& node =
        image_node(largest ? "MaxPool" : "AveragePool", {out_.transposed(inputs_[0], kChannelsFirst)}, op.activation);
    if (!largest) {
      attribute(node, "count_include_pad", std::int64_t{op.count_padding ? 1 : 0});
    }
    add_window(node, op.window);
  }
  void operator()(const graph::Dense& op) {
    const std::string product = made("MatMul", {inputs_[0], out_.transposed(inputs_[1], {1, 0})});
    finish(inputs_.size() > 2 ? made("Add", {product, inputs_[2]}) : product, op.activation);
  }
  void operator()(const graph::MatMul& op) {
    const std::string product = made("MatMul", {turned(0, op.transpose_a), turned(1, op.transpose_b)});
    finish(inputs_.size() > 2 ? made("Add", {product, inputs_[2]}) : product, Activation::kNone);
  }
  void operator()(const graph::Binary& op) {
    if (op.kind == BinaryKind::kSquaredDifference) {
      const std::string difference = made("Sub", inputs_);
      finish(made("Mul", {difference, difference}), op.activation);
      return;
    }
    const bool logic = op.kind == BinaryKind::kAnd || op.kind == BinaryKind::kOr || op.kind == BinaryKind::kXor;
    if (logic && output().type != graph::ElementType::kBool) {
      refuse();  // the bits of integers
    }
    finish(made(known(graph::onnx_name_of(op.kind)), inputs_), op.activation);
  }
  void operator()(const graph::Unary& op) {
    switch (op.kind) {
      case UnaryKind::kRelu6: result("Clip", {inputs_[0], out_.scalar(0), out_.scalar(6)}); return;
      case UnaryKind::kClip: result("Clip", {inputs_[0], out_.scalar(op.alpha), out_.scalar(op.beta)}); return;
      case UnaryKind::kReciprocalSqrt: result("Reciprocal", {made("Sqrt", inputs_)}); return;
      case UnaryKind::kIsInfinite: refuse();
      default: break;
    }
    onnx::NodeProto& node = result(known(graph::onnx_name_of(op.kind)), inputs_);
    if (graph::parameters_of(op.kind) > 0) {
      attribute(node, "alpha", op.alpha);
    }
    if (graph::parameters_of(op.kind) > 1) {
      attribute(node, "beta", op.beta);
    }
  }
  void operator()(const graph::Reduce& op) {
    attribute(result(known(graph::onnx_name_of(op.kind)), {inputs_[0], out_.list(wide(op.axes))}), "keepdims",
              std::int64_t{op.keep_dimensions ? 1 : 0});
  }
  void operator()(const graph::Reshape&) {
    Shape sizes = shape();
    if (is_batch(op_.outputs[0])) {
      sizes[0] = -1;  // what the samples need
    }
    result("Reshape", {inputs_[0], out_.list(sizes)});
  }
  void operator()(const graph::Transpose& op) { attribute(result("Transpose", inputs_), "perm", wide(op.permutation)); }
  void operator()(const graph::Concat& op) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      inputs_[i] = is_batch(op_.outputs[0]) && !is_batch(op_.inputs[i]) ? for_each_sample(i) : inputs_[i];
    }
    attribute(result("Concat", inputs_), "axis", std::int64_t{op.axis});
  }
  void operator()(const graph::Split& op) {
    const auto rank = static_cast<int>(shape().size());
    const int axis = op.axis < 0 ? op.axis + rank : op.axis;
    std::vector<std::int64_t> sizes;
    for (const TensorId id : op_.outputs) {
      sizes.push_back(graph_.tensor(id).shape.at(static_cast<std::size_t>(axis)));
    }
    onnx::NodeProto& node = result("Split", {inputs_[0], out_.list(sizes)});
    for (std::size_t i = 1; i < op_.outputs.size(); ++i) {
      node.add_output(graph_.tensor(op_.outputs[i]).name);
    }
    attribute(node, "axis", std::int64_t{axis});
  }
  void operator()(const graph::Slice& op) {
    std::vector<std::int64_t> end(op.begin.size()), axes(op.begin.size());
    std::iota(axes.begin(), axes.end(), 0);
    for (std::size_t i = 0; i < end.size(); ++i) {
      end[i] = op.begin[i] + shape()[i] * op.step[i];
      end[i] -= end[i] < 0 ? std::int64_t{1} << 32 : 0;  // before the first element: not counted from the end
    }
    if (is_batch(op_.outputs[0])) {
      end[0] = std::numeric_limits<std::int64_t>::max();  // all samples
    }
    result("Slice", {inputs_[0], out_.list(op.begin), out_.list(end), out_.list(axes), out_.list(op.step)});
  }
  void operator()(const graph::Pad& op) {
    if (op.mode != graph::Pad::Mode::kConstant) {
      refuse();
    }
    std::vector<std::int64_t> amounts = op.before;
    amounts.insert(amounts.end(), op.after.begin(), op.after.end());
    result("Pad", {inputs_[0], out_.list(amounts), out_.scalar(static_cast<float>(op.value))});
  }
  void operator()(const graph::Softmax& op) {
    const std::string input = op.beta == 1 ? inputs_[0] : made("Mul", {inputs_[0], out_.scalar(op.beta)});
    attribute(result(op.logarithm ? "LogSoftmax" : "Softmax", {input}), "axis", std::int64_t{op.axis});
  }
  void operator()(const graph::LayerNormalize& op) {
    attribute(result("LayerNormalization", inputs_), "epsilon", op.epsilon);
  }
  void operator()(const graph::LocalResponse& op) {
    const std::int64_t size = std::int64_t{op.before} + 1 + op.after;
    if (shape().size() != 4 || op.before != (size - 1) / 2) {
      refuse();
    }
    onnx::NodeProto& node = image_node("LRN", {out_.transposed(inputs_[0], kChannelsFirst)}, Activation::kNone);
    attribute(node, "size", size);
    attribute(node, "alpha", op.factor * static_cast<float>(size));
    attribute(node, "bias", op.bias);
    attribute(node, "beta", op.beta);
  }
  void operator()(const graph::Gather& op) { attribute(result("Gather", inputs_), "axis", std::int64_t{op.axis}); }
  void operator()(const graph::Select&) { result("Where", inputs_); }
  template <class Kind>
  void operator()(const Kind&) {
    refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw graph::GraphError(fmt::format("{} cannot be written to an ONNX file", title(op_)));
  }
  const char* known(const char* type) const { return type == nullptr ? (refuse(), type) : type; }
  bool is_batch(TensorId id) const { return !batch_.empty() && batch_.at(static_cast<std::size_t>(id)); }

  /// A constant of one sample, [1,...], as many times as there are samples.
  std::string for_each_sample(std::size_t i) {
    const std::string samples = out_.next_name();
    onnx::NodeProto& node = *out_.node("Shape", {graph_.tensor(graph_.inputs.at(0)).name}, samples);
    attribute(node, "start", std::int64_t{0});
    attribute(node, "end", std::int64_t{1});
    const Shape& one = graph_.tensor(op_.inputs[i]).shape;
    const std::string sizes = out_.next_name();
    attribute(*out_.node("Concat", {samples, out_.list({one.begin() + 1, one.end()})}, sizes), "axis", std::int64_t{0});
    return made("Expand", {inputs_[i], sizes});
  }

  const graph::Tensor& output() const { return graph_.tensor(op_.outputs.at(0)); }
  const Shape& shape() const { return output().shape; }

  std::string made(const char* type, const Names& inputs) { return out_.made(type, inputs); }
  onnx::NodeProto& result(const char* type, const Names& inputs) { return *out_.node(type, inputs, output().name); }

  std::string turned(std::size_t i, bool transpose) {
    if (!transpose) {
      return inputs_[i];
    }
    std::vector<std::int64_t> axes(graph_.tensor(op_.inputs[i]).shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes.end()[-1], axes.end()[-2]);
    return out_.transposed(inputs_[i], axes);
  }

  /// Gives the value, limited by the activation, the name of the result.
  void finish(const std::string& value, Activation activation) {
    switch (activation) {
      case Activation::kNone: result("Identity", {value}); return;
      case Activation::kRelu: result("Relu", {value}); return;
      case Activation::kRelu6: result("Clip", {value, out_.scalar(0), out_.scalar(6)}); return;
      case Activation::kReluN1To1: result("Clip", {value, out_.scalar(-1), out_.scalar(1)}); return;
    }
  }

  /// A node whose result is an image with the channels first; what comes after is written at once.
  onnx::NodeProto& image_node(const char* type, const Names& inputs, Activation activation) {
    const std::string name = out_.next_name();
    onnx::NodeProto& node = *out_.node(type, inputs, name);
    finish(out_.transposed(name, kChannelsLast), activation);
    return node;
  }

  static void add_window(onnx::NodeProto& node, const Window& w) {
    attribute(node, "kernel_shape", {w.kernel_h, w.kernel_w});
    attribute(node, "strides", {w.stride_h, w.stride_w});
    attribute(node, "dilations", {w.dilation_h, w.dilation_w});
    attribute(node, "pads", {w.pad_top, w.pad_left, w.pad_bottom, w.pad_right});
  }

  OnnxWriter& out_;
  const graph::Graph& graph_;
  const graph::Operator& op_;
  const std::vector<bool>& batch_;
  Names inputs_;
};

}  // namespace

namespace {

/// What has a derivative of its own is just its value outside of a training.
void leave_out_derivatives(graph::Graph& graph) {
  std::map<TensorId, TensorId> values;
  const auto replace = [&](std::vector<TensorId>& ids) {
    for (TensorId& id : ids) {
      if (const auto found = values.find(id); found != values.end()) {
        id = found->second;
      }
    }
  };
  for (graph::Operator& op : graph.operators) {
    replace(op.inputs);
    const auto* binary = std::get_if<graph::Binary>(&op.kind);
    if (binary != nullptr && binary->kind == BinaryKind::kStraightThrough &&
        graph.tensor(op.inputs[0]).shape == graph.tensor(op.outputs[0]).shape) {
      values[op.outputs[0]] = op.inputs[0];
    }
  }
  replace(graph.outputs);
}

/// Names tell the tensors of a file apart. In a graph two may have one, such as an image and its transposition; then
/// what the graph takes and gives keeps its name.
void make_names_unique(graph::Graph& graph) {
  std::set<TensorId> border(graph.inputs.begin(), graph.inputs.end());
  border.insert(graph.outputs.begin(), graph.outputs.end());
  std::set<std::string> taken;
  for (const TensorId id : border) {
    taken.insert(graph.tensor(id).name);
  }
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const std::string name = graph.tensors[i].name;
    for (std::size_t number = i; border.count(static_cast<TensorId>(i)) == 0; number += graph.tensors.size()) {
      if (taken.insert(graph.tensors[i].name).second) {
        break;
      }
      graph.tensors[i].name = graph::numbered(name, number);
    }
  }
}

}  // namespace

graph::Graph with_values(const Network& network, const std::vector<graph::Value>& parameters) {
  graph::Graph graph = network.graph;
  graph.inputs = network.inputs;
  graph.outputs = {network.scores};
  for (std::size_t i = 0; i < network.parameters.size(); ++i) {
    graph.tensor(network.parameters[i].input).constant = std::make_shared<const graph::Bytes>(parameters.at(i).data);
  }
  leave_out_derivatives(graph);
  fold_constants(graph, std::numeric_limits<std::int64_t>::max());
  remove_unused(graph);
  return graph;
}

graph::Bytes onnx_file(const graph::Graph& named) {
  graph::Graph graph = named;
  make_names_unique(graph);
  const std::vector<bool> batch = batch_tensors(graph);
  std::set<std::string> names;
  for (const graph::Tensor& tensor : graph.tensors) {
    names.insert(tensor.name);
  }
  OnnxWriter out(graph.name, std::move(names));
  for (const TensorId id : graph.inputs) {
    out.input(graph.tensor(id), !batch.empty());
  }
  for (const graph::Tensor& tensor : graph.tensors) {
    if (tensor.constant) {
      out.constant(tensor.name, graph::constant_value(tensor));
    }
  }
  for (const graph::Operator& op : graph.operators) {
    Translation translation(out, graph, op, batch);
    std::visit(translation, op.kind);
  }
  for (const TensorId id : graph.outputs) {
    out.output(graph.tensor(id), !batch.empty());
  }
  return out.bytes();
}

void check_name_of_network(const std::string& path, bool language_model) {
  const std::filesystem::path name(path);
  const std::string ending = name.extension().string();
  std::error_code none;  // a file that is not there is a plain one
  const bool is_plain = !std::filesystem::exists(name, none) || std::filesystem::is_regular_file(name, none);
  if (!is_plain || ending == ".onnx" || (language_model && ending == ".bin")) {
    return;
  }
  throw InvalidArgument(
      fmt::format("{}: {}; a trained network is written as an ONNX file: give a name that ends in .onnx{} "
                  "(systole compile makes a .systole file of one; driver/training/README.md says how the network gets "
                  "to LiteRT and to PyTorch)",
                  path, ending.empty() ? "has no ending" : "ends in " + ending,
                  language_model ? ", or in .bin for a checkpoint of llama2.c" : ""));
}

}  // namespace systole::training
