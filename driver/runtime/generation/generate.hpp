// SPDX-License-Identifier: Apache-2.0
// A language model continues texts.
#pragma once

#include <string>
#include <vector>

#include "language_model.hpp"
#include "sampler.hpp"
#include "systole/generation.hpp"
#include "tokenizer.hpp"

namespace systole::generation {

/// Continues 1 to 256 prompts by at most `most` tokens each. The model forgets what it has read before. Each text has
/// random numbers of its own, the same ones. Throws InvalidArgument if a prompt has a byte without a token
/// or does not fit the model's context, and what the model throws.
std::vector<Text> generate(LanguageModel& model, const llama2::Tokenizer& tokenizer,
                           const std::vector<std::string>& prompts, int most, const Sampling& sampling,
                           const OnTokenOfText& on_token = {});

}  // namespace systole::generation
