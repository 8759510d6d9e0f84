// SPDX-License-Identifier: Apache-2.0
#include "run_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <numeric>

#include "input_file.hpp"
#include "json_field.hpp"
#include "systole/generated/configuration.hpp"

namespace systole::report {
namespace {

constexpr std::uint64_t kMostDim = 1024;

const char* engine_name(int engine) { return isa::to_string(static_cast<isa::Engine>(engine)); }
const char* cause_name(int cause) { return isa::to_string(static_cast<isa::Cause>(cause)); }

/// A core without cause counters has counted WORKING, the first cause, alone.
void parse_working(const Field& row, std::uint64_t cycles, std::array<std::uint64_t, kCauseCount>& counts) {
  counts.front() = row.at(cause_name(0)).count(cycles);
  counts[static_cast<std::size_t>(isa::Cause::kIdle)] = cycles - counts.front();
}

Causes parse_causes(const Field& causes, std::uint64_t cycles, bool counted) {
  Causes result{};
  for (int engine = 0; engine < kEngineCount; ++engine) {
    const Field row = causes.at(engine_name(engine));
    auto& counts = result[static_cast<std::size_t>(engine)];
    if (!counted) {
      parse_working(row, cycles, counts);
      continue;
    }
    for (int cause = 0; cause < kCauseCount; ++cause) {
      counts[static_cast<std::size_t>(cause)] = row.at(cause_name(cause)).count();
    }
    const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    if (sum != cycles) {
      row.fail(fmt::format("expected causes that add up to the {} cycles, found a sum of {}", cycles, sum));
    }
  }
  return result;
}

/// A sparse object: engine to semaphore number to cycles.
SemaphoreWaits parse_waits(const Field& waits, const Causes& causes) {
  SemaphoreWaits result{};
  for (int engine = 0; engine < kEngineCount; ++engine) {
    const Field row = waits.at(engine_name(engine));
    auto& counts = result[static_cast<std::size_t>(engine)];
    for (const std::string& name : row.names()) {
      const bool digits =
          !name.empty() && name.size() <= 2 && name.find_first_not_of("0123456789") == std::string::npos;
      if (!digits || std::stoi(name) >= isa::kSemaphores) {
        row.fail(fmt::format("expected semaphores 0 to {}, found '{}'", isa::kSemaphores - 1, name));
      }
      counts[static_cast<std::size_t>(std::stoi(name))] = row.at(name).count();
    }
    const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    const std::uint64_t waited =
        causes[static_cast<std::size_t>(engine)][static_cast<std::size_t>(isa::Cause::kSemaphore)];
    if (sum != waited) {
      row.fail(fmt::format("expected waits that add up to the {} cycles of SEMAPHORE, found a sum of {}", waited, sum));
    }
  }
  return result;
}

std::optional<bool> find_truth(const Field& parent, const char* name) {
  const auto field = parent.find(name);
  return field ? std::optional(field->truth()) : std::nullopt;
}

/// Beats of the bus, each `dim` bytes; the file has either beats or bytes.
std::optional<std::uint64_t> find_beats(const Field& layer, const char* beats, const char* bytes, int dim) {
  if (const auto found = layer.find_count(beats)) {
    return found;
  }
  const auto found = layer.find_count(bytes);
  return found ? std::optional(*found / static_cast<std::uint64_t>(dim)) : std::nullopt;
}

std::array<std::uint64_t, 2> parse_window(const Field& window) {
  const std::vector<Field> cycles = window.elements();
  if (cycles.size() != 2 || cycles[0].count() > cycles[1].count()) {
    window.expected("the first and the last cycle of the layer");
  }
  return {cycles[0].count(), cycles[1].count()};
}

Layer parse_layer(const Field& field, int dim) {
  Layer layer;
  layer.name = field.at("name").text();
  layer.macs = field.at("macs").count();
  layer.cycles = field.at("cycles").count();
  if (layer.cycles == 0) {
    field.at("cycles").expected("at least 1: the functional model has no time, run with --device rtl");
  }
  layer.bit_exact = find_truth(field, "bit_exact");
  layer.causes_counted = field.at("causes").at(engine_name(0)).names().size() > 1;
  layer.causes = parse_causes(field.at("causes"), layer.cycles, layer.causes_counted);
  layer.estimated_cycles = field.find_count("estimated_cycles");
  layer.commands = field.find_count("commands");
  layer.read_beats = find_beats(field, "read_beats", "read_bytes", dim);
  layer.write_beats = find_beats(field, "write_beats", "write_bytes", dim);
  layer.macs_padded = field.find_count("macs_padded");
  if (const auto waits = field.find("semaphore_waits")) {
    layer.semaphore_waits = parse_waits(*waits, layer.causes);
  }
  if (const auto window = field.find("window")) {
    layer.window = parse_window(*window);
  }
  if (const auto plan = field.find("memory_plan")) {
    layer.memory_plan = parse_memory_plan(*plan);
  }
  return layer;
}

/// The file's own `dim`, or that of the configuration it names.
int parse_dim(const Field& root, const std::string& config) {
  if (const auto dim = root.find("dim")) {
    const std::uint64_t value = dim->count(kMostDim);
    if (value == 0) {
      dim->expected(fmt::format("an integer from 1 to {}", kMostDim));
    }
    return static_cast<int>(value);
  }
  std::string names;
  for (const Configuration& configuration : kConfigurations) {
    if (configuration.name == config) {
      return configuration.dim;
    }
    names += (names.empty() ? "" : ", ") + std::string(configuration.name);
  }
  root.at("config").expected("one of " + names + ", or a field 'dim' beside it");
}

template <class Value>
void add(std::optional<Value>& sum, const std::optional<Value>& value) {
  if (sum && value) {
    *sum += *value;
  } else {
    sum.reset();
  }
}

template <std::size_t Rows, std::size_t Columns>
void add(std::array<std::array<std::uint64_t, Columns>, Rows>& sum,
         const std::array<std::array<std::uint64_t, Columns>, Rows>& value) {
  for (std::size_t row = 0; row < Rows; ++row) {
    std::transform(sum[row].begin(), sum[row].end(), value[row].begin(), sum[row].begin(), std::plus<>());
  }
}

std::string read_all(const std::string& file) {
  if (file == "-") {
    return {std::istreambuf_iterator<char>(std::cin), {}};
  }
  try {
    return files::read_text(file);
  } catch (const FileError& error) {
    throw BadFile(fmt::format(
        "{}; expected a file that --json of systole matmul, conv, digits, run, kernel or bench wrote", error.what()));
  }
}

}  // namespace

RunFile parse_run(const std::string& text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  const Field root(document, file);
  if (const auto error = root.find("error")) {
    error->fail("expected results, but the run has failed: " + error->at("text").text());
  }
  RunFile run;
  run.file = file;
  const auto network = root.find("file");
  run.name = (network ? *network : root.at("name")).text();
  run.config = root.at("config").text();
  run.dim = parse_dim(root, run.config);
  const auto results = root.find("results");
  const auto layers = root.find("layers");
  if (results || layers) {
    const Field& list = results ? *results : *layers;
    for (const Field& layer : list.elements()) {
      run.layers.push_back(parse_layer(layer, run.dim));
    }
    if (run.layers.empty()) {
      list.expected("at least one run");
    }
  } else {
    run.layers.push_back(parse_layer(root, run.dim));
  }
  if (const auto host = root.find("host_operators")) {
    for (const Field& op : host->elements()) {
      run.on_host.push_back({op.at("name").text(), op.at("reason").text()});
    }
  }
  run.bit_exact = find_truth(root, "bit_exact");
  if (const auto compared = root.find("compared")) {
    run.values = compared->at("values").count();
    run.against = compared->at("against").text();
  }
  if (const auto programs = root.find("programs")) {
    for (const Field& program : programs->elements()) {
      run.plans.push_back({program.at("name").text(), parse_memory_plan(program.at("memory_plan"))});
    }
  }
  return run;
}

RunFile read_run(const std::string& file) { return parse_run(read_all(file), file == "-" ? "standard input" : file); }

Layer total(const RunFile& run) {
  Layer sum = run.layers.front();
  sum.name = run.name;
  sum.memory_plan.reset();
  sum.window.reset();
  for (auto layer = run.layers.begin() + 1; layer != run.layers.end(); ++layer) {
    sum.macs += layer->macs;
    sum.cycles += layer->cycles;
    sum.bit_exact =
        sum.bit_exact && layer->bit_exact ? std::optional(*sum.bit_exact && *layer->bit_exact) : std::nullopt;
    add(sum.causes, layer->causes);
    sum.causes_counted = sum.causes_counted && layer->causes_counted;
    add(sum.estimated_cycles, layer->estimated_cycles);
    add(sum.commands, layer->commands);
    add(sum.read_beats, layer->read_beats);
    add(sum.write_beats, layer->write_beats);
    add(sum.macs_padded, layer->macs_padded);
    if (sum.semaphore_waits && layer->semaphore_waits) {
      add(*sum.semaphore_waits, *layer->semaphore_waits);
    } else {
      sum.semaphore_waits.reset();
    }
  }
  return sum;
}

}  // namespace systole::report
