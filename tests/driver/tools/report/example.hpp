// SPDX-License-Identifier: Apache-2.0
// Hand-made runs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>

#include "run_file.hpp"

namespace systole::report::test {

using Cycles = std::initializer_list<std::pair<isa::Cause, std::uint64_t>>;

/// JSON of an engine's causes; cycles without a given cause are FETCH, up to `cycles`.
inline nlohmann::ordered_json causes_of(std::uint64_t cycles, Cycles counts) {
  nlohmann::ordered_json json;
  for (int cause = 0; cause < kCauseCount; ++cause) {
    json[isa::to_string(static_cast<isa::Cause>(cause))] = 0;
  }
  std::uint64_t rest = cycles;
  for (const auto& [cause, count] : counts) {
    json[isa::to_string(cause)] = count;
    rest -= count;
  }
  json["FETCH"] = json["FETCH"].get<std::uint64_t>() + rest;
  return json;
}

/// A layer of 1000 cycles in which the matrix unit worked in `working`, half of them useful, and waited 200 for LOAD.
inline nlohmann::ordered_json layer_json(const std::string& name = "conv1", std::uint64_t working = 600) {
  nlohmann::ordered_json json;
  json["name"] = name;
  json["config"] = "default";
  json["device"] = "rtl";
  json["cycles"] = 1000;
  json["macs"] = working * 256 / 2;
  json["bit_exact"] = true;
  json["read_beats"] = 300;
  json["write_beats"] = 100;
  json["causes"]["LOAD"] = causes_of(1000, {{isa::Cause::kWorking, 700}, {isa::Cause::kMemoryLatency, 100}});
  json["causes"]["MXU"] = causes_of(1000, {{isa::Cause::kWorking, working}, {isa::Cause::kSemaphore, 200}});
  json["causes"]["VPU"] = causes_of(1000, {{isa::Cause::kWorking, 50}, {isa::Cause::kSemaphore, 900}});
  json["causes"]["STORE"] = causes_of(1000, {{isa::Cause::kWorking, 50}, {isa::Cause::kSemaphore, 900}});
  json["semaphore_waits"] = {{"LOAD", nlohmann::ordered_json::object()},
                             {"MXU", {{"1", 190}, {"9", 10}}},
                             {"VPU", {{"6", 900}}},
                             {"STORE", {{"11", 900}}}};
  json["macs_padded"] = 2560;
  return json;
}

inline nlohmann::ordered_json network_json(std::initializer_list<nlohmann::ordered_json> layers) {
  nlohmann::ordered_json json;
  json["name"] = "network";
  json["config"] = "default";
  json["layers"] = layers;
  return json;
}

inline RunFile parsed(const nlohmann::ordered_json& json) { return parse_run(json.dump(), "run.json"); }

}  // namespace systole::report::test
