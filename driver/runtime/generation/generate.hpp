// SPDX-License-Identifier: Apache-2.0
// A language model continues a text.
#pragma once

#include <string>

#include "language_model.hpp"
#include "sampler.hpp"
#include "systole/generation.hpp"
#include "tokenizer.hpp"

namespace systole::generation {

/// Continues the prompt by at most `most` tokens. The model has read nothing before. Throws InvalidArgument if the
/// prompt has a byte without a token or does not fit the model's context, and what the model throws.
Text generate(LanguageModel& model, const llama2::Tokenizer& tokenizer, const std::string& prompt, int most,
              const Sampling& sampling, const OnToken& on_token = {});

}  // namespace systole::generation
