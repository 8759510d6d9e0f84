// SPDX-License-Identifier: Apache-2.0
// Tokens as GPT-2 has them: sequences of bytes, united within words in the order of a list of pairs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text_words.hpp"
#include "tokenizer.hpp"
#include "whole_texts.hpp"

namespace systole::gguf {

enum class BytesKind {
  kBytes,    ///< bytes of texts
  kUser,     ///< a text that is this token wherever it is
  kControl,  ///< stands for no text, and comes from none
};
struct BytesToken {
  std::string bytes;
  BytesKind kind = BytesKind::kBytes;
};

struct BytePairRules {
  WordRules words = WordRules::kGpt2;
  bool whole_words = false;  ///< a word that is a token is not made of pairs
};

/// Tokens that become one.
struct BytePair {
  int left, right;
};

class BytePairTokenizer final : public llama2::Tokenizer {
 public:
  /// Earlier pairs are united before later ones.
  BytePairTokenizer(std::vector<BytesToken> tokens, const std::vector<BytePair>& pairs, BytePairRules rules,
                    llama2::TextBounds bounds);

  int vocabulary() const override { return static_cast<int>(tokens_.size()); }
  std::string decode(int before, int token) const override;

 private:
  void append(std::string_view text, std::vector<int>& tokens) const override;
  void append_word(std::string_view word, std::vector<int>& tokens) const;

  const std::vector<BytesToken> tokens_;
  const BytePairRules rules_;
  llama2::TextTokens bytes_;
  llama2::WholeTexts whole_;
  std::unordered_map<std::uint64_t, std::size_t> ranks_;  ///< of pairs
};

/// The bytes of a token as files write them: each is one character, itself if it is printable, or else the next free
/// one from U+0100 on. Empty: it has characters that stand for no byte.
std::string bytes_of_written(std::string_view written);

}  // namespace systole::gguf
