// SPDX-License-Identifier: Apache-2.0
// The report on a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example.hpp"
#include "report_bar.hpp"
#include "report_text.hpp"

namespace systole::report {
namespace {

using test::layer_json;
using test::network_json;
using test::parsed;
using testing::HasSubstr;
using testing::Not;

TEST(Bar, DividesWidthAmongAllCauses) {
  EXPECT_EQ(bar({60, 0, 0, 0, 0, 0, 30, 0, 0, 10, 0}, 10), "######sssf");
  EXPECT_EQ(bar({1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}, 10), "####wwwooo");
  EXPECT_EQ(bar({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7}, 4), "....");
  EXPECT_EQ(bar({}, 4), "    ");
}

TEST(Text, PrintsWholeReport) {
  const std::string text =
      text_report(parsed(network_json({layer_json("conv1"), layer_json("conv2", 400)})), nullptr, {});
  EXPECT_THAT(text, HasSubstr("network  default configuration, 16 x 16, from run.json\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "  conv1   76,800   1,000       30.0 %        76.8          19.2 %        6,400  LOAD 70.0 %  bit-exact\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "  all    128,000   2,000       25.0 %        64.0          16.0 %       12,800  LOAD 70.0 %  bit-exact\n"));
  EXPECT_THAT(text, HasSubstr("    MXU waited 19.0 % (190 cycles) for LOAD, on semaphore 1.\n"));
  EXPECT_THAT(text, HasSubstr("  conv1      16.0       256.0      76.8       30.0 %  array\n"));
  EXPECT_THAT(text, HasSubstr("  # working  s semaphore  l memory latency  f fetch\n"));
  EXPECT_THAT(text, Not(HasSubstr("Compared")));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
}

/// Of a network's layers only the outputs are compared, and bytes are those of LOAD and STORE.
nlohmann::ordered_json model_json(int layers) {
  nlohmann::ordered_json json = network_json({layer_json()});
  json["layers"].clear();
  json["name"] = "model";
  json["file"] = "kws.tflite";
  json["bit_exact"] = true;
  json["compared"] = {{"values", 12}, {"against", "the host's, of the first sample"}};
  for (int i = 0; i < layers; ++i) {
    auto layer =
        layer_json("functional_1/block_" + std::to_string(i) + "/convolution/with_a_name_from_a_converter;and_more",
                   200 + 10 * static_cast<std::uint64_t>(i));
    layer.erase("bit_exact");
    layer.erase("read_beats");
    layer.erase("write_beats");
    layer["read_bytes"] = 4800;
    layer["write_bytes"] = 1600;
    json["layers"].push_back(layer);
  }
  return json;
}

TEST(Text, NetworkReportHasComparisonAndTotalLosses) {
  const std::string text = text_report(parsed(model_json(12)), nullptr, {});
  EXPECT_THAT(text, HasSubstr("kws.tflite  default configuration"));
  EXPECT_THAT(text, HasSubstr("result  bit-exact, 12 values against the host's, of the first sample\n"));
  EXPECT_EQ(text.find("bit-exact"), text.rfind("bit-exact"));  // not of each layer
  EXPECT_THAT(text, HasSubstr("      6,400  LOAD 70.0 %\n"));
  EXPECT_THAT(text, Not(HasSubstr("and_more")));
  EXPECT_THAT(text, HasSubstr("  functional_1/block...me_from_a_converter: 8.6 % of what was lost."));
  const std::size_t losses = text.find("What was lost");
  EXPECT_LT(text.find("  all: The array did useful work", losses), text.find("of what was lost", losses));
  EXPECT_THAT(text, HasSubstr("  4 layers more, which lost less; -o report.html has all of them\n"));
  auto unknown = model_json(2);
  unknown["bit_exact"] = nullptr;
  unknown["compared"] = {{"values", 0}, {"against", "--no-compare"}};
  EXPECT_THAT(text_report(parsed(unknown), nullptr, {}), HasSubstr("result  not compared, --no-compare\n"));
}

TEST(Text, WindowsAndWhatTheHostComputed) {
  auto json = model_json(2);
  const std::string without = text_report(parsed(json), nullptr, {});
  EXPECT_THAT(without, Not(HasSubstr("window")));
  EXPECT_THAT(without, Not(HasSubstr("On the host")));
  json["layers"][0]["window"] = {1234, 56789};
  json["host_operators"] = {{{"name", "sine (program.py:7) #3"}, {"reason", "sin of float32"}}};
  const std::string text = text_report(parsed(json), nullptr, {});
  EXPECT_THAT(text, HasSubstr("1,234-56,789\n"));
  EXPECT_THAT(text, HasSubstr("  sine (program.py:7) #3  sin of float32\n"));
}

TEST(Text, ColoursOnlyOnRequest) {
  EXPECT_THAT(text_report(parsed(layer_json()), nullptr, {true, 80}), HasSubstr("\033[32mbit-exact"));
}

TEST(Text, ReportsWrongResult) {
  auto json = layer_json();
  json["bit_exact"] = false;
  EXPECT_THAT(text_report(parsed(json), nullptr, {}), HasSubstr("DIFFERENT"));
}

TEST(Text, Compares) {
  const RunFile before = parsed(network_json({layer_json("conv1", 500), layer_json("gone")}));
  auto changed = layer_json("conv1");
  changed["cycles"] = 1100;
  for (const char* engine : {"LOAD", "MXU", "VPU", "STORE"}) {
    changed["causes"][engine]["IDLE"] = 100;
  }
  const RunFile after = parsed(network_json({changed, layer_json("new")}));
  const std::string text = text_report(after, &before, {});
  EXPECT_THAT(text, HasSubstr("Compared with run.json\n"));
  EXPECT_THAT(text, HasSubstr("  conv1         1,000  1,100  +10.00 %  25.0 % -> 27.3 %  LOAD idle +100, MXU working "
                              "+100, MXU fetch -100\n"));
  EXPECT_THAT(text, HasSubstr("  new               -  1,000     added\n"));
  EXPECT_THAT(text, HasSubstr("  gone          1,000      -   removed\n"));
  EXPECT_THAT(text, HasSubstr("  all in both   1,000  1,100  +10.00 %"));
  EXPECT_THAT(text_report(after, &after, {}), HasSubstr("  conv1   1,100  1,100    same  27.3 % -> 27.3 %\n"));
}

TEST(Text, ReportsDifferentConfigurations) {
  auto small = layer_json();
  small["config"] = "small";
  const RunFile before = parsed(small), after = parsed(layer_json());
  EXPECT_THAT(text_report(after, &before, {}),
              HasSubstr("Other configurations: small, 8 x 8 before, default, 16 x 16 now.\n"));
}

}  // namespace
}  // namespace systole::report
