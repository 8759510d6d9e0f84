// SPDX-License-Identifier: Apache-2.0
#include "systole/import_model.hpp"

#include <fmt/core.h>

#include <filesystem>

#include "import_onnx.hpp"
#include "import_tflite.hpp"
#include "model_bytes.hpp"

namespace systole::graph {
namespace {

ModelContents read(Bytes bytes, const std::filesystem::path& file, const ImportOptions& options) {
  const std::string name = file.stem().string();
  if (is_tflite(bytes) || file.extension() == ".tflite") {
    if (!options.dimensions.empty()) {
      throw GraphError(fmt::format(
          "dimension '{}' is given; the shapes of a TensorFlow Lite file are fixed: convert the model for the size",
          options.dimensions.begin()->first));
    }
    if (!options.constants.empty()) {
      throw GraphError(fmt::format(
          "constant '{}' is given; a TensorFlow Lite file has its parameters inside: its inputs stay inputs",
          options.constants.begin()->first));
    }
    return read_tflite(bytes, name);
  }
  if (looks_like_onnx(bytes) || file.extension() == ".onnx") {
    OnnxOptions onnx;
    onnx.batch = 1;  // if the file leaves the batch size open: one sample at a time
    onnx.dimensions = options.dimensions;
    onnx.constants = options.constants;
    onnx.operators = options.operators;
    onnx.constant_bytes = options.constant_bytes;
    onnx.without = options.without;
    onnx.log = options.log;
    onnx.training = options.training;
    return read_onnx(std::move(bytes), name, onnx);
  }
  throw GraphError(
      "not a known model format; supported: TensorFlow Lite (.tflite) and ONNX (.onnx). Language models, in GGUF files "
      "and of llama2.c, are for systole generate");
}

}  // namespace

ModelContents read_model(const std::string& path, const ImportOptions& options) {
  const Transformations known(options.without);
  Bytes bytes = read_model_bytes(path);
  try {
    return read(std::move(bytes), path, options);
  } catch (const GraphError& error) {
    throw GraphError(fmt::format("{}: {}", path, error.what()));
  }
}

ModelContents read_whole_model(const std::string& path, const ImportOptions& options) {
  ModelContents contents = read_model(path, options);
  if (!contents.obstacles.empty()) {
    throw GraphError(fmt::format("{}: {}", path, summary(contents.obstacles)));
  }
  return contents;
}

Graph import_model(const std::string& path, const ImportOptions& options) {
  return read_whole_model(path, options).graph;
}

}  // namespace systole::graph
