// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/import_onnx.hpp"

#include <set>

#include "graph/simplify.hpp"
#include "import/onnx/fuse_quantized.hpp"
#include "import/onnx/translation.hpp"

namespace systole::graph {

namespace {

/// Each time that it is begun anew another input is bound.
Graph translated(const onnx_file::File& file, const std::string& name, const OnnxOptions& options) {
  std::set<std::string> bound;
  while (true) {
    try {
      return onnx_file::Translation(file, name, options, bound).run();
    } catch (const onnx_file::NeedsValues& needs) {
      bound.insert(needs.inputs.begin(), needs.inputs.end());
    }
  }
}

}  // namespace

Graph import_onnx(const Bytes& bytes, const std::string& name, const OnnxOptions& options) {
  const onnx_file::File file(bytes);
  Graph graph = translated(file, name, options);
  move_transposes(graph);  // not folded yet: weights stay quantized until it is known who takes them
  remove_unused(graph);
  onnx_file::fuse_quantized(graph);
  remove_unused(graph);
  simplify(graph);
  validate(graph);
  return graph;
}

}  // namespace systole::graph
