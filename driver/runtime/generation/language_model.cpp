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

constexpr std::size_t kMostSequences = 256;

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

void LanguageModel::forget(std::size_t sequences) {
  if (sequences < 1 || sequences > kMostSequences) {
    throw InvalidArgument(fmt::format("{} sequences; legal are 1 to {} at once", sequences, kMostSequences));
  }
  Read empty;
  for (std::size_t i = 0; i < checkpoint_.layers.size(); ++i) {
    empty.caches.push_back(layout_->cache(false));
    empty.caches.push_back(layout_->cache(true));
  }
  read_.assign(sequences, empty);
}

void LanguageModel::check(const Read& read, const std::vector<int>& tokens) const {
  const auto count = static_cast<std::int64_t>(tokens.size());
  if (count == 0 || count > context_ - read.position) {
    throw InvalidArgument(fmt::format("{} tokens to read after {}; legal are 1 to {}, for a context of {}", count,
                                      read.position, context_ - read.position, context_));
  }
  for (const int token : tokens) {
    if (token < 0 || token >= checkpoint_.sizes.vocabulary) {
      throw InvalidArgument(fmt::format("token {}; the model has 0 to {}", token, checkpoint_.sizes.vocabulary - 1));
    }
  }
}

std::vector<float> LanguageModel::read(const std::vector<int>& tokens) {
  if (read_.size() != 1) {
    throw InvalidArgument(fmt::format("the model has {} sequences; read_each() reads them", read_.size()));
  }
  check(read_[0], tokens);
  return read(read_[0], tokens);
}

std::vector<float> LanguageModel::read(Read& read, const std::vector<int>& tokens) {
  std::vector<float> logits;
  for (const int *next = tokens.data(), *end = next + tokens.size(); next < end;) {
    const int left = static_cast<int>(end - next);
    const int taken = left > 1 && layout_->has_room(batch_, read.position) ? std::min(left, batch_) : 1;
    logits = take(taken == 1 ? 1 : batch_, {{&read, next, taken}})[0];
    next += taken;
  }
  return logits;
}

std::vector<std::vector<float>> LanguageModel::read_each(const std::vector<std::vector<int>>& tokens) {
  if (tokens.size() != read_.size()) {
    throw InvalidArgument(fmt::format("tokens of {} sequences; the model has {}", tokens.size(), read_.size()));
  }
  bool together = read_.size() > 1;
  std::vector<Given> given;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].empty()) {
      check(read_[i], tokens[i]);
    }
    together = together && tokens[i].size() <= 1;
    given.push_back({&read_[i], tokens[i].data(), static_cast<int>(tokens[i].size())});
  }
  if (together) {
    return take(1, given);
  }
  std::vector<std::vector<float>> logits(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    logits[i] = read(read_[i], tokens[i]);
  }
  return logits;
}

std::vector<std::vector<float>> LanguageModel::take(int tokens, const std::vector<Given>& sequences) {
  int filled = 0;
  for (const Given& given : sequences) {
    filled = std::max(filled, given.count > 0 ? given.read->position : 0);
  }
  const StepShape step{tokens, layout_->cached(tokens, filled), static_cast<int>(sequences.size())};
  Run& run = steps_[step];
  if (!run) {
    run = prepare_(layout_->graph(step));
  }
  const std::vector<Value> outputs = run(inputs(step, sequences));
  const auto logits = graph::elements<float>(outputs.at(llama2::kLogits));
  std::vector<std::vector<float>> last;
  int row = 0;
  for (const Given& given : sequences) {
    for (std::size_t i = 0; i < given.read->caches.size(); ++i) {
      layout_->keep(given.read->caches[i], i % 2 == 1, outputs.at(llama2::kFirstAddition + i), row,
                    given.read->position, given.count);
    }
    given.read->position += given.count;
    const auto end = logits.begin() + std::ptrdiff_t{row + given.count} * checkpoint_.sizes.vocabulary;
    last.emplace_back(given.count == 0 ? end : end - checkpoint_.sizes.vocabulary, end);
    row += tokens;
  }
  return last;
}

std::vector<Value> LanguageModel::inputs(const StepShape& step, const std::vector<Given>& sequences) const {
  const auto& sizes = checkpoint_.sizes;
  const std::size_t row_bytes = at(sizes.width) * sizeof(float);
  Value embeddings{ElementType::kFloat32, {step.rows(), sizes.width}, graph::Bytes(at(step.rows()) * row_bytes)};
  const graph::Shape table = layout_->table_shape(step.rows()), mask_shape = layout_->mask_shape(step);
  const std::int64_t columns = mask_shape.back(), own = layout_->first_own(step);
  std::vector<float> mask(at(step.rows() * columns), -std::numeric_limits<float>::infinity()), cosines, sines;
  int row = 0;
  for (const Given& given : sequences) {
    for (int i = 0; i < given.count; ++i) {
      std::memcpy(embeddings.data.data() + at(row + i) * row_bytes,
                  checkpoint_.embedding->data() + at(given.tokens[i]) * row_bytes, row_bytes);
    }
    const auto turned = layout_->tables(given.read->position, step.tokens);
    cosines.insert(cosines.end(), turned.cosines.begin(), turned.cosines.end());
    sines.insert(sines.end(), turned.sines.begin(), turned.sines.end());
    for (int i = 0; i < step.tokens; ++i, ++row) {
      const auto first = mask.begin() + row * columns;
      std::fill(first, first + (given.count > 0 ? given.read->position : 0), 0.0F);
      std::fill(first + own, first + own + i + 1, 0.0F);
    }
  }
  std::vector<Value> values{std::move(embeddings), graph::make_value(ElementType::kFloat32, table, cosines),
                            graph::make_value(ElementType::kFloat32, table, sines),
                            graph::make_value(ElementType::kFloat32, mask_shape, mask)};
  for (std::size_t i = 0; i < 2 * checkpoint_.layers.size() && step.cached > 0; ++i) {
    for (const Given& given : sequences) {
      values.push_back(layout_->input(given.read->caches[i], i % 2 == 1, step.tokens, step.cached));
    }
  }
  return values;
}

}  // namespace systole::generation
