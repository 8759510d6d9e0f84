// SPDX-License-Identifier: Apache-2.0
// `systole bench`: the standard workloads, and the speed of the simulation.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmark_suite.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "files.hpp"
#include "memory_plans.hpp"
#include "model_files.hpp"
#include "network_bench.hpp"
#include "standard_output.hpp"
#include "text_table.hpp"
#include "together.hpp"

namespace systole::cli {
namespace {

struct Choice {
  std::vector<std::string> only;
  bool quick = false, small = false, all = false, networks = false;
  unsigned jobs = 1;
};

std::vector<Work> chosen(const Choice& choice) {
  std::vector<Work> list;
  for (const Work& work : benchmark_suite()) {
    const bool named = std::find(choice.only.begin(), choice.only.end(), work.name) != choice.only.end();
    const bool in_quick = choice.quick && work.standard && work.length != Length::kLong;
    const bool in_small = choice.small && work.length == Length::kSmall;
    const bool in_table = choice.all || (work.standard && !choice.quick && !choice.small);
    if (choice.only.empty() ? in_quick || in_small || in_table : named) {
      list.push_back(work);
    }
  }
  for (const std::string& name : choice.only) {
    if (std::none_of(list.begin(), list.end(), [&](const Work& work) { return work.name == name; })) {
      std::string names;
      for (const Work& work : benchmark_suite()) {
        names += (names.empty() ? "" : ", ") + work.name;
      }
      throw InputError(fmt::format("--only: '{}' is not one of {}", name, names));
    }
  }
  return list;
}

/// Results of a benchmark. Speeds are empty if their workload was not run.
struct Findings {
  std::vector<Run> runs;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();  ///< the runs as JSON
  std::optional<double> model_macs_per_second;
  Outputs outputs;  ///< waveform, timeline, JSON
};

void run_works(const std::vector<Work>& list, const DeviceOptions& options, Findings& findings) {
  if (!(options.trace.file.empty() && options.timeline.empty()) && list.size() > 1) {
    throw InputError(fmt::format("--{}: records one workload, not {}; choose it with --only NAME",
                                 options.trace.file.empty() ? "timeline" : "trace", list.size()));
  }
  check_layer(options.trace, {list.front().name});
  RunSettings settings = settings_of(options);
  const GoldenTime usual = settings.golden;
  for (const Work& work : list) {
    // A new device for each workload: earlier runs influence where buffers lie and so, by a few cycles, how bursts are
    // split.
    Device device = open_device(options);
    MemoryPlans plans(device, options, 1);
    const bool yardstick = work.name == kYardstick && options.device == "rtl";
    settings.golden = yardstick ? GoldenTime::kBefore : usual;  // nothing else runs beside it
    findings.runs.push_back(run_work(device, work, settings));
    plans.add_to(findings.results.emplace_back(cli::to_json(findings.runs.back())));
    findings.outputs.add([&] { finish_recordings(options, device); });
  }
}

/// Measures the functional model alone on the yardstick; the best of three runs.
void run_model(const DeviceOptions& options, Findings& findings, std::vector<Run>& failed) {
  DeviceOptions model = options;
  model.device = "model";
  model.trace = {};
  model.timeline = {};
  model.memory_plan = false;
  Device device = open_device(model);
  RunSettings settings;
  settings.seed = options.seed;
  settings.golden = GoldenTime::kBefore;
  for (int i = 0; i < 3; ++i) {
    const Run run = run_matmul(device, kYardstick, kYardstickShape, settings);
    findings.model_macs_per_second = std::max(findings.model_macs_per_second.value_or(0), run.macs_per_second());
    if (run.verdict() != Verdict::kExact) {
      failed.push_back(run);
      return;
    }
  }
}

nlohmann::ordered_json optional_number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json to_json(const Findings& findings, const DeviceOptions& options) {
  nlohmann::ordered_json json;
  json["name"] = "bench";
  json["config"] = options.config;
  json["dim"] = configuration_of(options).dim;
  json["device"] = options.device;
  json["latency"] = options.latency;
  json["results"] = findings.results;
  json["model_macs_per_second"] = optional_number(findings.model_macs_per_second);
  return json;
}

std::string text_of(const Findings& findings, const DeviceOptions& options, const Style& style) {
  const bool timed = options.device == "rtl";
  const Configuration& configuration = configuration_of(options);
  std::string text =
      fmt::format("{}  on {}, {} x {}, {} configuration, memory latency {}\n\n", style(Paint::kBold, "bench"),
                  options.device, configuration.dim, configuration.dim, options.config, options.latency);
  Table table({{"work", Table::Align::kLeft},
               {"MACs"},
               {"cycles"},
               {"estimated"},
               {"utilization"},
               {"MACs/cycle"},
               {"of multipliers"},
               {"clock"},
               {"MAC/s"},
               {"compared"},
               {"result"}});
  for (const Run& run : findings.runs) {
    table.add({run.name, grouped(run.stats.useful_macs), timed ? grouped(run.stats.cycles) : "-",
               grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, run.estimated_cycles))),
               timed ? percent(run.utilization()) : "-",
               timed ? fmt::format("{:.1f}", run.stats.macs_per_cycle()) : "-",
               timed ? percent(run.stats.multiplier_share(run.dim)) : "-", timed ? scaled(run.sim_hz()) + "Hz" : "-",
               scaled(run.macs_per_second()), grouped(run.values), verdict_text(run.verdict(), style)});
  }
  text += table.text(style) + fmt::format("  compared: values on {}, against the golden model\n", options.device);
  if (timed) {
    for (const Run& run : findings.runs) {
      text += fmt::format("\n{}\n{}", style(Paint::kBold, run.name), causes_text(run.stats, style));
    }
  }
  text += "\n";
  if (findings.model_macs_per_second) {
    text += fmt::format("model           {}MAC/s over {}\n", scaled(*findings.model_macs_per_second), kYardstick);
  }
  return text;
}

void run_command(const DeviceOptions& options, const Choice& choice, Session& session) {
  if (choice.networks) {
    bench_networks(options, choice.only, choice.jobs, session);
    return;
  }
  if (!options.compile.without.empty()) {
    throw InputError("--without: for --networks; other workloads are single operators, which nothing transforms");
  }
  if (session.ranks->several()) {
    throw ranks::CommonFailure("systole bench runs in one process; several ranks share the work of bench --networks");
  }
  if (choice.jobs > 1) {
    throw InputError(
        "--jobs: for --networks, which can be cut into parts; other workloads run one by one, so that their speed can "
        "be measured");
  }
  const std::vector<Work> list = chosen(choice);
  Findings findings;
  run_works(list, options, findings);
  std::vector<Run> failed;
  if (std::any_of(list.begin(), list.end(), [](const Work& work) { return work.name == kYardstick; })) {
    run_model(options, findings, failed);
  }
  if (!options.quiet()) {
    print("{}", text_of(findings, options, style_of(stdout)));
    flush_output();
  }
  findings.outputs.add([&] { write_json(options, to_json(findings, options)); });
  std::copy_if(findings.runs.begin(), findings.runs.end(), std::back_inserter(failed),
               [](const Run& run) { return run.verdict() != Verdict::kExact; });
  for (const Run& run : failed) {
    const std::string again = choice.only.empty() ? "--only " + run.name : std::string();
    fmt::print(stderr, "{}", failure_text(run, waves_text(session, run.name, again), style_of(stderr)));
    session.exit_code = kMismatch;
  }
  findings.outputs.check();
}

}  // namespace

void add_bench(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "bench", "Standard matrix products and convolutions: cycles, utilization, and the speed of the simulation");
  struct Values {
    DeviceOptions device;
    Choice choice;
  };
  auto values = std::make_shared<Values>();
  Choice& choice = values->choice;
  command->add_option("--only", choice.only, "run only these workloads")->type_name("NAME,...")->delimiter(',');
  command->add_flag("--quick", choice.quick, "only the short standard workloads");
  command->add_flag("--small", choice.small, "small shapes, including edge cases: quick in every configuration");
  command->add_flag("--all", choice.all, "the standard workloads and the small ones");
  command->add_flag("--networks", choice.networks,
                    "whole networks instead, layer by layer: CNNs, MLPerf Tiny, transformers");
  command
      ->add_option(
          "--jobs", choice.jobs,
          "divide each network into this many parts, simulated in parallel from states of the functional model")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  add_without_option(*command, values->device.compile.without);
  add_device_options(*command, values->device);
  command->footer(
      "Examples:\n"
      "  systole bench\n"
      "  systole bench --only matmul_512 --json -\n"
      "  systole bench --small --config tiny\n"
      "  systole bench --quick --config small --latency 20\n"
      "  systole bench --networks --only resnet8,kws\n"
      "  systole bench --networks --only resnet50 --jobs 4\n"
      "  mpirun -n 4 systole bench --networks                networks divided among processes and machines\n"
      "scripts/baseline compares cycles with the recorded ones, scripts/simcost what a simulated cycle costs.");
  command->callback([values, &session] { run_command(values->device, values->choice, session); });
}

}  // namespace systole::cli
