// SPDX-License-Identifier: Apache-2.0
#include "sweep_grid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "exit_codes.hpp"
#include "systole/configurations.hpp"
#include "systole/generated/configuration_sizes.hpp"

namespace systole::cli {
namespace {

struct TimingParameter {
  const char* name;
  int SweptMemory::*member;
  int min, max;
};

constexpr std::array<TimingParameter, 4> kTimings = {{{"latency", &SweptMemory::latency, 1, 100'000},
                                                      {"read_interval", &SweptMemory::read_interval, 1, 1000},
                                                      {"write_interval", &SweptMemory::write_interval, 1, 1000},
                                                      {"stall", &SweptMemory::stall, 0, 95}}};

/// Sizes have their names from the specification, memories without "_rows".
std::string short_name(const ConfigurationSize& size) {
  const std::string name(size.name);
  return name.substr(0, name.find("_rows"));
}

const ConfigurationSize* size_named(const std::string& name) {
  const auto* found = std::find_if(kConfigurationSizes.begin(), kConfigurationSizes.end(),
                                   [&](const ConfigurationSize& size) { return short_name(size) == name; });
  return found == kConfigurationSizes.end() ? nullptr : found;
}

const TimingParameter* timing_named(const std::string& name) {
  const auto* found =
      std::find_if(kTimings.begin(), kTimings.end(), [&](const TimingParameter& t) { return name == t.name; });
  return found == kTimings.end() ? nullptr : found;
}

std::string names() {
  std::string text;
  for (const ConfigurationSize& size : kConfigurationSizes) {
    text += short_name(size) + ", ";
  }
  for (const TimingParameter& timing : kTimings) {
    text += fmt::format("{}{}", &timing == kTimings.data() ? "" : ", ", timing.name);
  }
  return text;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<int> number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional<int>(value)
                                                                                   : std::nullopt;
}

/// Whether a size is a number of rows of a memory.
bool is_memory(const ConfigurationSize& size) {
  return size.member != &Configuration::dim && size.member != &Configuration::windows;
}

/// Bytes of a row: accumulators hold int32.
int row_bytes(const ConfigurationSize& size, int dim) {
  return dim * (size.member == &Configuration::acc_rows ? 4 : 1);
}

/// "6144" rows, or "48K" for KiB of memory.
int rows(const ConfigurationSize& size, const std::string& text, int dim) {
  const bool kib = is_memory(size) && !text.empty() && text.back() == 'K';
  const auto value = number(kib ? text.substr(0, text.size() - 1) : text);
  if (!value || *value < 0 || *value > 1 << 20) {
    throw InputError(fmt::format("--config-grid: {}={} is no number{}; legal is {}", short_name(size), text,
                                 is_memory(size) ? " of rows, nor of KiB as in 48K" : "", size.legal));
  }
  return kib ? *value * 1024 / row_bytes(size, dim) : *value;
}

void check(const Configuration& sizes, const std::string& point) {
  for (const ConfigurationSize& size : kConfigurationSizes) {
    Configuration rest = kConfigurations.front();  // all other sizes are legal
    rest.*size.member = sizes.*size.member;
    if (!illegal_size(rest).empty()) {
      throw InputError(fmt::format("--config-grid: {} is {}{} at {}; legal is {}", short_name(size), sizes.*size.member,
                                   is_memory(size) ? " rows" : "", point, size.legal));
    }
  }
}

/// The name of a known configuration of these sizes, or a generated one.
std::string name_of(const Configuration& sizes) {
  for (const Configuration& known : configurations()) {
    if (std::all_of(kConfigurationSizes.begin(), kConfigurationSizes.end(),
                    [&](const ConfigurationSize& size) { return known.*size.member == sizes.*size.member; })) {
      return std::string(known.name);
    }
  }
  return fmt::format("dim{}_s{}_w{}_a{}_p{}{}", sizes.dim, sizes.scratch_rows, sizes.weight_rows, sizes.acc_rows,
                     sizes.param_rows, sizes.windows == 4 ? "" : fmt::format("_n{}", sizes.windows));
}

/// The design point for the chosen value of each axis, by index.
DesignPoint make_point(const std::vector<Axis>& axes, const std::vector<std::size_t>& choice,
                       const Configuration& base) {
  DesignPoint point;
  point.sizes = base;
  point.sizes.name = {};
  std::string words;
  // The size of the array first: it determines how many rows a number of KiB is.
  for (const bool sides : {true, false}) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::string& text = axes[i].values[choice[i]];
      if ((axes[i].name == "dim") != sides) {
        continue;
      }
      words += fmt::format("{}{}={}", words.empty() ? "" : " ", axes[i].name, text);
      if (const ConfigurationSize* size = size_named(axes[i].name)) {
        point.sizes.*size->member = rows(*size, text, point.sizes.dim);
      } else {
        const TimingParameter& timing = *timing_named(axes[i].name);
        const auto value = number(text);
        if (!value || *value < timing.min || *value > timing.max) {
          throw InputError(
              fmt::format("--config-grid: {}={}; legal is {} to {}", timing.name, text, timing.min, timing.max));
        }
        point.timing.*timing.member = *value;
      }
    }
  }
  check(point.sizes, words);
  point.core = name_of(point.sizes);
  return point;
}

}  // namespace

std::vector<Axis> parse_grid(const std::vector<std::string>& words) {
  std::vector<Axis> axes;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
      throw InputError(fmt::format("--config-grid: '{}' is not NAME=VALUE,...; names are {}", word, names()));
    }
    Axis axis{word.substr(0, equals), split(word.substr(equals + 1), ',')};
    if (axis.name == "bus") {
      throw InputError(
          "--config-grid: bus is tied to the array, 8*dim bits; sweep read_interval and write_interval for bandwidth");
    }
    if (size_named(axis.name) == nullptr && timing_named(axis.name) == nullptr) {
      throw InputError(fmt::format("--config-grid: unknown parameter '{}'; available: {}", axis.name, names()));
    }
    for (const Axis& other : axes) {
      if (other.name == axis.name) {
        throw InputError(fmt::format("--config-grid: {} is given twice", axis.name));
      }
    }
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
      if (std::count(axis.values.begin(), axis.values.end(), axis.values[i]) > 1) {
        throw InputError(fmt::format("--config-grid: {} has the value {} twice", axis.name, axis.values[i]));
      }
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<DesignPoint> expand(const std::vector<Axis>& axes, const Configuration& base) {
  constexpr std::size_t kMost = 10'000;
  std::size_t count = 1;
  for (const Axis& axis : axes) {
    count *= axis.values.size();
    if (count > kMost) {
      throw InputError(fmt::format("--config-grid: more than {} points; list fewer values", kMost));
    }
  }
  std::vector<DesignPoint> points;
  std::vector<std::size_t> choice(axes.size(), 0);
  for (std::size_t n = 0; n < count; ++n) {
    std::size_t rest = n;
    for (std::size_t i = axes.size(); i-- > 0;) {
      choice[i] = rest % axes[i].values.size();
      rest /= axes[i].values.size();
    }
    points.push_back(make_point(axes, choice, base));
  }
  return points;
}

std::string grid_help() {
  std::string text;
  for (const ConfigurationSize& size : kConfigurationSizes) {
    text +=
        fmt::format("  {:<15}{}{}\n", short_name(size), size.legal, is_memory(size) ? "; 48K is a number of KiB" : "");
  }
  for (const TimingParameter& timing : kTimings) {
    text += fmt::format("  {:<15}{} to {}\n", timing.name, timing.min, timing.max);
  }
  return text;
}

std::uint64_t memory_bytes(const Configuration& sizes) {
  std::uint64_t bytes = 0;
  for (const ConfigurationSize& size : kConfigurationSizes) {
    if (is_memory(size)) {
      bytes += static_cast<std::uint64_t>(sizes.*size.member) * static_cast<std::uint64_t>(row_bytes(size, sizes.dim));
    }
  }
  return bytes;
}

}  // namespace systole::cli
