// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/import_onnx.hpp"

#include "graph/simplify.hpp"
#include "import/onnx/fuse_quantized.hpp"
#include "import/onnx/translation.hpp"

namespace systole::graph {

Graph import_onnx(const Bytes& bytes, const std::string& name, const OnnxOptions& options) {
  const onnx_file::File file(bytes);
  Graph graph = onnx_file::Translation(file, name, options).run();
  move_transposes(graph);  // not folded yet: weights stay quantized until it is known who takes them
  remove_unused(graph);
  onnx_file::fuse_quantized(graph);
  remove_unused(graph);
  simplify(graph);
  validate(graph);
  return graph;
}

}  // namespace systole::graph
