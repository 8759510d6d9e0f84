// SPDX-License-Identifier: Apache-2.0
#include "network_bench.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "benchmark_suite.hpp"
#include "exit_codes.hpp"
#include "graph_listing.hpp"
#include "input_samples.hpp"
#include "network_parts.hpp"
#include "network_table.hpp"
#include "progress_bar.hpp"
#include "run.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"
#include "systole/zoo.hpp"

namespace systole::cli {
namespace {

/// Multiply-accumulates per second of simulating the yardstick.
double yardstick_speed(const DeviceOptions& options) {
  DeviceOptions plain = options;
  plain.trace = {};
  plain.timeline = {};
  Device device = open_device(plain);
  RunSettings settings = settings_of(plain);
  settings.golden = GoldenTime::kBefore;
  return run_matmul(device, kYardstick, kYardstickShape, settings).macs_per_second();
}

/// Runs one network and compares its results.
NetworkRun bench(const std::string& name, const graph::Graph& graph, const DeviceOptions& options) {
  Device device = open_device(options);
  Network network(device, graph);
  const std::vector<graph::Value> inputs = Samples(options.seed, 1, graph, graph.inputs).at(0);
  NetworkRun result;
  result.run = make_run(device, name);
  RunOptions run = options.run_options();
  run.name = name;
  std::optional<ProgressBar> progress(name);
  run.progress = progress->hook();
  const Stopwatch watch(device);
  const std::vector<graph::Value> outputs = network.run(inputs, run);
  watch.stop(result.run);
  progress.reset();
  check_recorded(options.trace, device);
  result.take(network);
  const std::vector<graph::Value> expected =
      graph::execute(graph, inputs);  // a different implementation, except for operators that ran on the host anyway
  result.run.against = "the host";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string found = deviation(0, graph.tensor(graph.outputs[i]), expected[i], outputs[i]).first;
    result.run.values += static_cast<std::size_t>(graph::count(outputs[i].shape));
    result.run.difference += result.run.difference.empty() ? found : std::string();
  }
  return result;
}

void print(const DeviceOptions& options, const std::string& text) {
  if (!options.quiet()) {
    fmt::print("{}\n", text);
    std::fflush(stdout);
  }
}

nlohmann::ordered_json bench_whole(const std::string& name, const DeviceOptions& options, Session& session) {
  const graph::Graph graph = zoo::network(name, options.seed);
  // The machine may be shared: the yardstick is measured before and after the network.
  constexpr std::uint64_t kYardstickMacs = std::uint64_t{kYardstickShape.m} * kYardstickShape.n * kYardstickShape.k;
  const bool compared = options.device == "rtl" && graph::total_macs(graph) >= kYardstickMacs;
  const double before = compared ? yardstick_speed(options) : 0;
  const NetworkRun run = bench(name, graph, options);
  std::string text = text_of(run, style_of(stdout));
  nlohmann::ordered_json json = to_json(run);
  if (compared) {
    const double yardstick = (before + yardstick_speed(options)) / 2;
    const double ratio = run.run.macs_per_second() / yardstick;
    text += fmt::format("  speed        {:.2f} of the {}MAC/s over {}\n", ratio, scaled(yardstick), kYardstick);
    json["yardstick_macs_per_second"] = yardstick;
    json["yardstick_ratio"] = ratio;
  }
  print(options, text);
  if (run.run.verdict() != Verdict::kExact) {
    fmt::print(stderr, "{}", failure_text(run.run, {}, style_of(stderr)));
    session.exit_code = kMismatch;
  }
  return json;
}

nlohmann::ordered_json bench_in_parts(const std::string& name, const DeviceOptions& options, unsigned jobs,
                                      Session& session) {
  const PartedRun run = run_in_parts(name, options, jobs);
  print(options, text_of(run, style_of(stdout)));
  for (const PartRun& part : run.parts) {
    if (part.code != kOk) {
      fmt::print(stderr, "{}, operators {} to {}:\n{}", name, part.first, part.last, part.errors);
    }
  }
  if (!run.difference.empty()) {
    fmt::print(stderr, "{}: the functional model differs from the host: {}\n", name, run.difference);
  }
  session.exit_code = std::max(session.exit_code, run.code());
  return to_json(run);
}

}  // namespace

void bench_networks(const DeviceOptions& options, const std::vector<std::string>& only, unsigned jobs,
                    Session& session) {
  if (options.memory_plan) {
    throw InputError(
        "--memory-plan: not with --networks; systole run records what the programs of a network leave in the memories");
  }
  const std::vector<std::string>& all = zoo::names();
  for (const std::string& name : only) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      throw InputError(fmt::format("--only: '{}' is not one of the networks {}", name, fmt::join(all, ", ")));
    }
  }
  const std::vector<std::string>& chosen = only.empty() ? all : only;
  if (!(options.trace.file.empty() && options.timeline.empty()) && chosen.size() > 1) {
    throw InputError(fmt::format("--{}: records one network, not {}; choose it with --only NAME",
                                 options.trace.file.empty() ? "timeline" : "trace", chosen.size()));
  }
  nlohmann::ordered_json json;
  json["name"] = "bench networks";
  json["config"] = options.config;
  json["dim"] = configuration_of(options).dim;
  json["device"] = options.device;
  json["latency"] = options.latency;
  json["results"] = nlohmann::ordered_json::array();
  for (const std::string& name : chosen) {
    json["results"].push_back(jobs == 1 ? bench_whole(name, options, session)
                                        : bench_in_parts(name, options, jobs, session));
  }
  write_json(options, json);
}

}  // namespace systole::cli
