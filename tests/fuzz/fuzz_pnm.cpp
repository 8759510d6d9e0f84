// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a PGM or PPM picture, which is then the input of a tensor of its own size: pixels, or a
// GraphError.
#include "picture_files.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  try {
    const quantizer::Picture picture = quantizer::parse_pnm(graph::Bytes(data, data + size), "fuzz");
    graph::Tensor tensor;
    tensor.type = graph::ElementType::kUint8;
    tensor.shape = {1, picture.channels, picture.height, picture.width};
    as_input(picture, tensor, "fuzz");
  } catch (const graph::GraphError&) {}
  return 0;
}
