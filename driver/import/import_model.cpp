// SPDX-License-Identifier: Apache-2.0
#include "systole/import_model.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "import/onnx/import_onnx.hpp"
#include "import/tflite/import_tflite.hpp"

namespace systole::graph {
namespace {

Bytes read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw GraphError(file ? "is a folder" : std::strerror(errno));
  }
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

Graph import_model(const std::string& path) {
  const std::filesystem::path file(path);
  try {
    const Bytes bytes = read_all(path);
    const std::string name = file.stem().string();
    if (is_tflite(bytes) || file.extension() == ".tflite") {
      return import_tflite(bytes, name);
    }
    if (looks_like_onnx(bytes) || file.extension() == ".onnx") {
      OnnxOptions options;
      options.batch = 1;  // where the file leaves it open: one sample at a time
      return import_onnx(bytes, name, options);
    }
    throw GraphError("no known model format; TensorFlow Lite (.tflite) and ONNX (.onnx) can be read");
  } catch (const GraphError& error) {
    throw GraphError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace systole::graph
