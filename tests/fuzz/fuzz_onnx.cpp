// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as an ONNX file: a graph that can be listed, or a GraphError.
#include <nlohmann/json.hpp>

#include "graph_listing.hpp"
#include "import_onnx.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole::graph;
  try {
    to_json(read_onnx(Bytes(data, data + size), "fuzz").graph);
  } catch (const GraphError&) {}
  return 0;
}
