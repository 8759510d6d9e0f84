// SPDX-License-Identifier: Apache-2.0
#include "piece_tokenizer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "merged_symbols.hpp"
#include "systole/errors.hpp"

namespace systole::llama2 {
namespace {

constexpr std::size_t kLongestCharacter = 4;

/// Of the character of UTF-8 with which this begins; 1 for a byte that begins none.
std::size_t character_length(std::string_view text) {
  std::size_t length = 1;
  if (static_cast<unsigned char>(text[0]) < 0xC0) {
    return length;
  }
  while (length < std::min(text.size(), kLongestCharacter) &&
         (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
    ++length;
  }
  return length;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  while (!text.empty()) {
    const std::size_t found = std::min(text.find(from), text.size());
    result += text.substr(0, found);
    if (found < text.size()) {
      result += to;
    }
    text.remove_prefix(std::min(found + from.size(), text.size()));
  }
  return result;
}

}  // namespace

int byte_of_piece(std::string_view text) {
  if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>') {
    return -1;
  }
  std::uint8_t value = 0;
  const char* end = text.data() + 5;
  return std::from_chars(end - 2, end, value, 16).ptr == end ? value : -1;
}

PieceTokenizer::PieceTokenizer(std::vector<Piece> pieces, PieceRules rules, TextBounds bounds)
    : Tokenizer(std::move(bounds)), pieces_(std::move(pieces)), rules_(std::move(rules)) {
  bytes_.fill(kNoToken);
  for (int token = 0; token < vocabulary(); ++token) {
    const auto& [text, score, kind] = piece(token);
    if (kind == PieceKind::kByte) {
      int& place = bytes_[static_cast<std::size_t>(byte_of_piece(text))];
      place = place == kNoToken ? token : place;
    } else if (kind != PieceKind::kControl && kind != PieceKind::kUnknown) {
      tokens_.emplace(text, token);
    }
    if (kind == PieceKind::kUser) {
      user_.add(text, token);
    }
  }
}

std::string PieceTokenizer::prepared(std::string_view text) const {
  return (rules_.space_before ? rules_.space : "") + replaced(text, " ", rules_.space);
}

void PieceTokenizer::append(std::string_view given, std::vector<int>& tokens) const {
  const std::string text = prepared(given);
  std::vector<Symbol> symbols;
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(symbols.back().text.size())) {
    const std::size_t user = user_.length_at(rest);
    symbols.push_back({rest.substr(0, user > 0 ? user : character_length(rest)), user > 0});
  }
  std::unordered_map<std::string_view, std::size_t> left_parts;  // of unused pieces, the length of the first of the two
  const auto priority = [&](std::string_view left, std::string_view right) -> std::optional<double> {
    const std::string_view both(left.data(), left.size() + right.size());
    const int token = find(tokens_, both);
    if (token == kNoToken) {
      return std::nullopt;
    }
    if (piece(token).kind == PieceKind::kUnused) {
      left_parts[both] = left.size();
    }
    return piece(token).score;
  };
  symbols = merged(std::move(symbols), priority);
  // From the last to the first, so that what a piece is split into can take its place.
  std::reverse(symbols.begin(), symbols.end());
  while (!symbols.empty()) {
    const std::string_view part = symbols.back().text;
    symbols.pop_back();
    const int token = find(tokens_, part);
    const auto split = left_parts.find(part);
    if (token != kNoToken && piece(token).kind == PieceKind::kUnused && split != left_parts.end()) {
      symbols.push_back({part.substr(split->second)});
      symbols.push_back({part.substr(0, split->second)});
      continue;
    }
    if (token != kNoToken) {
      tokens.push_back(token);
      continue;
    }
    for (const char c : part) {
      const auto byte = static_cast<unsigned char>(c);
      tokens.push_back(bytes_[byte]);
      if (tokens.back() == kNoToken) {
        throw InvalidArgument(fmt::format(
            "the tokenizer has no token for '{}', nor for its byte 0x{:02X}: leave it out of the text", part, byte));
      }
    }
  }
}

std::string PieceTokenizer::decode(int before, int token) const {
  check_exists(token);
  const auto& [text, score, kind] = piece(token);
  if (kind == PieceKind::kByte) {
    return {static_cast<char>(byte_of_piece(text))};
  }
  if (kind == PieceKind::kControl) {
    return {};
  }
  const std::string spaced = replaced(text, rules_.space, " ");
  const bool first = before == kNoToken || before == begin();
  return rules_.space_before && first && spaced.substr(0, 1) == " " ? spaced.substr(1) : spaced;
}

}  // namespace systole::llama2
