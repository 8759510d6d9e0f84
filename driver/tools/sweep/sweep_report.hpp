// SPDX-License-Identifier: Apache-2.0
// What a design-space sweep found: the Pareto front, as table, plot and JSON. None of it depends on the machine, nor on
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
  std::string fault;  ///< why there is no result: refused, different from the golden model, failed
};

struct SweepPoint {
  DesignPoint design;
  std::vector<WorkResult> results;     ///< in the order of the workloads
  std::optional<std::uint64_t> cells;  ///< where they were estimated
  bool front = false;

  bool good() const;             ///< every workload has a result
  std::uint64_t cycles() const;  ///< of all workloads together
  double utilization() const;    ///< over all workloads
};

struct Sweep {
  std::string base;  ///< configuration of what the grid does not name
  std::uint64_t seed = 1;
  std::vector<Work> works;
  std::vector<SweepPoint> points;
};

/// Marks the Pareto front of the good points for each memory timing by itself, since timing is the board's, not the
/// core's: less cycles, less cells (multipliers where they were not estimated), less memory on the chip.
void mark_front(Sweep& sweep);

/// What is a point's cost in plots: the first that differs between points of cells, multipliers, memory, latency, ...
struct CostAxis {
  std::string title;
  std::vector<double> values;  ///< one a point
};
CostAxis cost_axis(const Sweep& sweep);

std::string table_text(const Sweep& sweep, const Style& style);
std::string plot_text(const Sweep& sweep);
nlohmann::ordered_json to_json(const Sweep& sweep);

/// The plot as an SVG document.
std::string plot_svg(const Sweep& sweep);
/// A page of plot and table, whole in one file.
std::string page_html(const Sweep& sweep);

}  // namespace systole::cli
