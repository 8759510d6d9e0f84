// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>

#include "operator_cases.hpp"
#include "systole/network.hpp"

namespace {

using namespace systole;

/// The reason of the first operator on the host; empty if there is none.
std::string on_host(const Network& network) {
  const std::vector<StepReport>& steps = network.steps();
  const auto found = std::find_if(steps.begin(), steps.end(), [](const StepReport& step) { return !step.on_device; });
  return found != steps.end() ? found->reason : steps.empty() ? "nothing to compute" : "";
}

}  // namespace

int main(int argc, char** argv) {
  test::Backend backend;
  backend.help =
      "TensorFlow Lite's operators compiled for the device, one by one, against recorded results.\n"
      "  test_tflite_operators_device --data vectors/tflite_ops --list kinds.txt --kind CONV_2D --device rtl --most 5";
  backend.names = {"model", "rtl"};
  backend.open = [](const std::string& name, const std::string& configuration) -> test::MakeRunnable {
    BackendOptions options;
    options.configuration = configuration;
    const auto device = std::make_shared<Device>(Device::open(options, name));
    return [device](const graph::Graph& graph) {
      const auto network = std::make_shared<Network>(*device, graph);
      return test::Runnable{[device, network](const std::vector<graph::Value>& inputs) { return network->run(inputs); },
                            on_host(*network)};
    };
  };
  return test::run_operator_cases(argc, argv, backend);
}
