// SPDX-License-Identifier: Apache-2.0
#include "delegate_report.hpp"

#include <nlohmann/json.hpp>

namespace systole::litert {
namespace {

using Json = nlohmann::ordered_json;

Json node_json(std::size_t graph, const Placement& placement) {
  Json json = {{"graph", graph},
               {"node", placement.node},
               {"type", placement.type},
               {"name", placement.name},
               {"runs_on", placement.reason.empty() ? "systole" : "litert"}};
  if (!placement.reason.empty()) {
    json["reason"] = placement.reason;
  }
  return json;
}

Json partition_json(const Partition& partition) {
  RunStats sum;
  Json layers = Json::array();
  for (const StepReport& step : partition.steps()) {
    sum += step.stats;
    for (const LayerReport& layer : step.layers) {
      layers.push_back({{"name", layer.name}, {"on_device", true}, {"macs", layer.macs}, {"cycles", layer.cycles}});
    }
    if (!step.on_device) {
      layers.push_back({{"name", step.name}, {"on_device", false}, {"reason", step.reason}});
    }
  }
  return {{"nodes", partition.part().nodes},
          {"runs", partition.runs()},
          {"macs", sum.useful_macs},
          {"cycles", sum.cycles},
          {"layers", std::move(layers)}};
}

}  // namespace

std::string report_text(const DelegateOptions& options, const std::vector<std::vector<Placement>>& graphs,
                        const std::vector<std::shared_ptr<const Partition>>& partitions) {
  Json json = {{"device", options.device},
               {"configuration", options.configuration},
               {"nodes", Json::array()},
               {"partitions", Json::array()}};
  for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
    for (const Placement& placement : graphs[graph]) {
      json["nodes"].push_back(node_json(graph, placement));
    }
  }
  for (const auto& partition : partitions) {
    json["partitions"].push_back(partition_json(*partition));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";  // names may not be UTF-8
}

}  // namespace systole::litert
