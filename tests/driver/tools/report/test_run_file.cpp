// SPDX-License-Identifier: Apache-2.0
// Reading run files: valid ones, and the error messages for invalid ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "example.hpp"
#include "json_field.hpp"

namespace systole::report {
namespace {

using test::layer_json;
using test::network_json;
using test::parsed;
using Json = nlohmann::ordered_json;

std::string complaint(const std::string& text) {
  try {
    parse_run(text, "run.json");
  } catch (const BadFile& error) {
    return error.what();
  }
  return "no complaint";
}

std::string complaint(const std::function<void(Json&)>& spoil) {
  Json json = network_json({layer_json("a"), layer_json("b")});
  spoil(json);
  return complaint(json.dump());
}

TEST(RunFile, OneRunIsOneLayer) {
  const RunFile run = parsed(layer_json("matmul", 600));
  EXPECT_EQ(run.name, "matmul");
  EXPECT_EQ(run.dim, 16);
  ASSERT_EQ(run.layers.size(), 1u);
  const Layer& layer = run.layers[0];
  EXPECT_EQ(layer.cycles, 1000u);
  EXPECT_EQ(layer.macs, 76'800u);
  EXPECT_EQ(layer.causes[1][0], 600u);
  EXPECT_EQ(layer.read_beats, 300u);
  EXPECT_EQ((*layer.semaphore_waits)[1][9], 10u);
  EXPECT_EQ(layer.macs_padded, 2560u);
  EXPECT_FALSE(layer.memory_plan);
}

TEST(RunFile, NetworksAndBenchmarksHaveSeveral) {
  Json json = network_json({layer_json("a"), layer_json("b", 400)});
  const RunFile network = parsed(json);
  ASSERT_EQ(network.layers.size(), 2u);
  const Layer sum = total(network);
  EXPECT_EQ(sum.name, "network");
  EXPECT_EQ(sum.cycles, 2000u);
  EXPECT_EQ(sum.causes[1][0], 1000u);
  EXPECT_EQ(sum.read_beats, 600u);
  EXPECT_EQ((*sum.semaphore_waits)[2][6], 1800u);

  json["results"] = json["layers"];
  json.erase("layers");
  EXPECT_EQ(parsed(json).layers.size(), 2u);
}

TEST(RunFile, SumsOmitFieldsMissingInOlderFiles) {
  Json old = layer_json("b");
  for (const char* name : {"read_beats", "write_beats", "semaphore_waits", "macs_padded"}) {
    old.erase(name);
  }
  const RunFile run = parsed(network_json({layer_json("a"), old}));
  EXPECT_FALSE(run.layers[1].read_beats);
  EXPECT_FALSE(total(run).read_beats);
  EXPECT_FALSE(total(run).semaphore_waits);
  EXPECT_EQ(total(run).cycles, 2000u);
}

TEST(RunFile, ReadsArraySize) {
  Json json = layer_json();
  json["config"] = "mine";
  EXPECT_EQ(
      complaint(json.dump()),
      "run.json: config: expected one of tiny, small, default, large, nano, default_int8, or a field 'dim' beside "
      "it, found \"mine\"");
  json["dim"] = 64;
  EXPECT_EQ(parsed(json).dim, 64);
  json["dim"] = 0;
  EXPECT_EQ(complaint(json.dump()), "run.json: dim: expected an integer from 1 to 1024, found 0");
}

TEST(BadRunFile, NotJson) {
  EXPECT_EQ(complaint("{\n  \"name\": oops}"),
            "run.json: line 2, column 11: expected JSON as --json of systole matmul, conv, digits, run, kernel "
            "or bench writes it, found 'o'");
  EXPECT_EQ(complaint(""),
            "run.json: line 1, column 1: expected JSON as --json of systole matmul, conv, digits, run, kernel or bench "
            "writes it, "
            "found the end of the file");
  EXPECT_THAT(complaint("{\"a\": 1"), testing::HasSubstr("found the end of the file"));
  EXPECT_THAT(complaint("{\"a\": \"\xff\"}"), testing::HasSubstr("found byte 0xff"));
}

TEST(BadRunFile, MessagesNameFileFieldAndExpectation) {
  EXPECT_EQ(complaint("[1, 2]"), "run.json: expected an object, found [1,2]");
  EXPECT_EQ(
      complaint([](Json& j) { j.erase("name"); }),
      "run.json: name: missing; expected what --json of systole matmul, conv, digits, run, kernel or bench writes");
  EXPECT_EQ(complaint([](Json& j) { j["name"] = 7; }), "run.json: name: expected a string, found 7");
  EXPECT_EQ(complaint([](Json& j) { j["layers"] = 7; }), "run.json: layers: expected an array, found 7");
  EXPECT_EQ(complaint([](Json& j) { j["layers"] = Json::array(); }),
            "run.json: layers: expected at least one run, found []");
  EXPECT_EQ(complaint([](Json& j) { j["layers"][1]["cycles"] = -5; }),
            "run.json: layers[1].cycles: expected an integer, at least 0, found -5");
  EXPECT_EQ(complaint([](Json& j) { j["layers"][1]["cycles"] = 1.5; }),
            "run.json: layers[1].cycles: expected an integer, at least 0, found 1.5");
  EXPECT_EQ(complaint([](Json& j) { j["layers"][0]["bit_exact"] = "yes"; }),
            "run.json: layers[0].bit_exact: expected true or false, found \"yes\"");
  EXPECT_EQ(complaint([](Json& j) { j["layers"][0]["causes"].erase("VPU"); }),
            "run.json: layers[0].causes.VPU: missing; expected what --json of systole matmul, conv, digits, run, "
            "kernel or bench writes");
  EXPECT_EQ(complaint([](Json& j) { j["layers"][0]["causes"]["MXU"]["FETCH"] = 1; }),
            "run.json: layers[0].causes.MXU: expected causes that add up to the 1000 cycles, found a sum of 801");
  EXPECT_EQ(complaint([](Json& j) { j["layers"][0]["semaphore_waits"]["MXU"]["1"] = 1; }),
            "run.json: layers[0].semaphore_waits.MXU: expected waits that add up to the 200 cycles of SEMAPHORE, found "
            "a sum of 11");
  for (const Json& window : {Json::array({7}), Json::array({9, 7})}) {
    EXPECT_EQ(complaint([&](Json& j) { j["layers"][1]["window"] = window; }),
              fmt::format("run.json: layers[1].window: expected the first and the last cycle of the layer, found {}",
                          window.dump()));
  }
  EXPECT_EQ(complaint([](Json& j) {
              j["host_operators"] = {{{"name", "sine"}}};
            }),
            "run.json: host_operators[0].reason: missing; expected what --json of systole matmul, conv, digits, run, "
            "kernel or bench writes");
  for (const char* name : {"32", "x", "", "-1", "1000000000000"}) {
    EXPECT_EQ(complaint([&](Json& j) {
                j["layers"][0]["semaphore_waits"]["MXU"] = {{name, 200}};
              }),
              fmt::format("run.json: layers[0].semaphore_waits.MXU: expected semaphores 0 to 31, found '{}'", name));
  }
}

TEST(BadRunFile, RejectsFunctionalModel) {
  EXPECT_EQ(complaint([](Json& j) { j["layers"][0]["cycles"] = 0; }),
            "run.json: layers[0].cycles: expected at least 1: the functional model has no time, run with --device rtl, "
            "found 0");
}

TEST(BadRunFile, RejectsFailedRun) {
  EXPECT_EQ(complaint(R"({"error": {"text": "device: lost", "exit_code": 3, "hang": null}})"),
            "run.json: error: expected results, but the run has failed: device: lost");
}

TEST(BadRunFile, TruncatesLongValues) {
  EXPECT_LT(complaint([](Json& j) { j["layers"] = std::string(1000, 'x'); }).size(), 100u);
}

TEST(BadRunFile, DeepOrHugeValues) {
  const auto error_of = [](const std::string& text) {
    try {
      parse_run(text, "run.json");
    } catch (const BadFile& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::size_t deep = 300'000;
  EXPECT_THAT(error_of(std::string(deep, '[') + std::string(deep, ']')),
              testing::HasSubstr("found values nested more than 64 deep"));
  std::string objects;
  for (std::size_t i = 0; i < deep; ++i) {
    objects += "{\"a\":";
  }
  EXPECT_THAT(error_of(objects), testing::HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(error_of("{\"cycles\": 1e999}"), testing::HasSubstr("found a number beyond the range of a double"));
  EXPECT_THAT(error_of(std::string(64, '[') + std::string(64, ']')), testing::HasSubstr("expected an object"));
}

TEST(BadRunFile, Missing) {
  try {
    read_run("/nowhere/run.json");
    FAIL();
  } catch (const BadFile& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("/nowhere/run.json: No such file or directory; expected"));
  }
}

Json plan_json() {
  return {{"cycles", 1000},
          {"rows", {{"scratchpad", 100}, {"weights", 50}, {"parameters", 10}, {"accumulators", 20}}},
          {"merged_cycles", 4},
          {"occupied",
           {{{"memory", "scratchpad"},
             {"operand", "results"},
             {"rows", {0, 100}},
             {"cycles", {10, 1000}},
             {"instruction", 3},
             {"writers", 2}}}}};
}

TEST(RunFile, HasAMemoryPlan) {
  Json json = layer_json();
  json["memory_plan"] = plan_json();
  const auto plan = parsed(json).layers[0].memory_plan;
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->occupied.size(), 1u);
  EXPECT_EQ(plan->occupied[0].operand, Operand::kResults);
  EXPECT_EQ(to_json(*plan), plan_json());
}

TEST(BadRunFile, MemoryPlan) {
  const auto spoilt = [](const std::function<void(Json&)>& spoil) {
    Json json = layer_json();
    json["memory_plan"] = plan_json();
    spoil(json["memory_plan"]);
    return complaint(json.dump());
  };
  const std::string at = "run.json: memory_plan.occupied[0]";
  EXPECT_EQ(spoilt([](Json& p) { p["occupied"][0]["memory"] = "attic"; }),
            at + ".memory: expected one of scratchpad, weights, parameters, accumulators, found \"attic\"");
  EXPECT_EQ(spoilt([](Json& p) {
              p["occupied"][0]["rows"] = {0, 101};
            }),
            at + ".rows[1]: expected an integer from 0 to 100, found 101");
  EXPECT_EQ(spoilt([](Json& p) {
              p["occupied"][0]["cycles"] = {7, 7};
            }),
            at + ".cycles: expected a begin below the end, found [7,7]");
  EXPECT_EQ(spoilt([](Json& p) { p["occupied"][0]["rows"] = {1}; }),
            at + ".rows: expected two numbers, begin and end, found [1]");
}

}  // namespace
}  // namespace systole::report
