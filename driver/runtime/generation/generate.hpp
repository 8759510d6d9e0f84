// SPDX-License-Identifier: Apache-2.0
// A language model continues a text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "language_model.hpp"
#include "llama2_tokenizer.hpp"
#include "sampler.hpp"

namespace systole::generation {

/// Why a text ends.
enum class Ending {
  kTokens,   ///< it has as many tokens as asked for
  kText,     ///< the model ended it
  kContext,  ///< the model has read as many tokens as it has room for
};

struct Text {
  std::vector<int> prompt;  ///< the tokens given, from llama2::kBeginOfText
  std::vector<int> tokens;  ///< the tokens generated
  Ending ending = Ending::kTokens;
};

/// Called with each token, of the prompt too but its first, and with what it adds to the text.
using OnToken = std::function<void(int token, const std::string& piece)>;

/// Continues the prompt by at most `most` tokens. The model has read nothing before. Throws InvalidArgument if the
/// prompt has a byte without a token or does not fit the model's context, and what the model throws.
Text generate(LanguageModel& model, const llama2::Tokenizer& tokenizer, const std::string& prompt, int most,
              const Sampling& sampling, const OnToken& on_token = {});

}  // namespace systole::generation
