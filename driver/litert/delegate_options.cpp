// SPDX-License-Identifier: Apache-2.0
#include "delegate_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "systole/backends.hpp"
#include "systole/configurations.hpp"
#include "systole/errors.hpp"

namespace systole::litert {
namespace {

struct Option {
  std::string_view name;
  std::string DelegateOptions::*member;
};
constexpr Option kOptions[] = {{"device", &DelegateOptions::device},
                               {"config", &DelegateOptions::configuration},
                               {"report", &DelegateOptions::report}};

void demand(std::string_view option, const std::string& value, const std::vector<std::string>& legal) {
  if (std::find(legal.begin(), legal.end(), value) == legal.end()) {
    throw InvalidArgument(fmt::format("option {}: '{}' is not one of {}", option, value, fmt::join(legal, ", ")));
  }
}

std::vector<std::string> devices() {
  std::vector<std::string> names = {"model"};
  if (has_backend("rtl")) {
    names.emplace_back("rtl");
  }
  return names;
}

std::vector<std::string> configurations_of(const std::string& device) {
  if (device == "rtl") {
    return rtl_configurations();
  }
  std::vector<std::string> names;
  for (const Configuration& configuration : configurations()) {
    names.emplace_back(configuration.name);
  }
  return names;
}

}  // namespace

DelegateOptions read_options(const char* const* keys, const char* const* values, std::size_t count) {
  DelegateOptions options;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view key = keys[i];
    const auto* option =
        std::find_if(std::begin(kOptions), std::end(kOptions), [&](const Option& known) { return known.name == key; });
    if (option == std::end(kOptions)) {
      std::vector<std::string_view> names;
      for (const Option& known : kOptions) {
        names.push_back(known.name);
      }
      throw InvalidArgument(fmt::format("option {}: '{}' is given, but there is no such option; there are {}", key,
                                        values[i], fmt::join(names, ", ")));
    }
    options.*option->member = values[i];
  }
  demand("device", options.device, devices());
  demand("config", options.configuration, configurations_of(options.device));
  return options;
}

}  // namespace systole::litert
