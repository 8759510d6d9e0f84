// SPDX-License-Identifier: Apache-2.0
// `systole bench`: the standard workloads, and the speed of the simulation against the bare array's.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>

#include "bare_array.hpp"
#include "commands.hpp"
#include "errors.hpp"
#include "table.hpp"
#include "workloads.hpp"

namespace systole::cli {
namespace {

struct Work {
  const char* name;
  bool quick;  ///< part of --quick
  std::function<Run(Device&, const std::string&, const RunSettings&)> run;
};

Work matmul_work(const char* name, bool quick, int size) {
  return {name, quick, [size](Device& device, const std::string& title, const RunSettings& settings) {
            return run_matmul(device, title, {size, size, size, false}, settings);
          }};
}

/// A square image, kernel and padding.
Work conv_work(const char* name, bool quick, int side, int cin, int cout, int kernel, int stride, int pad) {
  ConvShape shape;
  shape.height = shape.width = side;
  shape.cin = cin;
  shape.cout = cout;
  shape.sliding = {kernel, kernel, stride, stride, 1, 1, pad, pad, pad, pad};
  return {name, quick, [shape](Device& device, const std::string& title, const RunSettings& settings) {
            return run_conv(device, title, shape, settings);
          }};
}

constexpr const char* kYardstick = "matmul_512";  ///< whose simulation speed is compared with the bare array's

std::vector<Work> works() {
  return {matmul_work("matmul_64", true, 64),
          matmul_work("matmul_256", true, 256),
          matmul_work(kYardstick, false, 512),
          conv_work("conv3x3_28x28x128", false, 28, 128, 128, 3, 1, 1),
          conv_work("conv3x3_32x32x64", false, 32, 64, 64, 3, 1, 1),
          conv_work("conv3x3_16x16x64", true, 16, 64, 64, 3, 1, 1),
          conv_work("conv1x1_56x56x64", true, 56, 64, 64, 1, 1, 0),
          conv_work("conv7x7s2_224x224x3", false, 224, 3, 64, 7, 2, 3)};
}

std::vector<Work> chosen(const std::string& only, bool quick) {
  std::vector<Work> list = works();
  if (!only.empty()) {
    std::string names;
    for (const Work& work : list) {
      names += std::string(names.empty() ? "" : ", ") + work.name;
    }
    list.erase(std::remove_if(list.begin(), list.end(), [&](const Work& work) { return work.name != only; }), list.end());
    if (list.empty()) {
      throw InputError(fmt::format("--only: '{}' is none of {}", only, names));
    }
  } else if (quick) {
    list.erase(std::remove_if(list.begin(), list.end(), [](const Work& work) { return !work.quick; }), list.end());
  }
  return list;
}

/// What a benchmark finds. Speeds are empty where the workload that they are taken from was not run.
struct Findings {
  std::vector<Run> runs;
  std::optional<double> bare_array_hz;
  std::optional<double> sim_clock_ratio;
  std::optional<double> model_macs_per_second;
};

void run_works(const std::vector<Work>& list, const DeviceOptions& options, Findings& findings) {
  Device device = open_device(options);
  RunSettings settings;
  settings.seed = options.seed;
  settings.run = options.run_options();
  for (const Work& work : list) {
    const bool yardstick = std::string_view(work.name) == kYardstick && options.device == "rtl";
    // Machines are shared: the yardstick stands between two measurements of the bare array, with nothing else running.
    settings.golden = yardstick ? GoldenTime::kBefore : GoldenTime::kAlongside;
    const double before = yardstick ? bench::bare_array_hz(device.configuration().dim) : 0;
    findings.runs.push_back(work.run(device, work.name, settings));
    if (yardstick) {
      findings.bare_array_hz = (before + bench::bare_array_hz(device.configuration().dim)) / 2;
      findings.sim_clock_ratio = findings.runs.back().sim_hz() / *findings.bare_array_hz;
    }
  }
}

/// The functional model alone on the yardstick; the best of three.
void run_model(const DeviceOptions& options, Findings& findings, std::vector<Run>& failed) {
  DeviceOptions model = options;
  model.device = "model";
  model.trace.clear();
  Device device = open_device(model);
  RunSettings settings;
  settings.seed = options.seed;
  settings.golden = GoldenTime::kBefore;
  for (int i = 0; i < 3; ++i) {
    const Run run = run_matmul(device, kYardstick, {512, 512, 512, false}, settings);
    findings.model_macs_per_second = std::max(findings.model_macs_per_second.value_or(0), run.macs_per_second());
    if (!run.bit_exact) {
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
  json["device"] = options.device;
  json["latency"] = options.latency;
  json["results"] = nlohmann::ordered_json::array();
  for (const Run& run : findings.runs) {
    json["results"].push_back(cli::to_json(run));
  }
  json["bare_array_hz"] = optional_number(findings.bare_array_hz);
  json["sim_clock_ratio"] = optional_number(findings.sim_clock_ratio);
  json["model_macs_per_second"] = optional_number(findings.model_macs_per_second);
  return json;
}

std::string text_of(const Findings& findings, const DeviceOptions& options, const Style& style) {
  const bool timed = options.device == "rtl";
  const Configuration& configuration = configuration_of(options);
  std::string text = fmt::format("{}  on {}, {} x {}, {} configuration, memory latency {}\n\n", style(Paint::kBold, "bench"),
                                 options.device, configuration.dim, configuration.dim, options.config, options.latency);
  Table table({{"work", Table::Align::kLeft}, {"MACs"}, {"cycles"}, {"estimated"}, {"utilization"}, {"clock"}, {"MAC/s"}, {"result"}});
  for (const Run& run : findings.runs) {
    table.add({run.name, grouped(run.stats.useful_macs), timed ? grouped(run.stats.cycles) : "-",
               grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, run.estimated_cycles))),
               timed ? percent(run.utilization()) : "-", timed ? scaled(run.sim_hz()) + "Hz" : "-", scaled(run.macs_per_second()),
               verdict(run.bit_exact, style)});
  }
  text += table.text(style);
  if (timed) {
    for (const Run& run : findings.runs) {
      text += fmt::format("\n{}\n{}", style(Paint::kBold, run.name), causes_text(run.stats, style));
    }
  }
  text += "\n";
  if (findings.bare_array_hz) {
    text += fmt::format("bare array      {}Hz, simulated clock over user time\n", scaled(*findings.bare_array_hz));
    text += fmt::format("whole core      {:.2f} of it over {}, checkers and counters on\n", *findings.sim_clock_ratio, kYardstick);
  }
  if (findings.model_macs_per_second) {
    text += fmt::format("model           {}MAC/s over {}\n", scaled(*findings.model_macs_per_second), kYardstick);
  }
  return text;
}

void run_command(const DeviceOptions& options, const std::string& only, bool quick, Session& session) {
  const std::vector<Work> list = chosen(only, quick);
  Findings findings;
  run_works(list, options, findings);
  std::vector<Run> failed;
  if (std::any_of(list.begin(), list.end(), [](const Work& work) { return std::string_view(work.name) == kYardstick; })) {
    run_model(options, findings, failed);
  }
  if (!options.quiet()) {
    fmt::print("{}", text_of(findings, options, style_of(stdout)));
    std::fflush(stdout);
  }
  write_json(options, to_json(findings, options));
  std::copy_if(findings.runs.begin(), findings.runs.end(), std::back_inserter(failed),
               [](const Run& run) { return !run.bit_exact; });
  for (const Run& run : failed) {
    const std::string again = only.empty() ? "--only " + run.name : std::string();
    fmt::print(stderr, "{}", failure_text(run, command_with_waves(session, run.name, again), style_of(stderr)));
    session.exit_code = kMismatch;
  }
}

}  // namespace

void add_bench(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "bench", "Standard matrix products and convolutions: cycles, utilization, and the speed of the simulation");
  struct Values {
    DeviceOptions device;
    std::string only;
    bool quick = false;
  };
  auto values = std::make_shared<Values>();
  auto* only = command->add_option("--only", values->only, "one workload, by its name")->type_name("NAME");
  command->add_flag("--quick", values->quick, "the short workloads only; the simulation's speed is then not compared")
      ->excludes(only);
  add_device_options(*command, values->device);
  command->footer(
      "Examples:\n"
      "  systole bench\n"
      "  systole bench --only matmul_512 --json -\n"
      "  systole bench --quick --config small --latency 20");
  command->callback([values, &session] { run_command(values->device, values->only, values->quick, session); });
}

}  // namespace systole::cli
