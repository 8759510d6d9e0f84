// SPDX-License-Identifier: Apache-2.0
#include "network_bench.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

#include "benchmark_suite.hpp"
#include "exit_codes.hpp"
#include "files.hpp"
#include "graph_listing.hpp"
#include "infer.hpp"
#include "input_samples.hpp"
#include "network_parts.hpp"
#include "network_table.hpp"
#include "packing.hpp"
#include "progress_bar.hpp"
#include "run.hpp"
#include "shared_work.hpp"
#include "standard_output.hpp"
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
NetworkRun bench(const std::string& name, const graph::Graph& graph, const DeviceOptions& options,
                 Outputs& recordings) {
  Device device = open_device(options);
  Network network(device, compile_network(graph, device.configuration(), options.compiled()));
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
  recordings.add([&] { finish_recordings(options, device); });
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

/// Bytes of the weights of all products, one each, and of what is written as weights.
std::uint64_t weight_bytes(const graph::Graph& graph) {
  std::uint64_t bytes = 0;
  for (const graph::Operator& op : graph.operators) {
    const bool multiplies = graph::takes_bias(op.kind) || std::holds_alternative<graph::MatMul>(op.kind);
    const graph::Tensor* weights = multiplies ? &graph.tensor(op.inputs[1]) : nullptr;
    if (weights != nullptr && (weights->constant || weights->as_weights)) {
      bytes += static_cast<std::uint64_t>(graph::count(weights->shape));
    }
  }
  return bytes;
}

/// What is said of a network.
struct Benched {
  std::string text, errors;
  nlohmann::ordered_json json;
  int code = kOk;
};

Benched bench_whole(const std::string& name, const DeviceOptions& options) {
  const graph::Graph graph = zoo::network(name, options.seed);
  // The machine may be shared: the yardstick is measured before and after the network.
  constexpr std::uint64_t kYardstickMacs = std::uint64_t{kYardstickShape.m} * kYardstickShape.n * kYardstickShape.k;
  const bool compared = options.device == "rtl" && graph::total_macs(graph) >= kYardstickMacs;
  const double before = compared ? yardstick_speed(options) : 0;
  Outputs recordings;
  const NetworkRun run = bench(name, graph, options, recordings);
  Benched result{text_of(run, style_of(stdout)), {}, to_json(run)};
  const std::uint64_t weights = weight_bytes(graph), beats = weights / static_cast<unsigned>(run.run.dim);
  const std::uint64_t cycles = run.run.stats.cycles;
  const std::uint64_t all = cycles > 0 ? cycles : result.json.at("predicted_cycles").get<std::uint64_t>();
  result.json["weight_bytes"] = weights;
  result.json["weight_cycles"] = beats;
  if (constexpr std::uint64_t kMuch = 4; beats * kMuch > all) {
    result.text +=
        fmt::format("  weights      {} bytes, {} cycles of the bus; the network takes {:.2f} times as many\n",
                    grouped(weights), grouped(beats), static_cast<double>(all) / static_cast<double>(beats));
  }
  if (compared) {
    const double yardstick = (before + yardstick_speed(options)) / 2;
    const double ratio = run.run.macs_per_second() / yardstick;
    result.text += fmt::format("  speed        {:.2f} of the {}MAC/s over {}\n", ratio, scaled(yardstick), kYardstick);
    result.json["yardstick_macs_per_second"] = yardstick;
    result.json["yardstick_ratio"] = ratio;
  }
  if (run.run.verdict() != Verdict::kExact) {
    result.errors = failure_text(run.run, {}, style_of(stderr));
    result.code = kMismatch;
  }
  if (!recordings.failures().empty()) {
    result.errors += recordings.failures() + "\n";
    result.code = kBadInput;
  }
  return result;
}

Benched bench_in_parts(const std::string& name, const DeviceOptions& options, unsigned jobs, ranks::Ranks& ranks) {
  const PartedRun run = run_in_parts(name, options, jobs, ranks);
  Benched result{text_of(run, style_of(stdout)), {}, to_json(run), run.code()};
  for (const PartRun& part : run.parts) {
    if (part.code != kOk) {
      result.errors += fmt::format("{}, operators {} to {}:\n{}", name, part.first, part.last, part.errors);
    }
  }
  if (!run.difference.empty()) {
    result.errors += fmt::format("{}: the functional model differs from the host: {}\n", name, run.difference);
  }
  return result;
}

ranks::Bytes packed(const Benched& result) {
  const std::string json = result.json.dump();
  return ranks::pack({{result.text.begin(), result.text.end()},
                      {result.errors.begin(), result.errors.end()},
                      {json.begin(), json.end()},
                      ranks::bytes_of(result.code)});
}

Benched unpacked(const ranks::Bytes& bytes) {
  const std::vector<ranks::Bytes> parts = ranks::unpack(bytes);
  const auto text = [&](std::size_t i) { return std::string(parts.at(i).begin(), parts.at(i).end()); };
  return {text(0), text(1), nlohmann::ordered_json::parse(text(2)), ranks::value_of<int>(parts.at(3))};
}

void tell(const DeviceOptions& options, const Benched& result, Session& session) {
  session.exit_code = std::max(session.exit_code, result.code);
  if (!session.ranks->is_first()) {
    return;
  }
  if (!options.quiet()) {
    print("{}\n", result.text);
    flush_output();
  }
  fmt::print(stderr, "{}", result.errors);
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
  ranks::Ranks& ranks = *session.ranks;
  const auto take = [&](const Benched& result) {
    tell(options, result, session);
    json["results"].push_back(result.json);
  };
  const auto benched = [&](const std::string& name) {
    return jobs == 1 ? bench_whole(name, options) : bench_in_parts(name, options, jobs, ranks);
  };
  if (!ranks.several()) {  // each is told when it is done
    std::for_each(chosen.begin(), chosen.end(), [&](const std::string& name) { take(benched(name)); });
  } else {
    for (const ranks::Bytes& bytes :
         ranks::spread(ranks, chosen.size(), [&](std::size_t i) { return packed(benched(chosen[i])); })) {
      take(unpacked(bytes));
    }
  }
  if (ranks.is_first()) {
    write_json(options, json);
  }
}

}  // namespace systole::cli
