// SPDX-License-Identifier: Apache-2.0
// One pass in the order of the graph. A transposition is not made but remembered: its result "is" another tensor with axes in
// another order. An operator that can, runs on that other tensor, and its result is remembered in turn; for one that cannot, the
// transposition is made. Two that cancel leave nothing to remember.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "graph/execute.hpp"
#include "graph/infer.hpp"
#include "graph/permutation.hpp"
#include "graph/simplify.hpp"

namespace systole::graph {
namespace {

class Mover {
 public:
  explicit Mover(Graph& graph) : graph_(graph), old_(std::move(graph.operators)) {
    graph_.operators.clear();
    for (const Operator& op : old_) {
      names_.insert(op.name);
    }
  }

  void run() {
    for (Operator& op : old_) {
      for (TensorId& id : op.inputs) {
        id = resolved(id);
      }
      if (!std::visit([&](const auto& kind) { return move(op, kind); }, op.kind)) {
        keep(op);
      }
    }
    for (TensorId& id : graph_.outputs) {
      const TensorId real = made(resolved(id));
      if (real != id && std::count(graph_.inputs.begin(), graph_.inputs.end(), real) == 0) {
        graph_.tensor(real).name = graph_.tensor(id).name;
      }
      id = real;
    }
  }

 private:
  struct Transposed {
    TensorId base;
    Permutation permutation;
  };

  const Shape& shape(TensorId id) const { return graph_.tensor(id).shape; }
  bool constant(TensorId id) const { return graph_.tensor(id).constant != nullptr; }

  /// What stands for a tensor whose operator did nothing.
  TensorId resolved(TensorId id) const {
    const auto found = same_.find(id);
    return found == same_.end() ? id : found->second;
  }
  const Transposed* remembered(TensorId id) const {
    const auto found = transposed_.find(id);
    return id == kNoTensor || found == transposed_.end() ? nullptr : &found->second;
  }
  void remember(TensorId id, TensorId base, const Permutation& permutation) {
    if (is_identity(permutation)) {
      same_[id] = base;
    } else {
      transposed_[id] = {base, permutation};
    }
  }

  void append(Operator op) {
    for (const TensorId id : op.outputs) {
      makers_[id] = graph_.operators.size();
    }
    graph_.operators.push_back(std::move(op));
  }
  const Operator* maker(TensorId id) const {
    const auto found = makers_.find(id);
    return found == makers_.end() ? nullptr : &graph_.operators[found->second];
  }
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !names_.insert(name).second; ++i) {
      name = fmt::format("{}#{}", wanted, i);
    }
    return name;
  }

  /// The tensor itself, by a transposition if it is only remembered.
  TensorId made(TensorId id) {
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
    // Of dequantized values the quantized ones are moved: whoever takes the result can then be quantized.
    const Operator* before = maker(t->base);
    if (before != nullptr && std::holds_alternative<Convert>(before->kind) && graph_.tensor(before->inputs[0]).quantization) {
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

  void keep(Operator op) {
    for (TensorId& id : op.inputs) {
      id = id == kNoTensor ? id : made(id);
    }
    append(std::move(op));
  }

  TensorId like(TensorId id, const Shape& shape, const char* suffix) {
    Tensor tensor = graph_.tensor(id);
    tensor.shape = shape;
    tensor.constant = nullptr;
    tensor.name += suffix;
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }

  /// `op` with these operands instead; its results are remembered by the permutation.
  void replace(Operator op, std::vector<TensorId> inputs, const Permutation& permutation) {
    op.inputs = std::move(inputs);
    for (TensorId& id : op.outputs) {
      const TensorId base = like(id, permuted(shape(id), inverse(permutation)), "");
      remember(id, base, permutation);
      id = base;
    }
    append(std::move(op));
  }

  /// A constant computed by an operator of one operand.
  TensorId computed(OperatorKind kind, TensorId from, const Shape& to, int channel_axis) {
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

  /// An operand that is the same for all permutations, or can be brought to this one: T(result, permutation) = id.
  std::optional<TensorId> as_transposed(TensorId id, const Permutation& permutation) {
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

  /// The permutation that some operand is remembered by, and all operands without it.
  bool without(const std::vector<TensorId>& ids, Permutation& permutation, std::vector<TensorId>& bases) {
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

  bool unary(const Operator& op) {
    const Transposed* t = remembered(op.inputs[0]);
    if (t == nullptr) {
      return false;
    }
    const Transposed input = *t;
    replace(op, {input.base}, input.permutation);
    return true;
  }

  bool move(const Operator& op, const Transpose& kind) {
    const Transposed* t = remembered(op.inputs[0]);
    const TensorId base = t != nullptr ? t->base : op.inputs[0];
    remember(op.outputs[0], base, t != nullptr ? then(t->permutation, kind.permutation) : kind.permutation);
    return true;
  }
  bool move(const Operator& op, const Unary& kind) {
    const bool plain = !graph_.tensor(op.inputs[0]).quantization && !graph_.tensor(op.outputs[0]).quantization;
    if (kind.kind == UnaryKind::kIdentity && plain) {
      remember_same(op.outputs[0], op.inputs[0]);
      return true;
    }
    return unary(op);
  }
  bool move(const Operator& op, const Convert&) {
    const auto& q = graph_.tensor(op.inputs[0]).quantization;
    return !(q && q->per_channel()) && unary(op);
  }
  bool move(const Operator& op, const Binary&) {
    Permutation permutation;
    std::vector<TensorId> bases;
    if (shape(op.outputs[0]).size() < 2 || !without(op.inputs, permutation, bases) || permutation.size() != shape(op.outputs[0]).size()) {
      return false;
    }
    replace(op, bases, permutation);
    return true;
  }
  bool move(const Operator& op, const Concat& kind) {
    Permutation permutation;
    std::vector<TensorId> bases;
    if (!without(op.inputs, permutation, bases)) {
      return false;
    }
    for (std::size_t i = 0; i < bases.size(); ++i) {
      if (shape(bases[i]).size() != permutation.size()) {
        return false;
      }
    }
    replace(with(op, Concat{permutation[axis_of(kind.axis, permutation.size())]}), bases, permutation);
    return true;
  }
  bool move(const Operator& op, const Split& kind) {
    return along(op, [&](const Permutation& p) { return Split{p[axis_of(kind.axis, p.size())]}; });
  }
  bool move(const Operator& op, const Slice& kind) {
    return along(op, [&](const Permutation& p) { return Slice{permuted(kind.begin, inverse(p)), permuted(kind.step, inverse(p))}; });
  }
  bool move(const Operator& op, const Pad& kind) {
    return along(op, [&](const Permutation& p) {
      Pad pad = kind;
      pad.before = permuted(kind.before, inverse(p));
      pad.after = permuted(kind.after, inverse(p));
      return pad;
    });
  }
  bool move(const Operator& op, const Softmax& kind) {
    if (op.arithmetic != Arithmetic::kOnnx) {
      return false;  // along the last axis alone
    }
    return along(op, [&](const Permutation& p) {
      Softmax softmax = kind;
      softmax.axis = p[axis_of(kind.axis, p.size())];
      return softmax;
    });
  }
  bool move(const Operator& op, const Reduce& kind) {
    const Transposed* t = remembered(op.inputs[0]);
    if (t == nullptr) {
      return false;
    }
    const Transposed input = *t;
    const Permutation& p = input.permutation;
    Reduce reduce = kind;
    std::vector<bool> gone(p.size());
    for (int& axis : reduce.axes) {
      axis = p[axis_of(axis, p.size())];
      gone[static_cast<std::size_t>(axis)] = true;
    }
    Permutation left = p;
    if (!kind.keep_dimensions) {
      left.clear();
      for (const int axis : p) {
        if (!gone[static_cast<std::size_t>(axis)]) {
          left.push_back(axis - static_cast<int>(std::count(gone.begin(), gone.begin() + axis, true)));
        }
      }
    }
    replace(with(op, reduce), {input.base}, left);
    return true;
  }
  bool move(const Operator& op, const Reshape&) {
    TensorId from = op.inputs[0];
    if (const Transposed* t = remembered(from)) {
      if (!moves_nothing(shape(t->base), t->permutation)) {
        return false;
      }
      from = t->base;
    }
    if (const Operator* before = maker(from); before != nullptr && std::holds_alternative<Reshape>(before->kind) && from_one(*before)) {
      from = before->inputs[0];
    }
    if (shape(from) == shape(op.outputs[0])) {
      remember_same(op.outputs[0], from);
      return true;
    }
    Operator direct = op;
    direct.inputs = {from};
    append(std::move(direct));
    return true;
  }
  /// A dense layer of a flattened image takes the order of its inputs into the weights.
  bool move(const Operator& op, const Dense&) {
    const Operator* flatten = maker(op.inputs[0]);
    if (flatten == nullptr || !std::holds_alternative<Reshape>(flatten->kind) || !constant(op.inputs[1])) {
      return false;
    }
    const TensorId image = flatten->inputs[0];
    const Transposed* t = remembered(image);
    const Shape rows = shape(op.inputs[0]);
    if (t == nullptr || t->permutation[0] != 0 || rows.size() != 2 || rows[0] != shape(image)[0]) {
      return false;
    }
    const Transposed input = *t;
    const Shape weights = shape(op.inputs[1]);
    Shape apart = shape(image);
    apart[0] = weights[0];
    const Permutation back = inverse(input.permutation);
    const TensorId reordered =
        computed(Reshape{}, computed(Transpose{back}, computed(Reshape{}, op.inputs[1], apart, 0), permuted(apart, back), 0), weights, 0);
    Operator flat = *flatten;
    flat.name = unique(flat.name);
    flat.inputs = {input.base};
    flat.outputs = {like(op.inputs[0], rows, "/flat")};
    Operator dense = op;
    dense.inputs[0] = flat.outputs[0];
    dense.inputs[1] = reordered;
    append(std::move(flat));
    append(std::move(dense));
    return true;
  }
  template <class Other>
  bool move(const Operator&, const Other&) {
    return false;
  }

  void remember_same(TensorId id, TensorId as) {
    if (const Transposed* t = remembered(as)) {
      transposed_[id] = Transposed(*t);
    } else {
      same_[id] = as;
    }
  }
  bool from_one(const Operator& op) const { return op.inputs.size() == 1 && op.inputs[0] != kNoTensor; }

  static Operator with(Operator op, OperatorKind kind) {
    op.kind = std::move(kind);
    return op;
  }

  /// An operator of one operand whose parameters name axes: `changed` gives the kind for the base's order.
  template <class Changed>
  bool along(const Operator& op, Changed changed) {
    const Transposed* t = remembered(op.inputs[0]);
    if (t == nullptr) {
      return false;
    }
    const Transposed input = *t;
    replace(with(op, changed(input.permutation)), {input.base}, input.permutation);
    return true;
  }

  Graph& graph_;
  std::vector<Operator> old_;
  std::unordered_map<TensorId, Transposed> transposed_;
  std::unordered_map<TensorId, TensorId> same_;
  std::unordered_map<TensorId, std::size_t> makers_;
  std::set<TensorId> made_;
  std::set<std::string> names_;
};

}  // namespace

void move_transposes(Graph& graph) { Mover(graph).run(); }

}  // namespace systole::graph
