// SPDX-License-Identifier: Apache-2.0
#include "pair_results.hpp"

#include <algorithm>
#include <array>

#include "bytes.hpp"
#include "systole/execute.hpp"

namespace systole::network {

PairResults pair_results(const graph::Graph& graph, const graph::Operator& op) {
  constexpr std::uint8_t kFirst = 0x80;  // the byte of -128, the first value
  graph::Graph all;
  std::array<graph::Value, 2> operands;
  for (std::size_t i = 0; i < 2; ++i) {
    all.tensors.push_back(graph.tensor(op.inputs[i]));
    const graph::ElementType type = all.tensors[i].type;
    operands[i] = {type, {256, 256}, graph::Bytes(65536)};
    const std::uint8_t bits = toggle_of(type) ^ kFirst;
    for (std::size_t pair = 0; pair < operands[i].data.size(); ++pair) {
      operands[i].data[pair] = static_cast<std::uint8_t>((i == 0 ? pair / 256 : pair % 256) ^ bits);
    }
  }
  all.tensors.push_back(graph.tensor(op.outputs[0]));
  for (graph::Tensor& tensor : all.tensors) {
    tensor.shape = {256, 256};
    tensor.constant = nullptr;
  }
  graph::Operator of_pairs = op;
  of_pairs.inputs = {0, 1};
  of_pairs.outputs = {2};
  const graph::Value results = graph::execute_operator(all, of_pairs, {&operands[0], &operands[1]}).front();
  PairResults pairs(results.data.size());
  const std::uint8_t toggle = toggle_of(results.type);
  std::transform(results.data.begin(), results.data.end(), pairs.begin(),
                 [toggle](std::uint8_t byte) { return static_cast<std::int8_t>(byte ^ toggle); });
  return pairs;
}

}  // namespace systole::network
