// SPDX-License-Identifier: Apache-2.0
// Nodes and constants of an ONNX graph.
#pragma once

#include <onnx/onnx_pb.h>

#include <set>
#include <string>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::training {

class OnnxWriter {
 public:
  /// `taken` are names of values that the graph has already: a file that was written here, and is trained again, has
  /// such as next_name() makes.
  OnnxWriter(const std::string& name, std::set<std::string> taken);

  /// One operator with one result. The graph keeps the node.
  onnx::NodeProto* node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output);
  /// The same; the result has a name of its own, which is returned.
  std::string made(const std::string& type, const std::vector<std::string>& inputs);
  std::string transposed(const std::string& input, const std::vector<std::int64_t>& permutation);

  void constant(const std::string& name, const graph::Value& value);
  /// A constant list of int64, which becomes an input.
  std::string list(const std::vector<std::int64_t>& values);
  std::string scalar(float value);

  /// `any_batch`: the first axis has any size, and the name "batch".
  void input(const graph::Tensor& tensor, bool any_batch);
  void output(const graph::Tensor& tensor, bool any_batch);

  std::string next_name();
  graph::Bytes bytes() const;

 private:
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  onnx::ModelProto model_;
  const std::set<std::string> taken_;
  int count_ = 0;
};

void attribute(onnx::NodeProto& node, const char* name, std::int64_t value);
void attribute(onnx::NodeProto& node, const char* name, float value);
void attribute(onnx::NodeProto& node, const char* name, const char* value);
void attribute(onnx::NodeProto& node, const char* name, const std::vector<std::int64_t>& values);

}  // namespace systole::training
