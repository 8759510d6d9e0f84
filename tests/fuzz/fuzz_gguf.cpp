// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a GGUF file: a language model's graph, tokens of a text and the text back, or a GraphError.
#include <algorithm>

#include "gguf_llama.hpp"
#include "gguf_tokenizer.hpp"
#include "llama2_graph.hpp"
#include "systole/errors.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  const graph::Bytes bytes(data, data + size);
  try {
    const gguf::File file(bytes);
    int vocabulary = 8;
    try {
      const llama2::Checkpoint checkpoint = gguf::checkpoint_of(file, "fuzz");
      vocabulary = checkpoint.sizes.vocabulary;
      constexpr int kMost = 16;  // the mask of a step grows with it
      step_graph(checkpoint, {1, std::min(checkpoint.sizes.context, kMost)});
    } catch (const graph::GraphError&) {}
    const auto tokenizer = gguf::tokenizer_of(file, vocabulary);
    for (const char* text : {"", "a text's  12\n \xC3\xA4\xFF"}) {
      int before = llama2::kNoToken;
      for (const int token : tokenizer->encode(text)) {
        tokenizer->decode(before, token);
        before = token;
      }
    }
  } catch (const graph::GraphError&) {
  } catch (const InvalidArgument&) {}
  return 0;
}
