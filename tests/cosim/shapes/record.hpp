// SPDX-License-Identifier: Apache-2.0
// Passed cases: per kind of operator, their number and the range of each attribute.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kinds.hpp"

namespace systole::shapes {

struct Passed {
  int cases = 0;
  std::map<std::string, std::pair<int, int>> ranges;  ///< smallest and largest, by name of the parameter

  void add(const Spec& spec);
};

struct Record {
  std::string configuration, device;
  std::map<std::string, Passed> kinds;
};

nlohmann::ordered_json to_json(const Record& record);
/// Throws nlohmann::json::exception for a file that is not a record.
Record record_from(const nlohmann::json& json);

/// The table of supported operators, as Markdown: a line per kind with what passed on the RTL in each configuration.
std::string page_of(const std::vector<Record>& records);

}  // namespace systole::shapes
