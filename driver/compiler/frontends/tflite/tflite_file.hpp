// SPDX-License-Identifier: Apache-2.0
// The tables of a file, after verification that all offsets lie inside it.
#pragma once

#include <string>

#include "format_generated.h"
#include "systole/graph.hpp"

namespace systole::graph::tflite_file {

namespace format = systole::tflite;

class File {
 public:
  /// Verifies the file. `bytes` must outlive this object. Throws GraphError.
  explicit File(const Bytes& bytes);

  std::size_t size() const { return size_; }

  /// Tables by index. Throw GraphError for an index out of range and for a missing table.
  const format::SubGraph& subgraph(std::int64_t index) const;
  static const format::Tensor& tensor(const format::SubGraph& subgraph, std::int64_t index);
  static const format::Operator& op(const format::SubGraph& subgraph, std::size_t index);

  /// Code of the operator.
  format::OperatorCodeNumber code(const format::Operator& op) const;
  /// Its name in capitals; "custom operator 'x'"; "operator number 9999".
  std::string name(const format::Operator& op) const;

  /// Bytes of a buffer, null if it is empty. Throws GraphError if it is missing or lies outside the tables.
  const flatbuffers::Vector<std::uint8_t>* buffer(std::uint32_t index) const;

 private:
  const format::OperatorCode& operator_code(const format::Operator& op) const;

  const format::Model* model_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace systole::graph::tflite_file
