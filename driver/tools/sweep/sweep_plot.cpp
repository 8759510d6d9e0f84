// SPDX-License-Identifier: Apache-2.0
// Plots of a sweep: cycles against cost, both logarithmic; a line connects the front of each memory timing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sweep_report.hpp"

namespace systole::cli {
namespace {

/// 1.5 k, 20: scaled() without the trailing space if there is no prefix.
std::string short_number(double value) {
  std::string text = value < 1000 ? fmt::format("{:.4g}", value) : scaled(value);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// A logarithmic scale over the given values.
class Scale {
 public:
  explicit Scale(const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    low_ = std::log(std::max(*low, kLeast)), high_ = std::log(std::max(*high, kLeast));
    const double margin = std::max(0.05 * (high_ - low_), 0.05);
    low_ -= margin, high_ += margin;
  }
  /// Position between 0 and 1.
  double operator()(double value) const { return (std::log(std::max(value, kLeast)) - low_) / (high_ - low_); }
  /// 1, 2, 5, 10, ... within the scale.
  std::vector<double> ticks() const {
    std::vector<double> list;
    for (double decade = 1; decade < 1e18; decade *= 10) {
      for (const double step : {1.0, 2.0, 5.0}) {
        const double place = (*this)(decade * step);
        if (place >= 0 && place <= 1) {
          list.push_back(decade * step);
        }
      }
    }
    return list;
  }

 private:
  static constexpr double kLeast = 0.1;
  double low_ = 0, high_ = 1;
};

struct Plot {
  CostAxis axis;
  std::vector<std::size_t> shown;  ///< points that have cycles
  std::vector<double> costs, cycles;
};

Plot make_plot(const Sweep& sweep) {
  Plot plot;
  plot.axis = cost_axis(sweep);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (sweep.points[i].good()) {
      plot.shown.push_back(i);
      plot.costs.push_back(plot.axis.values[i]);
      plot.cycles.push_back(static_cast<double>(sweep.points[i].cycles()));
    }
  }
  return plot;
}

std::string timing_text(const SweptMemory& t) {
  std::string text = fmt::format("latency {}", t.latency);
  if (t.read_interval != 1 || t.write_interval != 1) {
    text += fmt::format(", intervals {}/{}", t.read_interval, t.write_interval);
  }
  return t.stall == 0 ? text : text + fmt::format(", {} % stalls", t.stall);
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return out;
}

std::string works_text(const Sweep& sweep) {
  std::string text;
  for (const Work& work : sweep.works) {
    text += (text.empty() ? "" : " + ") + work.name;
  }
  return text;
}

}  // namespace

std::string plot_text(const Sweep& sweep) {
  constexpr int kWidth = 60, kHeight = 14;
  const Plot plot = make_plot(sweep);
  if (plot.shown.size() < 2) {
    return {};
  }
  const Scale x(plot.costs), y(plot.cycles);
  std::vector<std::string> rows(kHeight, std::string(kWidth, ' '));
  for (const bool front : {false, true}) {  // draws the front on top
    for (const std::size_t i : plot.shown) {
      if (sweep.points[i].front == front) {
        const int column = static_cast<int>(x(plot.axis.values[i]) * (kWidth - 1));
        const int row = static_cast<int>((1 - y(static_cast<double>(sweep.points[i].cycles()))) * (kHeight - 1));
        rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = front ? '*' : 'o';
      }
    }
  }
  const auto [least, most] = std::minmax_element(plot.cycles.begin(), plot.cycles.end());
  const auto [cheap, dear] = std::minmax_element(plot.costs.begin(), plot.costs.end());
  std::string text;
  for (int row = 0; row < kHeight; ++row) {
    const std::string label = row == 0             ? short_number(*most)
                              : row == kHeight - 1 ? short_number(*least)
                              : row == kHeight / 2 ? std::string("cycles")
                                                   : std::string();
    std::string line = rows[static_cast<std::size_t>(row)];
    line.erase(line.find_last_not_of(' ') + 1);
    text += fmt::format("{:>9} |{}\n", label, line);
  }
  text += fmt::format("{:>9} +{}\n{:>11}{} to {} {} (o: not on the front)\n", "", std::string(kWidth, '-'), "",
                      short_number(*cheap), short_number(*dear), plot.axis.title);
  return text;
}

std::string plot_svg(const Sweep& sweep) {
  constexpr double kLeft = 90, kTop = 40, kWidth = 600, kHeight = 360;
  constexpr std::array<const char*, 6> kColours = {"#1f6fb4", "#c8501e", "#2e8b57", "#8250a0", "#9a7d0a", "#555555"};
  const Plot plot = make_plot(sweep);
  std::string body;
  if (!plot.shown.empty()) {
    const Scale x(plot.costs), y(plot.cycles);
    const auto px = [&](double cost) { return kLeft + x(cost) * kWidth; };
    const auto py = [&](double cycles) { return kTop + (1 - y(cycles)) * kHeight; };
    for (const double tick : x.ticks()) {
      body += fmt::format(
          "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
          "text-anchor=\"middle\">{4}</text>\n",
          px(tick), kTop, kTop + kHeight, kTop + kHeight + 18, short_number(tick));
    }
    for (const double tick : y.ticks()) {
      body += fmt::format(
          "<line class=\"grid\" x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text x=\"{3}\" y=\"{0:.1f}\" "
          "dy=\"4\" text-anchor=\"end\">{4}</text>\n",
          py(tick), kLeft, kLeft + kWidth, kLeft - 8, short_number(tick));
    }
    std::vector<SweptMemory> timings;
    for (const std::size_t i : plot.shown) {
      const SweptMemory& timing = sweep.points[i].design.timing;
      if (std::find(timings.begin(), timings.end(), timing) == timings.end()) {
        timings.push_back(timing);
      }
    }
    for (std::size_t t = 0; t < timings.size(); ++t) {
      const char* colour = kColours[t % kColours.size()];
      std::vector<std::pair<double, double>> front;
      std::string dots;
      for (const std::size_t i : plot.shown) {
        const SweepPoint& point = sweep.points[i];
        if (!(point.design.timing == timings[t])) {
          continue;
        }
        const double cx = px(plot.axis.values[i]), cy = py(static_cast<double>(point.cycles()));
        if (point.front) {
          front.emplace_back(cx, cy);
        }
        dots += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" stroke=\"{}\" fill=\"{}\"><title>{}, {}: {} cycles, "
            "{}</title></circle>\n",
            cx, cy, colour, point.front ? colour : "white", escaped(point.design.core), timing_text(timings[t]),
            grouped(point.cycles()), percent(point.utilization()));
      }
      std::sort(front.begin(), front.end());
      std::string line;
      for (const auto& [fx, fy] : front) {
        line += fmt::format("{:.1f},{:.1f} ", fx, fy);
      }
      body += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"/>\n{}", line, colour, dots);
      body += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", kLeft + kWidth + 16,
                          kTop + 12 + 18.0 * static_cast<double>(t), colour, escaped(timing_text(timings[t])));
    }
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 920 460\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<style>.grid {{stroke: #ddd}}</style>\n<rect width=\"920\" height=\"460\" fill=\"white\"/>\n"
      "<text x=\"{}\" y=\"20\" font-size=\"14\">{}</text>\n{}"
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n"
      "<text transform=\"translate(18,{}) rotate(-90)\" text-anchor=\"middle\">cycles</text>\n</svg>\n",
      kLeft, escaped(works_text(sweep)), body, kLeft, kTop, kWidth, kHeight, kLeft + kWidth / 2, kTop + kHeight + 40,
      plot.axis.title, kTop + kHeight / 2);
}

std::string page_html(const Sweep& sweep) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>systole sweep</title></head>\n"
      "<body style=\"max-width: 60em; margin: auto\">\n{}<pre>{}</pre>\n</body></html>\n",
      plot_svg(sweep), escaped(table_text(sweep, {})));
}

}  // namespace systole::cli
