// SPDX-License-Identifier: Apache-2.0
// The shipped network: its shape, and that damaged descriptions are refused, naming layer and field.
#include <gtest/gtest.h>

#include "digits_network.hpp"
#include "idx.hpp"

namespace {

using namespace systole::digits;

TEST(Network, MatchesArticle) {
  const auto network = shipped_network();
  ASSERT_EQ(network.layers.size(), 6u);
  EXPECT_EQ(network.input_shape, (std::array<int, 3>{28, 28, 1}));
  EXPECT_EQ(network.layers[0].kind, LayerKind::kConv);
  EXPECT_EQ(network.layers[1].kind, LayerKind::kMaxPool);
  EXPECT_EQ(network.layers[4].kind, LayerKind::kDense);
  EXPECT_EQ(network.layers[0].macs(), 28u * 28 * 9 * 16);
  EXPECT_EQ(network.layers[4].macs(), 1568u * 64);
  EXPECT_EQ(network.layers[5].output_shape, (std::array<int, 3>{1, 1, 10}));
  EXPECT_EQ(network.layers[5].scale.size(), 10u);
  EXPECT_GE(network.test_accuracy, 0.98);
  for (const auto& layer : network.layers)
    for (const auto& scale : layer.scale) EXPECT_TRUE(systole::is_valid(scale)) << layer.name;
}

TEST(Network, ShipsTwentyPictures) {
  const auto pictures = parse_pictures(shipped_pictures(), "pictures", 0);
  EXPECT_EQ(pictures.pixels.size(), 20u);
  EXPECT_EQ(pictures.pixels.size(), parse_labels(shipped_labels(), "labels", 0).size());
}

TEST(Network, RejectsDamage) {
  EXPECT_THROW(parse_network("{", {}), std::runtime_error);
  EXPECT_THROW(parse_network("{}", {}), std::runtime_error);
  const std::string layer =
      R"({"name":"c","type":"conv","input_shape":[1,1,1],"output_shape":[1,1,4],"kernel":[1,1],"stride":[1,1],
    "padding":[0,0,0,0],"input_zero_point":0,"output_zero_point":0,"weights_offset":2,"bias_offset":4,"multiplier_offset":4,"shift_offset":4})";
  const std::string head = R"({"name":"n","input_shape":[1,1,1],"input_zero_point":0,"test_accuracy":1,"layers":[)";
  try {
    parse_network(head + layer + "]}", {1, 2, 3});
    FAIL() << "a blob that is too short was accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("layer c: weights_offset 2 needs 4 bytes, but the blob has 3"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
