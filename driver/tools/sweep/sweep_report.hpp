// SPDX-License-Identifier: Apache-2.0
// Results of a design-space sweep: the Pareto front as table, plot and JSON. They depend neither on the machine nor on
// the order in which the points ran.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "benchmark_suite.hpp"
#include "sweep_grid.hpp"
#include "terminal.hpp"

namespace systole::cli {

/// One workload at one point.
struct WorkResult {
  std::uint64_t cycles = 0;
  std::uint64_t macs = 0;
  std::string fault;  ///< why there is no result: refused, differs from the golden model, failed
};

struct SweepPoint {
  DesignPoint design;
  std::vector<WorkResult> results;     ///< in the order of the workloads
  std::optional<std::uint64_t> cells;  ///< if they were estimated
  bool front = false;

  bool good() const;             ///< every workload has a result
  std::uint64_t cycles() const;  ///< sum over all workloads
  double utilization() const;    ///< over all workloads
};

struct Sweep {
  std::string base;  ///< configuration that supplies the parameters not in the grid
  std::uint64_t seed = 1;
  std::vector<Work> works;
  std::vector<SweepPoint> points;
};

/// Marks the Pareto front of the good points, separately for each memory timing, which is a property of the board:
/// fewer cycles, fewer cells (multipliers if cells were not estimated), less on-chip memory.
void mark_front(Sweep& sweep);

/// The cost axis of the plots: the first of cells, multipliers, memory, latency, ... that differs between points.
struct CostAxis {
  std::string title;
  std::vector<double> values;  ///< one per point
};
CostAxis cost_axis(const Sweep& sweep);

std::string table_text(const Sweep& sweep, const Style& style);
std::string plot_text(const Sweep& sweep);
nlohmann::ordered_json to_json(const Sweep& sweep);

/// The plot as an SVG document.
std::string plot_svg(const Sweep& sweep);
/// A self-contained page with plot and table.
std::string page_html(const Sweep& sweep);

}  // namespace systole::cli
