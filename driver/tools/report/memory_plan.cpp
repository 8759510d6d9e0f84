// SPDX-License-Identifier: Apache-2.0
#include "memory_plan.hpp"

#include <fmt/core.h>

#include <array>

namespace systole::report {
namespace {

constexpr std::array<const char*, kOnChipCount> kMemories = {"scratchpad", "weights", "parameters", "accumulators"};
constexpr std::array<const char*, kOperandCount> kOperands = {"activations", "weights", "sums", "results",
                                                              "parameters"};

template <class Kind, std::size_t Count>
Kind parse_name(const Field& field, const std::array<const char*, Count>& names) {
  const std::string name = field.text();
  std::string known;
  for (std::size_t i = 0; i < Count; ++i) {
    if (name == names[i]) {
      return static_cast<Kind>(i);
    }
    known += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  field.expected("one of " + known);
}

/// A half-open range [first, second) within [0, most).
template <class Number>
std::array<Number, 2> parse_range(const Field& field, std::uint64_t most) {
  const auto ends = field.elements();
  if (ends.size() != 2) {
    field.expected("two numbers, begin and end");
  }
  const std::uint64_t begin = ends[0].count(most), end = ends[1].count(most);
  if (begin >= end) {
    field.expected("a begin below the end");
  }
  return {static_cast<Number>(begin), static_cast<Number>(end)};
}

}  // namespace

const char* to_string(OnChip memory) { return kMemories[static_cast<std::size_t>(memory)]; }
const char* to_string(Operand operand) { return kOperands[static_cast<std::size_t>(operand)]; }

nlohmann::ordered_json to_json(const MemoryPlan& plan) {
  nlohmann::ordered_json json;
  json["cycles"] = plan.cycles;
  for (std::size_t i = 0; i < kOnChipCount; ++i) {
    json["rows"][kMemories[i]] = plan.rows[i];
  }
  json["merged_cycles"] = plan.merged_cycles;
  json["occupied"] = nlohmann::ordered_json::array();
  for (const Occupied& o : plan.occupied) {
    json["occupied"].push_back({{"memory", to_string(o.memory)},
                                {"operand", to_string(o.operand)},
                                {"rows", {o.row, o.row_end}},
                                {"cycles", {o.from, o.until}},
                                {"instruction", o.instruction},
                                {"writers", o.writers}});
  }
  return json;
}

MemoryPlan parse_memory_plan(const Field& field) {
  constexpr std::uint64_t kMost32 = 0xFFFF'FFFF;
  MemoryPlan plan;
  plan.cycles = field.at("cycles").count();
  for (std::size_t i = 0; i < kOnChipCount; ++i) {
    plan.rows[i] = static_cast<std::uint32_t>(field.at("rows").at(kMemories[i]).count(kMost32));
  }
  plan.merged_cycles = field.at("merged_cycles").count();
  for (const Field& item : field.at("occupied").elements()) {
    Occupied o;
    o.memory = parse_name<OnChip>(item.at("memory"), kMemories);
    o.operand = parse_name<Operand>(item.at("operand"), kOperands);
    const auto rows = parse_range<std::uint32_t>(item.at("rows"), plan.rows[static_cast<std::size_t>(o.memory)]);
    const auto cycles = parse_range<std::uint64_t>(item.at("cycles"), plan.cycles);
    o.row = rows[0];
    o.row_end = rows[1];
    o.from = cycles[0];
    o.until = cycles[1];
    o.instruction = static_cast<std::uint32_t>(item.at("instruction").count(kMost32));
    o.writers = static_cast<std::uint32_t>(item.at("writers").count(kMost32));
    plan.occupied.push_back(o);
  }
  return plan;
}

}  // namespace systole::report
