// SPDX-License-Identifier: Apache-2.0
#include "text_samples.hpp"

#include <fmt/core.h>

#include <string_view>
#include <vector>

#include "systole/errors.hpp"

namespace systole::training {
namespace {

/// Without line breaks around it.
std::string_view trimmed(std::string_view text) {
  constexpr const char* kBreaks = "\r\n";
  const std::size_t first = text.find_first_not_of(kBreaks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBreaks) - first + 1);
}

std::vector<std::int32_t> tokens_of(std::string_view texts, const llama2::Tokenizer& tokenizer) {
  std::vector<std::int32_t> tokens;
  while (!texts.empty()) {
    const std::size_t end = std::min(texts.find(kTextEnd), texts.size());
    if (const std::string_view text = trimmed(texts.substr(0, end)); !text.empty()) {
      const std::vector<int> some = tokenizer.encode(text);
      tokens.insert(tokens.end(), some.begin(), some.end());
    }
    texts.remove_prefix(std::min(end + std::string_view(kTextEnd).size(), texts.size()));
  }
  return tokens;
}

}  // namespace

Data text_samples(const std::string& name, const std::string& texts, const llama2::Tokenizer& tokenizer,
                  std::int64_t context) {
  std::vector<std::int32_t> tokens;
  try {
    tokens = tokens_of(texts, tokenizer);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", name, error.what()));
  }
  const std::int64_t samples = (static_cast<std::int64_t>(tokens.size()) - 1) / context;
  if (samples < 1) {
    throw InvalidArgument(
        fmt::format("{}: {} tokens; a sample has {} and the one that follows: give a longer text, or a smaller context",
                    name, tokens.size(), context));
  }
  const auto from = [&](std::ptrdiff_t first) {
    const auto begin = tokens.begin() + first;
    return NamedArray{name, graph::make_value(graph::ElementType::kInt32, {samples, context},
                                              std::vector<std::int32_t>(begin, begin + samples * context))};
  };
  return {{{"", from(0)}}, from(1)};
}

}  // namespace systole::training
