// SPDX-License-Identifier: Apache-2.0
#include "systole/configurations.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "systole/errors.hpp"
#include "systole/generated/configuration_sizes.hpp"

namespace systole {
namespace {

std::vector<Configuration> all() {
  std::vector<Configuration> list(kConfigurations.begin(), kConfigurations.end());
  const std::vector<Configuration> custom = {
#ifdef SYSTOLE_HAS_CUSTOM_CONFIGURATIONS
#include "custom_configurations.inc"
#endif
  };
  list.insert(list.end(), custom.begin(), custom.end());
  return list;
}

bool is_power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

bool is_legal(int value, const ConfigurationSize& size) {
  return value >= size.min && value <= size.max &&
         std::any_of(size.times.begin(), size.times.end(),
                     [value](int times) { return times != 0 && value % times == 0 && is_power_of_two(value / times); });
}

}  // namespace

const std::vector<Configuration>& configurations() {
  static const std::vector<Configuration> list = all();
  return list;
}

const Configuration& find_configuration(std::string_view name) {
  std::string names;
  for (const Configuration& configuration : configurations()) {
    if (configuration.name == name) {
      return configuration;
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", configuration.name);
  }
  throw InvalidArgument(fmt::format("configuration: unknown name '{}'; available: {}", name, names));
}

std::vector<std::string> missing_parts(const Configuration& configuration) {
  std::vector<std::string> missing;
  for (const PartInfo& info : kParts) {
    if (!configuration.has(info.part)) {
      missing.emplace_back(info.title);
    }
  }
  return missing;
}

std::string illegal_size(const Configuration& configuration) {
  for (const ConfigurationSize& size : kConfigurationSizes) {
    const int value = configuration.*size.member;
    if (!is_legal(value, size)) {
      return fmt::format("{}: {} is not one of {}", size.name, value, size.legal);
    }
  }
  return {};
}

}  // namespace systole
