// SPDX-License-Identifier: Apache-2.0
// A hang report as JSON. Unknown values are null.
#include <nlohmann/json.hpp>

#include "command_history.hpp"

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json known(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const HangReport::Command& command) {
  return {{"index", command.index},
          {"engine", isa::to_string(command.engine)},
          {"text", command.text},
          {"layer", command.layer},
          {"state", to_string(command.state)}};
}

Json to_json(const HangReport::Node& node) {
  Json json;
  json["engine"] = isa::to_string(node.engine);
  json["waits_for"] = to_string(node.wait);
  json["command"] = to_json(node.command);
  json["cause"] = node.cause ? Json(isa::to_string(*node.cause)) : Json(nullptr);
  json["since_cycle"] = known(node.since);
  if (node.wait == HangReport::Wait::kSemaphore) {
    json["semaphore"] = node.semaphore;
    json["holds"] = node.value;
    json["needs"] = node.amount;
    json["signallers"] = Json::array();
    for (const HangReport::Signaller& s : node.signallers) {
      Json signaller = to_json(s.command);
      signaller["amount"] = s.amount;
      json["signallers"].push_back(std::move(signaller));
    }
  }
  if (node.burst) {
    json["burst"] = {{"write", node.burst->write},
                     {"address", node.burst->address},
                     {"beats", node.burst->beats},
                     {"id", node.burst->id}};
  }
  json["upstream"] = node.upstream ? Json(isa::to_string(*node.upstream)) : Json(nullptr);
  return json;
}

}  // namespace

Json HangReport::to_json() const {
  Json json;
  json["origin"] = origin == Origin::kDevice ? "device" : "program";
  json["culprit"] = to_string(culprit);
  json["suspect"] = suspect;
  json["remedy"] = remedy;
  json["cycle"] = known(cycle);
  json["quiet_cycles"] = quiet_cycles;
  json["commands"] = commands;
  json["dispatched"] = dispatched;
  json["committed"] = committed;
  json["semaphores"] = semaphores;
  json["waits"] = Json::array();
  for (const Node& node : nodes) {
    json["waits"].push_back(systole::to_json(node));
  }
  json["chain"] = Json::array();
  for (const isa::Engine engine : chain) {
    json["chain"].push_back(isa::to_string(engine));
  }
  json["loop"] = known(loop);
  json["recent"] = Json::array();
  for (const Command& command : recent) {
    json["recent"].push_back(systole::to_json(command));
  }
  return json;
}

}  // namespace systole
