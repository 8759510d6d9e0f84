// SPDX-License-Identifier: Apache-2.0
// Tokens of a language model in its GGUF file.
#pragma once

#include <memory>

#include "gguf_file.hpp"
#include "tokenizer.hpp"

namespace systole::gguf {

/// With as many tokens as the model has. Throws graph::GraphError that names key, value, legal range and remedy.
std::unique_ptr<const llama2::Tokenizer> tokenizer_of(const File& file, int vocabulary);

}  // namespace systole::gguf
