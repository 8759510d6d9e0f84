// SPDX-License-Identifier: Apache-2.0
// One pass in graph order. An operator that allows it runs on the base of a transposed operand, and its result is
// recorded as transposed in turn; for any other operator the transposition is emitted. Two transpositions that cancel
// leave nothing to record.
#include <algorithm>
#include <iterator>
#include <numeric>

#include "deferred_transposes.hpp"
#include "infer.hpp"
#include "reshape_before.hpp"
#include "simplify.hpp"

namespace systole::graph {
namespace {

class Mover {
 public:
  explicit Mover(Graph& graph) : deferred_(graph) {}

  int run() {
    int changed = 0;
    for (Operator& op : deferred_.operators()) {
      for (TensorId& id : op.inputs) {
        id = deferred_.resolved(id);
      }
      if (!std::visit([&](const auto& kind) { return move(op, kind); }, op.kind)) {
        deferred_.keep(op);
      } else if (!std::holds_alternative<Transpose>(op.kind)) {  // a transposition waits for what it moves through
        ++changed;
      }
    }
    Graph& graph = deferred_.graph();
    for (TensorId& id : graph.outputs) {
      const TensorId real = deferred_.made(deferred_.resolved(id));
      if (real != id && std::count(graph.inputs.begin(), graph.inputs.end(), real) == 0) {
        graph.tensor(real).name = graph.tensor(id).name;
      }
      id = real;
    }
    return changed;
  }

 private:
  bool unary(const Operator& op) {
    const Transposed* t = deferred_.remembered(op.inputs[0]);
    if (t == nullptr) {
      return false;
    }
    const Transposed input = *t;
    deferred_.replace(op, {input.base}, input.permutation);
    return true;
  }

  bool move(const Operator& op, const Transpose& kind) {
    const Transposed* t = deferred_.remembered(op.inputs[0]);
    const TensorId base = t != nullptr ? t->base : op.inputs[0];
    deferred_.remember(op.outputs[0], base, t != nullptr ? then(t->permutation, kind.permutation) : kind.permutation);
    return true;
  }
  bool move(const Operator& op, const Unary& kind) {
    const bool plain = !deferred_.tensor(op.inputs[0]).quantization && !deferred_.tensor(op.outputs[0]).quantization;
    if (kind.kind == UnaryKind::kIdentity && plain) {
      deferred_.remember_same(op.outputs[0], op.inputs[0]);
      return true;
    }
    return unary(op);
  }
  bool move(const Operator& op, const Convert&) {
    const auto& q = deferred_.tensor(op.inputs[0]).quantization;
    return !(q && q->per_channel()) && unary(op);
  }
  bool move(const Operator& op, const Dropout&) { return unary(op); }
  bool move(const Operator& op, const Binary&) { return element_wise(op); }
  bool move(const Operator& op, const Select&) { return element_wise(op); }
  bool element_wise(const Operator& op) {
    Permutation permutation;
    std::vector<TensorId> bases;
    if (deferred_.shape(op.outputs[0]).size() < 2 || !deferred_.without(op.inputs, permutation, bases) ||
        permutation.size() != deferred_.shape(op.outputs[0]).size()) {
      return false;
    }
    deferred_.replace(op, bases, permutation);
    return true;
  }
  bool move(const Operator& op, const Concat& kind) {
    Permutation permutation;
    std::vector<TensorId> bases;
    if (!deferred_.without(op.inputs, permutation, bases)) {
      return false;
    }
    for (std::size_t i = 0; i < bases.size(); ++i) {
      if (deferred_.shape(bases[i]).size() != permutation.size()) {
        return false;
      }
    }
    deferred_.replace(with(op, Concat{permutation[axis_of(kind.axis, permutation.size())]}), bases, permutation);
    return true;
  }
  bool move(const Operator& op, const Split& kind) {
    return along(op, [&](const Permutation& p) { return Split{p[axis_of(kind.axis, p.size())]}; });
  }
  bool move(const Operator& op, const Slice& kind) {
    return along(op, [&](const Permutation& p) {
      return Slice{permuted(kind.begin, inverse(p)), permuted(kind.step, inverse(p))};
    });
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
      return false;  // only along the last axis
    }
    return along(op, [&](const Permutation& p) {
      Softmax softmax = kind;
      softmax.axis = p[axis_of(kind.axis, p.size())];
      return softmax;
    });
  }
  bool move(const Operator& op, const Reduce& kind) {
    const Transposed* t = deferred_.remembered(op.inputs[0]);
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
    // A mean over height and width of an image stays one, for which the device has an instruction.
    const bool of_image = kind.kind == ReduceKind::kMean && p.size() == 4 && kind.axes == std::vector<int>{1, 2};
    if (of_image && !(gone[1] && gone[2])) {
      return false;
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
    deferred_.replace(with(op, reduce), {input.base}, left);
    return true;
  }
  bool move(const Operator& op, const Reshape&) {
    TensorId from = op.inputs[0];
    if (const Transposed* t = deferred_.remembered(from)) {
      if (!moves_nothing(deferred_.shape(t->base), t->permutation)) {
        return before_transpose(op, Transposed(*t));
      }
      from = t->base;
    }
    from = before_reshape(from);
    if (deferred_.shape(from) == deferred_.shape(op.outputs[0])) {
      deferred_.remember_same(op.outputs[0], from);
      return true;
    }
    Operator direct = op;
    direct.inputs = {from};
    deferred_.append(std::move(direct));
    return true;
  }
  /// The tensor, or what it is reshaped from.
  TensorId before_reshape(TensorId id) const {
    const Operator* before = deferred_.maker(id);
    const bool reshaped = before != nullptr && std::holds_alternative<Reshape>(before->kind) && from_one(*before);
    return reshaped ? before->inputs[0] : id;
  }
  /// A reshape is moved before the transposition where that is possible: one that inserts and removes dimensions of 1,
  /// merges neighbours or divides an axis.
  bool before_transpose(const Operator& op, const Transposed& input) {
    const TensorId result = op.outputs[0];
    const auto reshape = reshape_before(deferred_.shape(input.base), input.permutation, deferred_.shape(result));
    const auto& quantization = deferred_.tensor(result).quantization;
    if (!reshape || (quantization && quantization->per_channel())) {
      return false;
    }
    const TensorId source = before_reshape(input.base);
    if (deferred_.shape(source) == reshape->shape) {
      deferred_.remember(result, source, reshape->permutation);
      return true;
    }
    Operator direct = op;
    direct.inputs = {source};
    direct.outputs = {deferred_.like(result, reshape->shape, "/reshape")};
    deferred_.remember(result, direct.outputs[0], reshape->permutation);
    deferred_.append(std::move(direct));
    return true;
  }
  /// A dense layer of a flattened image absorbs the order of its inputs into its weights.
  bool move(const Operator& op, const Dense&) {
    const Operator* flatten = deferred_.maker(op.inputs[0]);
    if (flatten == nullptr || !std::holds_alternative<Reshape>(flatten->kind) || !deferred_.constant(op.inputs[1])) {
      return false;
    }
    const TensorId image = flatten->inputs[0];
    const Transposed* t = deferred_.remembered(image);
    const Shape rows = deferred_.shape(op.inputs[0]);
    if (t == nullptr || t->permutation[0] != 0 || rows.size() != 2 || rows[0] != deferred_.shape(image)[0]) {
      return false;
    }
    const Transposed input = *t;
    const Shape weights = deferred_.shape(op.inputs[1]);
    Shape apart = deferred_.shape(image);
    apart[0] = weights[0];
    const Permutation back = inverse(input.permutation);
    const TensorId reordered =
        deferred_.computed(Reshape{},
                           deferred_.computed(Transpose{back}, deferred_.computed(Reshape{}, op.inputs[1], apart, 0),
                                              permuted(apart, back), 0),
                           weights, 0);
    Operator flat = *flatten;
    flat.name = deferred_.unique(flat.name);
    flat.inputs = {input.base};
    flat.outputs = {deferred_.like(op.inputs[0], rows, "/flat")};
    Operator dense = op;
    dense.inputs[0] = flat.outputs[0];
    dense.inputs[1] = reordered;
    deferred_.append(std::move(flat));
    deferred_.append(std::move(dense));
    return true;
  }
  template <class Other>
  bool move(const Operator&, const Other&) {
    return false;
  }

  bool from_one(const Operator& op) const { return op.inputs.size() == 1 && op.inputs[0] != kNoTensor; }

  static Operator with(Operator op, OperatorKind kind) {
    op.kind = std::move(kind);
    return op;
  }

  /// A unary operator whose parameters name axes: `changed` returns the kind for the base's axis order.
  template <class Changed>
  bool along(const Operator& op, Changed changed) {
    const Transposed* t = deferred_.remembered(op.inputs[0]);
    if (t == nullptr) {
      return false;
    }
    const Transposed input = *t;
    deferred_.replace(with(op, changed(input.permutation)), {input.base}, input.permutation);
    return true;
  }

  DeferredTransposes deferred_;
};

}  // namespace

int move_transposes(Graph& graph) { return Mover(graph).run(); }

}  // namespace systole::graph
