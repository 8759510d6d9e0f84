// SPDX-License-Identifier: Apache-2.0
#include "tokenizer.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "systole/errors.hpp"

namespace systole::llama2 {

bool Tokenizer::ends_text(int token) const {
  return token == begin() || std::find(bounds_.ends.begin(), bounds_.ends.end(), token) != bounds_.ends.end();
}

std::vector<int> Tokenizer::encode(std::string_view text) const {
  std::vector<int> tokens;
  if (text.empty() && begin() == kNoToken) {
    throw InvalidArgument("the text is empty, and the model has no token that begins one: give a text");
  }
  if (begin() != kNoToken && (bounds_.begins || text.empty())) {
    tokens.push_back(begin());
  }
  if (!text.empty()) {
    append(text, tokens);
  }
  return tokens;
}

void Tokenizer::check_exists(int token) const {
  if (token < 0 || token >= vocabulary()) {
    throw OutOfRange(fmt::format("token {}; there are 0 to {}", token, vocabulary() - 1));
  }
}

}  // namespace systole::llama2
