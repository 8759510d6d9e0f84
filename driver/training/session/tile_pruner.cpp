// SPDX-License-Identifier: Apache-2.0
#include "tile_pruner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "systole/errors.hpp"
#include "weight_parameters.hpp"

namespace systole::training {
namespace {

using graph::Value;

constexpr std::int64_t kEvents = 16;

/// The tiles of a matrix [outputs, taps..., inputs]: for each tap, `edge` outputs by `edge` inputs, fewer at the ends.
class Tiles {
 public:
  Tiles(const graph::Shape& shape, std::int64_t edge)
      : outputs_(shape.front()),
        inputs_(shape.back()),
        taps_(graph::count(shape) / outputs_ / inputs_),
        edge_(edge),
        columns_((inputs_ + edge - 1) / edge) {}

  std::size_t count() const { return static_cast<std::size_t>((outputs_ + edge_ - 1) / edge_ * taps_ * columns_); }

  /// Calls `use` with the place of each weight of a tile.
  template <class Use>
  void each(std::size_t number, const Use& use) const {
    const auto tile = static_cast<std::int64_t>(number);
    const std::int64_t column = tile % columns_, tap = tile / columns_ % taps_, row = tile / columns_ / taps_;
    for (std::int64_t output = row * edge_; output < std::min(outputs_, (row + 1) * edge_); ++output) {
      for (std::int64_t input = column * edge_; input < std::min(inputs_, (column + 1) * edge_); ++input) {
        use(static_cast<std::size_t>((output * taps_ + tap) * inputs_ + input));
      }
    }
  }

 private:
  std::int64_t outputs_, inputs_, taps_, edge_, columns_;
};

bool is_zero(const Tiles& tiles, std::size_t number, const std::vector<float>& weights) {
  bool zero = true;
  tiles.each(number, [&](std::size_t place) { zero = zero && weights[place] == 0; });
  return zero;
}

void clear(const Tiles& tiles, std::size_t number, std::vector<float>& weights) {
  tiles.each(number, [&](std::size_t place) { weights[place] = 0; });
}

double magnitude(const Tiles& tiles, std::size_t number, const std::vector<float>& weights) {
  double sum = 0;
  int count = 0;
  tiles.each(number, [&](std::size_t place) {
    sum += std::abs(double{weights[place]});
    ++count;
  });
  return sum / count;
}

}  // namespace

TilePruner::TilePruner(const Pruning& pruning, Network network, std::int64_t steps)
    : share_(pruning.share), tile_(pruning.tile), begin_(steps / 4), end_(std::max(begin_ + 1, steps * 3 / 4)) {
  mark_weights(network);
  for (std::size_t i = 0; i < network.parameters.size(); ++i) {
    const Parameter& parameter = network.parameters[i];
    const graph::Shape& shape = parameter.variable.initial.shape;
    if (parameter.is_weight && shape.size() > 1 && shape.front() >= tile_ && shape.back() >= tile_) {
      weights_.push_back(i);
    }
  }
  if (weights_.empty()) {
    throw InvalidArgument(fmt::format(
        "--prune: no weights have {0} outputs by {0} inputs, a tile of the configuration; take a smaller one", tile_));
  }
}

std::int64_t TilePruner::events_after(std::int64_t steps) const {
  return std::clamp<std::int64_t>((steps - begin_) * kEvents / (end_ - begin_), 0, kEvents);
}

void TilePruner::after_step(std::int64_t number, const std::vector<Value>& before, std::vector<Value>& after) const {
  const std::int64_t event = events_after(number + 1);
  const double rest = 1 - static_cast<double>(event) / kEvents;
  const double share = event > events_after(number) ? share_ * (1 - rest * rest * rest) : 0;
  for (const std::size_t parameter : weights_) {
    const Tiles tiles(after[parameter].shape, tile_);
    const std::vector<float> were = graph::elements<float>(before[parameter]);
    std::vector<float> weights = graph::elements<float>(after[parameter]);
    for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
      if (is_zero(tiles, tile, were)) {
        clear(tiles, tile, weights);
      }
    }
    if (share > 0) {
      std::vector<double> magnitudes(tiles.count());
      std::vector<std::size_t> order(tiles.count());
      std::iota(order.begin(), order.end(), 0);
      std::transform(order.begin(), order.end(), magnitudes.begin(),
                     [&](std::size_t tile) { return magnitude(tiles, tile, weights); });
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return magnitudes[a] < magnitudes[b]; });
      order.resize(static_cast<std::size_t>(std::llround(share * static_cast<double>(tiles.count()))));
      for (const std::size_t tile : order) {
        clear(tiles, tile, weights);
      }
    }
    after[parameter] = make_value(ElementType::kFloat32, after[parameter].shape, weights);
  }
}

TilePruner::Count TilePruner::count(const std::vector<Value>& parameters) const {
  Count count;
  for (const std::size_t parameter : weights_) {
    const Tiles tiles(parameters[parameter].shape, tile_);
    const std::vector<float> weights = graph::elements<float>(parameters[parameter]);
    count.tiles += tiles.count();
    for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
      count.zeros += is_zero(tiles, tile, weights) ? 1 : 0;
    }
  }
  return count;
}

}  // namespace systole::training
