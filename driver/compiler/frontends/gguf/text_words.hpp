// SPDX-License-Identifier: Apache-2.0
// Texts cut into words. Byte pairs are united within a word only.
#pragma once

#include <string_view>
#include <vector>

namespace systole::gguf {

enum class WordRules {
  kGpt2,    ///< letters, numbers or other characters, with one space before; 's, 't, 're, 've, 'm, 'll, 'd; spaces
  kSmolLm,  ///< the same, between numbers of one character each
  kLlama3,  ///< as GPT-2, but numbers of three characters at most, line breaks that end a word of others or of spaces,
            ///< and any one character before letters
};

/// The words are parts of the text, one after another, and all of it.
std::vector<std::string_view> words_of(std::string_view text, WordRules rules);

}  // namespace systole::gguf
