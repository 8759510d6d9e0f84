// SPDX-License-Identifier: Apache-2.0
// The order of layers in two lanes.
#include "overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace systole::network {
namespace {

const Configuration& configuration() { return kConfigurations[2]; }

Layer layer(LayerKind kind, int output, std::vector<int> inputs, std::uint64_t macs = 0) {
  Layer made;
  made.name = "layer" + std::to_string(output);
  made.kind = std::move(kind);
  made.inputs.assign(inputs.begin(), inputs.end());
  made.output = output;
  made.macs = macs;
  return made;
}

Layer product(int output, std::vector<int> inputs, std::int64_t cycles) {  // that keeps the array busy
  const auto multipliers =
      static_cast<std::uint64_t>(configuration().dim) * static_cast<std::uint64_t>(configuration().dim);
  return layer(BlockProductLayer{}, output, std::move(inputs), static_cast<std::uint64_t>(cycles) * multipliers);
}
Layer other(int output, std::vector<int> inputs) { return layer(MoveLayer{}, output, std::move(inputs)); }

std::vector<graph::TensorId> order_of(const std::optional<Segment>& segment) {
  std::vector<graph::TensorId> order;
  for (const Layer& made : segment.value().layers) {
    order.push_back(made.output);
  }
  return order;
}

TEST(Overlap, LeavesWhatHasNothingBesideProducts) {
  Segment segment{{product(1, {0}, 1000), other(2, {1}), product(3, {2}, 1000)}, {0}, {3}};
  EXPECT_FALSE(overlapped(segment, {1000, 50, 1000}, configuration()));
  EXPECT_TRUE(overlapped(segment, {1000, 500, 1000}, configuration()));
}

TEST(Overlap, LeavesProductsOfTheVectorUnit) {
  Segment segment{{product(1, {0}, 1000), other(2, {1}), product(3, {2}, 1000)}, {0}, {3}};
  segment.layers[1].macs = 1;
  EXPECT_FALSE(overlapped(segment, {1000, 500, 1000}, configuration()));
}

TEST(Overlap, ComputesWhatIsNeededFirst) {
  // Of the two layers beside the first product, one is for the second product, the other for nobody.
  const Segment segment{
      {product(1, {0}, 1000), other(2, {0}), other(3, {0}), product(4, {1, 3}, 1000), other(5, {4})}, {0}, {2, 5}};
  const auto result = overlapped(segment, {1000, 600, 600, 1000, 100}, configuration());
  EXPECT_EQ(order_of(result), (std::vector<graph::TensorId>{1, 3, 2, 4, 5}));
  EXPECT_EQ(result->lanes, (std::vector<int>{0, 1, 1, 0, 1}));
}

TEST(Overlap, WaitsForWhatIsMoreUrgent) {
  // Layer 3 is there a little later than layer 2, but a long product waits for it.
  const Segment segment{
      {other(1, {0}), product(2, {0}, 100), other(3, {0}), other(4, {2}), product(5, {4}, 5000), other(6, {5})},
      {0},
      {1, 3, 6}};
  const auto order = order_of(overlapped(segment, {30, 100, 600, 100, 5000, 10}, configuration()));
  const auto place = [&](graph::TensorId id) { return std::find(order.begin(), order.end(), id) - order.begin(); };
  EXPECT_LT(place(4), place(3));
  EXPECT_LT(place(1), place(4)) << "which has time before it";
}

TEST(Overlap, KeepsOperandsBeforeTheirReaders) {
  std::mt19937 random(22'100);
  for (int round = 0; round < 200; ++round) {
    Segment segment{{}, {0}, {}};
    std::vector<std::int64_t> cycles;
    const int count = 2 + static_cast<int>(random() % 30);
    for (int id = 1; id <= count; ++id) {
      std::vector<int> inputs;
      for (unsigned n = 1 + random() % 3; n > 0; --n) {
        inputs.push_back(static_cast<int>(random() % static_cast<unsigned>(id)));
      }
      cycles.push_back(static_cast<std::int64_t>(random() % 3 == 0 ? random() % 3 : random() % 5000));
      segment.layers.push_back(random() % 2 == 0 ? product(id, inputs, cycles.back() / 3) : other(id, inputs));
    }
    const auto result = overlapped(segment, cycles, configuration());
    if (!result) {
      continue;
    }
    std::set<graph::TensorId> there{0};
    for (std::size_t i = 0; i < result->layers.size(); ++i) {
      const Layer& made = result->layers[i];
      for (const graph::TensorId id : made.inputs) {
        EXPECT_EQ(there.count(id), 1U) << "round " << round << ", layer " << made.name;
      }
      there.insert(made.output);
      EXPECT_EQ(result->lanes[i], std::holds_alternative<BlockProductLayer>(made.kind) ? 0 : 1);
    }
    EXPECT_EQ(there.size(), segment.layers.size() + 1);
  }
}

}  // namespace
}  // namespace systole::network
