// SPDX-License-Identifier: Apache-2.0
#include "model_bytes.hpp"

#include "input_file.hpp"

namespace systole::graph {

Bytes read_model_bytes(const std::string& path) {
  try {
    return files::read_file(path);
  } catch (const FileError& error) {
    throw GraphError(error.what());
  }
}

}  // namespace systole::graph
