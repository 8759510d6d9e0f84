// SPDX-License-Identifier: Apache-2.0
#include "element_chain.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "producers.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::TensorId;

constexpr std::size_t kMostArguments = 8;  // of a kernel's 12, those for operands and a second result
constexpr std::size_t kMostValues = 11;    // in vector registers

using Members = std::vector<const Operator*>;

bool makes(const Members& members, TensorId id) {
  return std::any_of(members.begin(), members.end(), [&](const Operator* op) { return op->outputs[0] == id; });
}

class Growing {
 public:
  Growing(const Graph& graph, const Operator& op, TensorId also)
      : graph_(graph), op_(op), elements_(graph::count(graph.tensor(op.outputs[0]).shape)) {
    chain_.also = also;
  }

  std::optional<ElementChain> alone() {
    const Members first = with_condition(op_);
    if (first.empty() || !add(first)) {
      return std::nullopt;
    }
    return in_order();
  }

  std::optional<ElementChain> run() {
    if (!alone()) {
      return std::nullopt;
    }
    for (std::size_t next = 0; next < chain_.members.size(); ++next) {
      for (const TensorId id : chain_.members[next]->inputs) {
        take(id);
      }
    }
    if (chain_.also != graph::kNoTensor && !makes(chain_.members, chain_.also)) {
      return std::nullopt;
    }
    return in_order();
  }

 private:
  /// The members as in the graph, whose order is topological.
  ElementChain in_order() const {
    ElementChain chain = chain_;
    std::sort(chain.members.begin(), chain.members.end());
    return chain;
  }

  /// The operator, with the comparison that only it reads if it is a selection; none if a kernel cannot compute them in
  /// the order of their elements.
  Members with_condition(const Operator& op) const {
    if (graph_.tensor(op.outputs[0]).type != ElementType::kFloat32 || !fits(op)) {
      return {};
    }
    if (std::holds_alternative<graph::Select>(op.kind)) {
      const Operator* less = producer_of<graph::Binary>(graph_, op.inputs[0]);
      const bool fuses = less != nullptr && std::get<graph::Binary>(less->kind).kind == BinaryKind::kLess &&
                         less->arithmetic == graph::Arithmetic::kOnnx && fits(*less) &&
                         uses_of(graph_, op.inputs[0]) == 1 && op.arithmetic == graph::Arithmetic::kOnnx;
      return fuses ? Members{&op, less} : Members{};
    }
    const auto* binary = std::get_if<graph::Binary>(&op.kind);
    const bool fuses =
        binary != nullptr
            ? op.arithmetic == graph::Arithmetic::kOnnx && binary->activation == Activation::kNone &&
                  element_operation(binary->kind) != nullptr
            : std::holds_alternative<graph::Unary>(op.kind) && op.arithmetic == graph::Arithmetic::kBlocks;
    return fuses ? Members{&op} : Members{};
  }

  /// Whether the result has as many elements as all others, and the operands are as many float32, or one.
  bool fits(const Operator& op) const {
    const auto is_selection = std::holds_alternative<graph::Select>(op.kind);
    return graph::count(graph_.tensor(op.outputs[0]).shape) == elements_ &&
           std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return !graph_.tensor(id).constant; }) &&
           std::all_of(op.inputs.begin() + (is_selection ? 1 : 0), op.inputs.end(), [&](TensorId id) {
             const graph::Tensor& tensor = graph_.tensor(id);
             return tensor.type == ElementType::kFloat32 && !tensor.quantization &&
                    (graph::count(tensor.shape) == 1 || (!tensor.constant && graph::count(tensor.shape) == elements_));
           });
  }

  /// What computes the tensor becomes a member if nothing but members reads it, and there is room.
  void take(TensorId id) {
    const Operator* made = graph_.tensor(id).constant || makes(chain_.members, id) ? nullptr : producer(graph_, id);
    if (made == nullptr) {
      return;
    }
    std::ptrdiff_t inside = 0;
    for (const Operator* op : chain_.members) {
      inside += std::count(op->inputs.begin(), op->inputs.end(), id);
    }
    const bool may_be_inside = id == chain_.also || uses_of(graph_, id) == static_cast<std::size_t>(inside);
    if (const Members more = may_be_inside ? with_condition(*made) : Members{}; !more.empty()) {
      add(more);
    }
  }

  /// Whether there is room for them, which are members then.
  bool add(const Members& some) {
    ElementChain more = chain_;
    more.members.insert(more.members.end(), some.begin(), some.end());
    find_operands(more);
    const std::size_t tensors = more.tensors.size(), numbers = more.numbers.size();
    const std::size_t arguments = 2 * tensors + numbers + (more.also == graph::kNoTensor ? 0 : 1);
    const bool room = arguments <= kMostArguments && tensors + numbers + more.members.size() <= kMostValues;
    if (room) {
      chain_ = std::move(more);
    }
    return room;
  }

  void find_operands(ElementChain& chain) const {
    chain.tensors.clear();
    chain.numbers.clear();
    for (const Operator* op : chain.members) {
      for (const TensorId id : op->inputs) {
        const graph::Tensor& tensor = graph_.tensor(id);
        std::vector<TensorId>& to = graph::count(tensor.shape) == elements_ ? chain.tensors : chain.numbers;
        if (!tensor.constant && !makes(chain.members, id) && std::count(to.begin(), to.end(), id) == 0) {
          to.push_back(id);
        }
      }
    }
  }

  const Graph& graph_;
  const Operator& op_;
  const std::int64_t elements_;
  ElementChain chain_;
};

}  // namespace

std::optional<ElementChain> element_chain(const Graph& graph, const Operator& op, TensorId also) {
  return Growing(graph, op, also).run();
}

std::optional<ElementChain> element_of(const Graph& graph, const Operator& op) {
  return Growing(graph, op, graph::kNoTensor).alone();
}

const char* element_operation(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kAdd: return "fadd";
    case BinaryKind::kSubtract: return "fsub";
    case BinaryKind::kMultiply: return "fmul";
    case BinaryKind::kLess: return "fless";
    default: return nullptr;
  }
}

}  // namespace systole::network
