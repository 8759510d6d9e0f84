// SPDX-License-Identifier: Apache-2.0
// Files of llama2.c, made for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "systole/graph.hpp"

namespace systole::llama2::test {

/// The header: dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size (negative: own classifier), seq_len.
using Header = std::array<std::int32_t, 7>;

inline constexpr Header kSmall{8, 12, 2, 4, 2, 300, 16};

template <class Number>
void append(graph::Bytes& bytes, const Number& value) {
  bytes.resize(bytes.size() + sizeof value);
  std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
}

/// How many float32 follow the header, counted matrix by matrix.
inline std::size_t numbers_of(const Header& header) {
  const auto [dim, hidden, layers, heads, key_heads, vocabulary, context] = header;
  const std::int64_t head = dim / heads, keys = head * key_heads, tokens = std::abs(vocabulary);
  const std::int64_t layer = dim + dim * dim + 2 * dim * keys + dim * dim + dim + 3 * dim * hidden;
  return static_cast<std::size_t>(tokens * dim + layers * layer + dim + context * head +
                                  (vocabulary < 0 ? tokens * dim : 0));
}

/// A checkpoint of random weights.
inline graph::Bytes checkpoint_bytes(const Header& header = kSmall, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  graph::Bytes bytes;
  for (const std::int32_t field : header) {
    append(bytes, field);
  }
  const auto spread = 2 / std::sqrt(static_cast<double>(header[0]));
  for (std::size_t i = numbers_of(header); i > 0; --i) {
    const double unit = static_cast<double>(random() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
    append(bytes, static_cast<float>((2 * unit - 1) * spread));
  }
  return bytes;
}

/// A text and its score.
using Piece = std::pair<std::string, float>;

/// <unk>, begin, end, the 256 bytes, then these.
inline std::vector<Piece> pieces_with(const std::vector<Piece>& more) {
  std::vector<Piece> pieces{{"<unk>", 0}, {"\n<s>\n", 0}, {"\n</s>\n", 0}};
  for (unsigned byte = 0; byte < 256; ++byte) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    pieces.emplace_back(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">", 0.0F);
  }
  pieces.insert(pieces.end(), more.begin(), more.end());
  return pieces;
}

inline graph::Bytes tokenizer_bytes(const std::vector<Piece>& pieces) {
  std::int32_t longest = 0;
  for (const auto& [text, score] : pieces) {
    longest = std::max(longest, static_cast<std::int32_t>(text.size()));
  }
  graph::Bytes bytes;
  append(bytes, longest);
  for (const auto& [text, score] : pieces) {
    append(bytes, score);
    append(bytes, static_cast<std::int32_t>(text.size()));
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  return bytes;
}

/// The number at this place of the bytes, replaced.
template <class Number>
graph::Bytes with(graph::Bytes bytes, std::size_t offset, const Number& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

}  // namespace systole::llama2::test
