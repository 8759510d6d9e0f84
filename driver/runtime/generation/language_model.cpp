// SPDX-License-Identifier: Apache-2.0
#include "language_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "systole/execute.hpp"

namespace systole::generation {
namespace {

using graph::ElementType;
using graph::Value;

std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }

int in_range(const char* what, int value, int most) {
  if (value < 1 || value > most) {
    throw InvalidArgument(fmt::format("{} is {}; legal are 1 to {}", what, value, most));
  }
  return value;
}

int context_of(const llama2::Checkpoint& checkpoint, int context) {
  const int most = checkpoint.sizes.context;
  return in_range("the context", context == 0 ? most : context, most);
}

}  // namespace

Run on_host(graph::Graph graph) {
  const auto shared = std::make_shared<const graph::Graph>(std::move(graph));
  return [shared](const std::vector<Value>& inputs) { return execute(*shared, inputs); };
}

LanguageModel::LanguageModel(llama2::Checkpoint checkpoint, Prepare prepare, int context, int batch)
    : checkpoint_(std::move(checkpoint)),
      prepare_(std::move(prepare)),
      context_(context_of(checkpoint_, context)),
      single_{{1, context_}, nullptr},
      several_{{std::min(in_range("the batch", batch, std::numeric_limits<int>::max()), context_), context_}, nullptr} {
  const auto size = at(std::int64_t{checkpoint_.sizes.key_width()} * context_);
  caches_.assign(2 * checkpoint_.layers.size(), std::vector<float>(size));
}

std::vector<float> LanguageModel::read(const std::vector<int>& tokens) {
  const auto count = static_cast<std::int64_t>(tokens.size());
  if (count == 0 || count > context_ - position_) {
    throw InvalidArgument(fmt::format("{} tokens to read after {}; legal are 1 to {}, for a context of {}", count,
                                      position_, context_ - position_, context_));
  }
  for (const int token : tokens) {
    if (token < 0 || token >= checkpoint_.sizes.vocabulary) {
      throw InvalidArgument(fmt::format("token {}; the model has 0 to {}", token, checkpoint_.sizes.vocabulary - 1));
    }
  }
  std::vector<float> logits;
  for (const int *next = tokens.data(), *end = next + count; next < end;) {
    const int batch = several_.step.tokens, left = static_cast<int>(end - next);
    // A batch, also one that is not full, takes the room of a full one.
    const int taken = left > 1 && position_ + batch <= context_ ? std::min(left, batch) : 1;
    logits = take(taken == 1 ? single_ : several_, next, taken);
    next += taken;
  }
  return logits;
}

std::vector<float> LanguageModel::take(Network& network, const int* tokens, int count) {
  if (!network.run) {
    network.run = prepare_(step_graph(checkpoint_, network.step));
  }
  const std::vector<Value> outputs = network.run(inputs(network.step, tokens, count));
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    keep(caches_[i], outputs.at(llama2::kFirstAddition + i), count);
  }
  position_ += count;
  const auto logits = graph::elements<float>(outputs.at(llama2::kLogits));
  const auto last = logits.begin() + std::ptrdiff_t{count - 1} * checkpoint_.sizes.vocabulary;
  return {last, last + checkpoint_.sizes.vocabulary};
}

std::vector<Value> LanguageModel::inputs(const llama2::Step& step, const int* tokens, int count) const {
  const auto& sizes = checkpoint_.sizes;
  const std::int64_t rows = step.tokens, row = std::int64_t{sizes.width} * std::int64_t{sizeof(float)};
  Value embeddings{ElementType::kFloat32, {rows, sizes.width}, graph::Bytes(at(rows * row))};
  for (int i = 0; i < count; ++i) {
    std::memcpy(embeddings.data.data() + i * row, checkpoint_.embedding->data() + tokens[i] * row, at(row));
  }
  const auto [cosines, sines] = llama2::rotary_tables(sizes.head_width(), position_, step.tokens);
  const graph::Shape table{rows, 1, sizes.head_width() / 2};
  std::vector<float> mask(at(rows * step.context), -std::numeric_limits<float>::infinity());
  for (int i = 0; i < step.tokens; ++i) {
    const auto first = mask.begin() + std::ptrdiff_t{i} * step.context;
    std::fill(first, first + position_, 0.0F);
    std::fill(first + step.cached(), first + step.cached() + i + 1, 0.0F);
  }
  std::vector<Value> values{std::move(embeddings), graph::make_value(ElementType::kFloat32, table, cosines),
                            graph::make_value(ElementType::kFloat32, table, sines),
                            graph::make_value(ElementType::kFloat32, {1, rows, step.context}, mask)};
  if (step.cached() > 0) {
    std::transform(caches_.begin(), caches_.end(), std::back_inserter(values),
                   [&](const auto& cache) { return cached(cache, step.cached()); });
  }
  return values;
}

/// The first positions of each head.
Value LanguageModel::cached(const std::vector<float>& cache, int positions) const {
  const std::int64_t heads = checkpoint_.sizes.key_heads, width = checkpoint_.sizes.head_width();
  const std::size_t part = at(positions * width) * sizeof(float);
  Value value{ElementType::kFloat32, {heads, positions, width}, graph::Bytes(at(heads) * part)};
  for (std::int64_t head = 0; head < heads; ++head) {
    std::memcpy(value.data.data() + at(head) * part, cache.data() + head * context_ * width, part);
  }
  return value;
}

/// The first `count` of the positions that a step has added.
void LanguageModel::keep(std::vector<float>& cache, const Value& added, int count) const {
  const std::int64_t heads = checkpoint_.sizes.key_heads, width = checkpoint_.sizes.head_width();
  const auto values = graph::elements<float>(added);
  const std::int64_t step = added.shape[1];
  for (std::int64_t head = 0; head < heads; ++head) {
    std::copy_n(values.begin() + head * step * width, count * width,
                cache.begin() + (head * context_ + position_) * width);
  }
}

}  // namespace systole::generation
