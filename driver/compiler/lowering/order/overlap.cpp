// SPDX-License-Identifier: Apache-2.0
#include "overlap.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace systole::network {
namespace {

constexpr int kEnough = 10;        // a lane whose layers take less than this part of all cycles is not worth its rows
constexpr int kBesideEighths = 5;  // of the shorter of two layers: when both run, one reading what the other computes
constexpr int kArrayBound = 2;     // a product is, if multiplications take more than this part of its cycles
constexpr int kLittle = 16;        // what takes less than this part of the most urgent layer does not delay it much

int lane_of(const Layer& layer) { return is_product(layer) ? 0 : 1; }

/// Whether the vector unit multiplies. Beside a product its cycles would be the product's, and its multiplications too
/// many for the rest (runtime/network/layer_accounting).
bool multiplies_elsewhere(const Layer& layer) { return layer.macs != 0 && !is_product(layer); }

/// Both lanes as machines of a job shop, to which the layers are assigned. A layer that reads what another computes
/// begins before that ends.
class ActiveSchedule {
 public:
  ActiveSchedule(const std::vector<Layer>& layers, const std::vector<std::int64_t>& cycles, int dim)
      : layers_(layers),
        cycles_(cycles),
        multipliers_(std::int64_t{dim} * dim),
        readers_(layers.size()),
        unplaced_(layers.size(), 0),
        ready_(layers.size(), 0),
        until_(layers.size(), 0),
        start_(layers.size(), 0) {
    std::map<graph::TensorId, std::size_t> makers;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      for (const graph::TensorId id : layers[i].inputs) {
        if (const auto maker = makers.find(id); maker != makers.end()) {
          readers_[maker->second].push_back(i);
          ++unplaced_[i];
        }
      }
      makers[layers[i].output] = i;
      if (layers[i].words_output != graph::kNoTensor) {
        makers[layers[i].words_output] = i;
      }
    }
    ways_.resize(layers.size());
    for (std::size_t i = layers.size(); i-- > 0;) {
      for (const std::size_t reader : readers_[i]) {
        ways_[i] = std::max(ways_[i], ways_[reader]);
      }
      ways_[i] += cycles[i];
    }
  }

  std::vector<std::size_t> order() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (unplaced_[i] == 0) {
        open.push_back(i);
      }
    }
    std::vector<std::size_t> order;
    while (!open.empty()) {
      const std::size_t next = choose(open);
      open.erase(std::find(open.begin(), open.end(), next));
      order.push_back(next);
      start_[next] = start(next);
      const std::int64_t end = this->end(next);
      free_[static_cast<std::size_t>(lane_of(layers_[next]))] = end;
      const bool array_bound =
          static_cast<std::int64_t>(layers_[next].macs) * kArrayBound > cycles_[next] * multipliers_;
      if (lane_of(layers_[next]) == 0 && !array_bound) {
        shared_until_ = end;
      }
      for (const std::size_t reader : readers_[next]) {
        const std::int64_t beside = std::min(cycles_[reader], end - start_[next]) / 8 * kBesideEighths;
        ready_[reader] = std::max(ready_[reader], end - beside);
        until_[reader] = std::max(until_[reader], end);
        if (--unplaced_[reader] == 0) {
          open.push_back(reader);
        }
      }
    }
    return order;
  }

 private:
  std::int64_t start(std::size_t i) const {
    return std::max(ready_[i], free_[static_cast<std::size_t>(lane_of(layers_[i]))]);
  }

  std::int64_t end(std::size_t i) const { return std::max(start(i) + cycles_[i], until_[i]); }

  /// Until when what is not urgent would take from the products what bounds them: the other engines.
  std::int64_t shared_until(int lane) const { return lane == 0 ? 0 : shared_until_; }

  /// Of those that could begin in a lane before any of them could end.
  std::size_t choose(const std::vector<std::size_t>& open) const {
    const auto least = [&](const auto& value) {
      return *std::min_element(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(value(a), a) < std::pair(value(b), b);
      });
    };
    const int lane = lane_of(layers_[least([&](std::size_t i) { return std::pair(start(i), lane_of(layers_[i])); })]);
    const std::size_t first = least([&](std::size_t i) { return std::pair(lane_of(layers_[i]) != lane, end(i)); });
    const auto longest = [&](const auto& takes_part) {
      std::optional<std::size_t> best;
      for (const std::size_t i : open) {
        const bool longer = !best || std::pair(-ways_[i], i) < std::pair(-ways_[*best], *best);
        best = lane_of(layers_[i]) == lane && takes_part(i) && longer ? i : best;
      }
      return best;
    };
    std::size_t best = *longest([&](std::size_t i) { return i == first || start(i) < end(first); });
    // Waiting for a layer is better than one that would delay it more.
    const auto waits = [&](std::size_t i) {
      return start(i) <= std::max(start(best) + cycles_[best] / 2, shared_until(lane));
    };
    for (std::size_t other = *longest(waits); other != best; other = *longest(waits)) {
      best = other;
    }
    // What has time before it, or takes little of it and leads far.
    const auto before = longest([&](std::size_t i) {
      const bool little =
          kLittle * cycles_[i] < cycles_[best] && start(i) <= start(best) && kLittle * ways_[i] > ways_[best];
      return i != best && (little || (end(i) <= start(best) && start(i) >= shared_until(lane)));
    });
    return before.value_or(best);
  }

  const std::vector<Layer>& layers_;
  const std::vector<std::int64_t>& cycles_;
  const std::int64_t multipliers_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<int> unplaced_;        ///< operands that are still to come
  std::vector<std::int64_t> ready_;  ///< when enough of all operands is there
  std::vector<std::int64_t> until_;  ///< when all operands are there
  std::vector<std::int64_t> start_;
  std::vector<std::int64_t> ways_;      ///< cycles of the longest way to the end
  std::array<std::int64_t, 2> free_{};  ///< of each lane
  std::int64_t shared_until_ = 0;       ///< the last product that is not bound by the array ends
};

/// Whether the first is the gradient of maxima of several images, and the second its conversion to blocks.
bool take_turns(const Layer& first, const Layer& second) {
  const auto* gradient = std::get_if<FloatWindowsLayer>(&first.kind);
  return gradient != nullptr && first.inputs.size() == 2 && converts_whole(second) &&
         second.inputs[0] == first.output && !std::get<BlocksLayer>(second.kind).windows &&
         first.output_image.batch > 1;
}

}  // namespace

std::vector<Piece> in_turns(const std::vector<Piece>& order, const Segment& segment) {
  constexpr int kTurns = 4;
  std::vector<Piece> result;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool turns = !segment.lanes.empty() && i + 1 < order.size() &&
                       take_turns(segment.layers[order[i].layer], segment.layers[order[i + 1].layer]);
    if (!turns) {
      result.push_back(order[i]);
      continue;
    }
    const int batch = segment.layers[order[i].layer].output_image.batch, some = compiler::ceil_div(batch, kTurns);
    for (int first = 0; first < batch; first += some) {
      for (const std::size_t layer : {order[i].layer, order[i + 1].layer}) {
        Piece piece{layer, false};
        piece.first = first;
        piece.images = std::min(some, batch - first);
        piece.of = batch;
        result.push_back(piece);
      }
    }
    ++i;
  }
  return result;
}

std::optional<Segment> overlapped(const Segment& segment, const std::vector<std::int64_t>& cycles,
                                  const Configuration& configuration) {
  std::array<std::int64_t, 2> of_lane{};
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    of_lane[static_cast<std::size_t>(lane_of(segment.layers[i]))] += cycles[i];
  }
  const auto any = [&](bool (*is)(const Layer&)) {
    return std::any_of(segment.layers.begin(), segment.layers.end(), is);
  };
  if (any(multiplies_elsewhere) || kEnough * std::min(of_lane[0], of_lane[1]) < of_lane[0] + of_lane[1]) {
    return std::nullopt;
  }
  Segment result = segment;
  result.layers.clear();
  std::vector<std::size_t> order = ActiveSchedule(segment.layers, cycles, configuration.dim).order();
  for (auto at = order.begin(); at != order.end(); ++at) {  // a conversion follows what it takes turns with
    const auto behind = std::find_if(at, order.end(),
                                     [&](std::size_t i) { return take_turns(segment.layers[*at], segment.layers[i]); });
    if (behind != order.end()) {
      std::rotate(at + 1, behind, behind + 1);
    }
  }
  for (const std::size_t i : order) {
    result.layers.push_back(segment.layers[i]);
    result.lanes.push_back(lane_of(segment.layers[i]));
  }
  return result;
}

}  // namespace systole::network
