// SPDX-License-Identifier: Apache-2.0
#include "check_macs.hpp"

#include <fmt/core.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "systole/errors.hpp"

namespace systole::network {

void check_macs(const Segment& segment, const graph::Graph& graph) {
  std::set<int> operators;
  std::uint64_t macs = 0;
  std::vector<std::string> names;
  for (const Layer& layer : segment.layers) {
    operators.insert(layer.operators.begin(), layer.operators.end());
    macs += layer.macs;
    names.push_back(layer.name);
  }
  std::uint64_t asked = 0;
  for (const int op : operators) {
    asked += graph::useful_macs(graph, graph.operators.at(static_cast<std::size_t>(op)));
  }
  if (macs != asked) {
    throw LayerAccountingError(
        fmt::format(
            "network: the layers have {} multiply-accumulates, their operators {}; the results are not affected, but "
            "the statistics of the layers are wrong",
            macs, asked),
        std::move(names));
  }
}

}  // namespace systole::network
