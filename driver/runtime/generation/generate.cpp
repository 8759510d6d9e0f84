// SPDX-License-Identifier: Apache-2.0
#include "generate.hpp"

#include <fmt/core.h>

namespace systole::generation {

Text generate(LanguageModel& model, const llama2::Tokenizer& tokenizer, const std::string& prompt, int most,
              const Sampling& sampling, const OnToken& on_token) {
  Sampler sampler(sampling);
  Text text;
  text.prompt = tokenizer.encode(prompt);
  if (text.prompt.size() > static_cast<std::size_t>(model.context())) {
    throw InvalidArgument(
        fmt::format("the prompt has {} tokens, its beginning included; the model's context has room "
                    "for {}: shorten it",
                    text.prompt.size(), model.context()));
  }
  int before = llama2::kNoToken;
  const auto tell = [&](int token) {
    const std::string piece = tokenizer.decode(before, token);
    if (on_token) {
      on_token(token, piece);
    }
    before = token;
    return piece;
  };
  for (const int token : text.prompt) {
    if (before == llama2::kNoToken && token == tokenizer.begin()) {
      before = token;
    } else {
      tell(token);
    }
  }
  std::vector<int> next = text.prompt;
  while (static_cast<int>(text.tokens.size()) < most) {
    if (model.position() == model.context()) {
      text.ending = Ending::kContext;
      break;
    }
    const int token = sampler.choose(model.read(next));
    if (tokenizer.ends_text(token)) {
      text.ending = Ending::kText;
      break;
    }
    text.tokens.push_back(token);
    text.continuation += tell(token);
    next = {token};
  }
  return text;
}

}  // namespace systole::generation
