// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comparison.hpp"
#include "example.hpp"

namespace systole::report {
namespace {

using test::layer_json;
using test::network_json;
using test::parsed;

TEST(Comparison, PairsByNameAndKeepsUnpairedLayers) {
  const RunFile before = parsed(network_json({layer_json("gone"), layer_json("same"), layer_json("faster", 500)}));
  const RunFile after = parsed(network_json({layer_json("faster", 600), layer_json("new"), layer_json("same")}));
  const auto pairs = compare(before, after);
  ASSERT_EQ(pairs.size(), 4u);
  EXPECT_EQ(pairs[0].name, "faster");
  ASSERT_EQ(pairs[0].changes.size(), 2u);
  EXPECT_EQ(pairs[0].changes[0].cycles, 100);   // working
  EXPECT_EQ(pairs[0].changes[1].cycles, -100);  // fetch
  EXPECT_EQ(pairs[0].changes[0].engine, isa::Engine::kMxu);
  EXPECT_EQ(pairs[0].cycles(), 0);
  EXPECT_EQ(pairs[1].name, "new");
  EXPECT_EQ(pairs[1].before, nullptr);
  EXPECT_EQ(pairs[2].name, "same");
  EXPECT_TRUE(pairs[2].changes.empty());
  EXPECT_EQ(pairs[3].name, "gone");
  EXPECT_EQ(pairs[3].after, nullptr);
}

TEST(Comparison, SumsPairedLayers) {
  const RunFile before = parsed(network_json({layer_json("gone"), layer_json("a", 500), layer_json("b")}));
  const RunFile after = parsed(network_json({layer_json("a"), layer_json("b"), layer_json("new")}));
  const auto both = common(compare(before, after));
  ASSERT_TRUE(both);
  EXPECT_FALSE(both->complete);
  EXPECT_EQ(both->before.cycles, 2000u);
  EXPECT_EQ(both->before.causes[1][0], 1100u);
  EXPECT_EQ(both->after.causes[1][0], 1200u);
  EXPECT_TRUE(common(compare(after, after))->complete);
  EXPECT_FALSE(common(compare(parsed(layer_json("x")), parsed(layer_json("y")))));
}

TEST(Comparison, PairsEqualNamesInOrder) {
  const RunFile before = parsed(network_json({layer_json("conv", 100), layer_json("conv", 200)}));
  const RunFile after =
      parsed(network_json({layer_json("conv", 110), layer_json("conv", 220), layer_json("conv", 330)}));
  const auto pairs = compare(before, after);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].before, &before.layers[0]);
  EXPECT_EQ(pairs[1].before, &before.layers[1]);
  EXPECT_EQ(pairs[2].before, nullptr);
}

}  // namespace
}  // namespace systole::report
