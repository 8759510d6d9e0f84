// SPDX-License-Identifier: Apache-2.0
#include "dataset.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "digest.hpp"
#include "element_visit.hpp"
#include "named_array.hpp"

namespace systole::training {
namespace {

using graph::Value;

/// The rows of one input that are named, in the network's type.
Value gathered(const InputSamples& from, const std::vector<std::size_t>& rows) {
  graph::Shape shape = from.shape;
  shape.insert(shape.begin(), static_cast<std::int64_t>(rows.size()));
  const auto length = static_cast<std::size_t>(graph::count(from.shape));
  Value result{from.type, shape, graph::Bytes(rows.size() * length * graph::element_size(from.type))};
  graph::with_element(from.values.type, [&](auto first) {
    graph::with_element(from.type, [&](auto second) {
      using From = decltype(first);
      using To = decltype(second);
      std::vector<From> row(length);
      std::vector<To> converted(length);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        std::memcpy(row.data(), from.values.data.data() + rows[i] * length * sizeof(From), length * sizeof(From));
        std::transform(row.begin(), row.end(), converted.begin(), [](From x) {
          if constexpr (std::is_arithmetic_v<From> && std::is_arithmetic_v<To>) {
            return static_cast<To>(x);
          } else {
            return graph::cut_off<To>(static_cast<double>(x));
          }
        });
        std::memcpy(result.data.data() + i * length * sizeof(To), converted.data(), length * sizeof(To));
      }
    });
  });
  return result;
}

/// Targets of no sample.
Value no_samples(const Value& like, std::size_t rows) {
  Value value{like.type, like.shape, {}};
  value.shape.at(0) = static_cast<std::int64_t>(rows);
  const auto count = static_cast<std::size_t>(graph::count(value.shape));
  return like.type == graph::ElementType::kInt32
             ? make_value(like.type, value.shape, std::vector<std::int32_t>(count, -1))
             : make_value(like.type, value.shape, std::vector<float>(count, -std::numeric_limits<float>::infinity()));
}

}  // namespace

std::size_t Dataset::size() const { return rows_of(targets); }

Dataset split_off(Dataset& from, std::size_t first) {
  Dataset rest;
  rest.kind = from.kind;
  for (InputSamples& input : from.inputs) {
    rest.inputs.push_back({split_off(input.values, first), input.type, input.shape, input.columns});
  }
  rest.targets = split_off(from.targets, first);
  return rest;
}

std::uint64_t digest_of(const Dataset& data) {
  Digest digest;
  digest.add(data.targets.data);
  for (const InputSamples& input : data.inputs) {
    digest.add(input.values.data);
  }
  return digest.value();
}

std::vector<std::size_t> order_of(std::size_t size, std::uint64_t seed, std::int64_t epoch) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::seed_seq both{seed, seed >> 32, static_cast<std::uint64_t>(epoch)};
  std::mt19937_64 random(both);
  for (std::size_t i = size; i > 1; --i) {
    std::swap(order[i - 1], order[random() % i]);
  }
  return order;
}

Batch batch_of(const Dataset& data, const std::vector<std::size_t>& order, std::size_t first, std::size_t size) {
  const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t taken = std::min(size, order.size() - first);
  std::vector<std::size_t> rows(begin, begin + static_cast<std::ptrdiff_t>(taken));
  Batch batch;
  batch.targets = no_samples(data.targets, size);
  const std::size_t bytes = data.targets.data.size() / data.size();
  for (std::size_t i = 0; i < taken; ++i) {
    std::memcpy(batch.targets.data.data() + i * bytes, data.targets.data.data() + rows[i] * bytes, bytes);
  }
  rows.resize(size, rows.front());
  for (const InputSamples& input : data.inputs) {
    batch.inputs.push_back(gathered(input, rows));
  }
  return batch;
}

}  // namespace systole::training
