// SPDX-License-Identifier: Apache-2.0
#include "generate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace systole::generation {
namespace {

/// A text that grows: which tokens are to be read next, and what has come of them.
class Continuation {
 public:
  Continuation(const llama2::Tokenizer& tokenizer, const std::string& prompt, int context, int most,
               const Sampling& sampling, OnToken on_token)
      : tokenizer_(tokenizer), most_(most), sampler_(sampling), on_token_(std::move(on_token)) {
    text_.prompt = tokenizer.encode(prompt);
    if (text_.prompt.size() > static_cast<std::size_t>(context)) {
      throw InvalidArgument(
          fmt::format("the prompt has {} tokens, its beginning included; the model's context has room "
                      "for {}: shorten it",
                      text_.prompt.size(), context));
    }
  }

  void tell_prompt() {
    for (const int token : text_.prompt) {
      if (before_ == llama2::kNoToken && token == tokenizer_.begin()) {
        before_ = token;
      } else {
        tell(token);
      }
    }
    next_ = most_ > 0 ? text_.prompt : std::vector<int>{};
  }

  /// None if the text has ended.
  const std::vector<int>& next() const { return next_; }

  void take(const std::vector<float>& logits, bool room) {
    const int token = sampler_.choose(logits);
    next_.clear();
    if (tokenizer_.ends_text(token)) {
      text_.ending = Ending::kText;
      return;
    }
    text_.tokens.push_back(token);
    text_.continuation += tell(token);
    if (static_cast<int>(text_.tokens.size()) == most_) {
      text_.ending = Ending::kTokens;
    } else if (!room) {
      text_.ending = Ending::kContext;
    } else {
      next_ = {token};
    }
  }

  Text text() && { return std::move(text_); }

 private:
  std::string tell(int token) {
    std::string piece = tokenizer_.decode(before_, token);
    if (on_token_) {
      on_token_(token, piece);
    }
    before_ = token;
    return piece;
  }

  const llama2::Tokenizer& tokenizer_;
  const int most_;
  Sampler sampler_;
  const OnToken on_token_;
  Text text_;
  int before_ = llama2::kNoToken;
  std::vector<int> next_;
};

}  // namespace

std::vector<Text> generate(LanguageModel& model, const llama2::Tokenizer& tokenizer,
                           const std::vector<std::string>& prompts, int most, const Sampling& sampling,
                           const OnTokenOfText& on_token) {
  model.forget(prompts.size());
  std::vector<Continuation> all;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    OnToken tell;
    if (on_token) {
      tell = [&on_token, i](int token, const std::string& piece) { on_token(i, token, piece); };
    }
    all.emplace_back(tokenizer, prompts[i], model.context(), most, sampling, std::move(tell));
  }
  for (Continuation& continuation : all) {
    continuation.tell_prompt();
  }
  const auto ended = [](const Continuation& continuation) { return continuation.next().empty(); };
  while (!std::all_of(all.begin(), all.end(), ended)) {
    std::vector<std::vector<int>> next;
    std::transform(all.begin(), all.end(), std::back_inserter(next), std::mem_fn(&Continuation::next));
    const auto logits = model.read_each(next);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!next[i].empty()) {
        all[i].take(logits[i], model.position(static_cast<int>(i)) < model.context());
      }
    }
  }
  std::vector<Text> texts;
  for (Continuation& continuation : all) {
    texts.push_back(std::move(continuation).text());
  }
  return texts;
}

}  // namespace systole::generation
