// SPDX-License-Identifier: Apache-2.0
#include "float_obstacles.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "attributes.hpp"
#include "quantized_parameters.hpp"
#include "systole/execute.hpp"
#include "systole/requantize.hpp"

namespace systole::quantizer {
namespace {

using graph::Graph;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;

/// Checks for infinities and NaNs. Infinite values are allowed where they are out of bounds (negligible.hpp).
class Finiteness {
 public:
  Finiteness(const Graph& graph, const Observations& observations, const std::map<TensorId, Bounds>& bounds)
      : graph_(graph), observations_(observations), bounds_(bounds) {}

  /// Empty if the tensor is fine.
  std::string wrong_with(TensorId id) const {
    if (id == graph::kNoTensor || graph_.tensor(id).type != graph::ElementType::kFloat32) {
      return {};
    }
    const Tensor& tensor = graph_.tensor(id);
    if (tensor.constant) {
      Statistics values;
      values.add(floats_of(tensor));
      return is_legal(id, values) ? std::string() : fmt::format("{}: a constant that is not finite", title(tensor));
    }
    const auto observed = observations_.find(id);
    if (observed == observations_.end() || is_legal(id, observed->second.values)) {
      return {};
    }
    return fmt::format("{}: not a finite number in calibration sample {}", title(tensor),
                       *observed->second.first_not_finite);
  }

 private:
  bool is_legal(TensorId id, const Statistics& values) const {
    const auto found = bounds_.find(id);
    const Bounds bounds = found == bounds_.end() ? Bounds{} : found->second;
    return values.not_numbers() == 0 && (values.minus_infinite() == 0 || std::isfinite(bounds.floor)) &&
           (values.plus_infinite() == 0 || std::isfinite(bounds.ceiling));
  }

  const Graph& graph_;
  const Observations& observations_;
  const std::map<TensorId, Bounds>& bounds_;
};

/// Runs the operator on zeros, all dimensions cut to 1 except those that its parameters depend on: throws if the
/// arithmetic does not support it.
void attempt(const Graph& graph, const Scheme& scheme, const Operator& op) {
  const bool element_wise =
      std::holds_alternative<graph::Binary>(op.kind) || std::holds_alternative<graph::Unary>(op.kind);
  const auto int8_of = [&](TensorId id) {
    Tensor tensor = graph.tensor(id);
    tensor.type = graph::ElementType::kInt8;
    tensor.constant = nullptr;
    tensor.shape = element_wise ? graph::Shape{1} : tensor.shape;
    tensor.quantization = scheme.quantization.at(id);
    return tensor;
  };
  Graph one;
  Operator small = op;
  std::vector<graph::Value> zeros;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    small.inputs[i] = static_cast<TensorId>(i);
    if (i >= int8_operands(graph, op)) {
      one.tensors.push_back(graph.tensor(op.inputs[i]));
      zeros.push_back(constant_value(one.tensors.back()));
      continue;
    }
    one.tensors.push_back(int8_of(op.inputs[i]));
    const Tensor& tensor = one.tensors.back();
    zeros.push_back({tensor.type, tensor.shape, graph::Bytes(static_cast<std::size_t>(graph::count(tensor.shape)))});
  }
  one.tensors.push_back(int8_of(op.outputs[0]));
  one.tensors.back().quantization = fixed_quantization(op).value_or(*one.tensors.back().quantization);
  small.outputs = {static_cast<TensorId>(op.inputs.size())};
  small.arithmetic = graph::Arithmetic::kTfLite;
  std::vector<const graph::Value*> operands;
  std::transform(zeros.begin(), zeros.end(), std::back_inserter(operands),
                 [](const graph::Value& value) { return &value; });
  execute_operator(one, small, operands);
}

void check_factor(double factor) { quantize_multiplier(factor); }

double scale_of(const Scheme& scheme, TensorId id) { return double{scheme.quantization.at(id).scale[0]}; }

/// Throws for unsupported scales.
void check(const Graph& graph, const Scheme& scheme, const Operator& op) {
  const TensorId result = saturated_result(graph, scheme, op);
  if (is_weighted(graph, op)) {
    const graph::Quantization& input = scheme.quantization.at(op.inputs[0]);
    const IntegerParameters parameters =
        quantize_parameters(parameters_of(graph, op), input, scheme.quantization.at(result));
    for (const float scale : parameters.weights.quantization->scale) {
      check_factor(double{input.scale[0]} * double{scale} / scale_of(scheme, result));
    }
  } else if (std::holds_alternative<graph::MatMul>(op.kind)) {
    check_factor(scale_of(scheme, op.inputs[0]) * scale_of(scheme, op.inputs[1]) / scale_of(scheme, result));
  } else if (!keeps_quantization(op) || std::holds_alternative<graph::Binary>(op.kind) ||
             std::holds_alternative<graph::Reduce>(op.kind)) {
    attempt(graph, scheme, op);
  }
  if (const auto fixed = fixed_quantization(op)) {
    check_factor(double{fixed->scale[0]} / scale_of(scheme, result));
  }
}

}  // namespace

Obstacles not_finite(const Graph& graph, const Observations& observations, const std::map<TensorId, Bounds>& bounds) {
  const Finiteness finiteness(graph, observations, bounds);
  for (const TensorId id : graph.inputs) {
    if (const std::string wrong = finiteness.wrong_with(id); !wrong.empty()) {
      throw graph::GraphError(wrong + "; a network quantizes over finite values only");
    }
  }
  Obstacles result;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const Operator& op = graph.operators[i];
    std::vector<TensorId> ids = op.outputs;
    // Defects of weights and biases show in the result.
    ids.insert(ids.end(), op.inputs.begin(), is_weighted(graph, op) ? op.inputs.begin() + 1 : op.inputs.end());
    for (const TensorId id : ids) {
      if (const std::string wrong = finiteness.wrong_with(id); !wrong.empty()) {
        result.emplace(i, wrong);
      }
    }
  }
  return result;
}

Obstacles not_representable(const Graph& graph, const Scheme& scheme) {
  Obstacles result;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    if (!scheme.forms[i].int8 || scheme.saturations.count(i) != 0) {
      continue;
    }
    try {
      check(graph, scheme, graph.operators[i]);
    } catch (const std::exception& error) {
      result[i] = error.what();
    }
  }
  return result;
}

}  // namespace systole::quantizer
