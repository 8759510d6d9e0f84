// SPDX-License-Identifier: Apache-2.0
// `systole sweep`: workloads over a grid of core sizes and memory timings.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "child.hpp"
#include "commands.hpp"
#include "core_cache.hpp"
#include "exit_codes.hpp"
#include "files.hpp"
#include "number_options.hpp"
#include "output_options.hpp"
#include "shared_runs.hpp"
#include "standard_output.hpp"
#include "status_line.hpp"
#include "sweep_grid.hpp"
#include "sweep_report.hpp"
#include "systole/backends.hpp"
#include "systole/configurations.hpp"
#include "together.hpp"
#include "work_spec.hpp"

namespace systole::cli {
namespace {

struct Values {
  std::vector<std::string> grid;
  std::vector<std::string> workloads;
  std::string config = "default";
  std::string cache;
  std::string output;
  std::string json;
  std::uint64_t seed = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool cells = false;
};

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// The command for one workload at one point. Each is a separate process, so it can be repeated by hand.
Words command_of(const std::string& program, const Work& work, const DesignPoint& point, std::uint64_t seed) {
  Words words = {program};
  const auto arguments = arguments_of(work);
  words.insert(words.end(), arguments.begin(), arguments.end());
  const SweptMemory& t = point.timing;
  for (const auto& [option, value] : {std::pair<const char*, std::string>{"--config", point.core},
                                      {"--device", "rtl"},
                                      {"--latency", std::to_string(t.latency)},
                                      {"--read-interval", std::to_string(t.read_interval)},
                                      {"--write-interval", std::to_string(t.write_interval)},
                                      {"--stall", std::to_string(t.stall)},
                                      {"--seed", std::to_string(seed)},
                                      {"--json", "-"}}) {
    words.emplace_back(option);
    words.push_back(value);
  }
  return words;
}

WorkResult result_of(const Finished& finished) {
  WorkResult result;
  if (finished.code == kOk) {
    const auto run = nlohmann::json::parse(finished.output);
    result.cycles = run.at("cycles");
    result.macs = run.at("macs");
  } else if (finished.code == kMismatch) {
    result.fault = "differs from the golden model";
  } else {
    const std::string errors = finished.errors.substr(0, finished.errors.find('\n'));
    result.fault = errors.empty() ? fmt::format("exit code {}", finished.code) : errors;
  }
  return result;
}

/// Runs every workload at every point; returns the worst exit code among them.
int measure(Sweep& sweep, const std::string& program, unsigned jobs, ranks::Ranks& ranks, StatusLine& status) {
  std::vector<Words> commands;
  for (const SweepPoint& point : sweep.points) {
    for (const Work& work : sweep.works) {
      commands.push_back(command_of(program, work, point.design, sweep.seed));
    }
  }
  const auto finished = run_shared(ranks, commands, jobs, [&](std::size_t done) {
    if (ranks.is_first()) {
      status.show(ranks.several() ? fmt::format("{} runs", done) : fmt::format("{} of {} runs", done, commands.size()));
    }
  });
  status.show({});
  int worst = kOk;
  for (std::size_t i = 0; i < finished.size(); ++i) {
    sweep.points[i / sweep.works.size()].results.push_back(result_of(finished[i]));
    worst = std::max(worst, finished[i].code);
  }
  return worst > kInternal ? static_cast<int>(kDeviceError) : worst;  // 128 and more: ended by a signal
}

/// Calls prepare() on one rank after another, since those of a machine share the folder of the cores.
template <class Prepare>
void in_turn(ranks::Ranks& ranks, const Prepare& prepare) {
  for (int rank = 0; rank < ranks.size(); ++rank) {
    ranks::together(ranks, [&] {
      if (rank == ranks.rank()) {
        prepare();
      }
    });
  }
}

void run_command(const Values& values, Session& session) {
  ranks::Ranks& ranks = *session.ranks;
  const unsigned jobs = jobs_of_rank(ranks, values.jobs);
  const bool html = ends_with(values.output, ".html");
  if (!values.output.empty() && !html && !ends_with(values.output, ".svg")) {
    throw InputError(fmt::format("--output: {} ends neither in .svg nor in .html", values.output));
  }
  if (!has_backend("rtl")) {
    throw InputError("sweep: this build has no RTL back end; build it with Verilator");
  }
  Sweep sweep;
  sweep.base = values.config;
  sweep.seed = values.seed;
  for (const std::string& text : values.workloads) {
    sweep.works.push_back(parse_work("--workload", text));
  }
  std::vector<DesignPoint> designs = expand(parse_grid(values.grid), find_configuration(values.config));
  for (const DesignPoint& design : designs) {
    sweep.points.push_back({design, {}, {}, false});
  }

  StatusLine status;
  const auto built = rtl_configurations();
  const bool on_demand = std::any_of(designs.begin(), designs.end(), [&](const DesignPoint& design) {
    return std::find(built.begin(), built.end(), design.core) == built.end();
  });
  std::optional<CoreCache> cache;
  if (on_demand || values.cells) {
    cache.emplace(values.cache, values.jobs, ranks, status);
  }
  // One program for all points, so that all are built from the same sources.
  std::string program = this_program();
  if (on_demand) {
    in_turn(ranks, [&] { program = cache->program(designs); });
  }
  session.exit_code = measure(sweep, program, jobs, ranks, status);
  if (!ranks.is_first()) {
    return;
  }
  if (values.cells) {
    const auto cells = cache->cells(designs);
    for (SweepPoint& point : sweep.points) {
      point.cells = cells.at(point.design.core);
    }
  }
  mark_front(sweep);

  if (values.json != "-") {
    print("{}\n{}", table_text(sweep, style_of(stdout)), plot_text(sweep));
    flush_output();
  }
  Outputs outputs;
  if (!values.output.empty()) {
    outputs.add([&] { write_file("--output", values.output, html ? page_html(sweep) : plot_svg(sweep)); });
  }
  DeviceOptions options;
  options.json = values.json;
  outputs.add([&] { write_json(options, to_json(sweep)); });
  outputs.check();
}

}  // namespace

void add_sweep(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "sweep",
      "Workloads over every combination of core sizes and memory timings: cycles, utilization, the Pareto front");
  auto values = std::make_shared<Values>();
  command->add_option("--config-grid", values->grid, "values of one or more parameters, listed below")
      ->type_name("NAME=VALUE,...")
      ->required();
  command
      ->add_option(
          "--workload", values->workloads,
          "matmul:MxNxK, conv:HxWxCIN-COUT[:kernel=3x3][:stride=1][:dilation=1][:pad=0][:groups=1], or the name of "
          "a workload of systole bench; may be repeated")
      ->type_name("WORK")
      ->required();
  command->add_option("--config", values->config, "configuration for parameters that are not in the grid")
      ->capture_default_str();
  command
      ->add_option("--jobs,-j", values->jobs,
                   "runs and builds at a time, of all ranks of a machine; the results do not depend on it")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_flag("--cells", values->cells,
                    "estimate the cells of each core with Yosys, minutes each; kept for the same RTL");
  command->add_option("--cache", values->cache, "folder for cores that are not part of this build (build/sweep)")
      ->type_name("DIR");
  command->add_option("--seed", values->seed, "seed of random data and stalls")
      ->check(whole_in(0))
      ->capture_default_str();
  is_output(command->add_option("--output,-o", values->output, "write the plot: .svg, or .html with the table"));
  add_json_option(*command, values->json, "the results");
  command->footer(
      "Parameters of a grid (the bus is 8*dim bits):\n" + grid_help() +
      "A core that this build does not have is Verilated on demand: a minute or more, the first time.\n"
      "Examples:\n"
      "  systole sweep --config-grid latency=50,100,200 read_interval=1,2 --workload matmul_64\n"
      "  systole sweep --config-grid dim=4,8,16 scratch=48K acc=16K --workload matmul:64x64x64 -o sweep.svg\n"
      "  mpirun -n 4 --hostfile hosts systole sweep ...      runs divided among machines\n"
      "  systole sweep --config tiny --config-grid scratch=384,768,1536 --workload conv:16x16x8-8:pad=1 --cells --json "
      "-");
  command->callback([values, &session] { run_command(*values, session); });
}

}  // namespace systole::cli
