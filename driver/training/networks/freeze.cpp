// SPDX-License-Identifier: Apache-2.0
#include "freeze.hpp"

#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <memory>

#include "systole/errors.hpp"

namespace systole::training {
namespace {

bool fits(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}
bool fits(const std::string& pattern, const Parameter& parameter) { return fits(pattern, parameter.variable.name); }
bool is_frozen(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return fits(pattern, name); });
}

std::string names_of(const Network& network) {
  std::vector<std::string> names;
  for (const Parameter& parameter : network.parameters) {
    names.push_back(parameter.variable.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void freeze(Network& network, const std::vector<std::string>& patterns) {
  if (patterns.empty()) {
    return;
  }
  for (const std::string& pattern : patterns) {
    if (std::none_of(network.parameters.begin(), network.parameters.end(),
                     [&](const Parameter& parameter) { return fits(pattern, parameter); })) {
      throw InvalidArgument(
          fmt::format("freeze '{}': no parameter has such a name; there are {}", pattern, names_of(network)));
    }
  }
  std::vector<Parameter> left;
  for (const Parameter& parameter : network.parameters) {
    if (!is_frozen(patterns, parameter.variable.name)) {
      left.push_back(parameter);
      continue;
    }
    network.graph.tensor(parameter.input).constant =
        std::make_shared<const graph::Bytes>(parameter.variable.initial.data);
    auto& inputs = network.graph.inputs;
    inputs.erase(std::remove(inputs.begin(), inputs.end(), parameter.input), inputs.end());
  }
  if (std::none_of(left.begin(), left.end(), [](const auto& one) { return one.next == graph::kNoTensor; })) {
    throw InvalidArgument(
        fmt::format("freeze '{}': leaves nothing to train of {}", fmt::join(patterns, "', '"), names_of(network)));
  }
  network.parameters = std::move(left);
}

bool are_statistics_frozen(const std::vector<std::string>& patterns, const std::string& mean,
                           const std::string& variance) {
  const bool frozen = is_frozen(patterns, mean);
  if (frozen != is_frozen(patterns, variance)) {
    throw InvalidArgument(fmt::format(
        "freeze '{}': has one of '{}' and '{}', but a batch normalization keeps both or moves both; add the "
        "other, or leave both out",
        fmt::join(patterns, "', '"), mean, variance));
  }
  return frozen;
}

}  // namespace systole::training
