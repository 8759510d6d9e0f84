// SPDX-License-Identifier: Apache-2.0
#include "freeze.hpp"

#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <memory>

#include "systole/errors.hpp"

namespace systole::training {
namespace {

bool fits(const std::string& pattern, const Parameter& parameter) {
  return fnmatch(pattern.c_str(), parameter.variable.name.c_str(), 0) == 0;
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
    if (std::none_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return fits(pattern, parameter); })) {
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

}  // namespace systole::training
