// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a TensorFlow Lite file: a graph that can be listed, or a GraphError.
#include <nlohmann/json.hpp>

#include "graph_listing.hpp"
#include "import_tflite.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole::graph;
  try {
    to_json(read_tflite(Bytes(data, data + size), "fuzz").graph);
  } catch (const GraphError&) {}
  return 0;
}
