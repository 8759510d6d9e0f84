// SPDX-License-Identifier: Apache-2.0
#include "network_bench.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <random>

#include "errors.hpp"
#include "graph/execute.hpp"
#include "network_table.hpp"
#include "progress_bar.hpp"
#include "run.hpp"
#include "systole/network.hpp"
#include "workloads.hpp"
#include "zoo/zoo.hpp"

namespace systole::cli {
namespace {

using graph::Value;

Value random_input(const graph::Tensor& tensor, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int8_t> values(static_cast<std::size_t>(graph::count(tensor.shape)));
  std::generate(values.begin(), values.end(), [&] { return static_cast<std::int8_t>(random()); });
  return graph::make_value(tensor.type, tensor.shape, values);
}

/// One network, run and compared.
NetworkRun bench(const std::string& name, const DeviceOptions& options) {
  const graph::Graph graph = zoo::network(name, options.seed);
  Device device = open_device(options);
  Network network(device, graph);
  const std::vector<Value> inputs = {random_input(graph.tensor(graph.inputs.at(0)), options.seed)};
  NetworkRun result;
  result.run = make_run(device, name);
  RunOptions run = options.run_options();
  run.name = name;
  std::optional<ProgressBar> progress(name);
  run.progress = progress->hook();
  const Stopwatch watch(device);
  const std::vector<Value> outputs = network.run(inputs, run);
  watch.stop(result.run);
  progress.reset();
  check_recorded(options.trace, device);
  result.take(network);
  const std::vector<Value> expected = graph::execute(graph, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    result.compare(graph.tensor(graph.outputs[i]).name, outputs[i], expected[i]);
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
