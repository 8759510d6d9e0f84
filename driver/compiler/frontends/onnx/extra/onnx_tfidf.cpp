// SPDX-License-Identifier: Apache-2.0
// TfIdfVectorizer of numbers: counts how often each n-gram of a pool occurs, with gaps between its members.
#include <fmt/core.h>

#include <algorithm>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

/// An n-gram of the pool, and the index of its count.
struct Sequence {
  std::vector<std::int64_t> members;
  std::int64_t column = 0;
  float weight = 1;
};

struct Counting {
  std::int64_t shortest = 1, longest = 1, most_skips = 0, columns = 0;
  std::vector<Sequence> sequences;
};

std::vector<std::int64_t> needed_integers(const Translation& t, const char* attribute) {
  const auto found = t.integers(attribute);
  if (!found) {
    t.fail(fmt::format("attribute '{}' is missing", attribute));
  }
  return *found;
}

Counting counting_of(const Translation& t) {
  if (t.has("pool_strings")) {
    t.refuse(OnnxRefusal::kString, "pool_strings is not supported; convert the strings to numbers and use pool_int64s");
  }
  constexpr std::int64_t kMost = 1 << 16;
  Counting c;
  c.shortest = t.needed_integer("min_gram_length");
  c.longest = t.needed_integer("max_gram_length");
  c.most_skips = t.needed_integer("max_skip_count");
  const auto counts = needed_integers(t, "ngram_counts");  // where the n-grams of 1, 2, ... members begin in the pool
  const auto indexes = needed_integers(t, "ngram_indexes");
  const auto pool = needed_integers(t, "pool_int64s");
  const auto weights = t.reals("weights").value_or(std::vector<float>{});
  if (c.shortest < 1 || c.longest < c.shortest || c.longest > kMost || c.most_skips < 0 || c.most_skips > kMost) {
    t.fail(fmt::format(
        "min_gram_length {}, max_gram_length {}, max_skip_count {}; expected 1 <= min <= max and at most {}",
        c.shortest, c.longest, c.most_skips, kMost));
  }
  for (const std::int64_t index : indexes) {
    if (index < 0 || index >= kMost) {
      t.fail(fmt::format("ngram_indexes contains {}; the range is 0 .. {}", index, kMost - 1));
    }
    c.columns = std::max(c.columns, index + 1);
  }
  std::size_t number = 0;
  for (std::size_t n = 1; n <= counts.size(); ++n) {
    const std::int64_t end = n < counts.size() ? counts[n] : static_cast<std::int64_t>(pool.size());
    std::int64_t at = counts[n - 1];
    if (at < 0 || end < at || end > static_cast<std::int64_t>(pool.size()) ||
        (end - at) % static_cast<std::int64_t>(n) != 0) {
      t.fail(fmt::format("ngram_counts: {}-grams cannot occupy elements {} .. {} (exclusive) of a pool of {}", n, at,
                         end, pool.size()));
    }
    for (; at < end; at += static_cast<std::int64_t>(n), ++number) {
      if (number >= indexes.size()) {
        t.fail(fmt::format("the pool has more n-grams than ngram_indexes, which has {}", indexes.size()));
      }
      if (static_cast<std::int64_t>(n) >= c.shortest && static_cast<std::int64_t>(n) <= c.longest) {
        c.sequences.push_back({{pool.begin() + at, pool.begin() + at + static_cast<std::ptrdiff_t>(n)},
                               indexes[number],
                               number < weights.size() ? weights[number] : 1.0F});
      }
    }
  }
  return c;
}

/// Counts its occurrences in rows [N, L], with `skip` elements between its members: [N].
TensorId occurrences(Translation& t, TensorId rows, const Sequence& sequence, std::int64_t skip) {
  const Shape shape = t.shape(rows);
  const auto members = static_cast<std::int64_t>(sequence.members.size());
  const std::int64_t places = shape[1] - (members - 1) * (skip + 1);
  TensorId all = kNoTensor;
  for (std::int64_t i = 0; i < members; ++i) {
    const TensorId part = t.move(Slice{{0, i * (skip + 1)}, {1, 1}}, rows, Shape{shape[0], places});
    const TensorId member = t.scalar(static_cast<double>(sequence.members[static_cast<std::size_t>(i)]), rows);
    const TensorId same = t.test(BinaryKind::kEqual, part, member);
    all = all == kNoTensor ? same : t.test(BinaryKind::kAnd, all, same);
  }
  return reduce(t, ReduceKind::kSum, cast(t, all, ElementType::kFloat32), {1}, false);
}

}  // namespace

void count_sequences(Translation& t) {
  const Counting c = counting_of(t);
  const Shape shape = t.shape(t.input(0));
  const std::string mode = t.text("mode", "TF");
  if (shape.empty() || shape.size() > 2 || (mode != "TF" && mode != "IDF" && mode != "TFIDF")) {
    t.fail(fmt::format("mode '{}', input of shape {}; expected TF, IDF or TFIDF, and 1 or 2 dimensions", mode,
                       to_string(shape)));
  }
  const TensorId rows = t.reshape(t.input(0), {shape.size() == 1 ? 1 : shape[0], shape.back()});
  const std::int64_t number = t.shape(rows)[0];
  const TensorId zeros = expand(t, t.numbers(ElementType::kFloat32, {}, {0}), {number});
  std::vector<TensorId> columns(static_cast<std::size_t>(c.columns), zeros);
  constexpr std::int64_t kMostOperators = 1 << 14;
  std::int64_t made = 0;
  for (const Sequence& sequence : c.sequences) {
    const auto members = static_cast<std::int64_t>(sequence.members.size());
    TensorId sum = kNoTensor;
    for (std::int64_t skip = 0; skip <= (members == 1 ? 0 : c.most_skips) && (members - 1) * (skip + 1) < shape.back();
         ++skip) {
      made += 2 * members + 2;
      if (made > kMostOperators) {
        t.refuse(OnnxRefusal::kTooLarge,
                 fmt::format("{} n-grams with up to {} skips would become more than {} operators", c.sequences.size(),
                             c.most_skips, kMostOperators));
      }
      const TensorId found = occurrences(t, rows, sequence, skip);
      sum = sum == kNoTensor ? found : t.binary(BinaryKind::kAdd, sum, found);
    }
    if (sum == kNoTensor) {
      continue;
    }
    const TensorId counted = mode == "IDF" ? t.binary(BinaryKind::kMinimum, sum, t.scalar(1, sum)) : sum;
    columns[static_cast<std::size_t>(sequence.column)] =
        mode == "TF" ? counted : t.binary(BinaryKind::kMultiply, counted, t.scalar(double{sequence.weight}, sum));
  }
  if (columns.empty()) {
    t.refuse(OnnxRefusal::kEmptyTensor, "ngram_indexes is empty, so the result has no elements");
  }
  for (TensorId& column : columns) {
    column = t.reshape(column, {number, 1});
  }
  const TensorId result = columns.size() == 1 ? columns[0] : t.emit(Concat{1}, columns, ElementType::kFloat32);
  t.result(shape.size() == 1 ? t.reshape(result, {c.columns}) : result);
}

}  // namespace systole::graph::onnx_file
