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

graph::Value value_of(const graph::Tensor& tensor, const void* data) {
  const auto* first = static_cast<const std::uint8_t*>(data);
  return {tensor.type, tensor.shape, graph::Bytes(first, first + bytes_of(tensor))};
}

void check_arrays(const graph::Graph& graph, const std::vector<graph::TensorId>& ids, const char* what,
                  const systole_array* arrays, std::size_t count) {
  if (count != ids.size()) {
    throw InvalidArgument(fmt::format("{} {}s given, the network has {}", count, what, ids.size()));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const systole_array& array = required(arrays, what)[i];
    if (array.type < SYSTOLE_INT8 || array.type > SYSTOLE_BFLOAT16) {
      throw InvalidArgument(fmt::format("{} {}: type {}; types are 0 to {}", what, i, static_cast<int>(array.type),
                                        static_cast<int>(SYSTOLE_BFLOAT16)));
    }
    const std::int64_t* shape = array.rank == 0 ? nullptr : required(array.shape, "shape");
    graph::check_value(what, graph.tensor(ids[i]), static_cast<graph::ElementType>(array.type),
                       graph::Shape(shape, shape + array.rank), array.bytes);
    if (array.bytes > 0) {
      required(array.data, "data");
    }
  }
}

template <class Place>
void copy_results(const std::vector<graph::Value>& results, Place place) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].data.empty()) {
      std::memcpy(place(i), results[i].data.data(), results[i].data.size());
    }
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
  return network == nullptr ? 0 : graph::sample_inputs(network->network.graph()).size();
}

size_t systole_network_output_count(const systole_network* network) {
  return network == nullptr ? 0 : graph::sample_outputs(network->network.graph()).size();
}

systole_status systole_network_input(const systole_network* network, size_t index, systole_tensor* tensor) {
  return guarded([&] {
    const graph::Graph& graph = required(network, "network")->network.graph();
    describe(graph, graph::sample_inputs(graph), "input", index, tensor);
  });
}

systole_status systole_network_output(const systole_network* network, size_t index, systole_tensor* tensor) {
  return guarded([&] {
    const graph::Graph& graph = required(network, "network")->network.graph();
    describe(graph, graph::sample_outputs(graph), "output", index, tensor);
  });
}

systole_status systole_network_run(systole_network* network, const void* const* inputs, void* const* outputs) {
  return guarded([&] {
    const graph::Graph& graph = required(network, "network")->network.graph();
    for (std::size_t i = 0; i < graph::sample_outputs(graph).size(); ++i) {
      required(required(outputs, "outputs")[i], "an output");
    }
    std::vector<graph::Value> values;
    for (const graph::TensorId id : graph::sample_inputs(graph)) {
      values.push_back(value_of(graph.tensor(id), required(required(inputs, "inputs")[values.size()], "an input")));
    }
    copy_results(network->network.run(values), [&](std::size_t i) { return outputs[i]; });
  });
}

systole_status systole_network_run_arrays(systole_network* network, const systole_array* inputs, size_t input_count,
                                          const systole_array* outputs, size_t output_count) {
  return guarded([&] {
    const graph::Graph& graph = required(network, "network")->network.graph();
    const std::vector<graph::TensorId> ids = graph::sample_inputs(graph);
    check_arrays(graph, ids, "input", inputs, input_count);
    check_arrays(graph, graph::sample_outputs(graph), "output", outputs, output_count);
    std::vector<graph::Value> values;
    for (std::size_t i = 0; i < input_count; ++i) {
      values.push_back(value_of(graph.tensor(ids[i]), inputs[i].data));
    }
    copy_results(network->network.run(values), [&](std::size_t i) { return outputs[i].data; });
  });
}

systole_status systole_network_reset_state(systole_network* network) {
  return guarded([&] { required(network, "network")->network.reset_state(); });
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
