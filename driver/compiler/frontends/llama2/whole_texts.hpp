// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tokenizer.hpp"

namespace systole::llama2 {

struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};
/// The tokens of texts.
using TextTokens = std::unordered_map<std::string, int, TextHash, std::equal_to<>>;

inline int find(const TextTokens& tokens, std::string_view text) {
  const auto found = tokens.find(text);
  return found == tokens.end() ? kNoToken : found->second;
}

/// Texts that are one token wherever they are.
class WholeTexts {
 public:
  /// Of equal texts the first counts; an empty one is in no text.
  void add(const std::string& text, int token) {
    if (!text.empty()) {
      tokens_.emplace(text, token);
      lengths_.insert(text.size());
    }
  }
  /// The length of the longest of them with which this begins; 0: none.
  std::size_t length_at(std::string_view text) const {
    for (const std::size_t length : lengths_) {
      if (length <= text.size() && token(text.substr(0, length)) != kNoToken) {
        return length;
      }
    }
    return 0;
  }
  int token(std::string_view text) const { return find(tokens_, text); }

 private:
  TextTokens tokens_;
  std::set<std::size_t, std::greater<>> lengths_;
};

}  // namespace systole::llama2
