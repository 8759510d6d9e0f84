// SPDX-License-Identifier: Apache-2.0
#include "emit_quantized.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "graph_builder.hpp"
#include "indexed_graph.hpp"
#include "quantized_parameters.hpp"
#include "systole/execute.hpp"

namespace systole::quantizer {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Quantization;
using graph::Tensor;
using graph::TensorId;

class Emitter {
 public:
  Emitter(const Graph& from, const Scheme& scheme, Border border)
      : from_(from), indexed_(from), scheme_(scheme), border_(border) {
    for (const Operator& op : from.operators) {
      names_.insert(op.name);
    }
  }

  Emitted run() {
    to_.name = from_.name;
    for (const TensorId id : from_.inputs) {
      const bool int8 = border_ == Border::kInt8 && scheme_.quantization.count(id) != 0 && is_read_as_int8(id);
      to_.inputs.push_back(int8 ? int8_[id] = add_int8(id) : plain_[id] = add_copy(id));
    }
    for (std::size_t i = 0; i < from_.operators.size(); ++i) {
      if (!scheme_.forms[i].int8) {
        copy(from_.operators[i]);
      } else if (scheme_.saturations.count(i) == 0) {
        quantize(from_.operators[i]);
      }
    }
    for (const TensorId id : from_.outputs) {
      const bool int8 = border_ == Border::kInt8 && int8_.count(id) != 0;
      to_.outputs.push_back(int8 ? int8_[id] : plain(id));
    }
    name_tensors();
    validate(to_);
    return {std::move(to_), std::move(int8_)};
  }

 private:
  bool is_read_as_int8(TensorId id) const {
    const std::vector<std::size_t>& readers = indexed_.readers(id);
    return std::any_of(readers.begin(), readers.end(), [&](std::size_t i) { return scheme_.forms[i].int8; });
  }

  TensorId add_copy(TensorId id) { return add_tensor(to_, from_.tensor(id)); }
  TensorId add_int8(TensorId id, std::optional<Quantization> quantization = {}) {
    Tensor tensor = from_.tensor(id);
    tensor.type = ElementType::kInt8;
    tensor.constant = nullptr;
    tensor.quantization = quantization ? *quantization : scheme_.quantization.at(id);
    return add_tensor(to_, std::move(tensor));
  }

  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !names_.insert(name).second; ++i) {
      name = fmt::format("{}#{}", wanted, i);
    }
    return name;
  }
  void convert(const std::string& name, TensorId from, TensorId to) {
    Operator op;
    op.name = unique(name);
    op.origin = "Convert";
    op.kind = graph::Convert{};
    op.inputs = {from};
    op.outputs = {to};
    to_.operators.push_back(std::move(op));
  }

  /// The tensor with its original type.
  TensorId plain(TensorId id) {
    if (id == graph::kNoTensor) {
      return id;
    }
    const auto [place, is_new] = plain_.try_emplace(id, graph::kNoTensor);
    if (is_new) {
      place->second = add_copy(id);
      if (const auto quantized = int8_.find(id); quantized != int8_.end() && !from_.tensor(id).constant) {
        convert(fmt::format("{}/dequantize", from_.tensor(id).name), quantized->second, place->second);
      }
    }
    return place->second;
  }

  /// The tensor as int8.
  TensorId int8(TensorId id) {
    const auto found = int8_.find(id);
    if (found != int8_.end()) {
      return found->second;
    }
    const TensorId result = add_int8(id);
    int8_[id] = result;
    if (from_.tensor(id).constant) {
      to_.tensor(result).constant = quantized_constant(id, to_.tensor(result));
    } else {
      convert(fmt::format("{}/quantize", from_.tensor(id).name), plain(id), result);
    }
    return result;
  }

  /// By the rules of Convert, which would otherwise do it at run time.
  std::shared_ptr<const graph::Bytes> quantized_constant(TensorId id, const Tensor& as) const {
    Graph one;
    one.tensors = {from_.tensor(id), as};
    Operator op;
    op.kind = graph::Convert{};
    op.inputs = {0};
    op.outputs = {1};
    const graph::Value value = constant_value(from_.tensor(id));
    return std::make_shared<const graph::Bytes>(execute_operator(one, op, {&value}).front().data);
  }

  void copy(const Operator& op) {
    Operator result = op;
    for (TensorId& id : result.inputs) {
      id = plain(id);
    }
    for (TensorId& id : result.outputs) {
      id = plain_[id] = add_copy(id);
    }
    to_.operators.push_back(std::move(result));
  }

  void quantize(const Operator& op) {
    Operator result = op;
    result.arithmetic = graph::Arithmetic::kTfLite;
    const TensorId saturated = saturated_result(from_, scheme_, op);
    const std::optional<Quantization> fixed = fixed_quantization(op);
    const bool differs = fixed && (fixed->scale != scheme_.quantization.at(saturated).scale ||
                                   fixed->zero_point != scheme_.quantization.at(saturated).zero_point);
    if (is_weighted(from_, op)) {
      result.inputs = weighted_inputs(op, scheme_.quantization.at(saturated));
    } else {
      for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        const TensorId id = op.inputs[i];
        // Conditions of selections and indices keep their type.
        const bool is_int8 =
            i < int8_operands(from_, op) && id != graph::kNoTensor && from_.tensor(id).type == ElementType::kFloat32;
        result.inputs[i] = is_int8 ? int8(id) : plain(id);
      }
    }
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      const TensorId id = i == 0 ? saturated : op.outputs[i];
      result.outputs[i] = differs ? add_int8(id, fixed) : int8_[id] = add_int8(id);
    }
    const TensorId own = result.outputs[0];
    to_.operators.push_back(std::move(result));
    if (differs) {
      int8_[saturated] = add_int8(saturated);
      convert(fmt::format("{}/requantize", op.name), own, int8_[saturated]);
    }
  }

  std::vector<TensorId> weighted_inputs(const Operator& op, const Quantization& output) {
    const TensorId input = int8(op.inputs[0]);
    IntegerParameters parameters =
        quantize_parameters(parameters_of(from_, op), *to_.tensor(input).quantization, output);
    parameters.weights.name = fmt::format("{}/weights", op.name);
    parameters.bias.name = fmt::format("{}/bias", op.name);
    const TensorId weights = add_tensor(to_, std::move(parameters.weights));
    return {input, weights, add_tensor(to_, std::move(parameters.bias))};
  }

  /// If a tensor exists in both types, the one at the border of the graph keeps the name.
  void name_tensors() {
    for (const auto& [id, quantized] : int8_) {
      if (const auto twin = plain_.find(id); twin != plain_.end()) {
        const std::string& name = from_.tensor(id).name;
        const bool int8_at_border = std::count(to_.inputs.begin(), to_.inputs.end(), quantized) != 0;
        to_.tensor(int8_at_border ? twin->second : quantized).name =
            fmt::format("{}/{}", name, int8_at_border ? "float" : "int8");
      }
    }
  }

  const Graph& from_;
  const graph::IndexedGraph indexed_;
  const Scheme& scheme_;
  const Border border_;
  Graph to_;
  std::map<TensorId, TensorId> plain_, int8_;  // ids in to_, by id in from_
  std::set<std::string> names_;                // of operators
};

}  // namespace

Emitted emit(const Graph& graph, const Scheme& scheme, Border border) { return Emitter(graph, scheme, border).run(); }

}  // namespace systole::quantizer
