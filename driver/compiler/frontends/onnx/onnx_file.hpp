// SPDX-License-Identifier: Apache-2.0
// An ONNX file as messages, checked as far as its frame goes.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph::onnx_file {

class File {
 public:
  /// Throws GraphError for bytes that are no such file, a model without graph, and nodes that depend on each other in a
  /// circle.
  explicit File(const Bytes& bytes);

  const onnx::GraphProto& graph() const { return model_.graph(); }
  std::int64_t opset() const { return opset_; }  ///< of the operators without a domain
  std::size_t size() const { return size_; }
  /// What speaks against the file as a whole, though it can be read: versions newer than what is known. In words, none
  /// mostly.
  const std::vector<std::string>& too_new() const { return too_new_; }
  bool trains() const { return !model_.training_info().empty(); }

  /// Numbers of the nodes in an order in which they can run: as the file has them, where that is one.
  const std::vector<std::size_t>& order() const { return order_; }

 private:
  void find_order();

  onnx::ModelProto model_;
  std::int64_t opset_ = 0;
  std::size_t size_ = 0;
  std::vector<std::string> too_new_;
  std::vector<std::size_t> order_;
};

}  // namespace systole::graph::onnx_file
