// SPDX-License-Identifier: Apache-2.0
#include "context_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "format_generated.h"
#include "node_options.hpp"
#include "systole/errors.hpp"

namespace systole::litert {
namespace {

namespace format = systole::tflite;
using flatbuffers::Offset;

/// Writes tensors, and the buffers of constants.
class Writer {
 public:
  explicit Writer(const Context& context) : context_(context) {
    buffers_.push_back(format::CreateBuffer(builder_));  // the first one stands for "no data"
  }

  graph::Bytes finish(Context& context, const Part& part) {
    std::vector<Offset<format::OperatorCode>> codes;
    std::vector<Offset<format::Operator>> operators;
    std::set<int> used(part.inputs.begin(), part.inputs.end());
    for (const int index : part.nodes) {
      const NodeView view = node_of(context, index);
      for (const Indices* list : {view.node->inputs, view.node->outputs}) {
        const std::vector<int> tensors = present(list);
        used.insert(tensors.begin(), tensors.end());
      }
      operators.push_back(op(view, static_cast<std::uint32_t>(codes.size())));
      codes.push_back(code(*view.kernel));
    }
    std::vector<Offset<format::Tensor>> tensors;
    for (std::size_t i = 0; i < context_.tensors_size; ++i) {
      tensors.push_back(used.count(static_cast<int>(i)) != 0 ? tensor(context_.tensors[i])
                                                             : format::CreateTensor(builder_));
    }
    const Offset<format::SubGraph> subgraph =
        format::CreateSubGraphDirect(builder_, &tensors, &part.inputs, &part.outputs, &operators);
    const std::vector<Offset<format::SubGraph>> subgraphs = {subgraph};
    constexpr std::uint32_t kVersion = 3;
    builder_.Finish(format::CreateModelDirect(builder_, kVersion, &codes, &subgraphs, nullptr, &buffers_),
                    format::ModelIdentifier());
    return {builder_.GetBufferPointer(), builder_.GetBufferPointer() + builder_.GetSize()};
  }

 private:
  Offset<format::OperatorCode> code(const Registration& kernel) {
    constexpr std::int32_t kMostNarrow = 127;
    return format::CreateOperatorCodeDirect(
        builder_, static_cast<std::int8_t>(std::min(kernel.builtin_code, kMostNarrow)), kernel.custom_name,
        kernel.version, static_cast<format::OperatorCodeNumber>(kernel.builtin_code));
  }

  Offset<format::Operator> op(const NodeView& view, std::uint32_t code) {
    const NodeOptions options = write_options(
        builder_, static_cast<format::OperatorCodeNumber>(view.kernel->builtin_code), view.node->builtin_data);
    return format::CreateOperator(builder_, code, vector_of(view.node->inputs), vector_of(view.node->outputs),
                                  options.type, options.table);
  }

  template <class Element>
  Offset<flatbuffers::Vector<Element>> vector_of(const Array<Element>* list) {
    return list == nullptr ? 0 : builder_.CreateVector(list->begin(), static_cast<std::size_t>(list->size));
  }

  Offset<format::Tensor> tensor(const Tensor& from) {
    const auto shape = vector_of(from.dims);
    const auto name = builder_.CreateString(from.name == nullptr ? "" : from.name);
    const auto scales = quantization(from.quantization);
    const std::uint32_t data = from.is_constant() ? buffer(from) : 0;
    const Offset<format::Sparsity> sparsity = from.sparsity == nullptr ? 0 : format::CreateSparsity(builder_);
    return format::CreateTensor(builder_, shape, type(from.type), data, name, scales, from.is_variable, sparsity);
  }

  Offset<format::QuantizationParameters> quantization(const Quantization& from) {
    if (from.kind == Quantization::Kind::kNone || from.parameters == nullptr) {
      return 0;
    }
    if (from.kind != Quantization::Kind::kAffine) {  // the importer refuses it
      return format::CreateQuantizationParameters(builder_, 0, 0, format::QuantizationDetails::OtherQuantization,
                                                  format::CreateOtherQuantization(builder_).Union());
    }
    const auto& affine = *static_cast<const Quantization::Affine*>(from.parameters);
    std::vector<std::int64_t> points;
    if (affine.zero_point != nullptr) {
      points.assign(affine.zero_point->begin(), affine.zero_point->end());
    }
    const auto scale = vector_of(affine.scale);
    const auto zero_point = builder_.CreateVector(points);
    return format::CreateQuantizationParameters(builder_, scale, zero_point, format::QuantizationDetails::NONE, 0,
                                                affine.dimension);
  }

  std::uint32_t buffer(const Tensor& from) {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // a file has 2 GiB with all its tables
    constant_bytes_ += from.bytes;
    if (constant_bytes_ > kMost) {
      throw Failure(
          fmt::format("the constants of the nodes take more than {} bytes, the most that a part may have", kMost));
    }
    const auto* data = static_cast<const std::uint8_t*>(from.data);
    builder_.ForceVectorAlignment(from.bytes, 1, 16);
    buffers_.push_back(format::CreateBuffer(builder_, builder_.CreateVector(data, from.bytes)));
    return static_cast<std::uint32_t>(buffers_.size() - 1);
  }

  /// The interpreter's 0 is "none", and it has float16 behind int8.
  static format::ElementKind type(Type from) {
    constexpr int kFloat32 = 1, kFloat16 = 10;
    const int number = static_cast<int>(from);
    if (number == kFloat16) {
      return format::ElementKind::FLOAT16;
    }
    return static_cast<format::ElementKind>(number <= kFloat32 || number > kFloat16 ? number - 1 : number);
  }

  const Context& context_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<Offset<format::Buffer>> buffers_;
  std::size_t constant_bytes_ = 0;
};

}  // namespace

std::vector<int> present(const Indices* tensors) {
  std::vector<int> found;
  if (tensors != nullptr) {
    std::copy_if(tensors->begin(), tensors->end(), std::back_inserter(found), [](int tensor) { return tensor >= 0; });
  }
  return found;
}

NodeView node_of(Context& context, int index) {
  Node* node = nullptr;
  Registration* kernel = nullptr;
  if (context.get_node_and_registration(&context, index, &node, &kernel) != Status::kOk) {
    throw Failure(fmt::format("the interpreter does not give node {}", index));
  }
  return {node, kernel};
}

Part whole_plan(Context& context) {
  Indices* plan = nullptr;
  if (context.get_execution_plan(&context, &plan) != Status::kOk) {
    throw Failure("the interpreter does not give its execution plan");
  }
  Part part;
  part.nodes.assign(plan->begin(), plan->end());
  std::set<int> made, taken;
  for (const int index : part.nodes) {
    const Node& node = *node_of(context, index).node;
    for (const int tensor : present(node.inputs)) {
      if (!context.tensors[tensor].is_constant()) {
        taken.insert(tensor);
      }
    }
    const std::vector<int> outputs = present(node.outputs);
    made.insert(outputs.begin(), outputs.end());
  }
  std::set_difference(taken.begin(), taken.end(), made.begin(), made.end(), std::back_inserter(part.inputs));
  std::set_difference(made.begin(), made.end(), taken.begin(), taken.end(), std::back_inserter(part.outputs));
  return part;
}

graph::Bytes model_of(Context& context, const Part& part) { return Writer(context).finish(context, part); }

}  // namespace systole::litert
