// SPDX-License-Identifier: Apache-2.0
// Runs a network from a file on the device: run_model [MODEL|- [BACKEND]]
//
// MODEL is a .tflite or .onnx file, or a .systole file written by `systole compile`. `-`, or no argument, selects a
// network for keyword spotting with random weights, so that the example needs no file. BACKEND is `rtl`, the Verilated
// core, or `model`, which gives the same results but has no cycle counts.
#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "systole/backends.hpp"
#include "systole/container.hpp"
#include "systole/execute.hpp"
#include "systole/import_model.hpp"
#include "systole/network.hpp"
#include "systole/zoo.hpp"

using namespace systole;

/// Reads a network of any format as a graph of operators. The format is recognized by the content of the file, not by
/// its name.
graph::Graph load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const graph::Bytes bytes(std::istreambuf_iterator<char>(file), {});
  return container::is_container(bytes) ? container::Container(bytes).graph() : graph::import_model(path);
}

/// One sample, with the same values in every run. The step is odd, so that all values of a byte occur.
graph::Value sample(const graph::Tensor& tensor) {
  graph::Value value{tensor.type, tensor.shape,
                     graph::Bytes(static_cast<std::size_t>(graph::count(tensor.shape)) * element_size(tensor.type))};
  for (std::size_t i = 0; i < value.data.size(); ++i) {
    value.data[i] = static_cast<std::uint8_t>(i * 37);
  }
  return value;
}

int run(const std::string& model, const std::string& backend) {
  const graph::Graph graph = model == "-" ? zoo::kws(1) : load(model);
  Device device = Device::open({}, backend);  // configuration `default`: 16 x 16 multipliers, 1 GiB of device memory
  Network network(device,
                  graph);  // compiles to programs for the device, and single operators on the host for the rest

  std::vector<graph::Value> inputs;
  for (const graph::TensorId id : graph.inputs) {
    inputs.push_back(sample(graph.tensor(id)));
  }
  const std::vector<graph::Value> outputs = network.run(inputs);

  // A step is a program of several layers on the device, or an operator on the host. Layers overlap in time, but each
  // cycle is counted for one layer: the one whose product is computed, or else the first unfinished one. So the cycles
  // of the layers add up to those of the program.
  bool on_device = false;
  fmt::print("{} on {}\n", graph.name, backend);
  for (const StepReport& step : network.steps()) {
    on_device = on_device || step.on_device;
    if (!step.on_device) {
      fmt::print("  {:<22} on the host: {}\n", step.name, step.reason);
    }
    for (const LayerReport& layer : step.layers) {
      fmt::print("  {:<22} {:>10} {:>9} MACs {:>6} cycles, {:>6} predicted\n", layer.name, layer.shape, layer.macs,
                 layer.cycles, layer.predicted_cycles);
    }
  }

  // Run the same graph on the host, with the golden model. Integer results must be equal bit for bit.
  const bool exact = outputs.front().data == graph::execute(graph, inputs).front().data;
  const graph::Tensor& result = graph.tensor(graph.outputs.front());
  fmt::print("{} {}, {}\n", result.name, graph::to_string(result.shape),
             !on_device ? "all of it by the host: nothing to compare with"
             : exact    ? "bit for bit as on the host"
                        : "NOT as on the host");
  if (result.type == graph::ElementType::kInt8 && result.quantization) {
    for (const std::int8_t quantized :
         graph::elements<std::int8_t>(outputs.front())) {  // real = scale * (quantized - zero point)
      fmt::print(" {:.3f}", result.quantization->scale.front() *
                                static_cast<float>(quantized - result.quantization->zero_point.front()));
    }
    fmt::print("\n");
  }
  return exact ? 0 : 1;
}

int main(int count, char** arguments) {
  try {
    return run(count > 1 ? arguments[1] : "-", count > 2 ? arguments[2] : has_backend("rtl") ? "rtl" : "model");
  } catch (const std::exception&
               error) {  // an unreadable file, an operator that is not supported, a device that reports an error
    fmt::print(stderr, "run_model: {}\n", error.what());
    return 2;
  }
}
