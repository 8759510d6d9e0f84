// SPDX-License-Identifier: Apache-2.0
// The C API for networks: loading, tensors, runs and layers.
#include <fmt/core.h>

#include <cstring>

#include "c_handles.hpp"
#include "c_statistics.hpp"
#include "c_status.hpp"
#include "systole/load_network.hpp"

using namespace systole;
using c_api::guarded;
using c_api::required;

namespace {

static_assert(static_cast<int>(graph::ElementType::kInt8) == SYSTOLE_INT8 &&
              static_cast<int>(graph::ElementType::kFloat32) == SYSTOLE_FLOAT32 &&
              static_cast<int>(graph::ElementType::kUint32) == SYSTOLE_UINT32 &&
              static_cast<int>(graph::ElementType::kBfloat16) == SYSTOLE_BFLOAT16);

std::size_t bytes_of(const graph::Tensor& tensor) {
  return static_cast<std::size_t>(graph::count(tensor.shape)) * graph::element_size(tensor.type);
}

[[noreturn]] void no_such(const char* what, std::size_t index, std::size_t count) {
  throw OutOfRange(fmt::format("{} {}: the network has {}, counted from 0", what, index, count));
}

void describe(const graph::Graph& graph, const std::vector<graph::TensorId>& ids, const char* what, std::size_t index,
              systole_tensor* result) {
  if (index >= ids.size()) {
    no_such(what, index, ids.size());
  }
  const graph::Tensor& tensor = graph.tensor(ids[index]);
  required(result, "tensor");
  *result = {tensor.name.c_str(),
             static_cast<systole_type>(tensor.type),
             tensor.shape.size(),
             tensor.shape.data(),
             bytes_of(tensor),
             0,
             0};
  if (tensor.quantization && !tensor.quantization->per_channel()) {
    result->scale = tensor.quantization->scale.front();
    result->zero_point = tensor.quantization->zero_point.front();
  }
}

std::size_t layers_of(const StepReport& step) { return step.on_device ? step.layers.size() : 1; }

systole_layer layer_of(const StepReport& step, std::size_t index) {
  if (!step.on_device) {
    return {step.name.c_str(), 0, step.reason.c_str(), 0, 0, 0};
  }
  const LayerReport& layer = step.layers[index];
  return {layer.name.c_str(), 1, "", layer.cycles, layer.predicted_cycles, layer.macs};
}

}  // namespace

systole_status systole_network_load(systole_device* device, const char* path, systole_network** network) {
  return guarded([&] {
    required(network, "network");
    Network loaded = load_network(*required(device, "device")->device, required(path, "path"));
    *network = new systole_network{device->device, std::move(loaded)};
  });
}

void systole_network_free(systole_network* network) { delete network; }

size_t systole_network_input_count(const systole_network* network) {
  return network == nullptr ? 0 : network->network.graph().inputs.size();
}

size_t systole_network_output_count(const systole_network* network) {
  return network == nullptr ? 0 : network->network.graph().outputs.size();
}

systole_status systole_network_input(const systole_network* network, size_t index, systole_tensor* tensor) {
  return guarded([&] {
    const graph::Graph& graph = required(network, "network")->network.graph();
    describe(graph, graph.inputs, "input", index, tensor);
  });
}

systole_status systole_network_output(const systole_network* network, size_t index, systole_tensor* tensor) {
  return guarded([&] {
    const graph::Graph& graph = required(network, "network")->network.graph();
    describe(graph, graph.outputs, "output", index, tensor);
  });
}

systole_status systole_network_run(systole_network* network, const void* const* inputs, void* const* outputs) {
  return guarded([&] {
    const graph::Graph& graph = required(network, "network")->network.graph();
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      required(required(outputs, "outputs")[i], "an output");
    }
    std::vector<graph::Value> values;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const graph::Tensor& tensor = graph.tensor(graph.inputs[i]);
      const auto* first = static_cast<const std::uint8_t*>(required(required(inputs, "inputs")[i], "an input"));
      values.push_back({tensor.type, tensor.shape, graph::Bytes(first, first + bytes_of(tensor))});
    }
    const std::vector<graph::Value> results = network->network.run(values);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!results[i].data.empty()) {
        std::memcpy(outputs[i], results[i].data.data(), results[i].data.size());
      }
    }
  });
}

systole_status systole_network_statistics(const systole_network* network, systole_statistics* statistics) {
  return guarded([&] {
    RunStats sum;
    std::int64_t predicted = 0;
    for (const StepReport& step : required(network, "network")->network.steps()) {
      sum += step.stats;
      predicted += step.predicted_cycles;
    }
    *required(statistics, "statistics") = c_api::to_c(sum, predicted, network->device->configuration().dim);
  });
}

size_t systole_network_layer_count(const systole_network* network) {
  std::size_t count = 0;
  if (network != nullptr) {
    for (const StepReport& step : network->network.steps()) {
      count += layers_of(step);
    }
  }
  return count;
}

systole_status systole_network_layer(const systole_network* network, size_t index, systole_layer* layer) {
  return guarded([&] {
    std::size_t left = index;
    for (const StepReport& step : required(network, "network")->network.steps()) {
      if (left < layers_of(step)) {
        *required(layer, "layer") = layer_of(step, left);
        return;
      }
      left -= layers_of(step);
    }
    no_such("layer", index, systole_network_layer_count(network));
  });
}
