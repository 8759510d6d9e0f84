// SPDX-License-Identifier: Apache-2.0
// Nodes and constants of an ONNX graph.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::training {

class OnnxWriter {
 public:
  explicit OnnxWriter(const std::string& name);

  /// One operator with one result. The graph keeps the node.
  onnx::NodeProto* node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output);
  /// The same; the result has a name of its own, which is returned.
  std::string made(const std::string& type, const std::vector<std::string>& inputs);
  std::string transposed(const std::string& input, const std::vector<std::int64_t>& permutation);

  void constant(const std::string& name, const graph::Value& value);
  /// A constant list of int64, which becomes an input.
  std::string list(const std::vector<std::int64_t>& values);
  std::string scalar(float value);

  void input(const graph::Tensor& tensor);
  void output(const graph::Tensor& tensor);

  std::string next_name() { return "made." + std::to_string(count_++); }
  graph::Bytes bytes() const;

 private:
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  onnx::ModelProto model_;
  int count_ = 0;
};

void attribute(onnx::NodeProto& node, const char* name, std::int64_t value);
void attribute(onnx::NodeProto& node, const char* name, float value);
void attribute(onnx::NodeProto& node, const char* name, const char* value);
void attribute(onnx::NodeProto& node, const char* name, const std::vector<std::int64_t>& values);

}  // namespace systole::training
