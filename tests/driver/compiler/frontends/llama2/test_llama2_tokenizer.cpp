// SPDX-License-Identifier: Apache-2.0
// Tokenizers of llama2.c: merging, bytes, texts back, and damaged files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "llama2_tokenizer.hpp"
#include "made_llama.hpp"

namespace systole::llama2 {
namespace {

using graph::Bytes;
using testing::ElementsAre;
using testing::HasSubstr;

/// 259 and on.
const std::vector<test::Piece>& pieces() {
  static const auto all = test::pieces_with({{" ", -9},
                                             {"a", -9},
                                             {"b", -9},
                                             {"c", -9},
                                             {"ab", -2},
                                             {"bc", -1},
                                             {"abc", -3},
                                             {" a", -4},
                                             {"\xC3\xA4", -9},
                                             {"aa", -5}});
  return all;
}
enum : int { kSpace = 259, kA, kB, kC, kAb, kBc, kAbc, kSpaceA, kUmlaut, kAa };

const Tokenizer& made() {
  static const auto tokenizer = parse_tokenizer(test::tokenizer_bytes(pieces()), static_cast<int>(pieces().size()));
  return *tokenizer;
}

std::string text_of(const Tokenizer& tokenizer, const std::vector<int>& tokens) {
  std::string text;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    text += tokenizer.decode(tokens[i - 1], tokens[i]);
  }
  return text;
}

std::string complaint(const Bytes& bytes, int vocabulary) {
  try {
    parse_tokenizer(bytes, vocabulary);
    return "nothing";
  } catch (const graph::GraphError& error) {
    return error.what();
  }
}

TEST(Llama2Tokenizer, MergesBestPairFirst) {
  const Tokenizer& tokenizer = made();
  EXPECT_THAT(tokenizer.encode(""), ElementsAre(1));
  EXPECT_THAT(tokenizer.encode("a"), ElementsAre(1, kSpaceA));
  EXPECT_THAT(tokenizer.encode("b"), ElementsAre(1, kSpace, kB));
  // "bc" before "ab", which is then no longer there; "abc" before " a".
  EXPECT_THAT(tokenizer.encode("abc"), ElementsAre(1, kSpace, kAbc));
  EXPECT_THAT(tokenizer.encode("abab"), ElementsAre(1, kSpace, kAb, kAb));
  // Of equal scores the first.
  EXPECT_THAT(tokenizer.encode("baaa"), ElementsAre(1, kSpace, kB, kAa, kA));
}

TEST(Llama2Tokenizer, CharactersWithoutTokenAreBytes) {
  const Tokenizer& tokenizer = made();
  EXPECT_THAT(tokenizer.encode("\xC3\xA4"), ElementsAre(1, kSpace, kUmlaut));
  EXPECT_THAT(tokenizer.encode("\xC3\xB6z"), ElementsAre(1, kSpace, 3 + 0xC3, 3 + 0xB6, 3 + 'z'));
  EXPECT_THAT(tokenizer.encode("\xFF"), ElementsAre(1, kSpace, 3 + 0xFF));
  EXPECT_THAT(tokenizer.encode("\x80\x80"), ElementsAre(1, kSpace, 3 + 0x80, 3 + 0x80));
  const auto few = parse_tokenizer(test::tokenizer_bytes({{"<unk>", 0}, {"b", 0}, {"e", 0}, {" ", 0}}), 4);
  try {
    few->encode("z");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("no token for 'z', nor for its byte 0x7A"));
  }
}

TEST(Llama2Tokenizer, DecodesBytesAndFirstSpace) {
  const Tokenizer& tokenizer = made();
  EXPECT_EQ(tokenizer.decode(tokenizer.begin(), kSpaceA), "a");
  EXPECT_EQ(tokenizer.decode(kB, kSpaceA), " a");
  EXPECT_EQ(tokenizer.decode(kB, 3 + 0x0A), "\n");
  EXPECT_EQ(tokenizer.decode(kB, 0), "<unk>");
  EXPECT_THROW(tokenizer.decode(kB, tokenizer.vocabulary()), OutOfRange);
  EXPECT_THROW(tokenizer.decode(kB, -1), OutOfRange);
}

/// The same unions, found by looking at all neighbours for each.
std::vector<int> merged_slowly(const std::vector<test::Piece>& pieces, std::vector<int> tokens) {
  while (true) {
    std::size_t place = 0;
    int both = -1;
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
      const auto piece = [&](std::size_t at) { return pieces[static_cast<std::size_t>(tokens[at])].first; };
      const auto found = std::find_if(pieces.begin(), pieces.end(),
                                      [&](const auto& known) { return known.first == piece(i) + piece(i + 1); });
      if (found != pieces.end() && (both < 0 || found->second > pieces[static_cast<std::size_t>(both)].second)) {
        both = static_cast<int>(found - pieces.begin());
        place = i;
      }
    }
    if (both < 0) {
      return tokens;
    }
    tokens[place] = both;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

RC_GTEST_PROP(Llama2Tokenizer, MergesAsTheRuleSays, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c', ' '));
  const Tokenizer& tokenizer = made();
  std::vector<int> characters{tokenizer.begin()};
  for (const char c : text.empty() ? text : " " + text) {
    characters.push_back(c == ' ' ? kSpace : kA + (c - 'a'));
  }
  RC_ASSERT(tokenizer.encode(text) == merged_slowly(pieces(), characters));
}

TEST(Llama2Tokenizer, BytesAreTokens) {
  const auto parsed = parse_tokenizer(byte_tokenizer_file(), 0);
  const Tokenizer& tokenizer = *parsed;
  EXPECT_EQ(tokenizer.vocabulary(), kByteVocabulary);
  EXPECT_THAT(tokenizer.encode("a\n\xFF"), ElementsAre(1, 3 + ' ', 3 + 'a', 3 + '\n', 3 + 0xFF));
  EXPECT_EQ(text_of(tokenizer, tokenizer.encode("<s> a\n\xC3\xA4~")), "<s> a\n\xC3\xA4~");
}

RC_GTEST_PROP(Llama2Tokenizer, TextsComeBack, (const std::string& text)) {
  const Tokenizer& tokenizer = made();
  RC_ASSERT(text_of(tokenizer, tokenizer.encode(text)) == text);
}

TEST(Llama2Tokenizer, NamesDamage) {
  const Bytes bytes = test::tokenizer_bytes(pieces());
  const int count = static_cast<int>(pieces().size());
  EXPECT_EQ(complaint(bytes, count), "nothing");
  EXPECT_THAT(complaint({}, count), HasSubstr("end inside the length of the longest token"));
  EXPECT_THAT(complaint(Bytes(bytes.begin(), bytes.end() - 1), count),
              HasSubstr("end inside the text of token 268 of 269; it is truncated"));
  EXPECT_THAT(complaint(bytes, count + 1), HasSubstr("end inside the score of token 269 of 270"));
  EXPECT_THAT(complaint(bytes, count - 1), HasSubstr("10 bytes follow the last of the model's 268 tokens"));
  EXPECT_THAT(complaint(test::with(bytes, 0, 0), count), HasSubstr("the longest token has 0 bytes; legal are 1 to"));
  EXPECT_THAT(complaint(test::with(bytes, 4, std::numeric_limits<float>::quiet_NaN()), count),
              HasSubstr("the score of token 0 of 269 is nan"));
  EXPECT_THAT(complaint(test::with(bytes, 8, -1), count), HasSubstr("the length of token 0 of 269 is -1; legal are 0"));
  EXPECT_EQ(complaint(bytes, 0), "nothing");
  EXPECT_THAT(complaint(Bytes(bytes.begin(), bytes.end() - 1), 0), HasSubstr("end inside the text of token 268;"));
  EXPECT_THAT(complaint(test::tokenizer_bytes({{"a", 0}, {"b", 0}}), 0), HasSubstr("2 tokens; a tokenizer has 3"));
  EXPECT_THAT(complaint(test::with(bytes, 8, 7), count), HasSubstr("is 7; legal are 0 to 6"));
}

RC_GTEST_PROP(Llama2Tokenizer, DamagedFilesGiveATokenizerOrAnError, ()) {
  Bytes bytes = test::tokenizer_bytes({{"<unk>", 0}, {"b", 1}, {"e", 2}, {"ab", 3}, {" ", 4}});
  for (int flips = *rc::gen::inRange(1, 6); flips > 0; --flips) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = static_cast<std::uint8_t>(*rc::gen::inRange(0, 256));
  }
  if (*rc::gen::arbitrary<bool>()) {
    bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  }
  complaint(bytes, 5);
}

}  // namespace
}  // namespace systole::llama2
