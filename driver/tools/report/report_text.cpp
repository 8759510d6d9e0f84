// SPDX-License-Identifier: Apache-2.0
#include "report_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "analysis.hpp"
#include "comparison.hpp"
#include "report_bar.hpp"
#include "text_table.hpp"
#include "verdict.hpp"

namespace systole::report {
namespace {

using cli::grouped;
using cli::Paint;
using cli::percent;
using cli::Style;
using cli::Table;

constexpr std::size_t kMostChanges = 3;   ///< causes listed per layer of a comparison
constexpr std::size_t kMostDetailed = 8;  ///< layers whose losses are listed

std::string bytes_text(const Analysis& analysis) {
  return analysis.bytes_read && analysis.bytes_written ? grouped(*analysis.bytes_read + *analysis.bytes_written) : "-";
}

std::string bound_text(const Bound& bound) {
  return bound.limits() ? fmt::format("{} {}", to_string(bound.part), percent(bound.share))
                        : fmt::format("waits, {} {}", to_string(bound.part), percent(bound.share));
}

std::string painted(const std::optional<bool>& exact, const std::string& text, const Style& style) {
  return !exact ? text : style(*exact ? Paint::kGood : Paint::kBad, text);
}

std::string heading(const char* text, const Style& style) { return fmt::format("\n{}\n", style(Paint::kBold, text)); }

std::string layers_text(const RunFile& run, const Style& style) {
  const bool verdicts = has_layer_verdicts(run);
  std::vector<Table::Column> columns = {{"layer", Table::Align::kLeft},
                                        {"MACs"},
                                        {"cycles"},
                                        {"utilization"},
                                        {"MACs/cycle"},
                                        {"of multipliers"},
                                        {"bytes moved"},
                                        {"bound", Table::Align::kLeft}};
  const bool windows =
      std::any_of(run.layers.begin(), run.layers.end(), [](const Layer& layer) { return layer.window.has_value(); });
  if (windows) {
    columns.push_back({"window"});
  }
  if (verdicts) {
    columns.push_back({"golden model", Table::Align::kLeft});
  }
  Table table(columns);
  const auto row = [&](const Layer& layer) {
    const Analysis analysis = analyse(layer, run.dim);
    const bool multiplies = layer.macs > 0;
    std::vector<std::string> cells = {cli::short_name(layer.name),
                                      grouped(layer.macs),
                                      grouped(layer.cycles),
                                      multiplies ? percent(analysis.utilization) : "-",
                                      multiplies ? fmt::format("{:.1f}", analysis.macs_per_cycle) : "-",
                                      multiplies ? percent(analysis.multiplier_share) : "-",
                                      bytes_text(analysis),
                                      bound_text(analysis.bound)};
    if (windows) {
      cells.push_back(layer.window ? fmt::format("{}-{}", grouped((*layer.window)[0]), grouped((*layer.window)[1]))
                                   : "");
    }
    if (verdicts) {
      cells.push_back(painted(layer.bit_exact, verdict_word(layer.bit_exact), style));
    }
    table.add(std::move(cells));
  };
  std::for_each(run.layers.begin(), run.layers.end(), row);
  if (run.layers.size() > 1) {
    Layer all = total(run);
    all.name = "all";
    row(all);
  }
  const FoundVerdict found = find_verdict(run);
  return table.text(style) + fmt::format("\n  result  {}{}{}\n", painted(found.exact, found.text, style),
                                         found.note.empty() ? "" : ", ", found.note);
}

std::string on_host_text(const RunFile& run, const Style& style) {
  Table table({{"operator", Table::Align::kLeft}, {"why it ran on the host", Table::Align::kLeft}});
  for (const HostOperator& op : run.on_host) {
    table.add({cli::short_name(op.name), op.reason});
  }
  return table.text(style);
}

std::string losses_of(const Analysis& analysis) {
  std::string text;
  for (const Loss& loss : analysis.losses) {
    text += fmt::format("    {}\n", loss.sentence);
  }
  return analysis.because.empty() ? text : text + fmt::format("    {}\n", analysis.because);
}

/// All layers together, then each, sorted by lost cycles; the first few in detail.
std::string losses_text(const RunFile& run, const Style& style) {
  std::vector<std::pair<const Layer*, Analysis>> layers;
  for (const Layer& layer : run.layers) {
    layers.emplace_back(&layer, analyse(layer, run.dim));
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [](const auto& a, const auto& b) { return a.second.lost > b.second.lost; });
  const Analysis all = analyse(total(run), run.dim);
  std::string text;
  if (layers.size() > 1) {
    text += fmt::format("  {}: {}\n{}", style(Paint::kBold, "all"), all.headline, losses_of(all));
  }
  const std::size_t detailed = std::min(layers.size(), kMostDetailed);
  for (std::size_t i = 0; i < detailed; ++i) {
    const auto& [layer, analysis] = layers[i];
    const double share = all.lost == 0 ? 0 : static_cast<double>(analysis.lost) / static_cast<double>(all.lost);
    const std::string part = layers.size() == 1 ? std::string() : fmt::format("{} of what was lost. ", percent(share));
    text += fmt::format("  {}: {}{}\n{}", style(Paint::kBold, cli::short_name(layer->name)), part, analysis.headline,
                        losses_of(analysis));
  }
  if (detailed < layers.size()) {
    text += fmt::format("  {} more, which lost less; -o report.html has all of them\n",
                        cli::counted(layers.size() - detailed, "layer"));
  }
  return text;
}

std::string roofline_text(const RunFile& run, const Style& style) {
  Table table({{"layer", Table::Align::kLeft},
               {"MAC/byte"},
               {"attainable"},
               {"achieved"},
               {"of the roof"},
               {"roof", Table::Align::kLeft}});
  bool any = false;
  for (const Layer& layer : run.layers) {
    if (const auto roof = analyse(layer, run.dim).roofline) {
      table.add({cli::short_name(layer.name), fmt::format("{:.1f}", roof->intensity),
                 fmt::format("{:.1f}", roof->attainable), fmt::format("{:.1f}", roof->achieved),
                 percent(roof->achieved / roof->attainable), to_string(roof->roof)});
      any = true;
    }
  }
  return any ? table.text(style) : std::string("  no layer with multiply-accumulates and known memory traffic\n");
}

std::string changes_text(const Pair& pair) {
  std::string text;
  for (std::size_t i = 0; i < std::min(pair.changes.size(), kMostChanges); ++i) {
    const CauseChange& change = pair.changes[i];
    text += fmt::format("{}{} {} {}{}", i == 0 ? "" : ", ", isa::to_string(change.engine), in_words(change.cause),
                        change.cycles < 0 ? "-" : "+", grouped(static_cast<std::uint64_t>(std::abs(change.cycles))));
  }
  return text;
}

std::string comparison_text(const RunFile& before, const RunFile& after, const Style& style) {
  Table table({{"layer", Table::Align::kLeft},
               {"before"},
               {"after"},
               {"change"},
               {"utilization", Table::Align::kRight},
               {"largest changes", Table::Align::kLeft}});
  const auto use = [](const Layer& layer, int dim) {
    return layer.macs > 0 ? percent(analyse(layer, dim).utilization) : "-";
  };
  const auto row = [&](const Pair& pair) {
    if (pair.before == nullptr || pair.after == nullptr) {
      const bool added = pair.before == nullptr;
      const std::string cycles = grouped((added ? pair.after : pair.before)->cycles);
      table.add({cli::short_name(pair.name), added ? "-" : cycles, added ? cycles : "-", added ? "added" : "removed",
                 "", ""});
      return;
    }
    const std::int64_t cycles = pair.cycles();
    const std::string change =
        fmt::format("{:+.2f} %", 100.0 * static_cast<double>(cycles) / static_cast<double>(pair.before->cycles));
    table.add({cli::short_name(pair.name), grouped(pair.before->cycles), grouped(pair.after->cycles),
               cycles == 0 ? "same" : style(cycles < 0 ? Paint::kGood : Paint::kBad, change),
               fmt::format("{} -> {}", use(*pair.before, before.dim), use(*pair.after, after.dim)),
               changes_text(pair)});
  };
  const std::vector<Pair> pairs = compare(before, after);
  std::for_each(pairs.begin(), pairs.end(), row);
  if (const auto both = common(pairs); both && pairs.size() > 1) {
    Pair all = compare(both->before, both->after);
    all.name = both->complete ? "all" : "all in both";
    row(all);
  }
  return table.text(style);
}

}  // namespace

std::string text_report(const RunFile& run, const RunFile* before, const Style& style) {
  std::string text = fmt::format("{}  {} configuration, {} x {}, from {}\n\n", style(Paint::kBold, run.name),
                                 run.config, run.dim, run.dim, run.file);
  text += layers_text(run, style);
  if (!run.on_host.empty()) {
    text += heading("On the host", style) + on_host_text(run, style);
  }
  if (before != nullptr) {
    text += heading(fmt::format("Compared with {}", before->file).c_str(), style);
    if (before->config != run.config || before->dim != run.dim) {
      text += fmt::format("  Other configurations: {}, {} x {} before, {}, {} x {} now.\n", before->config, before->dim,
                          before->dim, run.config, run.dim, run.dim);
    }
    text += comparison_text(*before, run, style);
  }
  text += heading("What was lost", style) + losses_text(run, style);
  text += heading("Where the cycles went", style) + bars_text(run.layers, style);
  text +=
      heading(fmt::format("Roofline: {} MAC per cycle, {} bytes per cycle and direction", run.dim * run.dim, run.dim)
                  .c_str(),
              style) +
      roofline_text(run, style);
  return text;
}

}  // namespace systole::report
