// SPDX-License-Identifier: Apache-2.0
#include "partition.hpp"

#include <fmt/core.h>

#include <cstring>
#include <utility>

#include "read_part.hpp"
#include "systole/errors.hpp"

namespace systole::litert {
namespace {

Network compiled(SharedDevice& shared, Context& context, const Part& part) {
  const graph::ModelContents contents =
      read_part(context, part, fmt::format("nodes {} to {}", part.nodes.front(), part.nodes.back()));
  if (!contents.obstacles.empty()) {
    throw graph::GraphError(graph::summary(contents.obstacles));
  }
  const std::lock_guard lock(shared.use);
  return {shared.device, contents.graph};
}

/// The tensor of a network's input or output, whose size is `bytes`.
Tensor& sized(Context& context, int index, std::size_t bytes) {
  Tensor& tensor = context.tensors[index];
  if (tensor.data == nullptr || tensor.bytes != bytes) {
    throw Failure(fmt::format("tensor {} '{}' has {} bytes; it was compiled for {}", index,
                              tensor.name == nullptr ? "" : tensor.name, tensor.bytes, bytes));
  }
  return tensor;
}

}  // namespace

Partition::Partition(std::shared_ptr<SharedDevice> device, Context& context, Part part)
    : device_(std::move(device)), part_(std::move(part)), network_(compiled(*device_, context, part_)) {}

Partition::~Partition() {
  const std::lock_guard lock(device_->use);
  network_.reset();
}

void Partition::run(Context& context) {
  const graph::Graph& graph = network_->graph();
  std::vector<graph::Value> inputs;
  for (std::size_t i = 0; i < part_.inputs.size(); ++i) {
    const graph::Tensor& as = graph.tensor(graph.inputs.at(i));
    const auto bytes = static_cast<std::size_t>(graph::count(as.shape)) * graph::element_size(as.type);
    const auto* data = static_cast<const std::uint8_t*>(sized(context, part_.inputs[i], bytes).data);
    inputs.push_back({as.type, as.shape, graph::Bytes(data, data + bytes)});
  }
  const std::lock_guard lock(device_->use);
  const std::vector<graph::Value> results = network_->run(inputs);
  ++runs_;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Tensor& to = sized(context, part_.outputs.at(i), results[i].data.size());
    std::memcpy(to.data, results[i].data.data(), results[i].data.size());
  }
}

}  // namespace systole::litert
