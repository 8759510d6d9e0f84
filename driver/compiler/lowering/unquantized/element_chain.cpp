// SPDX-License-Identifier: Apache-2.0
#include "element_chain.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "broadcast.hpp"
#include "element_formulas.hpp"
#include "infer.hpp"
#include "kernel_steps.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::IndexedGraph;
using graph::Operator;
using graph::TensorId;

using Members = std::vector<const Operator*>;

bool makes(const Members& members, TensorId id) {
  return std::any_of(members.begin(), members.end(), [&](const Operator* op) { return op->outputs[0] == id; });
}

/// Whether one kernel computes the chain, wherever its rows are.
bool has_kernel(const Graph& graph, const ElementChain& chain) {
  const graph::Shape& shape = graph.tensor(chain.members.back()->outputs[0]).shape;
  compiler::ElementRows rows;
  rows.operands.assign(chain.tensors.size(), compiler::Reading::kRows);
  for (const TensorId id : chain.constants) {
    rows.operands.push_back(is_repeated(graph.tensor(id), shape) ? compiler::Reading::kRepeated
                                                                 : compiler::Reading::kRows);
  }
  rows.operands.resize(rows.operands.size() + chain.numbers.size(), compiler::Reading::kNumber);
  rows.step = kWordBytes;  // takes a scalar more than rows that follow each other
  return compiler::element_kernel(element_function(graph, chain), rows).has_value();
}

class Growing {
 public:
  Growing(const IndexedGraph& graph, const Operator& op, TensorId also)
      : graph_(graph), op_(op), elements_(graph::count(graph.tensor(op.outputs[0]).shape)) {
    chain_.also = also;
  }

  std::optional<ElementChain> alone() {
    const Members first = with_condition(op_);
    if (first.empty() || !add(first)) {
      return std::nullopt;
    }
    return in_order(chain_);
  }

  std::optional<ElementChain> run() {
    if (!alone()) {
      return std::nullopt;
    }
    for (std::size_t next = 0; next < chain_.members.size(); ++next) {
      for (const TensorId id : chain_.members[next]->inputs) {
        take(id, *chain_.members[next]);
      }
    }
    if (chain_.also != graph::kNoTensor && !makes(chain_.members, chain_.also)) {
      return std::nullopt;
    }
    return in_order(chain_);
  }

 private:
  /// The members as in the graph, whose order is topological.
  static ElementChain in_order(ElementChain chain) {
    std::sort(chain.members.begin(), chain.members.end());
    return chain;
  }

  /// The operator, with the comparison that only it reads if it is a selection; none if a kernel cannot compute them in
  /// the order of their elements.
  Members with_condition(const Operator& op) const {
    if (!is_word(graph_.tensor(op.outputs[0]).type) || !fits(op) || !has_formula(graph_, op)) {
      return {};
    }
    if (!std::holds_alternative<graph::Select>(op.kind)) {
      return {&op};
    }
    const Operator* compares = graph_.maker(op.inputs[0]);
    const bool fuses = compares != nullptr && is_comparison(*compares) && has_formula(graph_, *compares) &&
                       fits(*compares) && graph_.uses(op.inputs[0]) == 1;
    return fuses ? Members{&op, compares} : Members{};
  }

  static bool limits(const Operator& op) {
    const auto* unary = std::get_if<graph::Unary>(&op.kind);
    return unary != nullptr && (unary->kind == graph::UnaryKind::kRelu || unary->kind == graph::UnaryKind::kRelu6 ||
                                unary->kind == graph::UnaryKind::kClip);
  }

  /// A sum to which a product adds the other operand for nothing.
  bool is_sum_of_product(const Operator& op) const {
    const auto* binary = std::get_if<graph::Binary>(&op.kind);
    return binary != nullptr && binary->kind == graph::BinaryKind::kAdd &&
           std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
             const Operator* made = graph_.maker(id);
             return made != nullptr && made->arithmetic == graph::Arithmetic::kBlocks && graph::takes_bias(made->kind);
           });
  }

  /// A product, or a pool behind one, limits its results for nothing, also when it has added to them. So does a product
  /// with a constant that it adds.
  bool stays_with_product(const Operator& op) const {
    const auto is_vector = [&](TensorId id) {
      return graph_.tensor(id).constant && graph::count(graph_.tensor(id).shape) > 1;
    };
    if (is_sum_of_product(op) && std::any_of(op.inputs.begin(), op.inputs.end(), is_vector)) {
      return true;
    }
    const Operator* before = limits(op) ? graph_.maker(op.inputs[0]) : nullptr;
    return before != nullptr && (is_sum_of_product(*before) || with_condition(*before).empty());
  }

  static bool is_word(ElementType type) {
    return type == ElementType::kFloat32 || type == ElementType::kInt32 || type == ElementType::kUint32;
  }

  /// Whether the result has as many elements as all others, and the operands are as many words, or one, or a constant
  /// position.
  bool fits(const Operator& op) const {
    const auto is_selection = std::holds_alternative<graph::Select>(op.kind);
    const graph::Shape& shape = graph_.tensor(op_.outputs[0]).shape;
    return graph::count(graph_.tensor(op.outputs[0]).shape) == elements_ &&
           std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return !graph_.tensor(id).constant; }) &&
           std::all_of(op.inputs.begin() + (is_selection ? 1 : 0), op.inputs.end(), [&](TensorId id) {
             const graph::Tensor& tensor = graph_.tensor(id);
             return is_word(tensor.type) && !tensor.quantization &&
                    (graph::count(tensor.shape) == 1 || graph::count(tensor.shape) == elements_ ||
                     (tensor.constant && is_repeated(tensor, shape)));
           });
  }

  /// What computes the tensor becomes a member if nothing but members reads it, and there is room.
  void take(TensorId id, const Operator& by) {
    const Operator* made = graph_.tensor(id).constant || makes(chain_.members, id) ? nullptr : graph_.maker(id);
    if (made == nullptr || (limits(by) && is_sum_of_product(*made))) {
      return;
    }
    std::ptrdiff_t inside = 0;
    for (const Operator* op : chain_.members) {
      inside += std::count(op->inputs.begin(), op->inputs.end(), id);
    }
    const bool may_be_inside = id == chain_.also || graph_.uses(id) == static_cast<std::size_t>(inside);
    if (const Members more = may_be_inside && !stays_with_product(*made) ? with_condition(*made) : Members{};
        !more.empty()) {
      add(more);
    }
  }

  /// Whether there is room for them, which are members then.
  bool add(const Members& some) {
    ElementChain more = chain_;
    more.members.insert(more.members.end(), some.begin(), some.end());
    find_operands(more);
    const bool room = has_kernel(graph_, in_order(more));
    if (room) {
      chain_ = std::move(more);
    }
    return room;
  }

  void find_operands(ElementChain& chain) const {
    chain.tensors.clear();
    chain.constants.clear();
    chain.numbers.clear();
    for (const Operator* op : chain.members) {
      for (const TensorId id : op->inputs) {
        const graph::Tensor& tensor = graph_.tensor(id);
        const bool is_number = graph::count(tensor.shape) == 1 && elements_ > 1;
        std::vector<TensorId>& to = tensor.constant ? chain.constants : is_number ? chain.numbers : chain.tensors;
        const bool is_part = tensor.constant ? graph::count(tensor.shape) == 1 : makes(chain.members, id);
        if (!is_part && std::count(to.begin(), to.end(), id) == 0) {
          to.push_back(id);
        }
      }
    }
  }

  const IndexedGraph& graph_;
  const Operator& op_;
  const std::int64_t elements_;
  ElementChain chain_;
};

}  // namespace

bool is_repeated(const graph::Tensor& operand, const graph::Shape& result) {
  const std::int64_t elements = graph::count(operand.shape);
  return elements != graph::count(result) && is_position(operand.shape, result) &&
         grid_of(result).channels % elements == 0;
}

std::optional<ElementChain> element_chain(const IndexedGraph& graph, const Operator& op, TensorId also) {
  return Growing(graph, op, also).run();
}

std::optional<ElementChain> element_of(const IndexedGraph& graph, const Operator& op) {
  return Growing(graph, op, graph::kNoTensor).alone();
}

compiler::ElementFunction element_function(const Graph& graph, const ElementChain& chain) {
  compiler::ElementFunction function;
  function.name = "fused";
  std::map<TensorId, compiler::ExpressionPtr> values;
  for (const auto* operands : {&chain.tensors, &chain.constants, &chain.numbers}) {
    for (const TensorId id : *operands) {
      values.emplace(id, compiler::operand(static_cast<std::uint32_t>(values.size())));
    }
  }
  function.operands.assign(values.size(), kernel::Format::kI32);
  const auto value_of = [&](TensorId id) {
    const auto found = values.find(id);
    if (found != values.end()) {
      return found->second;
    }
    std::uint32_t word = 0;
    std::memcpy(&word, graph.tensor(id).constant->data(), sizeof(word));
    return compiler::constant(word);
  };
  for (const Operator* op : chain.members) {
    std::vector<compiler::ExpressionPtr> operands;
    std::transform(op->inputs.begin(), op->inputs.end(), std::back_inserter(operands), value_of);
    values[op->outputs[0]] = formula_of(graph, *op, operands).value();
  }
  function.value = values.at(chain.members.back()->outputs[0]);
  if (const auto also = values.find(chain.also); also != values.end()) {
    function.also = also->second;
  }
  return function;
}

}  // namespace systole::network
