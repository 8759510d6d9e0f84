// SPDX-License-Identifier: Apache-2.0
#include "gguf_tokenizer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "byte_pair_tokenizer.hpp"
#include "piece_tokenizer.hpp"

namespace systole::gguf {
namespace {

using graph::GraphError;
using llama2::kNoToken;
using llama2::Piece;
using llama2::PieceKind;

constexpr const char* kModel = "tokenizer.ggml.model";
constexpr const char* kTokens = "tokenizer.ggml.tokens";
constexpr const char* kScores = "tokenizer.ggml.scores";
constexpr const char* kTypes = "tokenizer.ggml.token_type";
constexpr const char* kMerges = "tokenizer.ggml.merges";
constexpr const char* kWords = "tokenizer.ggml.pre";
constexpr const char* kBegin = "tokenizer.ggml.bos_token_id";
constexpr const char* kBegins = "tokenizer.ggml.add_bos_token";
constexpr const char* kSpaceBefore = "tokenizer.ggml.add_space_prefix";
constexpr const char* kFewerSpaces = "tokenizer.ggml.remove_extra_whitespaces";
constexpr const char* kCharacterMap = "tokenizer.ggml.precompiled_charsmap";
/// The keys of the tokens that end a text, a turn of a dialogue, and a message within a turn.
constexpr std::array<const char*, 3> kEnds{"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                           "tokenizer.ggml.eom_token_id"};

constexpr const char* kAnotherTokenizer = "give a tokenizer of llama2.c with the model's tokens (--tokenizer)";

[[noreturn]] void refuse(const std::string& what) { throw GraphError(fmt::format("{}: {}", what, kConvert)); }

bool flag_or(const File& file, const char* key, bool otherwise) { return file.has(key) ? file.flag(key) : otherwise; }

llama2::TextBounds bounds_of(const File& file, int vocabulary, bool begins) {
  const auto token = [&](const char* key) { return static_cast<int>(file.integer(key, {0, vocabulary - 1})); };
  llama2::TextBounds bounds{kNoToken, flag_or(file, kBegins, begins), {}};
  if (file.has(kBegin)) {
    bounds.begin = token(kBegin);
  } else if (bounds.begins) {
    refuse(
        fmt::format("key '{}' is missing, though texts begin with a token; legal are 0 to {}", kBegin, vocabulary - 1));
  }
  for (const char* key : kEnds) {
    if (file.has(key)) {
      bounds.ends.push_back(token(key));
    }
  }
  return bounds;
}

void check_length(const char* key, std::size_t length, int vocabulary) {
  if (length != static_cast<std::size_t>(vocabulary)) {
    refuse(
        fmt::format("key '{}' has {} values; the model has {} tokens, legal is one for each", key, length, vocabulary));
  }
}

/// The texts of the tokens, all different.
std::vector<std::string_view> texts_of(const File& file, int vocabulary) {
  std::vector<std::string_view> texts = file.texts(kTokens);
  check_length(kTokens, texts.size(), vocabulary);
  std::unordered_map<std::string_view, std::size_t> tokens;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (const auto [place, is_new] = tokens.emplace(texts[i], i); !is_new) {
      refuse(fmt::format("key '{}': tokens {} and {} are both {}; legal are different texts", kTokens, place->second, i,
                         shown(texts[i])));
    }
  }
  return texts;
}

/// The types of the tokens, as far as this one.
std::vector<PieceKind> kinds_of(const File& file, int vocabulary, PieceKind last) {
  const std::vector<std::int64_t> numbers = file.integers(kTypes);
  check_length(kTypes, numbers.size(), vocabulary);
  std::vector<PieceKind> kinds;
  for (const std::int64_t number : numbers) {
    if (number < 1 || number > static_cast<std::int64_t>(last)) {
      refuse(fmt::format("key '{}': the type of token {} is {}; legal are 1 to {}", kTypes, kinds.size(), number,
                         static_cast<int>(last)));
    }
    kinds.push_back(static_cast<PieceKind>(number));
  }
  return kinds;
}

/// Reads a tokenizer of SentencePiece, which merges neighbouring pieces by their scores.
std::unique_ptr<const llama2::Tokenizer> pieces_of(const File& file, int vocabulary) {
  if (flag_or(file, kFewerSpaces, false)) {
    refuse(fmt::format("key '{}' is true; legal is false, texts keep their spaces", kFewerSpaces));
  }
  if (file.has(kCharacterMap)) {
    refuse(fmt::format("key '{}', which replaces characters of texts, is not supported", kCharacterMap));
  }
  const std::vector<std::string_view> texts = texts_of(file, vocabulary);
  const std::vector<PieceKind> kinds = kinds_of(file, vocabulary, PieceKind::kByte);
  const std::vector<double> scores = file.reals(kScores);
  check_length(kScores, scores.size(), vocabulary);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!std::isfinite(scores[i])) {
      refuse(fmt::format("key '{}': the score of token {} is {}; legal are finite numbers", kScores, i, scores[i]));
    }
    if (kinds[i] == PieceKind::kByte && llama2::byte_of_piece(texts[i]) < 0) {
      refuse(fmt::format("key '{}': token {}, a byte by its type, is {}; legal are <0x00> to <0xFF>", kTokens, i,
                         shown(texts[i])));
    }
    pieces.push_back({std::string(texts[i]), static_cast<float>(scores[i]), kinds[i]});
  }
  constexpr const char* kSpace = "\xE2\x96\x81";  // U+2581
  return std::make_unique<llama2::PieceTokenizer>(std::move(pieces),
                                                  llama2::PieceRules{kSpace, flag_or(file, kSpaceBefore, true)},
                                                  bounds_of(file, vocabulary, true));
}

struct NamedWords {
  std::string_view name;
  BytePairRules rules;
  bool begins;  ///< texts begin with a token, unless the file says otherwise
};
constexpr std::array<NamedWords, 3> kAllWords{{{"gpt-2", {WordRules::kGpt2, false}, false},
                                               {"smollm", {WordRules::kSmolLm, false}, false},
                                               {"llama-bpe", {WordRules::kLlama3, true}, true}}};

const NamedWords& words_rules(const File& file) {
  const std::string_view name = file.text(kWords);
  for (const NamedWords& words : kAllWords) {
    if (words.name == name) {
      return words;
    }
  }
  throw GraphError(fmt::format("key '{}' is {}; legal are 'gpt-2', 'smollm' and 'llama-bpe': {}", kWords, shown(name),
                               kAnotherTokenizer));
}

/// Each is the texts of two tokens, with a space between.
std::vector<BytePair> pairs_of(const File& file, const std::vector<std::string_view>& texts,
                               const std::vector<PieceKind>& kinds) {
  std::unordered_map<std::string_view, int> tokens;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (kinds[i] == PieceKind::kText) {
      tokens.emplace(texts[i], static_cast<int>(i));
    }
  }
  std::vector<BytePair> pairs;
  for (const std::string_view text : file.texts(kMerges)) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view left = text.substr(0, space), right = text.substr(std::min(space + 1, text.size()));
    const std::string both = std::string(left) + std::string(right);
    const auto first = tokens.find(left), second = tokens.find(right);
    if (first == tokens.end() || second == tokens.end() || tokens.count(both) == 0) {
      refuse(
          fmt::format("key '{}': pair {} is {}; legal are the texts of two tokens with a space between, which "
                      "together are a token",
                      kMerges, pairs.size(), shown(text)));
    }
    pairs.push_back({first->second, second->second});
  }
  return pairs;
}

/// Reads a tokenizer of GPT-2, which merges neighbouring bytes by a list of pairs.
std::unique_ptr<const llama2::Tokenizer> byte_pairs_of(const File& file, int vocabulary) {
  const NamedWords& words = words_rules(file);
  const std::vector<std::string_view> texts = texts_of(file, vocabulary);
  const std::vector<PieceKind> kinds = kinds_of(file, vocabulary, PieceKind::kUnused);
  std::vector<BytesToken> tokens;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (kinds[i] == PieceKind::kUser) {
      tokens.push_back({std::string(texts[i]), BytesKind::kUser});
      continue;
    }
    if (kinds[i] != PieceKind::kText) {
      tokens.push_back({std::string(texts[i]), BytesKind::kControl});
      continue;
    }
    tokens.push_back({bytes_of_written(texts[i])});
    if (tokens.back().bytes.empty()) {
      refuse(fmt::format("key '{}': token {}, a text by its type, is {}; legal are characters that stand for bytes",
                         kTokens, i, shown(texts[i])));
    }
  }
  return std::make_unique<BytePairTokenizer>(std::move(tokens), pairs_of(file, texts, kinds), words.rules,
                                             bounds_of(file, vocabulary, words.begins));
}

}  // namespace

std::unique_ptr<const llama2::Tokenizer> tokenizer_of(const File& file, int vocabulary) {
  const std::string_view model = file.text(kModel);
  if (model == "llama") {
    return pieces_of(file, vocabulary);
  }
  if (model == "gpt2") {
    return byte_pairs_of(file, vocabulary);
  }
  throw GraphError(
      fmt::format("key '{}' is {}; legal are 'llama' and 'gpt2': {}", kModel, shown(model), kAnotherTokenizer));
}

}  // namespace systole::gguf
