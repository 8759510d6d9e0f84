// SPDX-License-Identifier: Apache-2.0
// Emits graph operators for those of the file, and folds constants.
#include <fmt/core.h>

#include <algorithm>

#include "attributes.hpp"
#include "infer.hpp"
#include "systole/execute.hpp"
#include "tflite_translation.hpp"
#include "type_checks.hpp"

namespace systole::graph::tflite_file {

namespace {

/// Limit on constants that are not in the file: a few times its size, plus 1 MiB for small files.
std::size_t most_computed(const File& file) { return 4 * file.size() + (std::size_t{1} << 20); }

}  // namespace

/// Folds an operator with constant inputs, so that computed shapes are numbers, and weights that the file keeps as
/// integers or as float16 are what the operators take. Returns false to leave it to run time: invalid operators,
/// windows (which may be huge), and results of more than a few times the file size.
bool Translation::fold(const Operator& op) {
  constexpr std::uint64_t kMostMacs = 1 << 24;
  const auto is_constant = [&](TensorId id) { return id == kNoTensor || tensor(id).constant != nullptr; };
  if (std::holds_alternative<Pool>(op.kind) || !std::all_of(op.inputs.begin(), op.inputs.end(), is_constant) ||
      std::any_of(op.outputs.begin(), op.outputs.end(), is_constant)) {
    return false;
  }
  try {
    const std::vector<Shape> shapes = output_shapes(graph_, op);
    check_types(graph_, op);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      const Tensor& output = tensor(op.outputs[i]);
      if (i >= shapes.size() || output.shape != shapes[i] || count(output.shape) > kMaxTensorBytes) {
        return false;
      }
      bytes += static_cast<std::size_t>(count(output.shape)) * element_size(output.type);
    }
    if (computed_ + bytes > most_computed(file_) || useful_macs(graph_, op) > kMostMacs) {
      return false;
    }
    std::vector<Value> operands;
    operands.reserve(op.inputs.size());
    std::vector<const Value*> inputs;
    for (const TensorId id : op.inputs) {
      if (id != kNoTensor) {
        operands.push_back(constant_value(tensor(id)));
      }
      inputs.push_back(id == kNoTensor ? nullptr : &operands.back());
    }
    std::vector<Value> results = execute_operator(graph_, op, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      graph_.tensor(op.outputs[i]).constant = std::make_shared<const Bytes>(std::move(results[i].data));
    }
    computed_ += bytes;
  } catch (const GraphError&) {
    return false;  // validation or execution of the graph reports the reason
  }
  return true;
}

TensorId Translation::emit(OperatorKind kind, std::vector<TensorId> inputs, ElementType type,
                           std::optional<Quantization> quantization, const std::optional<Shape>& given) {
  std::vector<Shape> shapes;
  for (const TensorId id : inputs) {
    shapes.push_back(tensor(id).shape);
  }
  Tensor result;
  result.shape = output_shapes(kind, shapes, given ? std::vector<Shape>{*given} : std::vector<Shape>{}).at(0);
  if (count(result.shape) > kMaxTensorBytes / static_cast<std::int64_t>(element_size(type))) {
    fail(fmt::format("a result of shape {} {} takes more than {} bytes, the most a tensor may have",
                     to_string(result.shape), name_of(type), kMaxTensorBytes));
  }
  result.name = fmt::format("{}/{}", tensor(output()).name, name_of(kind));
  charge(result.name.size());
  result.type = type;
  result.quantization = std::move(quantization);
  const TensorId id = add_tensor(std::move(result));
  add(std::move(kind), std::move(inputs), {id});
  return id;
}

TensorId Translation::move(OperatorKind kind, TensorId input, const std::optional<Shape>& given) {
  return emit(std::move(kind), {input}, tensor(input).type, tensor(input).quantization, given);
}

TensorId Translation::reshape(TensorId input, const Shape& shape) {
  return tensor(input).shape == shape ? input : move(Reshape{}, input, shape);
}

TensorId Translation::weights_for(TensorId input, TensorId weights) {
  const Tensor& from = tensor(weights);
  if (tensor(input).type != ElementType::kFloat32 || from.type == ElementType::kFloat32) {
    return weights;
  }
  if (!from.constant || !from.quantization) {
    fail(fmt::format("{}: weights of a float32 input must be float32, or constant integers with a scale", title(from)));
  }
  return emit(Convert{}, {weights}, ElementType::kFloat32);
}

TensorId Translation::transpose(TensorId input, const std::vector<int>& permutation) {
  return std::is_sorted(permutation.begin(), permutation.end()) ? input : move(Transpose{permutation}, input);
}

TensorId Translation::numbers(ElementType type, const Shape& shape, const std::vector<std::int64_t>& values) {
  Tensor tensor;
  tensor.name = fmt::format("{}/constant", graph_.tensor(output()).name);
  tensor.type = type;
  tensor.shape = shape;
  Value value = type == ElementType::kInt64
                    ? make_value(type, shape, values)
                    : make_value(type, shape, std::vector<std::int32_t>(values.begin(), values.end()));
  computed_ += value.data.size();
  if (computed_ > most_computed(file_)) {
    fail(fmt::format("{} generated indices: generated constants would exceed {} bytes", values.size(),
                     most_computed(file_)));
  }
  tensor.constant = std::make_shared<const Bytes>(std::move(value.data));
  return add_tensor(std::move(tensor));
}

void Translation::result(TensorId id, std::size_t i) {
  const TensorId to = output(i);
  Tensor& wanted = graph_.tensor(to);
  if (tensor(id).type != wanted.type || tensor(id).shape != wanted.shape) {
    fail(fmt::format("output {} is declared as {} {}; the operator computes {} {}", i, to_string(wanted.shape),
                     name_of(wanted.type), to_string(tensor(id).shape), name_of(tensor(id).type)));
  }
  Operator* last = graph_.operators.empty() ? nullptr : &graph_.operators.back();
  if (last != nullptr && last->outputs == std::vector<TensorId>{id} && id != to) {
    last->outputs = {to};
    last->name = unique(wanted.name.empty() ? last->name : wanted.name);
    return;
  }
  add(Reshape{}, {id}, {to});  // an existing tensor
}

}  // namespace systole::graph::tflite_file
