// SPDX-License-Identifier: Apache-2.0
// `systole digits`: the shipped network on pictures of handwritten digits.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "classify.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "memory_plans.hpp"
#include "picture_text.hpp"
#include "progress_bar.hpp"
#include "run.hpp"
#include "run_json.hpp"
#include "standard_output.hpp"
#include "text_table.hpp"

namespace systole::cli {
namespace {

// The functional model is so fast per picture that compiling a program per batch would dominate.
constexpr std::size_t kRtlBatch = 20;
constexpr std::size_t kModelBatch = 250;
constexpr std::size_t kMostWrong = 10;  ///< number of wrong answers to list

struct Values {
  DeviceOptions device;
  std::string images, labels;
  std::size_t count = 0;
};

struct Data {
  digits::Pictures pictures;
  std::vector<std::uint8_t> labels;  ///< empty when unknown
};

Data load(const Values& values) {
  Data data;
  try {
    if (values.images.empty()) {
      data.pictures = digits::parse_pictures(digits::shipped_pictures(), "shipped pictures", values.count);
      data.labels = digits::parse_labels(digits::shipped_labels(), "shipped labels", values.count);
    } else {
      data.pictures = digits::read_pictures(values.images, values.count);
      if (!values.labels.empty()) {
        data.labels = digits::read_labels(values.labels, values.count);
        digits::check_labels(data.labels, values.labels, 9, "the network tells ten digits apart");
      }
    }
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  }
  if (data.pictures.pixels.empty()) {
    throw InputError(fmt::format("{}: no pictures", values.images));
  }
  if (!data.labels.empty() && data.labels.size() != data.pictures.pixels.size()) {
    throw InputError(
        fmt::format("--labels: {} labels for {} pictures", data.labels.size(), data.pictures.pixels.size()));
  }
  return data;
}

/// Sums over all layers, as a single run.
Run total(Device& device, const digits::Outcome& outcome, const Stopwatch& stopwatch) {
  Run run = make_run(device, "digits");
  for (const auto& layer : outcome.layers) {
    run.stats += layer.stats;
    run.values += layer.values;
    if (run.difference.empty()) {
      run.difference = layer.difference;
    }
  }
  run.against = fmt::format("the golden model, after each of {} layers", outcome.layers.size());
  stopwatch.stop(run);
  return run;
}

std::size_t correct(const digits::Outcome& outcome, const Data& data) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    count += outcome.answers[i] == data.labels[i] ? 1 : 0;
  }
  return count;
}

std::string layers_text(const digits::Outcome& outcome, const Run& all, const Style& style) {
  const bool timed = all.stats.cycles > 0;
  Table table({{"layer", Table::Align::kLeft},
               {"output"},
               {"MACs"},
               {"cycles"},
               {"utilization"},
               {"MACs/cycle"},
               {"of multipliers"},
               {"golden model"}});
  const auto row = [&](const std::string& name, const std::string& shape, const RunStats& stats, bool exact) {
    const bool multiplies = timed && stats.useful_macs > 0;
    table.add({name, shape, grouped(stats.useful_macs), timed ? grouped(stats.cycles) : "-",
               multiplies ? percent(stats.utilization(all.dim)) : "-",
               multiplies ? fmt::format("{:.1f}", stats.macs_per_cycle()) : "-",
               multiplies ? percent(stats.multiplier_share(all.dim)) : "-",
               verdict_text(exact ? Verdict::kExact : Verdict::kDifferent, style)});
  };
  for (const auto& layer : outcome.layers) {
    row(layer.name, fmt::format("{}x{}x{}", layer.output_shape[0], layer.output_shape[1], layer.output_shape[2]),
        layer.stats, layer.bit_exact());
  }
  row("all", "", all.stats, outcome.bit_exact());
  return table.text(style);
}

std::string text_of(const digits::Outcome& outcome, const Data& data, const Run& all, const Style& style) {
  const std::size_t images = data.pictures.pixels.size();
  std::string text = draw_pictures(data.pictures, std::min(images, kMostPictures), outcome.answers, data.labels, style);
  text += fmt::format("{}  {} pictures on {}, {} x {}, {} configuration\n\n", style(Paint::kBold, "digits"),
                      grouped(images), all.device, all.dim, all.dim, all.config);
  text += layers_text(outcome, all, style);
  if (all.stats.cycles > 0) {
    text += fmt::format("\n  lost         {}\n\n{}", slots_text(all.stats, all.dim), causes_text(all.stats, style));
  }
  text += "\n";
  if (!data.labels.empty()) {
    const std::size_t right = correct(outcome, data);
    text += fmt::format("  accuracy     {} of {}, {:.2f} %\n", grouped(right), grouped(images),
                        100.0 * static_cast<double>(right) / static_cast<double>(images));
    std::string wrong;
    std::size_t listed = 0;
    for (std::size_t i = 0; i < images && listed < kMostWrong; ++i) {
      if (outcome.answers[i] != data.labels[i]) {
        wrong += fmt::format("{}#{} is {}, not {}", listed++ == 0 ? "" : "; ", i, data.labels[i], outcome.answers[i]);
      }
    }
    if (listed > 0) {
      text += fmt::format("  wrong        {}{}\n", wrong, images - right > listed ? "; ..." : "");
    }
  }
  const std::string clock = all.sim_hz() > 0 ? fmt::format("{}Hz, ", scaled(all.sim_hz())) : std::string();
  text +=
      fmt::format("  simulation   {:.3g} s, {}{}MAC/s\n", all.simulation_seconds, clock, scaled(all.macs_per_second()));
  text += fmt::format("  result       {}\n", result_text(all, style));
  return text;
}

nlohmann::ordered_json to_json(const digits::Outcome& outcome, const Data& data, const Run& all, MemoryPlans& plans) {
  const std::size_t images = data.pictures.pixels.size();
  nlohmann::ordered_json json = cli::to_json(all);
  json.erase("estimated_cycles");
  json["images"] = images;
  json["accuracy"] =
      data.labels.empty()
          ? nlohmann::ordered_json(nullptr)
          : nlohmann::ordered_json(static_cast<double>(correct(outcome, data)) / static_cast<double>(images));
  json["answers"] = outcome.answers;
  json["layers"] = nlohmann::ordered_json::array();
  for (const auto& layer : outcome.layers) {
    json["layers"].push_back({{"name", layer.name},
                              {"macs", layer.stats.useful_macs},
                              {"cycles", layer.stats.cycles},
                              {"utilization", layer.stats.utilization(all.dim)},
                              {"macs_per_cycle", layer.stats.macs_per_cycle()},
                              {"multiplier_share", layer.stats.multiplier_share(all.dim)},
                              {"bit_exact", layer.bit_exact()},
                              {"commands", layer.stats.commands},
                              {"read_beats", layer.stats.read_beats},
                              {"write_beats", layer.stats.write_beats},
                              {"causes", report::causes_json(layer.stats.causes, layer.stats.causes_counted)},
                              {"semaphore_waits", report::semaphore_waits_json(layer.stats)},
                              {"macs_rounded", layer.stats.rounded_macs},
                              {"macs_padded", layer.stats.padded_macs}});
    plans.add_to(json["layers"].back());
  }
  return json;
}

std::vector<std::string> layer_names(const digits::Network& network) {
  std::vector<std::string> names;
  for (const digits::Layer& layer : network.layers) {
    names.push_back(layer.name);
  }
  return names;
}

void run_command(const Values& values, Session& session) {
  if (!values.labels.empty() && values.images.empty()) {
    throw InputError("--labels: needs --images, the pictures of the labels");
  }
  const Data data = load(values);
  const digits::Network network = digits::shipped_network();
  check_layer(values.device.trace, layer_names(network));
  Device device = open_device(values.device);
  MemoryPlans plans(device, values.device, network.layers.size());  // plans of the first batch

  std::optional<ProgressBar> bar;
  digits::ClassifyOptions options;
  options.batch = values.device.device == "rtl" ? kRtlBatch : kModelBatch;
  options.run = values.device.run_options();
  options.progress = [&](const std::string& layer, std::size_t batch) {
    bar.emplace(fmt::format("{}, batch {}", layer, batch + 1));
    return bar->hook();
  };
  if (values.device.trace.on_error > 0) {
    options.golden_threads = 0;  // a forked copy of the process has no other threads
    options.differs = [&device] { device.backend().record_failure(); };
  }
  const Stopwatch stopwatch(device);
  const digits::Outcome outcome = digits::classify(device, network, data.pictures, options);
  bar.reset();
  const Run all = total(device, outcome, stopwatch);

  if (!values.device.quiet()) {
    print("{}", text_of(outcome, data, all, style_of(stdout)));
    flush_output();
  }
  write_json(values.device, to_json(outcome, data, all, plans));
  if (all.verdict() != Verdict::kExact) {
    fmt::print(stderr, "{}", failure_text(all, waves_text(session, "digits"), style_of(stderr)));
    session.exit_code = kMismatch;
  }
  finish_recordings(values.device, device);
}

}  // namespace

void add_digits(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "digits", "Classifies handwritten digits, every layer on the device and compared with the golden model");
  auto values = std::make_shared<Values>();
  command
      ->add_option("--images", values->images,
                   "IDX file of pictures, plain or gzip, instead of those that are built in")
      ->type_name("FILE");
  command->add_option("--labels", values->labels, "IDX file of their labels; without it there is no accuracy")
      ->type_name("FILE");
  command->add_option("--count", values->count, "number of pictures, from the first; 0 is all")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  add_device_options(*command, values->device);
  command->footer(
      "Examples:\n"
      "  systole digits\n"
      "  systole digits --count 2 --trace waves/out/conv1.fst --trace-layer conv1\n"
      "  systole digits --device model --images t10k-images-idx3-ubyte.gz --labels t10k-labels-idx1-ubyte.gz --count "
      "10000");
  command->callback([values, &session] { run_command(*values, session); });
}

}  // namespace systole::cli
