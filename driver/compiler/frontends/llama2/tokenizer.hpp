// SPDX-License-Identifier: Apache-2.0
// Texts as the tokens of a language model, and back.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace systole::llama2 {

constexpr int kNoToken = -1;

/// Tokens that stand for no text; at first those of llama2.c.
struct TextBounds {
  int begin = 1;             ///< a text begins with it; kNoToken: the model has none
  bool begins = true;        ///< it comes before every text; otherwise only where there is no text
  std::vector<int> ends{2};  ///< a text ends with one of these, or where another begins
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual int vocabulary() const = 0;
  int begin() const { return bounds_.begin; }  ///< the token with which a text begins, or kNoToken
  bool ends_text(int token) const;

  /// The token with which a text begins, then those of the text. Throws InvalidArgument for a character without a
  /// token, and for no text if the model has no token that begins one.
  std::vector<int> encode(std::string_view text) const;

  /// What a token adds to the text after the token before it; `before` is begin() or kNoToken for the first. Throws
  /// OutOfRange if there is no such token.
  virtual std::string decode(int before, int token) const = 0;

 protected:
  explicit Tokenizer(TextBounds bounds) : bounds_(std::move(bounds)) {}
  void check_exists(int token) const;  ///< throws OutOfRange

 private:
  /// Adds the tokens of a text that is not empty.
  virtual void append(std::string_view text, std::vector<int>& tokens) const = 0;

  TextBounds bounds_;
};

}  // namespace systole::llama2
