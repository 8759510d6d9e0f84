// SPDX-License-Identifier: Apache-2.0
#include "quantizer/calibrate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "graph/attributes.hpp"

namespace systole::quantizer {

std::map<graph::TensorId, Statistics> calibrate(const graph::Graph& graph, const std::vector<Sample>& samples) {
  std::map<graph::TensorId, Statistics> result;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto record = [&](graph::TensorId id, const graph::Value& value) {
      if (value.type != graph::ElementType::kFloat32) {
        return;
      }
      const std::vector<float> values = graph::elements<float>(value);
      if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); })) {
        throw graph::GraphError(fmt::format("{}: not a finite number in calibration sample {}; a network quantizes over finite values only",
                                            title(graph.tensor(id)), i));
      }
      result[id].add(values);
    };
    const auto observe = [&](const graph::Operator& op, const std::vector<graph::Value>& outputs) {
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        record(op.outputs[k], outputs[k]);
      }
    };
    graph::execute(graph, samples[i], observe);
    for (std::size_t k = 0; k < graph.inputs.size(); ++k) {
      record(graph.inputs[k], samples[i][k]);
    }
  }
  return result;
}

}  // namespace systole::quantizer
