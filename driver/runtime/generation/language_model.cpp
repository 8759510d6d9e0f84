// SPDX-License-Identifier: Apache-2.0
#include "language_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
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
  const llama2::Sizes& sizes = checkpoint.sizes;
  const int most = sizes.context;
  // What a file says of its positions costs it nothing.
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 32;
  const std::int64_t bytes = std::int64_t{8} * sizes.layers * sizes.key_width() * most;
  if (context == 0 && bytes > kMostBytes) {
    throw InvalidArgument(
        fmt::format("keys and values of the model's {} positions take {} bytes; legal without a context are {}: give a "
                    "context of the tokens that are needed (--context)",
                    most, bytes, kMostBytes));
  }
  return in_range("the context", context == 0 ? most : context, most);
}

}  // namespace

Run on_host(graph::Graph graph) {
  const auto shared = std::make_shared<const graph::Graph>(std::move(graph));
  return [shared](const std::vector<Value>& inputs) { return execute(*shared, inputs); };
}

LanguageModel::LanguageModel(llama2::Checkpoint checkpoint, Prepare prepare, int context, int batch, Products products)
    : checkpoint_(std::move(checkpoint)),
      prepare_(std::move(prepare)),
      context_(context_of(checkpoint_, context)),
      batch_(std::min(in_range("the batch", batch, std::numeric_limits<int>::max()), context_)),
      layout_(layout_of(checkpoint_, context_, products)) {
  forget();
}

void LanguageModel::forget() {
  position_ = 0;
  caches_.clear();
  for (std::size_t i = 0; i < checkpoint_.layers.size(); ++i) {
    caches_.push_back(layout_->cache(false));
    caches_.push_back(layout_->cache(true));
  }
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
    const int left = static_cast<int>(end - next);
    const int taken = left > 1 && layout_->has_room(batch_, position_) ? std::min(left, batch_) : 1;
    logits = take(taken == 1 ? 1 : batch_, next, taken);
    next += taken;
  }
  return logits;
}

std::vector<float> LanguageModel::take(int tokens, const int* given, int count) {
  const int cached = layout_->cached(tokens, position_);
  Run& run = steps_[{tokens, cached}];
  if (!run) {
    run = prepare_(layout_->graph(tokens, cached));
  }
  const std::vector<Value> outputs = run(inputs(tokens, cached, given, count));
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    layout_->keep(caches_[i], i % 2 == 1, outputs.at(llama2::kFirstAddition + i), position_, count);
  }
  position_ += count;
  const auto logits = graph::elements<float>(outputs.at(llama2::kLogits));
  const auto last = logits.begin() + std::ptrdiff_t{count - 1} * checkpoint_.sizes.vocabulary;
  return {last, last + checkpoint_.sizes.vocabulary};
}

std::vector<Value> LanguageModel::inputs(int tokens, int cached, const int* given, int count) const {
  const auto& sizes = checkpoint_.sizes;
  const std::int64_t row = std::int64_t{sizes.width} * std::int64_t{sizeof(float)};
  Value embeddings{ElementType::kFloat32, {tokens, sizes.width}, graph::Bytes(at(tokens * row))};
  for (int i = 0; i < count; ++i) {
    std::memcpy(embeddings.data.data() + i * row, checkpoint_.embedding->data() + given[i] * row, at(row));
  }
  const auto [cosines, sines] = layout_->tables(position_, tokens);
  const graph::Shape table = layout_->table_shape(tokens);
  const graph::Shape mask_shape = layout_->mask_shape(tokens, cached);
  const std::int64_t columns = mask_shape.back(), own = layout_->first_own(tokens, cached);
  std::vector<float> mask(at(tokens * columns), -std::numeric_limits<float>::infinity());
  for (int i = 0; i < tokens; ++i) {
    const auto first = mask.begin() + i * columns;
    std::fill(first, first + position_, 0.0F);
    std::fill(first + own, first + own + i + 1, 0.0F);
  }
  std::vector<Value> values{std::move(embeddings), graph::make_value(ElementType::kFloat32, table, cosines),
                            graph::make_value(ElementType::kFloat32, table, sines),
                            graph::make_value(ElementType::kFloat32, mask_shape, mask)};
  for (std::size_t i = 0; i < caches_.size() && cached > 0; ++i) {
    values.push_back(layout_->input(caches_[i], i % 2 == 1, tokens, cached));
  }
  return values;
}

}  // namespace systole::generation
