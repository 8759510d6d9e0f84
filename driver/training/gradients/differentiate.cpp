// SPDX-License-Identifier: Apache-2.0
#include "differentiate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "attributes.hpp"
#include "rules.hpp"

namespace systole::training {
namespace {

using graph::kNoTensor;

template <class Kind>
concept Differentiable = requires(const Backward& b, const Kind& kind) {
  differentiate(b, kind);
};

std::size_t at(TensorId id) { return static_cast<std::size_t>(id); }

class Reverse {
 public:
  Reverse(graph::Graph& graph, TensorId scalar, const std::vector<TensorId>& of)
      : writer_(graph, "gradient"), gradients_(graph.tensors.size(), kNoTensor), depends_(graph.tensors.size()) {
    for (const TensorId id : of) {
      depends_.at(at(id)) = true;
    }
    for (const graph::Operator& op : graph.operators) {
      const bool any = std::any_of(op.inputs.begin(), op.inputs.end(),
                                   [&](TensorId id) { return id != kNoTensor && depends_[at(id)]; });
      for (const TensorId id : op.outputs) {
        depends_[at(id)] = any && is_real(id);
      }
    }
    if (graph::count(graph.tensor(scalar).shape) != 1) {
      throw graph::GraphError(
          fmt::format("{} is not a scalar; only scalars are differentiated", title(graph.tensor(scalar))));
    }
    gradients_.at(at(scalar)) = writer_.numbers(scalar, graph.tensor(scalar).shape, {1.0});
  }

  void run() {
    for (std::size_t i = writer_.graph().operators.size(); i-- > 0;) {
      back(graph::Operator(writer_.graph().operators[i]));  // a copy: the list grows
    }
  }

  TensorId gradient(TensorId id) {
    const TensorId found = gradients_[at(id)];
    return found == kNoTensor ? writer_.zeros(id, writer_.shape(id)) : found;
  }

 private:
  bool is_real(TensorId id) const {
    const graph::ElementType type = writer_.type(id);
    return type == graph::ElementType::kFloat32 || type == graph::ElementType::kFloat64;
  }

  void back(const graph::Operator& op) {
    std::vector<TensorId> upstream;
    bool any = false;
    for (const TensorId id : op.outputs) {
      upstream.push_back(depends_[at(id)] ? gradients_[at(id)] : kNoTensor);
      any = any || upstream.back() != kNoTensor;
    }
    if (!any) {
      return;
    }
    std::vector<bool> wanted;
    for (const TensorId id : op.inputs) {
      wanted.push_back(id != kNoTensor && depends_[at(id)]);
    }
    const Backward b(writer_, op, std::move(upstream), std::move(wanted), [&](std::size_t i, TensorId gradient) {
      TensorId& sum = gradients_[at(op.inputs[i])];
      sum = sum == kNoTensor ? gradient : writer_.add(sum, gradient);
    });
    std::visit(
        [&](const auto& kind) {
          if constexpr (Differentiable<std::decay_t<decltype(kind)>>) {
            differentiate(b, kind);
          } else {
            b.refuse("it has no rule");
          }
        },
        op.kind);
  }

  GraphBuilder writer_;
  std::vector<TensorId> gradients_;  ///< of the tensors before differentiation
  std::vector<bool> depends_;        ///< whether a tensor depends on what is differentiated for
};

}  // namespace

TensorId Backward::before(Activation activation) const {
  const TensorId y = output(), g = upstream();
  const auto above = [&](double low) { return w.masked(w.less(w.scalar(y, low), y), g); };
  const auto below = [&](TensorId gradient, double high) { return w.masked(w.less(y, w.scalar(y, high)), gradient); };
  switch (activation) {
    case Activation::kRelu: return above(0);
    case Activation::kRelu6: return below(above(0), 6);
    case Activation::kReluN1To1: return below(above(-1), 1);
    default: return g;
  }
}

void Backward::refuse(std::string_view why) const {
  throw graph::GraphError(fmt::format("{} cannot be differentiated: {}", title(op_), why));
}

std::vector<TensorId> differentiate(graph::Graph& graph, TensorId scalar, const std::vector<TensorId>& of) {
  Reverse reverse(graph, scalar, of);
  reverse.run();
  std::vector<TensorId> gradients;
  std::transform(of.begin(), of.end(), std::back_inserter(gradients),
                 [&](TensorId id) { return reverse.gradient(id); });
  return gradients;
}

}  // namespace systole::training
