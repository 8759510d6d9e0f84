// SPDX-License-Identifier: Apache-2.0
#include "network_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "child.hpp"
#include "exit_codes.hpp"
#include "files.hpp"
#include "input_samples.hpp"
#include "part.hpp"
#include "run.hpp"
#include "scratch_folder.hpp"
#include "status_line.hpp"
#include "systole/container.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"
#include "systole/zoo.hpp"
#include "text_table.hpp"

namespace systole::cli {
namespace {

/// Estimated cycles of an operator: the products of the array or of the depthwise unit, or the elements of its result.
double work_of(const graph::Graph& graph, const graph::Operator& op, int dim) {
  constexpr double kDepthwiseTaps = 9;  // taps per channel and cycle
  const auto* convolution = std::get_if<graph::Conv2d>(&op.kind);
  const bool depthwise = convolution != nullptr && convolution->groups > 1;
  const double products_per_cycle = (depthwise ? kDepthwiseTaps : dim) * dim;
  const double elements = static_cast<double>(graph::count(graph.tensor(op.outputs.at(0)).shape));
  return std::max(static_cast<double>(graph::useful_macs(graph, op)) / products_per_cycle, elements / dim);
}

/// Appends an option name and its value to a command.
void add_option(Words& words, const char* name, const std::string& value) {
  words.emplace_back(name);
  words.push_back(value);
}

Words device_words(const DeviceOptions& options) {
  Words words;
  add_option(words, "--config", options.config);
  add_option(words, "--device", options.device);
  add_option(words, "--latency", std::to_string(options.latency));
  add_option(words, "--read-interval", std::to_string(options.read_interval));
  add_option(words, "--write-interval", std::to_string(options.write_interval));
  add_option(words, "--stall", std::to_string(options.stall));
  add_option(words, "--order", options.order);
  add_option(words, "--seed", std::to_string(options.seed));
  if (options.check) {
    words.emplace_back("--check");
  }
  if (options.lockstep) {
    words.emplace_back("--lockstep");
  }
  return words;
}

/// Creates the files of one part after another with the functional model, and the commands that simulate them.
class Preparation {
 public:
  Preparation(const graph::Graph& graph, const DeviceOptions& options, const ScratchFolder& folder)
      : graph_(graph), options_(options), folder_(folder), values_(graph.tensors.size()) {
    const std::vector<graph::Value> inputs = Samples(options.seed, 1, graph, graph.inputs).at(0);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      value(graph.inputs[i]) = inputs[i];
    }
    inputs_ = inputs;
  }

  Words prepare(std::size_t number, std::size_t begin, std::size_t end) {
    const graph::Part part = graph::part_of(graph_, begin, end);
    BackendOptions backend;
    backend.configuration = options_.config;
    Device model =
        Device::open(backend, "model");  // a new device, so that the part's addresses are also free in the process
    CompiledNetwork compiled = compile_network(part.graph, model.configuration(), options_.compiled());
    const std::string program = folder_.file(fmt::format("{}.systole", number));
    write_file("a part of the network", program, container::save(compiled));
    std::vector<graph::Value> values;
    for (const graph::TensorId id : part.inputs) {
      values.push_back(value(id));
    }
    Words words = {this_program(), "run", program};
    write_values(words, "--input", number, values);
    values = Network(model, std::move(compiled)).run(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      value(part.outputs[i]) = values[i];
    }
    write_values(words, "--expect", number, values);
    const Words device = device_words(options_);
    words.insert(words.end(), device.begin(), device.end());
    add_option(words, "--json", "-");
    return words;
  }

  /// Difference between the functional model's outputs and the host's; empty if none.
  std::string difference_from_host() const {
    const std::vector<graph::Value> expected = graph::execute(graph_, inputs_);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const graph::TensorId id = graph_.outputs[i];
      const std::string found =
          deviation(0, graph_.tensor(id), expected[i], values_[static_cast<std::size_t>(id)]).first;
      if (!found.empty()) {
        return found;
      }
    }
    return {};
  }

 private:
  graph::Value& value(graph::TensorId id) { return values_[static_cast<std::size_t>(id)]; }

  void write_values(Words& words, const char* option, std::size_t number, const std::vector<graph::Value>& values) {
    std::vector<std::string> files;
    for (std::size_t i = 0; i < values.size(); ++i) {
      files.push_back(folder_.file(fmt::format("{}{}.{}.npy", number, option, i)));
      add_option(words, option, files.back());
    }
    Outputs outputs;
    write_samples(option, files, {values}, outputs);
    outputs.check();
  }

  const graph::Graph& graph_;
  const DeviceOptions& options_;
  const ScratchFolder& folder_;
  std::vector<graph::Value> inputs_;
  std::vector<graph::Value> values_;  ///< intermediate tensors between the parts, by id
};

PartRun result_of(const Finished& finished, PartRun part) {
  part.code = finished.code;
  part.errors = finished.errors;
  if (finished.code == kOk || finished.code == kMismatch) {
    const auto run = nlohmann::json::parse(finished.output);
    part.macs = run.at("macs");
    part.cycles = run.at("cycles");
    part.on_host = run.at("operators").at("host");
    part.values = run.at("operators").at("device") == 0 ? 0 : run.at("values_compared").get<std::size_t>();
    part.simulation_seconds = run.at("simulation_seconds");
  }
  return part;
}

void check(const DeviceOptions& options) {
  if (!options.trace.file.empty() || !options.timeline.empty()) {
    throw InputError(
        fmt::format("--{}: records one simulation, but --jobs starts one per part; use only one of the two options",
                    options.trace.file.empty() ? "timeline" : "trace"));
  }
}

Verdict verdict_of(const PartRun& part) {
  return part.code != kOk ? Verdict::kDifferent : part.values == 0 ? Verdict::kNotCompared : Verdict::kExact;
}

}  // namespace

Verdict PartedRun::verdict() const { return code() == kOk ? Verdict::kExact : Verdict::kDifferent; }

int PartedRun::code() const {
  int worst = difference.empty() ? kOk : kMismatch;
  for (const PartRun& part : parts) {
    worst = std::max(worst, part.code);
  }
  return worst > kInternal ? static_cast<int>(kDeviceError) : worst;  // 128 and more: ended by a signal
}

std::vector<std::size_t> places_to_cut(const graph::Graph& graph, std::size_t parts, int dim) {
  std::vector<double> until = {0};
  for (const graph::Operator& op : graph.operators) {
    until.push_back(until.back() + work_of(graph, op, dim));
  }
  std::vector<std::size_t> places = {0};
  for (std::size_t part = 1; part < parts; ++part) {
    const double share = until.back() * static_cast<double>(part) / static_cast<double>(parts);
    const auto above = static_cast<std::size_t>(std::lower_bound(until.begin(), until.end(), share) - until.begin());
    const std::size_t nearest = share - until[above - 1] < until[above] - share ? above - 1 : above;
    if (nearest > places.back() && nearest < graph.operators.size()) {
      places.push_back(nearest);
    }
  }
  places.push_back(graph.operators.size());
  return places;
}

PartedRun run_in_parts(const std::string& name, const DeviceOptions& options, unsigned jobs, ranks::Ranks& ranks) {
  using Clock = std::chrono::steady_clock;
  check(options);
  const graph::Graph graph = zoo::network(name, options.seed);
  PartedRun run{name, options.config, options.device, configuration_of(options).dim, jobs, {}, 0, {}};
  const ScratchFolder folder;
  StatusLine status;
  Preparation preparation(graph, options, folder);
  std::vector<Words> commands;
  const std::vector<std::size_t> places = places_to_cut(graph, jobs, run.dim);
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    status.show(fmt::format("{}: part {} of {} on the functional model", name, i + 1, places.size() - 1));
    PartRun part;
    part.begin = places[i];
    part.end = places[i + 1];
    part.first = graph.operators[part.begin].name;
    part.last = graph.operators[part.end - 1].name;
    run.parts.push_back(part);
    commands.push_back(preparation.prepare(i, part.begin, part.end));
  }
  status.show(fmt::format("{}: {} parts, {} at a time", name, commands.size(), jobs));
  const auto start = Clock::now();
  const std::vector<Finished> finished = run_all(ranks, commands, jobs, [&](std::size_t done) {
    status.show(fmt::format("{}: {} of {} parts", name, done, commands.size()));
  });
  run.elapsed_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (std::size_t i = 0; i < finished.size(); ++i) {
    run.parts[i] = result_of(finished[i], run.parts[i]);
  }
  run.difference = preparation.difference_from_host();
  for (const graph::TensorId id : graph.outputs) {
    run.values += static_cast<std::size_t>(graph::count(graph.tensor(id).shape));
  }
  return run;
}

std::string text_of(const PartedRun& run, const Style& style) {
  Table table({{"part"},
               {"from", Table::Align::kLeft},
               {"to", Table::Align::kLeft},
               {"MACs"},
               {"cycles"},
               {"seconds"},
               {"result", Table::Align::kLeft}});
  std::uint64_t macs = 0;
  double seconds = 0;
  std::size_t values = 0;
  for (std::size_t i = 0; i < run.parts.size(); ++i) {
    const PartRun& part = run.parts[i];
    macs += part.macs;
    seconds += part.simulation_seconds;
    values += part.values;
    const bool ran = part.code == kOk || part.code == kMismatch;
    table.add({std::to_string(i + 1), part.first, part.last, grouped(part.macs),
               part.cycles == 0 ? "-" : grouped(part.cycles), fmt::format("{:.1f}", part.simulation_seconds),
               ran ? verdict_text(verdict_of(part), style) : fmt::format("exit code {}", part.code)});
  }
  std::string text =
      fmt::format("{}  on {}, {} x {}, {} configuration, in {} parts, {} at a time\n\n", style(Paint::kBold, run.name),
                  run.device, run.dim, run.dim, run.config, run.parts.size(), run.jobs);
  text += table.text(style);
  text += fmt::format("\n  simulation   {:.1f} s for {:.1f} s of one process, {}MAC/s\n", run.elapsed_seconds, seconds,
                      scaled(static_cast<double>(macs) / run.elapsed_seconds));
  text += "  cycles       of parts with a start and an end each; the network's own are those of a run without --jobs\n";
  return text + fmt::format(
                    "  result       {}, {} on {} against the functional model, and its {} behind the last part against "
                    "the host\n",
                    verdict_text(run.verdict(), style), counted(values, "value"), run.device, grouped(run.values));
}

nlohmann::ordered_json to_json(const PartedRun& run) {
  nlohmann::ordered_json json;
  json["name"] = run.name;
  json["config"] = run.config;
  json["device"] = run.device;
  json["dim"] = run.dim;
  json["jobs"] = run.jobs;
  std::uint64_t macs = 0;
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const PartRun& part : run.parts) {
    macs += part.macs;
    parts.push_back({{"first", part.first},
                     {"last", part.last},
                     {"macs", part.macs},
                     {"cycles", part.cycles},
                     {"simulation_seconds", part.simulation_seconds},
                     {"values_compared", part.values},
                     {"bit_exact", exactness_to_json(verdict_of(part))}});
  }
  json["macs"] = macs;
  json["elapsed_seconds"] = run.elapsed_seconds;
  json["bit_exact"] = exactness_to_json(run.verdict());
  json["parts"] = std::move(parts);
  return json;
}

}  // namespace systole::cli
