// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "loss_report_text.hpp"
#include "text_table.hpp"

namespace systole::quantizer {
namespace {

constexpr double kPercent = 100;

std::string decibel(const LayerReport& layer) {
  const double value = layer.signal_to_noise();
  return std::isfinite(value) ? fmt::format("{:.1f} dB", value) : std::string("exact");
}

std::string equalized_text(const Report& report) {
  std::string result;
  for (const std::string& pair : report.equalized) {
    result += result.empty() ? "" : ", ";
    result += pair;
  }
  return result.empty() ? std::string("none") : result;
}

}  // namespace

std::string text(const Report& report, const cli::Style& style) {
  using Align = cli::Table::Align;
  cli::Table table({{"layer", Align::kLeft},
                    {"operator", Align::kLeft},
                    {"form", Align::kLeft},
                    {"range"},
                    {"scale"},
                    {"zero point"},
                    {"signal to noise"},
                    {"largest error"}});
  std::string left, masked;
  for (const LayerReport& layer : report.layers) {
    const char* form = layer.int8 ? "int8" : layer.blocks ? "blocks" : "float";
    if (layer.compared) {
      table.add({layer.name, layer.origin, form, fmt::format("{:.4g} .. {:.4g}", layer.low, layer.high),
                 layer.int8 ? fmt::format("{:.4g}", layer.scale) : "-",
                 layer.int8 ? fmt::format("{}", layer.zero_point) : "-", decibel(layer),
                 fmt::format("{:.3g}", layer.largest_error)});
    } else {
      table.add({layer.name, layer.origin, form, "-", "-", "-", "-", "-"});
    }
    if (layer.masked > 0) {
      masked += fmt::format("  {} ({}): {:.1f} % of the values\n", layer.name, layer.origin, kPercent * layer.masked);
    }
    if (!layer.reason.empty()) {
      left += fmt::format("  {} ({}): {}\n", layer.name, layer.origin, layer.reason);
    }
  }
  std::string result = table.text(style);
  const bool in_blocks =
      std::any_of(report.layers.begin(), report.layers.end(), [](const LayerReport& layer) { return layer.blocks; });
  result +=
      fmt::format("\n  against the float network on {} sample{}{}\n", report.samples, report.samples == 1 ? "" : "s",
                  in_blocks ? "" : "; channels equalized: " + equalized_text(report));
  if (!masked.empty()) {
    result += fmt::format(
        "\nMasked: values so low that the following softmax turns them into zero; excluded from the ranges and errors "
        "above\n{}",
        masked);
  }
  if (!left.empty()) {
    result += fmt::format("\nNot int8\n{}", left);
  }
  if (report.accuracy_before && report.accuracy_after) {
    result += fmt::format("\n  accuracy  {:.2f} % as float, {:.2f} % as int8\n", kPercent * *report.accuracy_before,
                          kPercent * *report.accuracy_after);
  }
  return result;
}

nlohmann::ordered_json to_json(const Report& report) {
  auto layers = nlohmann::ordered_json::array();
  for (const LayerReport& layer : report.layers) {
    nlohmann::ordered_json entry{{"name", layer.name}, {"origin", layer.origin}, {"int8", layer.int8}};
    if (layer.blocks) {
      entry["blocks"] = true;
    }
    if (!layer.reason.empty()) {
      entry["reason"] = layer.reason;
    }
    if (layer.compared) {
      const double noise_ratio = layer.signal_to_noise();
      entry.update({{"low", layer.low},
                    {"high", layer.high},
                    {"scale", layer.scale},
                    {"zero_point", layer.zero_point},
                    {"mean_square", layer.signal},
                    {"mean_square_error", layer.noise},
                    {"largest_error", layer.largest_error},
                    {"masked", layer.masked}});
      // JSON has no infinity: null if there is no noise.
      entry["signal_to_noise_db"] =
          std::isfinite(noise_ratio) ? nlohmann::ordered_json(noise_ratio) : nlohmann::ordered_json(nullptr);
    }
    layers.push_back(std::move(entry));
  }
  nlohmann::ordered_json result{
      {"samples", report.samples}, {"layers", std::move(layers)}, {"equalized", report.equalized}};
  if (report.accuracy_before && report.accuracy_after) {
    result["accuracy"] = {{"float", *report.accuracy_before}, {"int8", *report.accuracy_after}};
  }
  return result;
}

}  // namespace systole::quantizer
