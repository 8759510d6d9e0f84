// SPDX-License-Identifier: Apache-2.0
#include "sweep_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "pareto.hpp"
#include "systole/generated/configuration_sizes.hpp"
#include "text_table.hpp"
#include "work_spec.hpp"

namespace systole::cli {
namespace {

int multipliers(const SweepPoint& point) { return point.design.sizes.dim * point.design.sizes.dim; }

double kib(const SweepPoint& point) { return static_cast<double>(memory_bytes(point.design.sizes)) / 1024; }

double cells_or_multipliers(const SweepPoint& point) {
  return point.cells ? static_cast<double>(*point.cells) : static_cast<double>(multipliers(point));
}

using Value = std::function<int(const SweepPoint&)>;

/// Columns, apart from the core, whose values differ between points.
std::vector<std::pair<std::string, Value>> timing_columns(const Sweep& sweep) {
  const std::vector<std::pair<std::string, Value>> all = {
      {"latency", [](const SweepPoint& p) { return p.design.timing.latency; }},
      {"read interval", [](const SweepPoint& p) { return p.design.timing.read_interval; }},
      {"write interval", [](const SweepPoint& p) { return p.design.timing.write_interval; }},
      {"stall", [](const SweepPoint& p) { return p.design.timing.stall; }}};
  std::vector<std::pair<std::string, Value>> kept;
  std::copy_if(all.begin(), all.end(), std::back_inserter(kept), [&](const auto& column) {
    return std::any_of(sweep.points.begin(), sweep.points.end(),
                       [&](const SweepPoint& p) { return column.second(p) != column.second(sweep.points.front()); });
  });
  return kept;
}

bool has_cells(const Sweep& sweep) { return !sweep.points.empty() && sweep.points.front().cells.has_value(); }

std::string first_fault(const SweepPoint& point, const Sweep& sweep) {
  for (std::size_t i = 0; i < point.results.size(); ++i) {
    if (!point.results[i].fault.empty()) {
      return sweep.works[i].name + ": " + point.results[i].fault;
    }
  }
  return {};
}

}  // namespace

bool SweepPoint::good() const {
  return std::all_of(results.begin(), results.end(), [](const WorkResult& result) { return result.fault.empty(); });
}

std::uint64_t SweepPoint::cycles() const {
  std::uint64_t sum = 0;
  for (const WorkResult& result : results) {
    sum += result.cycles;
  }
  return sum;
}

double SweepPoint::utilization() const {
  std::uint64_t macs = 0;
  for (const WorkResult& result : results) {
    macs += result.macs;
  }
  return cycles() == 0 ? 0.0 : static_cast<double>(macs) / (static_cast<double>(cycles()) * multipliers(*this));
}

void mark_front(Sweep& sweep) {
  for (SweepPoint& point : sweep.points) {
    point.front = false;
  }
  std::vector<bool> seen(sweep.points.size(), false);
  for (std::size_t first = 0; first < sweep.points.size(); ++first) {
    std::vector<std::size_t> group;
    std::vector<std::vector<double>> costs;
    for (std::size_t i = first; i < sweep.points.size(); ++i) {
      const SweepPoint& point = sweep.points[i];
      if (!seen[i] && point.good() && point.design.timing == sweep.points[first].design.timing) {
        seen[i] = true;
        group.push_back(i);
        costs.push_back({static_cast<double>(point.cycles()), cells_or_multipliers(point), kib(point)});
      }
    }
    const std::vector<bool> front = pareto_front(costs);
    for (std::size_t i = 0; i < group.size(); ++i) {
      sweep.points[group[i]].front = front[i];
    }
  }
}

CostAxis cost_axis(const Sweep& sweep) {
  std::vector<std::pair<std::string, std::function<double(const SweepPoint&)>>> candidates = {
      {has_cells(sweep) ? "cells" : "multipliers", cells_or_multipliers}, {"KiB of memory on the chip", kib}};
  for (const auto& [title, value] : timing_columns(sweep)) {
    candidates.emplace_back(title, [value = value](const SweepPoint& p) { return static_cast<double>(value(p)); });
  }
  for (const auto& [title, value] : candidates) {
    CostAxis axis{title, {}};
    for (const SweepPoint& point : sweep.points) {
      axis.values.push_back(value(point));
    }
    if (std::set<double>(axis.values.begin(), axis.values.end()).size() > 1 || &title == &candidates.back().first) {
      return axis;
    }
  }
  return {};
}

std::string table_text(const Sweep& sweep, const Style& style) {
  using Align = Table::Align;
  const auto timings = timing_columns(sweep);
  std::vector<Table::Column> columns = {{"", Align::kLeft}, {"core", Align::kLeft}, {"array"}, {"memory"}};
  if (has_cells(sweep)) {
    columns.push_back({"cells"});
  }
  for (const auto& [title, value] : timings) {
    columns.push_back({title});
  }
  const bool several = sweep.works.size() > 1;
  for (const Work& work : sweep.works) {
    columns.push_back({several ? work.name : "cycles"});
  }
  if (several) {
    columns.push_back({"cycles"});
  }
  columns.push_back({"utilization"});
  columns.push_back({"", Align::kLeft});
  Table table(columns);
  std::string faults;
  for (const SweepPoint& point : sweep.points) {
    std::vector<std::string> cells = {point.front ? style(Paint::kGood, "*") : " ", point.design.core,
                                      fmt::format("{0} x {0}", point.design.sizes.dim),
                                      fmt::format("{:.4g} KiB", kib(point))};
    if (has_cells(sweep)) {
      cells.push_back(grouped(*point.cells));
    }
    for (const auto& [title, value] : timings) {
      cells.push_back(std::to_string(value(point)));
    }
    for (const WorkResult& result : point.results) {
      cells.push_back(result.fault.empty() ? grouped(result.cycles) : "-");
    }
    if (several) {
      cells.push_back(point.good() ? grouped(point.cycles()) : "-");
    }
    cells.push_back(point.good() ? percent(point.utilization()) : "-");
    cells.push_back(point.good() ? "" : style(Paint::kBad, first_fault(point, sweep)));
    table.add(cells);
  }
  return table.text(style) + fmt::format("\n* on the Pareto front of {}cycles, {} and memory on the chip{}\n",
                                         several ? "all " : "", has_cells(sweep) ? "cells" : "multipliers",
                                         timings.empty() ? "" : ", for its memory timing");
}

nlohmann::ordered_json to_json(const Sweep& sweep) {
  nlohmann::ordered_json json;
  json["name"] = "sweep";
  json["base"] = sweep.base;
  json["seed"] = sweep.seed;
  json["workloads"] = nlohmann::ordered_json::array();
  for (const Work& work : sweep.works) {
    json["workloads"].push_back(
        {{"name", work.name}, {"command", fmt::format("systole {}", fmt::join(arguments_of(work), " "))}});
  }
  json["points"] = nlohmann::ordered_json::array();
  for (const SweepPoint& point : sweep.points) {
    nlohmann::ordered_json entry;
    entry["core"] = point.design.core;
    for (const ConfigurationSize& size : kConfigurationSizes) {
      entry[std::string(size.name)] = point.design.sizes.*size.member;
    }
    const SweptMemory& t = point.design.timing;
    entry["latency"] = t.latency;
    entry["read_interval"] = t.read_interval;
    entry["write_interval"] = t.write_interval;
    entry["stall"] = t.stall;
    entry["memory_bytes"] = memory_bytes(point.design.sizes);
    entry["cells"] = point.cells ? nlohmann::ordered_json(*point.cells) : nlohmann::ordered_json(nullptr);
    entry["results"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < point.results.size(); ++i) {
      const WorkResult& result = point.results[i];
      const double peak = static_cast<double>(result.cycles) * multipliers(point);
      entry["results"].push_back({{"name", sweep.works[i].name},
                                  {"cycles", result.cycles},
                                  {"macs", result.macs},
                                  {"utilization", peak > 0 ? static_cast<double>(result.macs) / peak : 0.0},
                                  {"fault", result.fault}});
    }
    entry["cycles"] = point.good() ? nlohmann::ordered_json(point.cycles()) : nlohmann::ordered_json(nullptr);
    entry["utilization"] = point.good() ? nlohmann::ordered_json(point.utilization()) : nlohmann::ordered_json(nullptr);
    entry["front"] = point.front;
    json["points"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace systole::cli
