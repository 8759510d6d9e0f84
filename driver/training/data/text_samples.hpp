// SPDX-License-Identifier: Apache-2.0
// Texts as samples of a language model: tokens, and for each the one that follows it.
#pragma once

#include <string>

#include "systole/training.hpp"
#include "tokenizer.hpp"

namespace systole::training {

/// Between texts of a file.
inline constexpr const char* kTextEnd = "<|endoftext|>";

/// The texts one after another, each behind the token that begins a text, in samples of `context` tokens. Throws
/// InvalidArgument, beginning with `name`, for fewer tokens than a sample and its last target need, and for a character
/// without a token.
Data text_samples(const std::string& name, const std::string& texts, const llama2::Tokenizer& tokenizer,
                  std::int64_t context);

}  // namespace systole::training
