// SPDX-License-Identifier: Apache-2.0
#include "onnx_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "dependency_order.hpp"
#include "import_onnx.hpp"
#include "onnx_tensors.hpp"

namespace systole::graph::onnx_file {
namespace {

// ONNX 1.23. onnx_operators.cpp covers all changes up to it; later versions may change the meaning of a file.
constexpr std::int64_t kNewestIr = 14;
constexpr std::int64_t kNewestOpset = 28;

/// Adds the names that a graph reads from those around it.
void add_outer_names(const onnx::GraphProto& graph, std::vector<std::string>& names) {
  std::unordered_set<std::string> own;
  for (const auto& input : graph.input()) {
    own.insert(input.name());
  }
  for (const auto& initializer : graph.initializer()) {
    own.insert(initializer.name());
  }
  for (const auto& node : graph.node()) {
    own.insert(node.output().begin(), node.output().end());
  }
  const auto add = [&](const std::string& name) {
    if (own.count(name) == 0) {
      names.push_back(name);
    }
  };
  for (const auto& node : graph.node()) {
    const std::vector<std::string> read = names_read(node);
    std::for_each(read.begin(), read.end(), add);
  }
  for (const auto& output : graph.output()) {
    add(output.name());
  }
}

}  // namespace

std::vector<std::string> names_read(const onnx::NodeProto& node) {
  std::vector<std::string> names(node.input().begin(), node.input().end());
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) {
      add_outer_names(attribute.g(), names);
    }
  }
  return names;
}

File::File(const Bytes& bytes) : size_(bytes.size()) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw GraphError(fmt::format("{} bytes; a file of this format has at most 2^31 - 1", bytes.size()));
  }
  if (!model_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw GraphError(
        fmt::format("not an ONNX file, or truncated or damaged: its {} bytes cannot be parsed", bytes.size()));
  }
  if (!model_.has_graph()) {
    throw GraphError("not an ONNX file, or damaged: it contains no graph");
  }
  if (model_.ir_version() < 1) {
    throw GraphError(
        fmt::format("version {} of the format; versions begin with 1: the file is damaged", model_.ir_version()));
  }
  if (model_.ir_version() > kNewestIr) {
    too_new_.push_back(fmt::format("version {} of the format; 1 .. {} are known", model_.ir_version(), kNewestIr));
  }
  opset_ = model_.opset_import_size() == 0 ? 1 : 0;  // files that predate operator sets
  for (const auto& opset : model_.opset_import()) {
    if (opset.domain().empty() || opset.domain() == "ai.onnx") {
      opset_ = opset.version();
    }
  }
  if (opset_ < 0) {
    throw GraphError(fmt::format("operator set {}; sets begin with 1: the file is damaged", opset_));
  }
  if (opset_ > kNewestOpset) {
    too_new_.push_back(fmt::format("operator set {}; 1 .. {} are known", opset_, kNewestOpset));
  }
  order_ = order_of(graph());
  constants_.resize(static_cast<std::size_t>(graph().initializer_size()));
}

Tensor File::constant(int initializer, const std::string& title) {
  std::optional<Tensor>& read = constants_.at(static_cast<std::size_t>(initializer));
  if (!read) {
    onnx::TensorProto& message = *model_.mutable_graph()->mutable_initializer(initializer);
    read = constant_tensor(message, title);
    onnx::TensorProto name;
    name.set_name(message.name());
    message.Swap(&name);
  }
  return *read;
}

std::vector<std::size_t> order_of(const onnx::GraphProto& graph) {
  const auto& nodes = graph.node();
  std::unordered_map<std::string_view, std::size_t> makers;
  for (int i = 0; i < nodes.size(); ++i) {
    for (const std::string& name : nodes[i].output()) {
      makers.emplace(name, static_cast<std::size_t>(i));
    }
  }
  std::vector<std::vector<std::size_t>> dependencies(static_cast<std::size_t>(nodes.size()));
  for (int i = 0; i < nodes.size(); ++i) {
    for (const std::string& name : names_read(nodes[i])) {
      if (const auto maker = makers.find(name); maker != makers.end() && !name.empty()) {
        dependencies[static_cast<std::size_t>(i)].push_back(maker->second);
      }
    }
  }
  DependencyOrder found = dependency_order(dependencies);
  if (!found.cycle.empty()) {
    throw GraphError("nodes form a cycle: " + cycle_text(found.cycle, [&](std::size_t i) {
                       const auto& node = nodes[static_cast<int>(i)];
                       return fmt::format("node {} ({} '{}')", i, node.op_type(), node.name());
                     }));
  }
  return std::move(found.order);
}

}  // namespace systole::graph::onnx_file

namespace systole::graph {

bool looks_like_onnx(const Bytes& bytes) {
  constexpr std::uint8_t kVersionField = 0x08;  // field 1, a number: the version of the format, written first
  constexpr std::uint8_t kMostLikely = 32;
  return bytes.size() >= 4 && bytes[0] == kVersionField && bytes[1] >= 1 && bytes[1] <= kMostLikely;
}

}  // namespace systole::graph
