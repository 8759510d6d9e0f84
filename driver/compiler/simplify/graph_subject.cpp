// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <map>
#include <string>
#include <vector>

#include "attributes.hpp"
#include "pass_listing.hpp"
#include "simplify.hpp"

namespace systole::graph {

std::string GraphSubject::listing() const {
  std::map<TensorId, std::size_t> makers;
  std::vector<std::vector<std::string>> rows;
  const auto texts = [&](const std::vector<TensorId>& ids) {
    std::string text;
    for (const TensorId id : ids) {
      if (id != kNoTensor) {
        const Tensor& tensor = graph.tensor(id);
        const auto maker = makers.find(id);
        const std::string name = tensor.constant         ? "constant"
                                 : maker == makers.end() ? short_name(tensor.name)
                                                         : fmt::format("@{}", maker->second);
        text +=
            fmt::format("{}{} {} {}", text.empty() ? "" : ", ", name, to_string(tensor.shape), name_of(tensor.type));
      }
    }
    return text;
  };
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const Operator& op = graph.operators[i];
    const std::string operands = texts(op.inputs), parameters = attributes(op.kind);
    for (const TensorId id : op.outputs) {
      makers[id] = i;
    }
    rows.push_back(
        {std::to_string(i), fmt::format("{}{}{}", name_of(op.kind), parameters.empty() ? "" : " ", parameters),
         fmt::format("{} -> {}", operands, texts(op.outputs)), macs_text(useful_macs(graph, op)), short_name(op.name)});
  }
  return aligned(rows);
}

}  // namespace systole::graph
