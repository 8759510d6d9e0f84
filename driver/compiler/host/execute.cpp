// SPDX-License-Identifier: Apache-2.0
#include "systole/execute.hpp"

#include <fmt/core.h>

#include <memory>

#include "attributes.hpp"
#include "execute_kinds.hpp"
#include "quantized_types.hpp"

namespace systole::graph {
namespace {

template <class Kind>
concept Computes = requires(const Call& call, const Kind& kind) {
  run_plain(call, kind);
};

/// One result, which an initializer list would copy.
std::vector<Value> only(Value value) {
  std::vector<Value> results;
  results.push_back(std::move(value));
  return results;
}

template <class Kind>
std::vector<Value> dispatch(const Call& call, const Kind& kind) {
  if constexpr (Computes<Kind>) {
    if (is_byte(call.input(0).type) && call.op.arithmetic == Arithmetic::kOnnx) {
      return only(run_onnx(call, kind));
    }
    if (is_byte(call.input(0).type)) {
      return only(run_quantized(call, kind));
    }
    return only(is_scaled_int16(call.input_tensor(0)) && call.op.arithmetic == Arithmetic::kTfLite
                    ? run_int16(call, kind)
                    : run_plain(call, kind));
  } else if constexpr (std::is_same_v<decltype(run(call, kind)), Value>) {
    return only(run(call, kind));
  } else {
    return run(call, kind);
  }
}

/// Use count of each tensor: one for each operator that reads it and each time it is a graph output.
std::vector<int> count_uses(const Graph& graph) {
  std::vector<int> uses(graph.tensors.size());
  for (const Operator& op : graph.operators) {
    for (const TensorId id : op.inputs) {
      if (id != kNoTensor) {
        ++uses.at(static_cast<std::size_t>(id));
      }
    }
  }
  for (const TensorId id : graph.outputs) {
    ++uses.at(static_cast<std::size_t>(id));
  }
  return uses;
}

}  // namespace

void Call::unsupported(std::string_view why) const {
  const char* name = op.arithmetic == Arithmetic::kTfLite   ? "TensorFlow Lite's"
                     : op.arithmetic == Arithmetic::kOnnx   ? "ONNX's"
                     : op.arithmetic == Arithmetic::kLiteRt ? "LiteRT's"
                                                            : "block floating point's";
  throw GraphError(
      fmt::format("{} on {} in {} arithmetic is not supported: {}", title(op), name_of(input(0).type), name, why));
}

Value constant_value(const Tensor& tensor) { return {tensor.type, tensor.shape, *tensor.constant}; }

std::vector<Value> execute_operator(const Graph& graph, const Operator& op, const std::vector<const Value*>& inputs) {
  const Call call{graph, op, inputs};
  try {
    return std::visit([&](const auto& kind) { return dispatch(call, kind); }, op.kind);
  } catch (const std::invalid_argument& error) {  // from the golden model: a parameter that it cannot compute exactly
    throw GraphError(fmt::format("{}: {}", title(op), error.what()));
  }
}

std::vector<Value> execute(const Graph& graph, const std::vector<Value>& inputs, const Observer& observer) {
  check_inputs(graph, inputs);
  std::vector<std::shared_ptr<const Value>> values(graph.tensors.size());
  std::vector<int> uses = count_uses(graph);
  const auto at = [](TensorId id) { return static_cast<std::size_t>(id); };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    values[at(graph.inputs[i])] = std::make_shared<Value>(inputs[i]);
  }
  const auto value_of = [&](TensorId id) {
    auto& value = values[at(id)];
    if (!value && graph.tensor(id).constant) {
      value = std::make_shared<Value>(constant_value(graph.tensor(id)));
    }
    return value;
  };
  for (const Operator& op : graph.operators) {
    std::vector<const Value*> operands;
    for (const TensorId id : op.inputs) {
      operands.push_back(id == kNoTensor ? nullptr : value_of(id).get());
    }
    std::vector<Value> results = execute_operator(graph, op, operands);
    if (observer) {
      observer(op, results);
    }
    for (const TensorId id : op.inputs) {
      if (id != kNoTensor && --uses[at(id)] == 0) {
        values[at(id)].reset();
      }
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      values[at(op.outputs[i])] = std::make_shared<Value>(std::move(results[i]));
    }
  }
  std::vector<Value> outputs;
  for (const TensorId id : graph.outputs) {
    outputs.push_back(*value_of(id));
  }
  return outputs;
}

}  // namespace systole::graph
