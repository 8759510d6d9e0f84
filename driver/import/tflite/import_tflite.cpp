// SPDX-License-Identifier: Apache-2.0
#include "import/tflite/import_tflite.hpp"

#include "import/tflite/translation.hpp"

namespace systole::graph {

Graph import_tflite(const Bytes& bytes, const std::string& name) {
  const tflite_file::File file(bytes);
  return tflite_file::Translation(file, name).run();
}

}  // namespace systole::graph
