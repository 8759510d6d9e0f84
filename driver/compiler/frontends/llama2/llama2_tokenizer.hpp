// SPDX-License-Identifier: Apache-2.0
// Tokenizers of llama2.c: int32 length of the longest token; then for each token float32 score, int32 length, bytes.
#pragma once

#include <memory>

#include "systole/graph.hpp"
#include "tokenizer.hpp"

namespace systole::llama2 {

/// Reads the bytes of a tokenizer with this many tokens, at least 3; 0: as many as there are. Throws graph::GraphError
/// that names token, value, legal range and remedy.
std::unique_ptr<const Tokenizer> parse_tokenizer(const graph::Bytes& bytes, int vocabulary);

/// The bytes of a tokenizer's file whose tokens are the 256 bytes, behind the three that stand for no text.
graph::Bytes byte_tokenizer_file();
constexpr int kByteVocabulary = 259;

}  // namespace systole::llama2
