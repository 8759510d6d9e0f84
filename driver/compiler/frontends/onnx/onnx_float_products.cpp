// SPDX-License-Identifier: Apache-2.0
#include "onnx_float_products.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "indexed_graph.hpp"
#include "onnx_quantized_moves.hpp"
#include "quantized_types.hpp"

namespace systole::graph::onnx_file {
namespace {

class Search {
 public:
  explicit Search(const Graph& graph) : graph_(graph), indexed_(graph) {}

  std::vector<std::string> run() {
    std::map<std::pair<std::string, std::string>, int> found;
    for (const Operator& op : graph_.operators) {
      const char* kind = std::holds_alternative<Conv2d>(op.kind)   ? "convolution"
                         : std::holds_alternative<Dense>(op.kind)  ? "dense layer"
                         : std::holds_alternative<MatMul>(op.kind) ? "matrix product"
                                                                   : nullptr;
      if (kind == nullptr || !is_float(op.outputs[0])) {
        continue;
      }
      if (const std::optional<ElementType> weights = dequantized_from(op.inputs[1])) {
        ++found[{fmt::format("{} {}", is_byte(*weights) ? "int8" : "int16", kind), reason(op)}];
      }
    }
    std::vector<std::string> lines;
    for (const auto& [what, count] : found) {
      lines.push_back(
          fmt::format("{} {}{} in float32 because {}", count, what.first, count == 1 ? " runs" : "s run", what.second));
    }
    return lines;
  }

 private:
  bool is_float(TensorId id) const { return graph_.tensor(id).type == ElementType::kFloat32; }

  /// The type of integers of some scale that were made float32, and then only moved; none if it is no such tensor.
  std::optional<ElementType> dequantized_from(TensorId id) const {
    for (const Operator* op = indexed_.maker(id); op != nullptr; op = indexed_.maker(op->inputs[0])) {
      if (std::holds_alternative<Convert>(op->kind)) {
        const Tensor& from = graph_.tensor(op->inputs[0]);
        return from.quantization ? std::optional(from.type) : std::nullopt;
      }
      if (!only_moves(graph_, *op)) {
        break;
      }
    }
    return std::nullopt;
  }

  std::string reason(const Operator& op) const {
    const std::optional<ElementType> input = dequantized_from(op.inputs[0]);
    const std::optional<ElementType> weights = dequantized_from(op.inputs[1]);
    if (!input) {
      return "no DequantizeLinear makes their input: only the weights are integers";
    }
    if (!is_byte(*input) || !is_byte(*weights)) {
      return "the array multiplies int8, and their input or their weights have 16 bits";
    }
    const std::vector<std::size_t>& readers = readers_behind_moves(op.outputs[0]);
    if (readers.empty()) {
      return "no QuantizeLinear takes their result, which is an output";
    }
    if (readers.size() > 1) {
      return fmt::format("{} operators read their result before it is quantized", readers.size());
    }
    const Operator& next = indexed_.op(readers.front());
    if (next.origin == "QuantizeLinear" && !std::holds_alternative<Convert>(next.kind)) {
      return "their result has several scales, or one that is computed";
    }
    if (!std::holds_alternative<Convert>(next.kind)) {
      return fmt::format("{} is between them and QuantizeLinear", next.origin.empty() ? next.name : next.origin);
    }
    if (!is_byte(graph_.tensor(next.outputs[0]).type)) {
      return "their result is not quantized to 8 bits";
    }
    return "of a bias that is not constant, an input of several scales, or padding between two steps of its scale";
  }

  const std::vector<std::size_t>& readers_behind_moves(TensorId id) const {
    const std::vector<std::size_t>* readers = &indexed_.readers(id);
    while (readers->size() == 1) {
      const Operator& only = indexed_.op(readers->front());
      if (!only_moves(graph_, only) || only.outputs.size() != 1) {
        break;
      }
      readers = &indexed_.readers(only.outputs[0]);
    }
    return *readers;
  }

  const Graph& graph_;
  const IndexedGraph indexed_;
};

}  // namespace

std::vector<std::string> float_products(const Graph& graph) { return Search(graph).run(); }

}  // namespace systole::graph::onnx_file
