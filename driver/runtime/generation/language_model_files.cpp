// SPDX-License-Identifier: Apache-2.0
#include "language_model_files.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <optional>

#include "gguf_llama.hpp"
#include "gguf_tokenizer.hpp"
#include "llama2_tokenizer.hpp"
#include "model_bytes.hpp"

namespace systole::generation {
namespace {

using graph::Bytes;

/// Calls read() with the file's bytes.
template <class Read>
auto reading(const std::string& path, const Read& read) {
  const Bytes bytes = graph::read_model_bytes(path);
  try {
    return read(bytes);
  } catch (const graph::GraphError& error) {
    throw graph::GraphError(fmt::format("{}: {}", path, error.what()));
  }
}

std::unique_ptr<const llama2::Tokenizer> read_tokenizer(const std::string& path, int vocabulary) {
  return reading(path, [&](const Bytes& bytes) {
    return gguf::File::begins(bytes) ? gguf::tokenizer_of(gguf::File(bytes), vocabulary)
                                     : llama2::parse_tokenizer(bytes, vocabulary);
  });
}

}  // namespace

ModelFiles read_model_files(const std::string& model, const std::string& tokenizer) {
  ModelFiles files = reading(model, [&](const Bytes& bytes) -> ModelFiles {
    const std::string name = std::filesystem::path(model).stem().string();
    if (!gguf::File::begins(bytes)) {
      if (tokenizer.empty()) {
        throw graph::GraphError(
            "a checkpoint of llama2.c has no tokens in it: give its tokenizer, too (--tokenizer), or a GGUF file");
      }
      return {llama2::parse_checkpoint(bytes, name), nullptr};
    }
    const gguf::File file(bytes);
    ModelFiles found{gguf::checkpoint_of(file, name), nullptr};
    if (tokenizer.empty()) {
      found.tokenizer = gguf::tokenizer_of(file, found.checkpoint.sizes.vocabulary);
    }
    return found;
  });
  if (!files.tokenizer) {
    files.tokenizer = read_tokenizer(tokenizer, files.checkpoint.sizes.vocabulary);
  }
  return files;
}

}  // namespace systole::generation
