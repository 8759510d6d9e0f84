// SPDX-License-Identifier: Apache-2.0
#include "report_bar.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis.hpp"
#include "text_table.hpp"

namespace systole::report {
namespace {

using cli::Paint;
using cli::Style;
using cli::Table;

// Working is the densest character, idle the lightest.
constexpr std::array<char, kCauseCount> kLetters = {'#', 'w', 'o', 'b', 'a', 'p', 's', 'l', 'm', 'f', '.'};
constexpr int kNarrowest = 20;
constexpr int kWidest = 100;

}  // namespace

std::string bar(const std::array<std::uint64_t, kCauseCount>& counts, int width) {
  const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (sum == 0) {
    return std::string(static_cast<std::size_t>(width), ' ');
  }
  std::array<int, kCauseCount> letters{};
  std::vector<std::pair<double, std::size_t>> remainders;
  int left = width;
  for (std::size_t cause = 0; cause < counts.size(); ++cause) {
    const double exact = static_cast<double>(counts[cause]) / static_cast<double>(sum) * width;
    letters[cause] = static_cast<int>(exact);
    left -= letters[cause];
    remainders.emplace_back(exact - letters[cause], cause);
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (int i = 0; i < left; ++i) {
    ++letters[remainders[static_cast<std::size_t>(i)].second];
  }
  std::string text;
  for (std::size_t cause = 0; cause < counts.size(); ++cause) {
    text.append(static_cast<std::size_t>(letters[cause]), kLetters[cause]);
  }
  return text;
}

std::string bars_text(const std::vector<Layer>& layers, const Style& style) {
  std::size_t name = 0;
  for (const Layer& layer : layers) {
    name = std::max(name, cli::short_name(layer.name).size());
  }
  const int width = std::clamp(style.width - static_cast<int>(name) - 12, kNarrowest, kWidest);
  Table table(
      {{"layer", Table::Align::kLeft}, {"engine", Table::Align::kLeft}, {"share of its cycles", Table::Align::kLeft}});
  std::array<bool, kCauseCount> occurs{};
  for (const Layer& layer : layers) {
    for (std::size_t engine = 0; engine < kEngineCount; ++engine) {
      const std::string text = bar(layer.causes[engine], width);
      for (std::size_t cause = 0; cause < kCauseCount; ++cause) {
        occurs[cause] = occurs[cause] || text.find(kLetters[cause]) != std::string::npos;
      }
      table.add(
          {engine == 0 ? cli::short_name(layer.name) : "", isa::to_string(static_cast<isa::Engine>(engine)), text});
    }
  }
  std::string legend;
  for (std::size_t cause = 0; cause < kCauseCount; ++cause) {
    if (occurs[cause]) {
      legend += fmt::format("  {} {}", kLetters[cause], in_words(static_cast<isa::Cause>(cause)));
    }
  }
  return table.text(style) + style(Paint::kDim, legend) + "\n";
}

}  // namespace systole::report
