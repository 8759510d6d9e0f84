// SPDX-License-Identifier: Apache-2.0
// Where `systole bench --networks --jobs` divides a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "network_builder.hpp"
#include "network_parts.hpp"
#include "systole/zoo.hpp"

namespace systole::cli {
namespace {

/// 1x1 convolutions on 8x8 images of 64 channels: all take the same time.
graph::Graph even(int convolutions) {
  zoo::NetworkBuilder net("even", 1);
  graph::TensorId x = net.input({1, 8, 8, 64});
  for (int i = 0; i < convolutions; ++i) {
    x = net.conv(x, 64, 1, 1, zoo::Border::kSame, Activation::kNone);
  }
  return net.finish(x);
}

TEST(PlacesToCut, DivideTheWork) {
  using testing::ElementsAre;
  EXPECT_THAT(places_to_cut(even(8), 1, 16), ElementsAre(0, 8));
  EXPECT_THAT(places_to_cut(even(8), 2, 16), ElementsAre(0, 4, 8));
  EXPECT_THAT(places_to_cut(even(8), 4, 16), ElementsAre(0, 2, 4, 6, 8));
}

TEST(PlacesToCut, AreLimitedByOperators) {
  const std::vector<std::size_t> places = places_to_cut(even(3), 100, 16);
  EXPECT_THAT(places, testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(places_to_cut(even(1), 7, 16), testing::ElementsAre(0, 1));
}

TEST(PlacesToCut, AreInOrderInEveryNetwork) {
  for (const std::string& name : zoo::names()) {
    const graph::Graph graph = zoo::network(name, 1);
    for (const std::size_t parts : {2, 3, 16, 256}) {
      const std::vector<std::size_t> places = places_to_cut(graph, parts, 16);
      EXPECT_EQ(places.front(), 0u);
      EXPECT_EQ(places.back(), graph.operators.size());
      EXPECT_EQ(std::adjacent_find(places.begin(), places.end(), std::greater_equal<>()), places.end())
          << name << " in " << parts;
    }
  }
}

TEST(PartedRun, DoesNotCallHostPartsExact) {
  PartedRun run;
  run.parts.resize(2);
  run.parts[0].values = 10;
  EXPECT_EQ(to_json(run)["parts"][0]["bit_exact"], true);
  EXPECT_TRUE(to_json(run)["parts"][1]["bit_exact"].is_null());
  EXPECT_NE(text_of(run, {}).find("not compared"), std::string::npos);
}

TEST(PartedRun, HasExitCodeOfWorstPart) {
  PartedRun run;
  run.parts.resize(3);
  EXPECT_EQ(run.code(), 0);
  run.difference = "sample 0, output 'y'";
  EXPECT_EQ(run.code(), 1);
  run.parts[1].code = 3;
  EXPECT_EQ(run.code(), 3);
  run.parts[2].code = 139;  // killed
  EXPECT_EQ(run.code(), 3);
  EXPECT_FALSE(to_json(run)["bit_exact"].get<bool>());
}

}  // namespace
}  // namespace systole::cli
