// SPDX-License-Identifier: Apache-2.0
#include "dataset.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>
#include <utility>

#include "idx.hpp"
#include "systole/errors.hpp"

namespace systole::training {

Dataset load_dataset(const std::string& pictures, const std::string& labels, std::size_t count) {
  digits::Pictures read = digits::read_pictures(pictures, count);
  Dataset data{read.height, read.width, std::move(read.pixels), digits::read_labels(labels, count)};
  for (const std::uint8_t label : digits::read_labels(labels, 0)) {
    data.classes = std::max<std::int64_t>(data.classes, label + 1);
  }
  if (data.pictures.size() != data.labels.size()) {
    throw Failure(fmt::format("{} pictures in {}, {} labels in {}; there is one label for each picture",
                              data.pictures.size(), pictures, data.labels.size(), labels));
  }
  return data;
}

Dataset split_off(Dataset& from, std::size_t first) {
  Dataset rest{from.height, from.width, {}, {}, from.classes};
  const auto pictures = from.pictures.begin() + static_cast<std::ptrdiff_t>(first);
  const auto labels = from.labels.begin() + static_cast<std::ptrdiff_t>(first);
  rest.pictures.assign(std::make_move_iterator(pictures), std::make_move_iterator(from.pictures.end()));
  rest.labels.assign(labels, from.labels.end());
  from.pictures.erase(pictures, from.pictures.end());
  from.labels.erase(labels, from.labels.end());
  return rest;
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
  const auto pixels = static_cast<std::size_t>(data.height * data.width);
  const auto samples = static_cast<std::int64_t>(size);
  std::vector<float> images(size * pixels);
  std::vector<std::int32_t> labels(size, -1);
  for (std::size_t i = 0; i < std::min(size, order.size() - first); ++i) {
    const std::size_t from = order[first + i];
    std::copy(data.pictures[from].begin(), data.pictures[from].end(),
              images.begin() + static_cast<std::ptrdiff_t>(i * pixels));
    labels[i] = data.labels[from];
  }
  return {make_value(graph::ElementType::kFloat32, {samples, 1, data.height, data.width}, images),
          make_value(graph::ElementType::kInt32, {samples}, labels)};
}

}  // namespace systole::training
