// SPDX-License-Identifier: Apache-2.0
// A network from a file on the device: run_model [MODEL|- [BACKEND]]
//
// MODEL is a .tflite or .onnx file, or a .systole file that `systole compile` wrote; `-`, or nothing, is a keyword
// spotter with random weights, so that the example needs no file. BACKEND is `rtl`, the Verilated core, cycle by cycle,
// or `model`, which computes the same but knows no time.
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

/// Whatever the format, a network becomes the same graph of operators. The bytes of the file say what it is, not its
/// name.
graph::Graph load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const graph::Bytes bytes(std::istreambuf_iterator<char>(file), {});
  return container::is_container(bytes) ? container::Container(bytes).graph() : graph::import_model(path);
}

/// One sample. Values do not matter here, but for their being the same in every run: bytes count up in steps that meet
/// all of them.
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
                  graph);  // compiles: what the device can do as programs, the rest as single operators of the host

  std::vector<graph::Value> inputs;
  for (const graph::TensorId id : graph.inputs) {
    inputs.push_back(sample(graph.tensor(id)));
  }
  const std::vector<graph::Value> outputs = network.run(inputs);

  // Steps take turns: a program of many layers on the device, an operator on the host. Layers overlap in time, but a
  // cycle is one layer's, that whose product is computed or else the first that is not done; together they are the
  // program's.
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

  // The same graph on the host, by the golden model. Integers are exact: not nearly, but bit for bit.
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
