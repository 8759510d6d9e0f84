// SPDX-License-Identifier: Apache-2.0
#include "llama2_tokenizer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <queue>
#include <utility>

#include "model_bytes.hpp"

namespace systole::llama2 {
namespace {

using graph::Bytes;
using graph::GraphError;

constexpr int kLongest = 1 << 12;
constexpr std::size_t kLongestCharacter = 4;

/// Little-endian numbers and texts, one after another.
class Reader {
 public:
  explicit Reader(const Bytes& bytes) : bytes_(bytes) {}

  template <class Number>
  Number number(const std::string& what) {
    Number value{};
    std::memcpy(&value, take(sizeof value, what), sizeof value);
    return value;
  }
  std::string text(int length, const std::string& what) {
    const auto* first = take(static_cast<std::size_t>(length), what);
    return {first, first + length};
  }
  std::size_t rest() const { return bytes_.size() - offset_; }

 private:
  const std::uint8_t* take(std::size_t size, const std::string& what) {
    if (size > rest()) {
      throw GraphError(
          fmt::format("the file's {} bytes end inside {}; it is truncated, or of fewer tokens than the "
                      "model: get the tokenizer that belongs to the model",
                      bytes_.size(), what));
    }
    offset_ += size;
    return bytes_.data() + offset_ - size;
  }

  const Bytes& bytes_;
  std::size_t offset_ = 0;
};

/// The byte of a token such as <0x0A>.
std::optional<char> byte_of(const std::string& piece) {
  if (piece.size() != 6 || piece.compare(0, 3, "<0x") != 0 || piece[5] != '>') {
    return std::nullopt;
  }
  std::uint8_t value = 0;
  const char* end = piece.data() + 5;
  return std::from_chars(end - 2, end, value, 16).ptr == end ? std::optional(static_cast<char>(value)) : std::nullopt;
}

/// One character of UTF-8, or a byte that does not begin one.
std::string next_character(std::string_view text) {
  std::size_t length = 1;
  if (static_cast<unsigned char>(text[0]) < 0xC0) {
    return std::string(text.substr(0, 1));
  }
  while (length < std::min(text.size(), kLongestCharacter) &&
         (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
    ++length;
  }
  return std::string(text.substr(0, length));
}

}  // namespace

Tokenizer::Tokenizer(const Bytes& bytes, int vocabulary) {
  Reader reader(bytes);
  const auto longest = reader.number<std::int32_t>("the length of the longest token");
  if (longest < 1 || longest > kLongest) {
    throw GraphError(
        fmt::format("the longest token has {} bytes; legal are 1 to {}: get a tokenizer in the form of "
                    "llama2.c, as its tokenizer.py writes it",
                    longest, kLongest));
  }
  for (int token = 0; vocabulary == 0 ? reader.rest() > 0 : token < vocabulary; ++token) {
    const auto what = [&](const char* part) {
      return fmt::format("the {} of token {}{}", part, token, vocabulary == 0 ? "" : fmt::format(" of {}", vocabulary));
    };
    const auto score = reader.number<float>(what("score"));
    const auto length = reader.number<std::int32_t>(what("length"));
    if (!std::isfinite(score)) {
      throw GraphError(fmt::format("{} is {}; legal are finite numbers: write the file again", what("score"), score));
    }
    if (length < 0 || length > longest) {
      throw GraphError(fmt::format("{} is {}; legal are 0 to {}, the longest of the file: write the file again",
                                   what("length"), length, longest));
    }
    pieces_.push_back(reader.text(length, what("text")));
    scores_.push_back(score);
    tokens_.emplace(pieces_.back(), token);
  }
  constexpr std::size_t kFewest = 3;
  if (pieces_.size() < kFewest) {
    throw GraphError(
        fmt::format("{} tokens; a tokenizer has {} or more: get one in the form of llama2.c", pieces_.size(), kFewest));
  }
  if (reader.rest() > 0) {
    throw GraphError(
        fmt::format("{} bytes follow the last of the model's {} tokens: get the tokenizer that belongs to "
                    "the model",
                    reader.rest(), vocabulary));
  }
}

bool Tokenizer::ends_text(int token) const {
  return token == begin() || std::find(bounds_.ends.begin(), bounds_.ends.end(), token) != bounds_.ends.end();
}

int Tokenizer::find(const std::string& piece) const {
  const auto found = tokens_.find(piece);
  return found == tokens_.end() ? -1 : found->second;
}

std::vector<int> Tokenizer::encode(std::string_view text) const {
  std::vector<int> tokens{begin()};
  if (text.empty()) {
    return tokens;
  }
  const std::string spaced = " " + std::string(text);
  for (std::size_t at = 0; at < spaced.size();) {
    const std::string character = next_character(std::string_view(spaced).substr(at));
    at += character.size();
    if (const int token = find(character); token >= 0) {
      tokens.push_back(token);
      continue;
    }
    for (const char byte : character) {
      tokens.push_back(find(fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte))));
      if (tokens.back() < 0) {
        throw InvalidArgument(
            fmt::format("the tokenizer has no token for '{}', nor for its byte 0x{:02X}: leave it out "
                        "of the text",
                        character, static_cast<unsigned char>(byte)));
      }
    }
  }
  return merged(std::move(tokens));
}

/// Each token knows its neighbours, so that a union costs no more than the search for the next best one.
std::vector<int> Tokenizer::merged(std::vector<int> tokens) const {
  constexpr std::size_t kFirst = 1;  // the token before it begins the text and is not a part of it
  constexpr int kGone = -1;
  std::vector<std::size_t> before(tokens.size() + 1), after(tokens.size() + 1);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    before[i + 1] = i;
    after[i] = i + 1;
  }
  const std::size_t end = tokens.size();
  struct Union {
    float score;
    std::size_t left;
    int both, left_token, right_token;
    /// The best one comes out of the queue first, of equal ones the first in the text.
    bool operator<(const Union& other) const { return score != other.score ? score < other.score : left > other.left; }
  };
  std::priority_queue<Union> unions;
  const auto offer = [&](std::size_t left) {
    const std::size_t right = after[left];
    if (left < kFirst || right >= end) {
      return;
    }
    const auto piece = [&](std::size_t i) -> const std::string& {
      return pieces_[static_cast<std::size_t>(tokens[i])];
    };
    if (const int both = find(piece(left) + piece(right)); both >= 0) {
      unions.push({scores_[static_cast<std::size_t>(both)], left, both, tokens[left], tokens[right]});
    }
  };
  for (std::size_t i = kFirst; i < end; ++i) {
    offer(i);
  }
  while (!unions.empty()) {
    const Union best = unions.top();
    unions.pop();
    const std::size_t right = after[best.left];
    if (tokens[best.left] != best.left_token || right >= end || tokens[right] != best.right_token) {
      continue;  // one of the two has become part of another union
    }
    tokens[best.left] = best.both;
    tokens[right] = kGone;
    after[best.left] = after[right];
    before[after[right]] = best.left;
    offer(before[best.left]);
    offer(best.left);
  }
  tokens.erase(std::remove(tokens.begin(), tokens.end(), kGone), tokens.end());
  return tokens;
}

std::string Tokenizer::decode(int before, int token) const {
  if (token < 0 || token >= vocabulary()) {
    throw OutOfRange(fmt::format("token {}; there are 0 to {}", token, vocabulary() - 1));
  }
  const std::string& piece = pieces_[static_cast<std::size_t>(token)];
  if (const auto byte = byte_of(piece)) {
    return {*byte};
  }
  return before == begin() && !piece.empty() && piece[0] == ' ' ? piece.substr(1) : piece;
}

graph::Bytes byte_tokenizer_file() {
  graph::Bytes bytes;
  const auto put = [&](const auto& value) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
  };
  std::vector<std::string> pieces{"<unk>", "\n<s>\n", "\n</s>\n"};
  for (int byte = 0; byte < kByteVocabulary - 3; ++byte) {
    const bool printable = byte >= ' ' && byte <= '~';
    pieces.push_back(printable ? std::string(1, static_cast<char>(byte)) : fmt::format("<0x{:02X}>", byte));
  }
  std::int32_t longest = 0;
  for (const std::string& piece : pieces) {
    longest = std::max(longest, static_cast<std::int32_t>(piece.size()));
  }
  put(longest);
  for (const std::string& piece : pieces) {
    put(0.0F);
    put(static_cast<std::int32_t>(piece.size()));
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  }
  return bytes;
}

Tokenizer read_tokenizer(const std::string& path, int vocabulary) {
  const Bytes bytes = graph::read_model_bytes(path);
  try {
    return Tokenizer(bytes, vocabulary);
  } catch (const GraphError& error) {
    throw GraphError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace systole::llama2
