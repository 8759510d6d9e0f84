// SPDX-License-Identifier: Apache-2.0
#include "fused_elements.hpp"

#include <cstddef>
#include <utility>

#include "kernel_steps.hpp"

namespace systole::network {
namespace {

using graph::TensorId;

/// Whether the operator is lowered alone, which handles constants and operands of any shape. A single position of many
/// channels, and a number for all elements, are read where they are by the kernel of a chain.
bool is_lowered_alone(const graph::Graph& graph, const ElementChain& chain) {
  const graph::Operator& last = *chain.members.back();
  return chain.members.size() == 1 && chain.numbers.empty() && last.arithmetic == graph::Arithmetic::kOnnx &&
         grid_of(graph.tensor(last.outputs[0]).shape).positions != 1;
}

}  // namespace

std::vector<Layer> layers_of(const graph::Graph& graph, const ElementChain& chain) {
  KernelSteps steps(graph, *chain.members.back());
  compiler::KernelCall call = compiler::element_call(element_function(graph, chain));
  call.numbers = chain.numbers.size();
  std::vector<Term> terms;
  for (const TensorId id : chain.tensors) {
    terms.push_back({id});
  }
  for (const TensorId id : chain.constants) {
    terms.push_back(steps.constant(graph.tensor(id)));
  }
  for (const TensorId id : chain.numbers) {
    Term& number = terms.emplace_back(Term{id});
    number.is_number = true;
  }
  return steps.finish(steps.apply(std::move(call), terms));
}

std::optional<std::vector<Layer>> lower_fused_elements(const graph::IndexedGraph& graph, const graph::Operator& op,
                                                       Transformations& transformations) {
  const bool grows = transformations.on(Transformation::kElementChains);
  const auto chain = grows ? element_chain(graph, op) : element_of(graph, op);
  if (!chain || is_lowered_alone(graph, *chain)) {
    return std::nullopt;
  }
  const std::size_t alone = std::holds_alternative<graph::Select>(op.kind) ? 2 : 1;  // with its comparison
  if (chain->members.size() > alone) {
    transformations.count(Transformation::kElementChains);
  }
  return layers_of(graph, *chain);
}

}  // namespace systole::network
