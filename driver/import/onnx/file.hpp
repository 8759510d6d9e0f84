// SPDX-License-Identifier: Apache-2.0
// An ONNX file as messages, checked as far as its frame goes.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>

#include "systole/graph.hpp"

namespace systole::graph::onnx_file {

class File {
 public:
  /// Throws GraphError for bytes that are no such file, a version that is not known, and a model without graph.
  explicit File(const Bytes& bytes);

  const onnx::GraphProto& graph() const { return model_.graph(); }
  std::int64_t opset() const { return opset_; }  ///< of the operators without a domain

 private:
  onnx::ModelProto model_;
  std::int64_t opset_ = 0;
};

}  // namespace systole::graph::onnx_file
