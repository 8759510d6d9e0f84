// SPDX-License-Identifier: Apache-2.0
// Tokens as SentencePiece's byte pair encoding has them: pieces of text with scores.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer.hpp"
#include "whole_texts.hpp"

namespace systole::llama2 {

/// With SentencePiece's numbers.
enum class PieceKind {
  kText = 1,
  kUnknown = 2,  ///< stands for what has no token
  kControl = 3,  ///< stands for no text, and comes from none
  kUser = 4,     ///< text that is this token wherever it is
  kUnused = 5,   ///< text of which larger tokens are made, but which is two tokens itself
  kByte = 6,     ///< <0x00> to <0xFF>
};

struct Piece {
  std::string text;
  float score = 0;
  PieceKind kind = PieceKind::kText;
};

struct PieceRules {
  std::string space = " ";   ///< what a space is in the pieces
  bool space_before = true;  ///< a text becomes tokens as if a space came before it
};

/// The byte of a token such as <0x0A>; -1: it is none.
int byte_of_piece(std::string_view text);

/// The characters of a text are united: always the two neighbours whose union is the piece with the best score. What is
/// no piece in the end is its bytes.
class PieceTokenizer final : public Tokenizer {
 public:
  /// Of pieces with the same text the first counts. Scores are finite; the text of pieces that are bytes is theirs.
  PieceTokenizer(std::vector<Piece> pieces, PieceRules rules, TextBounds bounds);

  int vocabulary() const override { return static_cast<int>(pieces_.size()); }
  std::string decode(int before, int token) const override;

 private:
  void append(std::string_view text, std::vector<int>& tokens) const override;
  std::string prepared(std::string_view text) const;
  const Piece& piece(int token) const { return pieces_[static_cast<std::size_t>(token)]; }

  const std::vector<Piece> pieces_;
  const PieceRules rules_;
  TextTokens tokens_;
  WholeTexts user_;
  std::array<int, 256> bytes_{};  ///< the tokens of bytes, or kNoToken
};

}  // namespace systole::llama2
