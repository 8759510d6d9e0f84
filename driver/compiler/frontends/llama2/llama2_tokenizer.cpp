// SPDX-License-Identifier: Apache-2.0
#include "llama2_tokenizer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "piece_tokenizer.hpp"

namespace systole::llama2 {
namespace {

using graph::Bytes;
using graph::GraphError;

constexpr int kLongest = 1 << 12;

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

}  // namespace

std::unique_ptr<const Tokenizer> parse_tokenizer(const Bytes& bytes, int vocabulary) {
  Reader reader(bytes);
  std::vector<Piece> pieces;
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
    const std::string text = reader.text(length, what("text"));
    pieces.push_back({text, score, byte_of_piece(text) < 0 ? PieceKind::kText : PieceKind::kByte});
  }
  constexpr std::size_t kFewest = 3;
  if (pieces.size() < kFewest) {
    throw GraphError(
        fmt::format("{} tokens; a tokenizer has {} or more: get one in the form of llama2.c", pieces.size(), kFewest));
  }
  if (reader.rest() > 0) {
    throw GraphError(
        fmt::format("{} bytes follow the last of the model's {} tokens: get the tokenizer that belongs to "
                    "the model",
                    reader.rest(), vocabulary));
  }
  return std::make_unique<PieceTokenizer>(std::move(pieces), PieceRules{}, TextBounds{});
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

}  // namespace systole::llama2
