// SPDX-License-Identifier: Apache-2.0
#include "trial.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cosim.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole::shapes {
namespace {

std::string difference(const graph::Value& expected, const graph::Value& found) {
  const auto [e, f] = std::mismatch(expected.data.begin(), expected.data.end(), found.data.begin(), found.data.end());
  return e == expected.data.end() ? std::string()
                                  : fmt::format("byte {} of {}: expected {}, actual {}", e - expected.data.begin(),
                                                expected.data.size(), static_cast<int>(static_cast<std::int8_t>(*e)),
                                                static_cast<int>(static_cast<std::int8_t>(*f)));
}

}  // namespace

std::string Bench::compare(const Kind& kind, const graph::Graph& graph, const Spec& spec) {
  std::vector<graph::Value> inputs;
  const auto elements = inputs_of(graph, spec);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const graph::Tensor& tensor = graph.tensor(graph.inputs[i]);
    inputs.push_back({tensor.type, tensor.shape, elements[i]});
  }
  Network network(*device_, graph);
  // A core that lacks parts leaves more to the host; the results are the same.
  const bool whole = device_->configuration().parts == kAllParts;
  for (const StepReport& step : network.steps()) {
    if (!whole) {
      break;
    }
    if (!step.on_device && kind.sometimes) {
      throw UnsupportedCase(step.reason);
    }
    if (!step.on_device) {
      return fmt::format("it runs on the host: {}", step.reason);
    }
  }
  RunOptions options;
  options.check = true;
  std::vector<graph::Value> expected;
  try {
    expected = graph::execute(graph, inputs);
  } catch (const graph::GraphError& error) {
    if (whole || !kind.sometimes) {
      throw;
    }
    throw UnsupportedCase(error.what());  // as the lowering for a whole core says
  }
  if (planted_ && expected[0].data.size() >= kSpoiled) {
    expected[0].data.back() ^= 1;
  }
  const std::vector<graph::Value> found = network.run(inputs, options);
  cycles_ = network.steps().at(0).stats.cycles;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (const std::string what = difference(expected[i], found[i]); !what.empty()) {
      return fmt::format("output {}, {}", i, what);
    }
  }
  return {};
}

std::string Bench::fault_of(const Kind& kind, const Spec& spec) {
  graph::Graph graph;
  try {
    graph = kind.build(spec);
  } catch (const graph::GraphError& error) {
    throw UnsupportedCase(error.what());
  }
  try {
    if (!device_) {
      BackendOptions options;
      options.configuration = configuration_;
      options.seed = static_cast<std::uint64_t>(spec.at("seed"));
      device_.emplace(Device::open(test::traced(options), name_));
    }
    return compare(kind, graph, spec);
  } catch (const UnsupportedCase&) {
    throw;
  } catch (const std::exception& error) {
    device_.reset();
    return error.what();
  }
}

}  // namespace systole::shapes
