// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "run_json.hpp"
#include "systole/generated/isa.hpp"
#include "text_table.hpp"

namespace systole::cli {
namespace {

/// MEMORY_LATENCY as "memory latency".
std::string in_words(const char* name) {
  std::string words = name;
  for (char& c : words) {
    c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

constexpr double kSmallest = 0.0005;  ///< share of the cycles; smaller ones, which round to 0.0 %, are omitted

/// The counts above kSmallest, the largest first: their share of the cycles and their index.
template <class Counts>
std::vector<std::pair<double, std::size_t>> by_size(const Counts& counts, std::uint64_t cycles) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double share = static_cast<double>(counts[i]) / static_cast<double>(std::max<std::uint64_t>(1, cycles));
    if (share >= kSmallest) {
      order.emplace_back(share, i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  return order;
}

/// " (#3 15.0 %, #7 6.2 %)": which semaphores an engine waited for.
std::string waits_text(const RunStats& stats, std::size_t engine) {
  constexpr std::size_t kMost = 3;
  const auto order = by_size(stats.semaphore_waits[engine], stats.cycles);
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, order.size()); ++i) {
    text += fmt::format("{}#{} {}", i == 0 ? " (" : ", ", order[i].second, percent(order[i].first));
  }
  return text.empty() ? text : text + (order.size() > kMost ? ", ...)" : ")");
}

double per_second(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0.0; }

}  // namespace

Verdict Run::verdict() const {
  if (!difference.empty()) {
    return Verdict::kDifferent;
  }
  return values == 0 ? Verdict::kNotCompared : within ? Verdict::kWithin : Verdict::kExact;
}

double Run::sim_hz() const { return per_second(static_cast<double>(simulated_cycles), simulation_seconds); }

double Run::macs_per_second() const { return per_second(static_cast<double>(stats.useful_macs), simulation_seconds); }

Run make_run(Device& device, std::string name) {
  Run run;
  run.name = std::move(name);
  run.config = device.configuration().name;
  run.device = device.backend().name();
  run.dim = device.configuration().dim;
  return run;
}

Stopwatch::Stopwatch(Device& device)
    : device_(device), cycles_(device.backend().simulated_cycles()), seconds_(device.backend().simulation_seconds()) {}

void Stopwatch::stop(Run& run) const {
  run.simulated_cycles += device_.backend().simulated_cycles() - cycles_;
  run.simulation_seconds += device_.backend().simulation_seconds() - seconds_;
}

nlohmann::ordered_json to_json(const Run& run) {
  nlohmann::ordered_json json;
  json["name"] = run.name;
  json["config"] = run.config;
  json["dim"] = run.dim;
  json["device"] = run.device;
  json["cycles"] = run.stats.cycles;
  json["estimated_cycles"] = run.estimated_cycles;
  json["macs"] = run.stats.useful_macs;
  json["utilization"] = run.utilization();
  json["macs_per_cycle"] = run.stats.macs_per_cycle();
  json["multiplier_share"] = run.stats.multiplier_share(run.dim);
  json["bit_exact"] = exactness_to_json(run.verdict());
  json["compared"] = {{"values", run.values}, {"against", run.against}};
  if (run.least_signal_to_noise) {
    json["compared"]["signal_to_noise_db"] = run.signal_to_noise;
    json["compared"]["least_signal_to_noise_db"] = *run.least_signal_to_noise;
  } else if (run.within) {
    json["compared"]["largest_difference"] = run.largest_difference;
  }
  json["simulation_seconds"] = run.simulation_seconds;
  json["sim_hz"] = run.sim_hz();
  json["macs_per_second"] = run.macs_per_second();
  json["commands"] = run.stats.commands;
  json["read_beats"] = run.stats.read_beats;
  json["write_beats"] = run.stats.write_beats;
  json["causes"] = report::causes_json(run.stats.causes, run.stats.causes_counted);
  json["semaphore_waits"] = report::semaphore_waits_json(run.stats);
  json["macs_rounded"] = run.stats.rounded_macs;
  json["macs_padded"] = run.stats.padded_macs;
  json["nonfinite"] = run.stats.nonfinite;
  return json;
}

std::string verdict_text(Verdict verdict, const Style& style) {
  switch (verdict) {
    case Verdict::kNotCompared: return style(Paint::kBold, "not compared");
    case Verdict::kExact: return style(Paint::kGood, "bit-exact");
    case Verdict::kWithin: return style(Paint::kGood, "within tolerance");
    case Verdict::kDifferent: break;
  }
  return style(Paint::kBad, "DIFFERENT");
}

std::string result_text(const Run& run, const Style& style) {
  const std::string verdict = verdict_text(run.verdict(), style);
  if (run.values == 0) {
    return fmt::format("{}: {}", verdict, run.against);
  }
  const std::string near = run.verdict() != Verdict::kWithin ? std::string()
                           : run.least_signal_to_noise
                               ? fmt::format("; signal to noise {:.1f} dB, the limit is {:g} dB", run.signal_to_noise,
                                             *run.least_signal_to_noise)
                               : fmt::format("; the largest difference is {:.3g}", run.largest_difference);
  return fmt::format("{}, {} against {}{}", verdict, counted(run.values, "value"), run.against, near);
}

std::string utilization_text(const RunStats& stats, int dim) {
  return fmt::format("{} of the array, {:.1f} MACs a cycle, {} of all {} multipliers", percent(stats.utilization(dim)),
                     stats.macs_per_cycle(), percent(stats.multiplier_share(dim)), grouped(multipliers(dim)));
}

nlohmann::ordered_json exactness_to_json(Verdict verdict) {
  return verdict == Verdict::kNotCompared ? nlohmann::ordered_json(nullptr)
                                          : nlohmann::ordered_json(verdict == Verdict::kExact);
}

std::string causes_text(const RunStats& stats, const Style& style) {
  Table table({{"engine", Table::Align::kLeft}, {"where its cycles went", Table::Align::kLeft}});
  for (std::size_t engine = 0; engine < stats.causes.size(); ++engine) {
    std::string text;
    for (const auto& [share, place] : by_size(stats.causes[engine], stats.cycles)) {
      const auto cause = static_cast<isa::Cause>(place);
      text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", in_words(isa::to_string(cause)), percent(share),
                          cause == isa::Cause::kSemaphore ? waits_text(stats, engine) : std::string());
    }
    table.add({isa::to_string(static_cast<isa::Engine>(engine)), text});
  }
  return table.text(style);
}

std::string slots_text(const RunStats& stats, int dim) {
  const double slots = std::max(1.0, static_cast<double>(stats.cycles) * dim * dim);
  const double useful = static_cast<double>(stats.useful_macs), rounded = static_cast<double>(stats.rounded_macs);
  return fmt::format("{} to rounding, {} to cycles without a vector; {} multiplied padding",
                     percent((rounded - useful) / slots), percent((slots - rounded) / slots),
                     percent(static_cast<double>(stats.padded_macs) / slots));
}

std::string report(const Run& run, const Style& style) {
  std::string text = fmt::format("{}  on {}, {} x {}, {} configuration\n\n", style(Paint::kBold, run.name), run.device,
                                 run.dim, run.dim, run.config);
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("  {:<13}{}\n", what, value);
  };
  line("result", result_text(run, style));
  if (run.stats.nonfinite) {
    line("not finite", "an infinity or a NaN in a block");
  }
  line("MACs", grouped(run.stats.useful_macs));
  if (run.stats.cycles > 0) {
    line("cycles", fmt::format("{}, estimated {}", grouped(run.stats.cycles),
                               grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, run.estimated_cycles)))));
    line("utilization", utilization_text(run.stats, run.dim));
    line("lost", slots_text(run.stats, run.dim));
  } else {
    line("estimated",
         fmt::format("{} cycles; the functional model has no time",
                     grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, run.estimated_cycles)))));
  }
  const std::string clock = run.sim_hz() > 0 ? fmt::format("{}Hz, ", scaled(run.sim_hz())) : std::string();
  line("simulation", fmt::format("{:.3g} s, {}{}MAC/s", run.simulation_seconds, clock, scaled(run.macs_per_second())));
  if (run.stats.cycles > 0) {
    text += "\n" + causes_text(run.stats, style);
  }
  return text;
}

std::string failure_text(const Run& run, const std::string& waves, const Style& style) {
  return fmt::format("{} {} on {}: {}\n{}\n", style(Paint::kBad, "mismatch:"), run.name, run.device, run.difference,
                     waves);
}

}  // namespace systole::cli
