// SPDX-License-Identifier: Apache-2.0
// Finds chains of element-wise operators on float32 and 32-bit integers that a single kernel can compute.
#pragma once

#include <optional>
#include <vector>

#include "element_kernel.hpp"
#include "indexed_graph.hpp"

namespace systole::network {

struct ElementChain {
  std::vector<const graph::Operator*> members;  ///< in the order of the graph, of which the last is the operator
  std::vector<graph::TensorId> tensors;         ///< that members read and none computes, of as many elements as results
  std::vector<graph::TensorId> constants;       ///< of as many elements, or of one position that all repeat
  std::vector<graph::TensorId> numbers;         ///< computed, of one element, which is the same for all of them
  graph::TensorId also = graph::kNoTensor;      ///< a result beside that of the operator
};

/// The operator, with those before it whose results it alone reads. A selection always comes with its comparison.
/// Nothing if a kernel cannot compute the operator in the order of its elements.
/// Others may read the tensor `also`, if there is one, which becomes a second result; nothing if it cannot.
std::optional<ElementChain> element_chain(const graph::IndexedGraph& graph, const graph::Operator& op,
                                          graph::TensorId also = graph::kNoTensor);

/// The operator alone, a selection with its comparison.
std::optional<ElementChain> element_of(const graph::IndexedGraph& graph, const graph::Operator& op);

/// Whether an operand of the tensor's elements is one position that the kernel repeats for each of the result's.
bool is_repeated(const graph::Tensor& operand, const graph::Shape& result);

/// The function that the chain computes. Its operands are the tensors of the chain, followed by the constants and the
/// numbers.
compiler::ElementFunction element_function(const graph::Graph& graph, const ElementChain& chain);

}  // namespace systole::network
