// SPDX-License-Identifier: Apache-2.0
// Tensors and operators of a graph that is being translated.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "graph/infer.hpp"
#include "graph/types.hpp"
#include "import/onnx/tensors.hpp"
#include "import/onnx/translation.hpp"

namespace systole::graph::onnx_file {
namespace {

constexpr std::size_t kMostComputedBytes = std::size_t{1} << 28;  // of results computed while reading: hostile files ask for more
constexpr std::uint64_t kMostComputedMacs = std::uint64_t{1} << 28;

template <class Target>
std::vector<Target> numbers(const Translation& t, const Tensor& tensor, const char* what) {
  const Value value = constant_value(tensor);
  const auto as = [&](auto element) {
    const auto typed = elements<decltype(element)>(value);
    return std::vector<Target>(typed.begin(), typed.end());
  };
  switch (tensor.type) {
    case ElementType::kInt8: return as(std::int8_t{});
    case ElementType::kUint8:
    case ElementType::kBool: return as(std::uint8_t{});
    case ElementType::kInt16: return as(std::int16_t{});
    case ElementType::kUint16: return as(std::uint16_t{});
    case ElementType::kInt32: return as(std::int32_t{});
    case ElementType::kInt64: return as(std::int64_t{});
    default: break;
  }
  if constexpr (std::is_floating_point_v<Target>) {
    return tensor.type == ElementType::kFloat32 ? as(float{}) : as(double{});
  }
  t.fail(fmt::format("{} is of type {}; it takes integers", what, name_of(tensor.type)));
}

}  // namespace

TensorId Translation::add_tensor(Tensor tensor) {
  graph_.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

void Translation::bind(TensorId id) {
  const auto found = bindable_.find(id);
  if (found == bindable_.end() || used_.count(id) != 0) {
    return;
  }
  const Value& value = options_.values.at(found->second);
  Tensor& tensor = graph_.tensor(id);
  if (value.type != tensor.type || value.shape != tensor.shape || value.data.size() != static_cast<std::size_t>(count(tensor.shape)) * element_size(tensor.type)) {
    fail(fmt::format("the value given for input '{}' is {} {}; the input is {} {}", tensor.name, to_string(value.shape), name_of(value.type),
                     to_string(tensor.shape), name_of(tensor.type)));
  }
  tensor.constant = std::make_shared<Bytes>(value.data);
  graph_.inputs.erase(std::remove(graph_.inputs.begin(), graph_.inputs.end(), id), graph_.inputs.end());
  bindable_.erase(found);
}

std::vector<std::int64_t> Translation::integers_of(std::size_t i, const char* what) {
  const TensorId id = input(i);
  bind(id);
  if (!tensor(id).constant) {
    refuse(OnnxRefusal::kComputedParameter, fmt::format("{} ('{}') is computed at run time; it has to be constant", what, tensor(id).name));
  }
  return numbers<std::int64_t>(*this, tensor(id), what);
}

std::vector<double> Translation::reals_of(std::size_t i, const char* what) {
  const TensorId id = input(i);
  bind(id);
  if (!tensor(id).constant) {
    refuse(OnnxRefusal::kComputedParameter, fmt::format("{} ('{}') is computed at run time; it has to be constant", what, tensor(id).name));
  }
  return numbers<double>(*this, tensor(id), what);
}

double Translation::real_of(std::size_t i, const char* what) {
  const std::vector<double> values = reals_of(i, what);
  if (values.size() != 1) {
    fail(fmt::format("{} has {} values; it takes 1", what, values.size()));
  }
  return values[0];
}

/// Computes an operator whose inputs are constant. False leaves it to run time: too much work, or not the host's.
bool Translation::fold(const Operator& op) {
  const bool dequantizes = std::holds_alternative<Convert>(op.kind) && graph_.tensor(op.inputs[0]).quantization;
  const auto is_constant = [&](TensorId id) { return id == kNoTensor || graph_.tensor(id).constant != nullptr; };
  if (dequantizes || !std::all_of(op.inputs.begin(), op.inputs.end(), is_constant) || useful_macs(graph_, op) > kMostComputedMacs) {
    return false;
  }
  std::size_t bytes = 0;
  for (const TensorId id : op.outputs) {
    bytes += static_cast<std::size_t>(count(shape(id))) * element_size(tensor(id).type);
  }
  if (bytes > kMostComputedBytes - computed_bytes_) {
    return false;
  }
  std::vector<Value> operands;
  std::vector<const Value*> inputs;
  operands.reserve(op.inputs.size());
  for (const TensorId id : op.inputs) {
    if (id != kNoTensor) {
      operands.push_back(constant_value(tensor(id)));
    }
    inputs.push_back(id == kNoTensor ? nullptr : &operands.back());
  }
  try {
    std::vector<Value> results = execute_operator(graph_, op, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      graph_.tensor(op.outputs[i]).constant = std::make_shared<Bytes>(std::move(results[i].data));
    }
  } catch (const GraphError&) {
    return false;
  }
  computed_bytes_ += bytes;
  return true;
}

TensorId Translation::emit(OperatorKind kind, std::vector<TensorId> inputs, ElementType type, std::optional<Quantization> quantization,
                           const std::optional<Shape>& given) {
  Operator op;
  op.origin = this->type();
  op.kind = std::move(kind);
  op.arithmetic = Arithmetic::kOnnx;
  op.inputs = std::move(inputs);
  std::vector<Shape> shapes;
  for (const TensorId id : op.inputs) {
    if (id != kNoTensor) {
      shapes.push_back(shape(id));
      used_.insert(id);
    }
  }
  Tensor result;
  result.shape = output_shapes(op.kind, shapes, given ? std::vector<Shape>{*given} : std::vector<Shape>{}).at(0);
  if (count(result.shape) > kMaxTensorBytes / static_cast<std::int64_t>(element_size(type))) {
    fail(fmt::format("a result of shape {} {} takes more than {} bytes, the most a tensor may have", to_string(result.shape), name_of(type), kMaxTensorBytes));
  }
  result.name = fmt::format("{}/{}/", output_count() > 0 ? node_->output(0) : this->type(), graph_.tensors.size());
  result.type = type;
  result.quantization = std::move(quantization);
  const TensorId id = add_tensor(std::move(result));
  op.outputs = {id};
  try {
    check_types(graph_, op);
  } catch (const GraphError& error) {
    refuse(OnnxRefusal::kElementType, error.what());
  }
  if (!fold(op)) {
    graph_.operators.push_back(std::move(op));
  }
  return id;
}

std::vector<TensorId> Translation::emit_split(const Split& split, TensorId input, const std::vector<Shape>& parts) {
  output_shapes(split, {shape(input)}, parts);
  Operator op;
  op.origin = type();
  op.kind = split;
  op.arithmetic = Arithmetic::kOnnx;
  op.inputs = {input};
  used_.insert(input);
  for (const Shape& part : parts) {
    Tensor result = tensor(input);
    result.name = fmt::format("{}/{}/", node_->output(0), graph_.tensors.size());
    result.shape = part;
    result.constant = nullptr;
    op.outputs.push_back(add_tensor(std::move(result)));
  }
  const std::vector<TensorId> ids = op.outputs;
  if (!fold(op)) {
    graph_.operators.push_back(std::move(op));
  }
  return ids;
}

TensorId Translation::move(OperatorKind kind, TensorId input, const std::optional<Shape>& given) {
  if (const auto made = dequantized_.find(input); made != dequantized_.end()) {
    const TensorId moved = move(std::move(kind), made->second, given);
    return convert(moved, tensor(input).type);
  }
  std::optional<Quantization> quantization = tensor(input).quantization;
  if (quantization && quantization->per_channel()) {
    const auto channels = axis(quantization->axis, shape(input).size());
    if (const auto* transpose = std::get_if<Transpose>(&kind)) {
      const auto& p = transpose->permutation;
      quantization->axis = static_cast<int>(std::find(p.begin(), p.end(), static_cast<int>(channels)) - p.begin());
    } else if (channels != 0 || !given || given->empty() || given->front() != shape(input).front()) {
      refuse(OnnxRefusal::kMode, fmt::format("'{}' has scales per channel, which would not stay on one axis", tensor(input).name));
    }
  }
  return emit(std::move(kind), {input}, tensor(input).type, std::move(quantization), given);
}

TensorId Translation::transpose(TensorId input, const std::vector<int>& permutation) {
  return std::is_sorted(permutation.begin(), permutation.end()) ? input : move(Transpose{permutation}, input);
}

TensorId Translation::reshape(TensorId input, const Shape& to) { return shape(input) == to ? input : move(Reshape{}, input, to); }

TensorId Translation::convert(TensorId a, ElementType type, std::optional<Quantization> quantization) {
  const bool dequantizes = tensor(a).quantization && type == ElementType::kFloat32;
  const TensorId id = emit(Convert{}, {a}, type, std::move(quantization));
  if (dequantizes) {
    dequantized_[id] = a;
  }
  return id;
}

TensorId Translation::scalar(double value, TensorId like) {
  const ElementType type = tensor(like).type;
  Tensor one = type == ElementType::kFloat32 || type == ElementType::kFloat64 ? reals_tensor("", {}, {static_cast<float>(value)})
                                                                              : integers_tensor("", {static_cast<std::int64_t>(value)});
  one.shape = {};
  if (type == ElementType::kFloat64) {
    one.type = type;
    one.constant = std::make_shared<Bytes>(make_value<double>(type, {}, {value}).data);
  }
  const TensorId id = add_tensor(std::move(one));
  return tensor(id).type == type ? id : emit(Convert{}, {id}, type);
}

TensorId Translation::with_quantization(TensorId id, const Quantization& quantization) {
  Tensor same = tensor(id);
  same.quantization = quantization;
  const std::optional<Quantization> has = tensor(id).quantization;
  if (has && has->scale == quantization.scale && has->zero_point == quantization.zero_point && (!quantization.per_channel() || has->axis == quantization.axis)) {
    return id;
  }
  if (tensor(id).constant) {  // the same bytes, read otherwise
    return add_tensor(std::move(same));
  }
  const bool is_input = std::find(graph_.inputs.begin(), graph_.inputs.end(), id) != graph_.inputs.end();
  if (!has && is_input && used_.count(id) == 0) {
    graph_.tensor(id).quantization = quantization;
    return id;
  }
  return emit(Convert{}, {plain(id)}, tensor(id).type, quantization);
}

bool Translation::is_constant(TensorId id) const {
  const auto made = dequantized_.find(id);
  return tensor(made == dequantized_.end() ? id : made->second).constant != nullptr;
}

TensorId Translation::plain(TensorId id) {
  if (!tensor(id).quantization) {
    return id;
  }
  if (tensor(id).constant) {
    Tensor same = tensor(id);
    same.quantization.reset();
    return add_tensor(std::move(same));
  }
  return emit(Convert{}, {id}, tensor(id).type);
}

}  // namespace systole::graph::onnx_file
