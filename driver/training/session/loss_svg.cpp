// SPDX-License-Identifier: Apache-2.0
// The plot of a training's losses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "history.hpp"

namespace systole::training {
namespace {

constexpr double kLeft = 60, kTop = 40, kWidth = 600, kHeight = 320;

/// 1, 2 or 5 times a power of ten, so that there are about five steps up to `most`.
double tick_of(double most) {
  const double decade = std::pow(10, std::floor(std::log10(most / 5)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (most / (decade * step) <= 6) {
      return decade * step;
    }
  }
  return decade * 10;
}

std::string line(const std::vector<double>& x, const std::vector<double>& y, const char* style) {
  std::string points;
  for (std::size_t i = 0; i < x.size(); ++i) {
    points += fmt::format("{:.1f},{:.1f} ", x[i], y[i]);
  }
  return fmt::format("<polyline fill=\"none\" {} points=\"{}\"/>\n", style, points);
}

/// The mean of the steps up to and including each, the most recent fiftieth of all.
std::vector<double> smoothed(const std::vector<double>& losses) {
  const std::size_t length = std::max<std::size_t>(1, losses.size() / 50);
  std::vector<double> means;
  double sum = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    sum += losses[i] - (i >= length ? losses[i - length] : 0);
    means.push_back(sum / static_cast<double>(std::min(i + 1, length)));
  }
  return means;
}

}  // namespace

std::string loss_svg(const History& history, const std::string& title) {
  const auto steps = static_cast<double>(std::max<std::size_t>(1, history.losses.size()));
  double most = 1e-6;
  for (const double loss : history.losses) {
    most = std::max(most, std::isfinite(loss) ? loss : 0);
  }
  const auto px = [&](double step) { return kLeft + step / steps * kWidth; };
  const auto py = [&](double loss) {
    return kTop + (1 - (std::isfinite(loss) ? std::min(loss / most, 1.0) : 1.0)) * kHeight;
  };
  std::string body;
  for (double tick = 0; tick <= most; tick += tick_of(most)) {
    body += fmt::format(
        "<path stroke=\"#ddd\" d=\"M{} {:.1f}h{}\"/><text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g}"
        "</text>\n",
        kLeft, py(tick), kWidth, kLeft - 6, py(tick) + 4, tick);
  }
  for (double tick = 0; tick <= steps; tick += tick_of(steps)) {
    body += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.6g}</text>\n", px(tick),
                        kTop + kHeight + 18, tick);
  }
  std::vector<double> x, raw, mean;
  const std::vector<double> means = smoothed(history.losses);
  const std::size_t stride = std::max<std::size_t>(1, history.losses.size() / 2000);
  for (std::size_t i = 0; i < history.losses.size(); i += stride) {
    x.push_back(px(static_cast<double>(i + 1)));
    raw.push_back(py(history.losses[i]));
    mean.push_back(py(means[i]));
  }
  body += line(x, raw, "stroke=\"#1f6fb4\" opacity=\"0.3\"") + line(x, mean, "stroke=\"#1f6fb4\" stroke-width=\"2\"");
  const auto epochs = static_cast<double>(history.epochs.size());
  for (std::size_t i = 0; i < history.epochs.size(); ++i) {
    if (const auto& score = history.epochs[i].validation) {
      body += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"#c8501e\"><title>epoch {}: {}</title></circle>\n",
          px(steps * static_cast<double>(i + 1) / epochs), py(score->loss), i + 1, text_of(*score));
    }
  }
  std::string safe;
  for (const char c : title) {
    safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 700 420\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"700\" height=\"420\" fill=\"white\"/>\n<text x=\"{}\" y=\"24\" font-size=\"14\">{}</text>\n{}"
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">steps; loss of each, <tspan font-weight=\"bold\" "
      "fill=\"#1f6fb4\">average</tspan>, <tspan fill=\"#c8501e\">validation</tspan></text>\n</svg>\n",
      kLeft, safe, body, kLeft, kTop, kWidth, kHeight, kLeft + kWidth / 2, kTop + kHeight + 40);
}

}  // namespace systole::training
