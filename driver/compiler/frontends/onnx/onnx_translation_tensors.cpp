// SPDX-License-Identifier: Apache-2.0
// Tensors and operators during translation.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "element_visit.hpp"
#include "infer.hpp"
#include "numbered_names.hpp"
#include "onnx_quantized_moves.hpp"
#include "onnx_tensors.hpp"
#include "onnx_translation.hpp"
#include "quantized_types.hpp"
#include "type_checks.hpp"

namespace systole::graph::onnx_file {
namespace {

// Limits on constant folding: hostile files ask for more.
constexpr std::size_t kFileSizes = 4;  // times the file size, in use at a time, in addition to
                                       // ImportOptions::constant_bytes
constexpr std::size_t kTimesAltogether = 8;
constexpr std::uint64_t kMostMacs = std::uint64_t{1} << 28;  // for one operator
constexpr std::uint64_t kMostMacsAltogether = std::uint64_t{1} << 30;

template <class Target>
std::vector<Target> stored_numbers(const Translation& t, const Tensor& tensor, const char* what) {
  const Value value = constant_value(tensor);
  return with_element(tensor.type, [&](auto element) {
    using Element = decltype(element);
    if (kIsReal<Element> && std::is_integral_v<Target>) {
      t.fail(fmt::format("{} has type {}; expected integers", what, name_of(tensor.type)));
    }
    std::vector<Target> result;
    for (const Element number : elements<Element>(value)) {
      result.push_back(static_cast<Target>(number));
    }
    return result;
  });
}

std::string type_and_shape(const Tensor& tensor) {
  return tensor.shape.empty() ? fmt::format("a {} scalar", name_of(tensor.type))
                              : fmt::format("{} of shape {}", name_of(tensor.type), to_string(tensor.shape));
}

}  // namespace

void Translation::bind(TensorId id) {
  const auto found = bindable_.find(id);
  if (found == bindable_.end() || used_.count(id) != 0) {
    return;
  }
  const Value& value = options_.values.at(found->second);
  Tensor& tensor = graph_.tensor(id);
  if (value.type != tensor.type || value.shape != tensor.shape ||
      value.data.size() != static_cast<std::size_t>(count(tensor.shape)) * element_size(tensor.type)) {
    fail(fmt::format("the value given for input '{}' is {} {}; the input is {} {}", tensor.name, to_string(value.shape),
                     name_of(value.type), to_string(tensor.shape), name_of(tensor.type)));
  }
  tensor.constant = std::make_shared<Bytes>(value.data);
  graph_.inputs.erase(std::remove(graph_.inputs.begin(), graph_.inputs.end(), id), graph_.inputs.end());
  bindable_.erase(found);
}

void Translation::need(TensorId id, const char* what) const {
  std::unordered_set<TensorId> needed = {id};
  for (auto op = graph_.operators.rbegin(); op != graph_.operators.rend(); ++op) {
    if (std::any_of(op->outputs.begin(), op->outputs.end(),
                    [&](TensorId output) { return needed.count(output) != 0; })) {
      needed.insert(op->inputs.begin(), op->inputs.end());
    }
  }
  NeedsValues values;
  std::string open;
  std::vector<std::string> options;
  for (const TensorId input : graph_.inputs) {
    if (needed.count(input) == 0) {
      continue;
    }
    values.inputs.push_back(tensor(input).name);
    if (options_.values.count(tensor(input).name) == 0) {
      options.push_back(fmt::format("--constant {}=VALUE", tensor(input).name));
      open += fmt::format("{}{} ({})", open.empty() ? "" : " and ", options.back(), type_and_shape(tensor(input)));
    }
  }
  if (!options.empty()) {
    refuse(OnnxRefusal::kComputedParameter,
           fmt::format("{} ('{}') is computed at run time; it must be constant: {}", what, tensor(id).name, open),
           std::move(options));
  }
  if (values.inputs.empty()) {
    refuse(OnnxRefusal::kComputedParameter,
           fmt::format("{} ('{}') takes too long to compute at import; it must be constant", what, tensor(id).name));
  }
  throw values;
}

/// A constant, or one that was dequantized from a constant, which is not folded.
Tensor Translation::as_constant(TensorId id) const {
  const auto made = dequantized_.find(id);
  if (tensor(id).constant || made == dequantized_.end() || !tensor(made->second).constant) {
    return tensor(id);
  }
  Operator dequantize;
  dequantize.kind = Convert{};
  dequantize.arithmetic = Arithmetic::kOnnx;
  dequantize.inputs = {made->second};
  dequantize.outputs = {id};
  const Value stored = constant_value(tensor(made->second));
  Tensor result = tensor(id);
  result.constant = std::make_shared<Bytes>(execute_operator(graph_, dequantize, {&stored}).at(0).data);
  return result;
}

std::vector<std::int64_t> Translation::integers_at(TensorId id, const char* what) {
  bind(id);
  if (!tensor(id).constant) {
    need(id, what);
  }
  return stored_numbers<std::int64_t>(*this, tensor(id), what);
}

std::vector<double> Translation::reals_of(std::size_t i, const char* what) {
  const TensorId id = input(i);
  bind(id);
  const Tensor constant = as_constant(id);
  if (!constant.constant) {
    need(id, what);
  }
  return stored_numbers<double>(*this, constant, what);
}

double Translation::real_of(std::size_t i, const char* what) {
  const std::vector<double> values = reals_of(i, what);
  if (values.size() != 1) {
    fail(fmt::format("{} has {} values; expected 1", what, values.size()));
  }
  return values[0];
}

/// Returns the input after which the result of a folded operator is named. It is the largest, so that a weight keeps
/// its name when it is transposed or scaled.
TensorId namesake(const Graph& graph, const std::vector<TensorId>& inputs) {
  TensorId largest = kNoTensor;
  for (const TensorId id : inputs) {
    const auto size = [&](TensorId of) { return of == kNoTensor ? -1 : count(graph.tensor(of).shape); };
    largest = size(id) > size(largest) ? id : largest;
  }
  return largest;
}

/// Folds an operator with constant inputs. Returns false to leave it to run time: too much work, or unsupported by the
/// host.
bool Translation::fold(const Operator& op) {
  const bool dequantizes = std::holds_alternative<Convert>(op.kind) && graph_.tensor(op.inputs[0]).quantization;
  const auto is_constant = [&](TensorId id) { return id == kNoTensor || graph_.tensor(id).constant != nullptr; };
  if (dequantizes || !std::all_of(op.inputs.begin(), op.inputs.end(), is_constant)) {
    return false;
  }
  const std::uint64_t macs = useful_macs(graph_, op);
  if (macs > kMostMacs || macs > kMostMacsAltogether - computed_macs_) {
    return false;
  }
  std::size_t bytes = 0;
  for (const TensorId id : op.outputs) {
    bytes += static_cast<std::size_t>(count(shape(id))) * element_size(tensor(id).type);
  }
  spend(bytes);
  computed_macs_ += macs;
  std::vector<Value> operands;
  std::vector<const Value*> inputs;
  operands.reserve(op.inputs.size());
  for (const TensorId id : op.inputs) {
    if (id != kNoTensor) {
      operands.push_back(constant_value(tensor(id)));
    }
    inputs.push_back(id == kNoTensor ? nullptr : &operands.back());
  }
  const TensorId named = namesake(graph_, op.inputs);
  try {
    std::vector<Value> results = execute_operator(graph_, op, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      Tensor& result = graph_.tensor(op.outputs[i]);
      result.constant = std::make_shared<Bytes>(std::move(results[i].data));
      if (named != kNoTensor) {
        result.name = numbered(without_number(tensor(named).name), static_cast<std::size_t>(op.outputs[i]));
      }
      computed_.push_back(graph_.tensor(op.outputs[i]).constant);
    }
  } catch (const GraphError&) {
    return false;
  }
  return true;
}

std::optional<std::vector<TensorId>> Translation::moved_before_dequantizing(const Operator& op,
                                                                            const std::vector<Tensor>& results) {
  const auto* pool = std::get_if<Pool>(&op.kind);
  if (pool == nullptr ? !only_moves(graph_, op) : pool->kind != PoolKind::kMax) {
    return std::nullopt;
  }
  std::vector<TensorId> sources = op.inputs;
  const std::size_t moved = std::holds_alternative<Gather>(op.kind) ? 1 : sources.size();  // then the indices
  for (std::size_t i = 0; i < moved; ++i) {
    const auto made = dequantized_.find(sources[i]);
    if (made == dequantized_.end()) {
      return std::nullopt;
    }
    sources[i] = made->second;
    const Tensor &first = tensor(sources[0]), &own = tensor(sources[i]);
    if (own.type != first.type || !same_quantization(own, first) || (pool != nullptr && !is_byte(own.type))) {
      return std::nullopt;
    }
  }
  const Tensor from = tensor(sources[0]);
  std::vector<Tensor> quantized = results;
  for (Tensor& result : quantized) {
    result.type = from.type;
    result.quantization = moved_quantization(op, from, result.shape);
    if (!result.quantization) {
      return std::nullopt;
    }
  }
  std::vector<TensorId> ids = emit_all(op.kind, std::move(sources), std::move(quantized));
  for (TensorId& id : ids) {
    id = convert(id, ElementType::kFloat32);
  }
  return ids;
}

std::vector<TensorId> Translation::emit_all(OperatorKind kind, std::vector<TensorId> inputs,
                                            std::vector<Tensor> results) {
  Operator op;
  op.origin = this->type();
  op.kind = std::move(kind);
  op.arithmetic = Arithmetic::kOnnx;
  op.inputs = std::move(inputs);
  if (const auto moved = moved_before_dequantizing(op, results)) {
    return *moved;
  }
  for (const TensorId id : op.inputs) {
    if (id != kNoTensor) {
      used_.insert(id);
    }
  }
  for (Tensor& result : results) {
    if (count(result.shape) > kMaxTensorBytes / static_cast<std::int64_t>(element_size(result.type))) {
      fail(fmt::format("a result of shape {} {} takes more than {} bytes, the most a tensor may have",
                       to_string(result.shape), name_of(result.type), kMaxTensorBytes));
    }
    result.name = numbered(output_count() > 0 && !node_->output(0).empty() ? output_name(0) : this->type(),
                           graph_.tensors.size());
    op.outputs.push_back(add_tensor(std::move(result)));
  }
  try {
    check_types(graph_, op);
  } catch (const GraphError& error) {
    refuse(OnnxRefusal::kElementType, error.what());
  }
  const std::vector<TensorId> ids = op.outputs;
  if (!fold(op)) {
    graph_.operators.push_back(std::move(op));
  }
  return ids;
}

TensorId Translation::emit(OperatorKind kind, std::vector<TensorId> inputs, ElementType type,
                           std::optional<Quantization> quantization, const std::optional<Shape>& given) {
  std::vector<Shape> shapes;
  for (const TensorId id : inputs) {
    if (id != kNoTensor) {
      shapes.push_back(shape(id));
    }
  }
  Tensor result;
  result.shape = output_shapes(kind, shapes, given ? std::vector<Shape>{*given} : std::vector<Shape>{}).at(0);
  result.type = type;
  result.quantization = std::move(quantization);
  return emit_all(std::move(kind), std::move(inputs), {std::move(result)}).at(0);
}

std::vector<TensorId> Translation::emit_split(const Split& split, TensorId input, const std::vector<Shape>& parts) {
  output_shapes(split, {shape(input)}, parts);
  std::vector<Tensor> results(parts.size(), tensor(input));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    results[i].shape = parts[i];
    results[i].constant = nullptr;
  }
  return emit_all(split, {input}, std::move(results));
}

namespace {

/// moved_quantization() of a move that is not yet an operator.
std::optional<Quantization> quantization_after(const OperatorKind& kind, const Tensor& from,
                                               const std::optional<Shape>& given) {
  Operator op;
  op.kind = kind;
  const std::vector<Shape> results = given ? std::vector<Shape>{*given} : std::vector<Shape>{};
  return moved_quantization(op, from, output_shapes(kind, {from.shape}, results).at(0));
}

}  // namespace

TensorId Translation::move(OperatorKind kind, TensorId input, const std::optional<Shape>& given) {
  std::optional<Quantization> quantization = tensor(input).quantization;
  if (quantization && quantization->per_channel()) {
    quantization = quantization_after(kind, tensor(input), given);
    if (!quantization) {
      refuse(OnnxRefusal::kMode,
             fmt::format("'{}' has scales per channel, which would not stay on one axis", tensor(input).name));
    }
  }
  return emit(std::move(kind), {input}, tensor(input).type, std::move(quantization), given);
}

TensorId Translation::transpose(TensorId input, const std::vector<int>& permutation) {
  return std::is_sorted(permutation.begin(), permutation.end()) ? input : move(Transpose{permutation}, input);
}

TensorId Translation::reshape(TensorId input, const Shape& to) {
  return shape(input) == to ? input : move(Reshape{}, input, to);
}

TensorId Translation::convert(TensorId a, ElementType type, std::optional<Quantization> quantization) {
  const bool dequantizes = tensor(a).quantization && type == ElementType::kFloat32;
  const TensorId id = emit(Convert{}, {a}, type, std::move(quantization));
  if (dequantizes) {
    dequantized_[id] = a;
  }
  return id;
}

TensorId Translation::numbers(ElementType type, const Shape& shape, const std::vector<double>& values) {
  spend(values.size() * element_size(type));
  return with_element(type, [&](auto element) {
    using Element = decltype(element);
    std::vector<Element> typed;
    typed.reserve(values.size());
    for (const double value : values) {
      typed.push_back(cut_off<Element>(value));
    }
    return add_computed({"", type, shape, {}, std::make_shared<Bytes>(make_value(type, shape, typed).data)});
  });
}

TensorId Translation::count_along(ElementType type, std::size_t axis, std::size_t rank, std::int64_t size) {
  constexpr std::int64_t kMost = 1 << 24;
  if (size > kMost) {
    fail(fmt::format("dimension {}; at most {} is supported here", size, kMost));
  }
  std::vector<double> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 0.0);
  Shape shape(rank, 1);
  shape.at(axis) = size;
  return numbers(type, shape, values);
}

TensorId Translation::add_computed(Tensor tensor) {
  computed_.push_back(tensor.constant);
  return add_tensor(std::move(tensor));
}

std::size_t most_constant_bytes(const OnnxOptions& options, std::size_t file_size) {
  return static_cast<std::size_t>(options.constant_bytes) + kFileSizes * file_size;
}

void Translation::spend(std::size_t bytes) {
  const std::size_t most = most_constant_bytes(options_, file_.size());
  if (bytes > most - std::min(most, bytes_in_use_)) {
    free_unused();
  }
  const std::size_t altogether = kTimesAltogether * most;
  if (bytes > most - std::min(most, bytes_in_use_) || bytes > altogether - std::min(altogether, computed_bytes_)) {
    refuse(OnnxRefusal::kTooLarge,
           fmt::format("computes {} bytes from constants, in addition to {} in use and {} in the past; the limit is {} "
                       "at a time and {} in total",
                       bytes, bytes_in_use_, computed_bytes_ - std::min(computed_bytes_, bytes_in_use_), most,
                       altogether));
  }
  computed_bytes_ += bytes;
  bytes_in_use_ += bytes;
}

/// Frees constants that neither operators nor unread nodes use. Runs only after much was computed, since it scans the
/// whole graph.
void Translation::free_unused() {
  const std::size_t pause = most_constant_bytes(options_, file_.size()) / kTimesAltogether;
  if (computed_bytes_ < freed_at_ + pause) {
    return;
  }
  freed_at_ = computed_bytes_;
  std::vector<bool> needed(graph_.tensors.size());
  const auto need = [&](TensorId id) {
    for (auto made = dequantized_.end(); id != kNoTensor; id = made == dequantized_.end() ? kNoTensor : made->second) {
      needed[static_cast<std::size_t>(id)] = true;
      made = dequantized_.find(id);
    }
  };
  for (const Operator& op : graph_.operators) {
    std::for_each(op.inputs.begin(), op.inputs.end(), need);
  }
  for (const auto& [name, id] : ids_) {
    if (const auto readers = readers_.find(name); readers != readers_.end() && readers->second > 0) {
      need(id);
    }
  }
  for (std::size_t i = 0; i < first_tensor_; ++i) {
    if (!needed[i]) {
      graph_.tensors[i].constant = nullptr;
    }
  }
  computed_.erase(
      std::remove_if(computed_.begin(), computed_.end(), [](const auto& constant) { return constant.expired(); }),
      computed_.end());
  bytes_in_use_ = 0;
  for (const auto& constant : computed_) {
    bytes_in_use_ += constant.lock()->size();
  }
}

TensorId Translation::with_quantization(TensorId id, const Quantization& quantization) {
  Tensor same = tensor(id);
  same.quantization = quantization;
  const std::optional<Quantization> has = tensor(id).quantization;
  if (has && has->scale == quantization.scale && has->zero_point == quantization.zero_point &&
      (!quantization.per_channel() || has->axis == quantization.axis)) {
    return id;
  }
  if (tensor(id).constant) {  // the same bytes, reinterpreted
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
