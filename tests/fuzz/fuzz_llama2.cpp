// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a checkpoint and as a tokenizer of llama2.c: a graph, tokens of a text, or a GraphError.
#include "llama2_graph.hpp"
#include "llama2_tokenizer.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  const graph::Bytes bytes(data, data + size);
  try {
    const llama2::Checkpoint checkpoint = llama2::parse_checkpoint(bytes, "fuzz");
    step_graph(checkpoint, {1, checkpoint.sizes.context});
  } catch (const graph::GraphError&) {}
  try {
    constexpr int kTokens = 8;
    llama2::parse_tokenizer(bytes, kTokens)->encode("a text");
  } catch (const graph::GraphError&) {
  } catch (const InvalidArgument&) {}
  return 0;
}
