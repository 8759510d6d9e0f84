// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <unordered_map>

#include "container_file.hpp"
#include "writer.hpp"

namespace systole::container {
namespace {

// The file has the numbers of the enumerations.
static_assert(static_cast<int>(format::ElementType::MAX) == static_cast<int>(graph::ElementType::kBfloat16));
static_assert(static_cast<int>(format::Arithmetic::MAX) == static_cast<int>(graph::Arithmetic::kLiteRt));

/// Writes each constant once, even if several tensors share it.
class Constants {
 public:
  int index_of(const std::shared_ptr<const graph::Bytes>& bytes) {
    if (!bytes) {
      return -1;
    }
    const auto [found, added] = indices_.emplace(bytes.get(), static_cast<int>(list_.size()));
    if (added) {
      list_.push_back(bytes.get());
    }
    return found->second;
  }
  const std::vector<const graph::Bytes*>& list() const { return list_; }

 private:
  std::unordered_map<const graph::Bytes*, int> indices_;
  std::vector<const graph::Bytes*> list_;
};

Offset<format::Tensor> write(FlatBufferBuilder& b, const graph::Tensor& tensor, Constants& constants) {
  Offset<format::Quantization> quantization;
  if (tensor.quantization) {
    const auto scale = b.CreateVector(tensor.quantization->scale);
    const auto zero_point = b.CreateVector(tensor.quantization->zero_point);
    quantization = format::CreateQuantization(b, scale, zero_point, tensor.quantization->axis);
  }
  const auto name = b.CreateString(tensor.name);
  const auto shape = b.CreateVector(tensor.shape);
  return format::CreateTensor(b, name, static_cast<format::ElementType>(tensor.type), shape, quantization,
                              constants.index_of(tensor.constant), tensor.as_weights);
}

Offset<format::Operator> write(FlatBufferBuilder& b, const graph::Operator& op) {
  const auto name = b.CreateString(op.name);
  const auto origin = b.CreateString(op.origin);
  const auto kind = write_kind(b, op.kind);
  const auto inputs = b.CreateVector(op.inputs);
  const auto outputs = b.CreateVector(op.outputs);
  return format::CreateOperator(b, name, origin, kind_type(op.kind), kind,
                                static_cast<format::Arithmetic>(op.arithmetic), inputs, outputs);
}

/// The bytes of a buffer that need not grow, which would copy all of it. What is not written takes no memory.
std::size_t with_room(std::size_t bulk) {
  constexpr std::size_t kLeast = 65536;
  return bulk / 7 * 8 + kLeast;
}

void check_bulk(std::size_t bytes) {
  constexpr std::size_t kMost = FLATBUFFERS_MAX_BUFFER_SIZE / 8 * 7;  // leaves room for names and tables
  if (bytes > kMost) {
    throw ContainerError(fmt::format("constants and instructions of {} bytes; a file takes {}", bytes, kMost));
  }
}

}  // namespace

Offset<format::Graph> write_graph(FlatBufferBuilder& b, const graph::Graph& graph) {
  Constants constants;
  std::vector<Offset<format::Tensor>> tensors;
  for (const graph::Tensor& tensor : graph.tensors) {
    tensors.push_back(write(b, tensor, constants));
  }
  std::vector<Offset<format::Operator>> operators;
  for (const graph::Operator& op : graph.operators) {
    operators.push_back(write(b, op));
  }
  std::vector<std::int32_t> states;
  for (const auto& state : graph.states) {
    states.push_back(constants.index_of(state));
  }
  std::vector<Offset<format::Constant>> data;
  for (const graph::Bytes* bytes : constants.list()) {
    b.ForceVectorAlignment(bytes->size(), 1, 16);
    data.push_back(format::CreateConstant(b, b.CreateVector(*bytes)));
  }
  const auto name = b.CreateString(graph.name);
  const auto tensors_at = b.CreateVector(tensors);
  const auto operators_at = b.CreateVector(operators);
  const auto inputs = b.CreateVector(graph.inputs);
  const auto outputs = b.CreateVector(graph.outputs);
  const auto data_at = b.CreateVector(data);
  const auto states_at = b.CreateVector(states);
  return format::CreateGraph(b, name, tensors_at, operators_at, inputs, outputs, data_at, states_at);
}

std::size_t bulk_of(const graph::Graph& graph) {
  Constants constants;
  std::size_t bytes = 0;
  for (const graph::Tensor& tensor : graph.tensors) {
    constants.index_of(tensor.constant);
  }
  for (const auto& state : graph.states) {
    constants.index_of(state);
  }
  for (const graph::Bytes* constant : constants.list()) {
    bytes += constant->size();
  }
  return bytes;
}

graph::Bytes save(const graph::Graph& graph, std::int64_t batch) {
  const std::size_t bulk = bulk_of(graph);
  check_bulk(bulk);
  FlatBufferBuilder b(with_room(bulk));
  b.Finish(format::CreateContainer(b, write_graph(b, graph), 0, batch));
  return with_header(b.GetBufferPointer(), b.GetSize());
}

namespace {

void write(FlatBufferBuilder& b, const CompiledNetwork& network, const FoundWeights& weights, std::int64_t batch) {
  const auto graph = write_graph(b, network.graph);
  const auto compiled = write_compiled(b, network, weights);
  b.Finish(format::CreateContainer(b, graph, compiled, batch));
}

std::size_t checked_bulk(const CompiledNetwork& network) {
  const std::size_t bulk = bulk_of(network.graph) + bulk_of(network);
  check_bulk(bulk);
  return bulk;
}

}  // namespace

graph::Bytes save(const CompiledNetwork& network, std::int64_t batch) {
  FlatBufferBuilder b(with_room(checked_bulk(network)));
  write(b, network, find_weights(network), batch);
  return with_header(b.GetBufferPointer(), b.GetSize());
}

graph::Bytes save(CompiledNetwork&& network, std::int64_t batch) {
  const FoundWeights weights = find_weights(network);
  drop(network, weights);
  FlatBufferBuilder b(with_room(checked_bulk(network)));
  {
    const CompiledNetwork written = std::move(network);
    write(b, written, weights, batch);
  }
  return with_header(b.GetBufferPointer(), b.GetSize());
}

}  // namespace systole::container
