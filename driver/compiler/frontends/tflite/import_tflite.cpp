// SPDX-License-Identifier: Apache-2.0
#include "import_tflite.hpp"

#include <utility>

#include "tflite_translation.hpp"

namespace systole::graph {

ModelContents read_tflite(const Bytes& bytes, const std::string& name) {
  const tflite_file::File file(bytes);
  return tflite_file::Translation(file, name).run();
}

Graph import_tflite(const Bytes& bytes, const std::string& name) {
  ModelContents contents = read_tflite(bytes, name);
  if (!contents.obstacles.empty()) {
    throw GraphError(summary(contents.obstacles));
  }
  return std::move(contents.graph);
}

}  // namespace systole::graph
