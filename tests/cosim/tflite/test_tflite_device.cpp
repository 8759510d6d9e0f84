// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "operator_cases.hpp"
#include "systole/network.hpp"

namespace {

using namespace systole;

bool all_on_device(const Network& network) {
  const std::vector<StepReport>& steps = network.steps();
  return !steps.empty() &&
         std::all_of(steps.begin(), steps.end(), [](const StepReport& step) { return step.on_device; });
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
                            all_on_device(*network)};
    };
  };
  return test::run_operator_cases(argc, argv, backend);
}
