// SPDX-License-Identifier: Apache-2.0
// Values that are not what a network's input is: the C++ door. test_misused_values.py tries the same table,
// misuses.json, at the doors of C and Python.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "systole/backends.hpp"
#include "systole/execute.hpp"
#include "systole/load_network.hpp"

namespace systole {
namespace {

graph::Value value_of(const nlohmann::json& row) {
  static const std::map<std::string, graph::ElementType> types = {{"int8", graph::ElementType::kInt8},
                                                                  {"uint8", graph::ElementType::kUint8},
                                                                  {"int16", graph::ElementType::kInt16},
                                                                  {"int32", graph::ElementType::kInt32}};
  return {types.at(row.at("type").get<std::string>()), row.at("shape").get<graph::Shape>(),
          graph::Bytes(row.at("bytes").get<std::size_t>())};
}

TEST(MisusedValues, AreRefusedWithGivenAndNeeded) {
  BackendOptions options;
  options.configuration = "tiny";
  Device device = Device::open(options, "model");
  Network network = load_network(device, MISUSED_MODEL);
  const nlohmann::json rows = nlohmann::json::parse(std::ifstream(MISUSES));
  ASSERT_GE(rows.size(), 10U);
  for (const nlohmann::json& row : rows) {
    const graph::Value value = value_of(row);
    const auto refused = [&](const auto& call) {
      try {
        call();
      } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find(std::to_string(value.data.size()) + " bytes given"), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("in 196 bytes"), std::string::npos) << error.what();
        return;
      }
      ADD_FAILURE() << row << " was accepted";
    };
    refused([&] { network.run({value}); });
    refused([&] { graph::execute(network.graph(), {value}); });
  }
}

TEST(MisusedValues, NumberOfInputs) {
  Device device = Device::open({}, "model");
  Network network = load_network(device, MISUSED_MODEL);
  const graph::Value value{graph::ElementType::kInt8, {1, 14, 14, 1}, graph::Bytes(196)};
  EXPECT_THROW(network.run({}), InvalidArgument);
  EXPECT_THROW(network.run({value, value}), InvalidArgument);
  EXPECT_EQ(network.run({value}).size(), 1U);
}

}  // namespace
}  // namespace systole
