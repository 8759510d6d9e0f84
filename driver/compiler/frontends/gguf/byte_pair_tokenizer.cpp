// SPDX-License-Identifier: Apache-2.0
#include "byte_pair_tokenizer.hpp"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "characters.hpp"
#include "merged_symbols.hpp"
#include "systole/errors.hpp"

namespace systole::gguf {
namespace {

using llama2::find;
using llama2::kNoToken;
using llama2::Symbol;

std::uint64_t key_of(int left, int right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

/// By the codes of the characters that stand for them.
std::unordered_map<std::uint32_t, char> written_bytes() {
  std::unordered_map<std::uint32_t, char> bytes;
  std::uint32_t next = 0x100;
  for (std::uint32_t byte = 0; byte < 0x100; ++byte) {
    const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
    bytes.emplace(printable ? byte : next++, static_cast<char>(static_cast<std::uint8_t>(byte)));
  }
  return bytes;
}

}  // namespace

std::string bytes_of_written(std::string_view written) {
  static const std::unordered_map<std::uint32_t, char> known = written_bytes();
  std::string bytes;
  for (const Character& character : characters_of(written)) {
    const auto found = known.find(character.code);
    if (found == known.end()) {
      return {};
    }
    bytes += found->second;
  }
  return bytes;
}

BytePairTokenizer::BytePairTokenizer(std::vector<BytesToken> tokens, const std::vector<BytePair>& pairs,
                                     BytePairRules rules, llama2::TextBounds bounds)
    : Tokenizer(std::move(bounds)), tokens_(std::move(tokens)), rules_(rules) {
  for (int token = 0; token < vocabulary(); ++token) {
    const auto& [bytes, kind] = tokens_[static_cast<std::size_t>(token)];
    if (kind == BytesKind::kBytes) {
      bytes_.emplace(bytes, token);
    } else if (kind == BytesKind::kUser) {
      whole_.add(bytes, token);
    }
  }
  for (std::size_t rank = 0; rank < pairs.size(); ++rank) {
    ranks_.emplace(key_of(pairs[rank].left, pairs[rank].right), rank);
  }
}

void BytePairTokenizer::append(std::string_view text, std::vector<int>& tokens) const {
  std::size_t words = 0;  // the length of what is before the next whole text
  const auto append_words = [&] {
    for (const std::string_view word : words_of(text.substr(0, words), rules_.words)) {
      append_word(word, tokens);
    }
    text.remove_prefix(std::exchange(words, 0));
  };
  while (words < text.size()) {
    const std::size_t length = whole_.length_at(text.substr(words));
    if (length == 0) {
      ++words;
      continue;
    }
    append_words();
    tokens.push_back(whole_.token(text.substr(0, length)));
    text.remove_prefix(length);
  }
  append_words();
}

void BytePairTokenizer::append_word(std::string_view word, std::vector<int>& tokens) const {
  if (const int token = find(bytes_, word); rules_.whole_words && token != kNoToken) {
    tokens.push_back(token);
    return;
  }
  std::vector<Symbol> symbols;
  for (std::size_t i = 0; i < word.size(); ++i) {
    symbols.push_back({word.substr(i, 1)});
  }
  const auto priority = [&](std::string_view left, std::string_view right) -> std::optional<double> {
    const auto found = ranks_.find(key_of(find(bytes_, left), find(bytes_, right)));
    return found == ranks_.end() ? std::nullopt : std::optional(-static_cast<double>(found->second));
  };
  for (const Symbol& symbol : llama2::merged(std::move(symbols), priority)) {
    tokens.push_back(find(bytes_, symbol.text));
    if (tokens.back() == kNoToken) {
      throw InvalidArgument(
          fmt::format("the tokenizer has no token for byte 0x{:02X}, in '{}': leave it out of the text",
                      static_cast<unsigned char>(symbol.text[0]), word));
    }
  }
}

std::string BytePairTokenizer::decode(int, int token) const {
  check_exists(token);
  const auto& [bytes, kind] = tokens_[static_cast<std::size_t>(token)];
  return kind == BytesKind::kControl ? std::string() : bytes;
}

}  // namespace systole::gguf
