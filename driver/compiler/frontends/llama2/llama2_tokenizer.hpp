// SPDX-License-Identifier: Apache-2.0
// Tokenizers of llama2.c: int32 length of the longest token; then for each token float32 score, int32 length, bytes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "systole/graph.hpp"

namespace systole::llama2 {

/// Tokens that stand for no text; at first those of llama2.c.
struct TextBounds {
  int begin = 1;             ///< a text begins with it
  std::vector<int> ends{2};  ///< a text ends with one of these, or where another begins
};

class Tokenizer {
 public:
  /// Reads the bytes of a tokenizer with this many tokens, at least 3; 0: as many as there are. Throws
  /// graph::GraphError that names token, value, legal range and remedy.
  Tokenizer(const graph::Bytes& bytes, int vocabulary);

  int vocabulary() const { return static_cast<int>(pieces_.size()); }
  int begin() const { return bounds_.begin; }  ///< the token with which a text begins
  bool ends_text(int token) const;

  /// begin(), then the tokens of the text after a space. The characters' tokens are merged: always the two
  /// neighbours whose union has the best score. A character without a token is its bytes, <0x00> to <0xFF>. Throws
  /// InvalidArgument for a byte without a token.
  std::vector<int> encode(std::string_view text) const;

  /// What a token adds to the text after the token before it; tokens <0x00> to <0xFF> are bytes. The first one of a
  /// text loses its space. Throws OutOfRange if there is no such token.
  std::string decode(int before, int token) const;

 private:
  /// The neighbours whose union has the best score become one token, until there are none.
  std::vector<int> merged(std::vector<int> tokens) const;
  int find(const std::string& piece) const;  ///< -1: there is none

  TextBounds bounds_;
  std::vector<std::string> pieces_;
  std::vector<float> scores_;
  std::unordered_map<std::string, int> tokens_;
};

/// The bytes of a tokenizer's file whose tokens are the 256 bytes, behind the three that stand for no text.
graph::Bytes byte_tokenizer_file();
constexpr int kByteVocabulary = 259;

/// Reads a file with this many tokens; 0: as many as it has. Throws graph::GraphError, beginning with the path.
Tokenizer read_tokenizer(const std::string& path, int vocabulary);

}  // namespace systole::llama2
