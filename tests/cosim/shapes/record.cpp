// SPDX-License-Identifier: Apache-2.0
#include "record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

namespace systole::shapes {
namespace {

/// Every kind of operator that a graph may have.
template <std::size_t... Index>
std::vector<std::string> all_names(std::index_sequence<Index...>) {
  return {graph::name_of(graph::OperatorKind(std::in_place_index<Index>))...};
}

/// Kinds without a case that ran on the device.
std::vector<std::string> names_on_host() {
  std::set<std::string> on_device;
  for (const Kind& kind : kinds()) {
    Spec smallest{kind.name, {}};
    for (const Parameter& parameter : kind.parameters) {
      smallest.values[parameter.name] = parameter.min;
    }
    for (const graph::Operator& op : kind.build(smallest).operators) {
      on_device.insert(graph::name_of(op.kind));
    }
  }
  std::vector<std::string> names = all_names(std::make_index_sequence<std::variant_size_v<graph::OperatorKind>>());
  names.erase(
      std::remove_if(names.begin(), names.end(), [&](const std::string& name) { return on_device.count(name) != 0; }),
      names.end());
  return names;
}

/// "height 1 to 18", or for a choice "with and without bias".
std::string limits(const Parameter& parameter, const std::pair<int, int>& range) {
  std::string name = parameter.name;
  std::replace(name.begin(), name.end(), '_', ' ');
  if (parameter.min == 0 && parameter.max == 1) {
    return fmt::format("{} {}",
                       range.first != range.second ? "with and without"
                       : range.first == 1          ? "with"
                                                   : "without",
                       name);
  }
  return range.first == range.second ? fmt::format("{} {}", name, range.first)
                                     : fmt::format("{} {} to {}", name, range.first, range.second);
}

std::string limits_of(const Kind& kind, const Passed& passed) {
  std::string text;
  for (const Parameter& parameter : kind.parameters) {
    if (parameter.name != "seed") {
      text += (text.empty() ? "" : ", ") + limits(parameter, passed.ranges.at(parameter.name));
    }
  }
  return text;
}

Passed of_all(const std::vector<Record>& records, const std::string& kind) {
  Passed sum;
  for (const Record& record : records) {
    const Passed& passed = record.kinds.at(kind);
    sum.cases += passed.cases;
    for (const auto& [name, range] : passed.ranges) {
      const auto [place, first] = sum.ranges.emplace(name, range);
      if (!first) {
        place->second = {std::min(place->second.first, range.first), std::max(place->second.second, range.second)};
      }
    }
  }
  return sum;
}

}  // namespace

void Passed::add(const Spec& spec) {
  ++cases;
  for (const auto& [name, value] : spec.values) {
    const auto [place, first] = ranges.emplace(name, std::pair{value, value});
    if (!first) {
      place->second = {std::min(place->second.first, value), std::max(place->second.second, value)};
    }
  }
}

nlohmann::ordered_json to_json(const Record& record) {
  nlohmann::ordered_json json;
  json["configuration"] = record.configuration;
  json["device"] = record.device;
  for (const auto& [kind, passed] : record.kinds) {
    json["kinds"][kind] = {{"cases", passed.cases}, {"ranges", passed.ranges}};
  }
  return json;
}

Record record_from(const nlohmann::json& json) {
  Record record{json.at("configuration"), json.at("device"), {}};
  for (const auto& [kind, passed] : json.at("kinds").items()) {
    record.kinds[kind] = {passed.at("cases"), passed.at("ranges")};
  }
  return record;
}

std::string page_of(const std::vector<Record>& records) {
  std::string text =
      "<!-- Written by `test_shapes --page`, from what passed; do not edit. -->\n"
      "# Supported operators\n\n"
      "What the device runs, as random cases that agreed with the host in every byte on the RTL (test `shapes_page` "
      "compares this page with the\n"
      "runs `shapes_rtl_*`). Limits are those of the cases, not of the device. Scales and zero points are random, "
      "operands int8 by TensorFlow Lite's\n"
      "rules except where ONNX's are named. Activation 0 is none, 1 relu, 2 relu6, 3 relu to -1 .. 1. Operand 0 is a "
      "constant per channel, 1 one\n"
      "computed pixel, 2 a constant image, 3 a constant per line and channel. ONNX's sums and products, and all "
      "differences, run on the device\n"
      "where it has scales that are right for every pair of bytes.\n\n| operator |";
  std::string rule = "\n| --- |";
  for (const Record& record : records) {
    text += fmt::format(" cases, {} |", record.configuration);
    rule += " ---: |";
  }
  text += " tested with |" + rule + " --- |\n";
  for (const Kind& kind : kinds()) {
    text += fmt::format("| {} |", kind.title);
    for (const Record& record : records) {
      text += fmt::format(" {} |", record.kinds.at(kind.name).cases);
    }
    text += fmt::format(" {} |\n", limits_of(kind, of_all(records, kind.name)));
  }
  return text + fmt::format(
                    "\nOn the host, between programs of the device: {}; and what the lowering refuses of the operators "
                    "above, with the reason in\n"
                    "the report of the run.\n",
                    fmt::join(names_on_host(), ", "));
}

}  // namespace systole::shapes
