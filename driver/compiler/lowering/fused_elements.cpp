// SPDX-License-Identifier: Apache-2.0
#include "fused_elements.hpp"

#include <utility>

#include "element_chain.hpp"
#include "element_kernel.hpp"
#include "kernel_steps.hpp"

namespace systole::network {
namespace {

/// Whether the library has a kernel for it that reads everything as it is. None takes a single position's channels as
/// rows, or one number for all elements.
bool in_library(const graph::Graph& graph, const ElementChain& chain) {
  const graph::Operator& last = *chain.members.back();
  return chain.members.size() == 1 && chain.numbers.empty() && last.arithmetic == graph::Arithmetic::kOnnx &&
         grid_of(graph.tensor(last.outputs[0]).shape).positions != 1;
}

}  // namespace

std::optional<std::vector<Layer>> lower_fused_elements(const graph::Graph& graph, const graph::Operator& op) {
  const auto chain = element_chain(graph, op);
  if (!chain || in_library(graph, *chain)) {
    return std::nullopt;
  }
  KernelSteps steps(graph, op);
  compiler::KernelCall call{"fused"};
  call.source = [plain = element_kernel(graph, *chain, 1), apart = element_kernel(graph, *chain, kWordBytes)](
                    int, int step) { return step == 1 ? plain : apart; };
  std::vector<Term> terms;
  for (const graph::TensorId id : chain->tensors) {
    terms.push_back({id});
  }
  for (const graph::TensorId id : chain->numbers) {
    Term& number = terms.emplace_back(Term{id});
    number.is_number = true;
  }
  return steps.finish(steps.apply(std::move(call), terms));
}

}  // namespace systole::network
