// SPDX-License-Identifier: Apache-2.0
#include "text_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "characters.hpp"

namespace systole::gguf {
namespace {

using Kind = CharacterKind;

bool breaks_line(const Character& character) { return character.code == '\n' || character.code == '\r'; }

/// Characters from `begin` to `end`, of which each function finds where the word ends that begins at a place.
class Words {
 public:
  Words(const std::vector<Character>& characters, std::size_t begin, std::size_t end)
      : characters_(characters), begin_(begin), end_(end) {}

  template <class Add>
  void each(std::size_t (Words::*word_end)(std::size_t) const, const Add& add) const {
    for (std::size_t at = begin_; at < end_;) {
      const std::size_t end = (this->*word_end)(at);
      add(at, end);
      at = end;
    }
  }

  std::size_t end_by_gpt2(std::size_t at) const {
    if (const std::size_t end = contraction(at, false); end > at) {
      return end;
    }
    const std::size_t first = behind_space(at);
    return is(first, Kind::kSpace) ? end_of_spaces(at) : run(first, characters_[first].kind);
  }

  std::size_t end_by_llama3(std::size_t at) const {
    constexpr std::size_t kMostNumbers = 3;
    if (const std::size_t end = contraction(at, true); end > at) {
      return end;
    }
    const Kind kind = characters_[at].kind;
    if (kind == Kind::kLetter) {
      return run(at, Kind::kLetter);
    }
    if (kind != Kind::kNumber && !breaks_line(characters_[at]) && is(at + 1, Kind::kLetter)) {
      return run(at + 1, Kind::kLetter);
    }
    if (kind == Kind::kNumber) {
      return std::min(run(at, Kind::kNumber), at + kMostNumbers);
    }
    if (const std::size_t first = behind_space(at); is(first, Kind::kOther)) {
      std::size_t end = run(first, Kind::kOther);
      while (end < end_ && breaks_line(characters_[end])) {
        ++end;
      }
      return end;
    }
    for (std::size_t end = run(at, Kind::kSpace); end > at; --end) {
      if (breaks_line(characters_[end - 1])) {
        return end;
      }
    }
    return end_of_spaces(at);
  }

 private:
  bool is(std::size_t at, Kind kind) const { return at < end_ && characters_[at].kind == kind; }
  std::size_t run(std::size_t at, Kind kind) const {
    while (is(at, kind)) {
      ++at;
    }
    return at;
  }
  /// The place after one space, if something else follows it.
  std::size_t behind_space(std::size_t at) const {
    const bool before_others = characters_[at].code == ' ' && at + 1 < end_ && !is(at + 1, Kind::kSpace);
    return before_others ? at + 1 : at;
  }
  /// Without the last of several spaces, which begins the next word.
  std::size_t end_of_spaces(std::size_t at) const {
    const std::size_t end = run(at, Kind::kSpace);
    return end < end_ && end - at > 1 ? end - 1 : end;
  }
  /// The end of an English contraction that begins here with an apostrophe; `at`: there is none.
  std::size_t contraction(std::size_t at, bool any_case) const {
    static constexpr std::array<std::string_view, 7> kEndings{"s", "t", "re", "ve", "m", "ll", "d"};
    if (characters_[at].code != '\'') {
      return at;
    }
    for (const std::string_view ending : kEndings) {
      const std::size_t end = at + 1 + ending.size();
      bool equal = end <= end_;
      for (std::size_t i = 0; equal && i < ending.size(); ++i) {
        const std::uint32_t code = characters_[at + 1 + i].code;
        const auto letter = static_cast<std::uint32_t>(ending[i]);
        equal = code == letter || (any_case && same_but_for_case(code, letter));
      }
      if (equal) {
        return end;
      }
    }
    return at;
  }
  static bool same_but_for_case(std::uint32_t code, std::uint32_t letter) {
    constexpr std::uint32_t kLongS = 0x17F;
    return code + ('a' - 'A') == letter || (code == kLongS && letter == 's');
  }

  const std::vector<Character>& characters_;
  const std::size_t begin_, end_;
};

}  // namespace

std::vector<std::string_view> words_of(std::string_view text, WordRules rules) {
  const std::vector<Character> characters = characters_of(text);
  std::vector<std::string_view> words;
  const auto add = [&](std::size_t begin, std::size_t end) {
    const std::size_t first = characters[begin].offset;
    words.push_back(text.substr(first, (end < characters.size() ? characters[end].offset : text.size()) - first));
  };
  if (rules == WordRules::kLlama3) {
    Words(characters, 0, characters.size()).each(&Words::end_by_llama3, add);
    return words;
  }
  for (std::size_t at = 0; at < characters.size();) {
    std::size_t end = characters.size();
    if (rules == WordRules::kSmolLm) {
      const auto from = characters.begin() + static_cast<std::ptrdiff_t>(at);
      const auto number =
          std::find_if(from, characters.end(), [](const Character& c) { return c.kind == Kind::kNumber; });
      end = number == from ? at + 1 : static_cast<std::size_t>(number - characters.begin());
    }
    Words(characters, at, end).each(&Words::end_by_gpt2, add);
    at = end;
  }
  return words;
}

}  // namespace systole::gguf
