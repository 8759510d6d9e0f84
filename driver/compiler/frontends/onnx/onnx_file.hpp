// SPDX-License-Identifier: Apache-2.0
// A parsed ONNX file; only its outer structure is checked.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph::onnx_file {

/// The values that a node reads: its inputs, and what its subgraphs read of the graph around them.
std::vector<std::string> names_read(const onnx::NodeProto& node);

/// Indices of the nodes in topological order: the file's order if that is topological. Throws GraphError for cycles.
std::vector<std::size_t> order_of(const onnx::GraphProto& graph);

class File {
 public:
  /// Throws GraphError for bytes that are no ONNX file, a model without a graph, and cyclic dependencies.
  explicit File(const Bytes& bytes);

  const onnx::GraphProto& graph() const { return model_.graph(); }
  std::int64_t opset() const { return opset_; }  ///< of the default domain
  std::size_t size() const { return size_; }
  /// Versions in the file that are newer than the supported ones, as messages; usually none.
  const std::vector<std::string>& too_new() const { return too_new_; }
  bool trains() const { return !model_.training_info().empty(); }

  const std::vector<std::size_t>& order() const { return order_; }  ///< order_of() the graph

  /// An initializer as constant_tensor() reads it. The elements are then no longer in its message, so that they are in
  /// memory once. Throws as that does.
  Tensor constant(int initializer, const std::string& title);

 private:
  onnx::ModelProto model_;
  std::int64_t opset_ = 0;
  std::size_t size_ = 0;
  std::vector<std::string> too_new_;
  std::vector<std::size_t> order_;
  std::vector<std::optional<Tensor>> constants_;  ///< those that were read
};

}  // namespace systole::graph::onnx_file
