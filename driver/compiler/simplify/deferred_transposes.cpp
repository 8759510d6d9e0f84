// SPDX-License-Identifier: Apache-2.0
#include "deferred_transposes.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "graph_builder.hpp"
#include "systole/execute.hpp"

namespace systole::graph {

DeferredTransposes::DeferredTransposes(Graph& graph) : graph_(graph), old_(std::move(graph.operators)) {
  graph_.operators.clear();
  for (const Operator& op : old_) {
    names_.insert(op.name);
  }
}

TensorId DeferredTransposes::resolved(TensorId id) const {
  const auto found = same_.find(id);
  return found == same_.end() ? id : found->second;
}

const Transposed* DeferredTransposes::remembered(TensorId id) const {
  const auto found = transposed_.find(id);
  return id == kNoTensor || found == transposed_.end() ? nullptr : &found->second;
}

void DeferredTransposes::remember(TensorId id, TensorId base, const Permutation& permutation) {
  if (is_identity(permutation)) {
    same_[id] = base;
  } else {
    transposed_[id] = {base, permutation};
  }
}

void DeferredTransposes::remember_same(TensorId id, TensorId as) {
  if (const Transposed* t = remembered(as)) {
    transposed_[id] = Transposed(*t);
  } else {
    same_[id] = as;
  }
}

void DeferredTransposes::append(Operator op) {
  for (const TensorId id : op.outputs) {
    makers_[id] = graph_.operators.size();
  }
  graph_.operators.push_back(std::move(op));
}

const Operator* DeferredTransposes::maker(TensorId id) const {
  const auto found = makers_.find(id);
  return found == makers_.end() ? nullptr : &graph_.operators[found->second];
}

std::string DeferredTransposes::unique(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; !names_.insert(name).second; ++i) {
    name = fmt::format("{}#{}", wanted, i);
  }
  return name;
}

TensorId DeferredTransposes::made(TensorId id) {
  const Transposed* t = remembered(id);
  if (t == nullptr || made_.count(id) != 0) {
    return id;
  }
  Operator op;
  op.name = unique(fmt::format("{}/transpose", graph_.tensor(id).name));
  op.origin = "Transpose";
  op.arithmetic = Arithmetic::kOnnx;
  if (moves_nothing(shape(t->base), t->permutation)) {
    op.kind = Reshape{};
  } else {
    op.kind = Transpose{t->permutation};
  }
  op.inputs = {t->base};
  op.outputs = {id};
  made_.insert(id);
  // For a dequantized value the quantized one is transposed, so that an operator that reads the result can still be
  // quantized.
  const Operator* before = maker(t->base);
  if (before != nullptr && std::holds_alternative<Convert>(before->kind) &&
      graph_.tensor(before->inputs[0]).quantization) {
    Operator dequantize = *before;
    dequantize.name = unique(dequantize.name);
    op.inputs = before->inputs;
    op.outputs = {like(op.inputs[0], shape(id), "/transpose")};
    dequantize.inputs = op.outputs;
    dequantize.outputs = {id};
    append(std::move(op));
    append(std::move(dequantize));
    return id;
  }
  append(std::move(op));
  return id;
}

void DeferredTransposes::keep(Operator op) {
  for (TensorId& id : op.inputs) {
    id = id == kNoTensor ? id : made(id);
  }
  append(std::move(op));
}

TensorId DeferredTransposes::like(TensorId id, const Shape& shape, const char* suffix) {
  Tensor tensor = graph_.tensor(id);
  tensor.shape = shape;
  tensor.constant = nullptr;
  tensor.name += suffix;
  return add_tensor(graph_, std::move(tensor));
}

void DeferredTransposes::replace(Operator op, std::vector<TensorId> inputs, const Permutation& permutation) {
  op.inputs = std::move(inputs);
  for (TensorId& id : op.outputs) {
    const TensorId base = like(id, permuted(shape(id), inverse(permutation)), "");
    remember(id, base, permutation);
    id = base;
  }
  append(std::move(op));
}

TensorId DeferredTransposes::computed(OperatorKind kind, TensorId from, const Shape& to, int channel_axis) {
  Operator op;
  op.kind = std::move(kind);
  op.inputs = {from};
  const TensorId id = like(from, to, "");
  if (graph_.tensor(id).quantization) {
    graph_.tensor(id).quantization->axis = channel_axis;
  }
  op.outputs = {id};
  const Value value = constant_value(graph_.tensor(from));
  graph_.tensor(id).constant = std::make_shared<Bytes>(execute_operator(graph_, op, {&value}).front().data);
  return id;
}

/// An operand that is invariant under permutation, or can be permuted: the returned tensor, permuted, equals `id`.
std::optional<TensorId> DeferredTransposes::as_transposed(TensorId id, const Permutation& permutation) {
  if (const Transposed* t = remembered(id)) {
    return t->permutation == permutation ? std::optional(t->base) : std::nullopt;
  }
  const std::size_t rank = permutation.size();
  if (shape(id).size() > rank || (graph_.tensor(id).quantization && graph_.tensor(id).quantization->per_channel())) {
    return std::nullopt;
  }
  if (count(shape(id)) == 1 && shape(id).size() <= 1) {
    return id;
  }
  Shape full = shape(id);
  full.insert(full.begin(), rank - full.size(), 1);
  const Permutation back = inverse(permutation);
  if (constant(id)) {
    const TensorId reshaped = full == shape(id) ? id : computed(Reshape{}, id, full, 0);
    return computed(Transpose{back}, reshaped, permuted(full, back), 0);
  }
  if (shape(id).size() == rank && moves_nothing(full, back)) {
    Operator op;
    op.name = unique(fmt::format("{}/reshape", graph_.tensor(id).name));
    op.origin = "Transpose";
    op.arithmetic = Arithmetic::kOnnx;
    op.kind = Reshape{};
    op.inputs = {id};
    const TensorId moved = like(id, permuted(full, back), "/reshape");
    op.outputs = {moved};
    append(std::move(op));
    return moved;
  }
  return std::nullopt;
}

bool DeferredTransposes::without(const std::vector<TensorId>& ids, Permutation& permutation,
                                 std::vector<TensorId>& bases) {
  const Transposed* first = nullptr;
  for (const TensorId id : ids) {
    first = first == nullptr ? remembered(id) : first;
  }
  if (first == nullptr) {
    return false;
  }
  permutation = first->permutation;
  for (const TensorId id : ids) {
    const auto base = as_transposed(id, permutation);
    if (!base) {
      return false;
    }
    bases.push_back(*base);
  }
  return true;
}

}  // namespace systole::graph
