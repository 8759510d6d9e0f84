// SPDX-License-Identifier: Apache-2.0
// Files of a language model.
#pragma once

#include <memory>
#include <string>

#include "llama2_checkpoint.hpp"
#include "tokenizer.hpp"

namespace systole::generation {

struct ModelFiles {
  llama2::Checkpoint checkpoint;
  std::unique_ptr<const llama2::Tokenizer> tokenizer;
};

/// Reads the weights of a model, a GGUF file or a checkpoint of llama2.c, and its tokens: from `tokenizer`, a GGUF file
/// or a tokenizer of llama2.c, or without this path from the model's own file. Formats are recognized by the content.
/// Throws graph::GraphError, beginning with the path, also if a checkpoint of llama2.c comes without a tokenizer.
ModelFiles read_model_files(const std::string& model, const std::string& tokenizer);

}  // namespace systole::generation
