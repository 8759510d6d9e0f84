// SPDX-License-Identifier: Apache-2.0
#include "network_bench.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "errors.hpp"
#include "graph/execute.hpp"
#include "network_table.hpp"
#include "progress_bar.hpp"
#include "run.hpp"
#include "samples.hpp"
#include "systole/network.hpp"
#include "zoo/zoo.hpp"

namespace systole::cli {
namespace {

/// One network, run and compared.
NetworkRun bench(const std::string& name, const DeviceOptions& options) {
  const graph::Graph graph = zoo::network(name, options.seed);
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
  const std::vector<graph::Value> expected = graph::execute(graph, inputs);
  result.run.bit_exact = true;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string found = difference(0, graph.tensor(graph.outputs[i]), expected[i], outputs[i]);
    result.run.values += static_cast<std::size_t>(graph::count(outputs[i].shape));
    result.run.bit_exact = result.run.bit_exact && found.empty();
    result.run.difference += result.run.difference.empty() ? found : std::string();
  }
  return result;
}

}  // namespace

void bench_networks(const DeviceOptions& options, const std::vector<std::string>& only, Session& session) {
  const std::vector<std::string>& all = zoo::names();
  for (const std::string& name : only) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      throw InputError(fmt::format("--only: '{}' is none of the networks {}", name, fmt::join(all, ", ")));
    }
  }
  const std::vector<std::string>& chosen = only.empty() ? all : only;
  if (!(options.trace.file.empty() && options.timeline.empty()) && chosen.size() > 1) {
    throw InputError(fmt::format("--{}: a file is of one network, not of {}; choose it with --only NAME",
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
    const NetworkRun run = bench(name, options);
    if (!options.quiet()) {
      fmt::print("{}\n", text_of(run, style_of(stdout)));
      std::fflush(stdout);
    }
    json["results"].push_back(to_json(run));
    if (!run.run.bit_exact) {
      fmt::print(stderr, "{}", failure_text(run.run, {}, style_of(stderr)));
      session.exit_code = kMismatch;
    }
  }
  write_json(options, json);
}

}  // namespace systole::cli
