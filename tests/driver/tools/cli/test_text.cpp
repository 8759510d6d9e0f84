// SPDX-License-Identifier: Apache-2.0
// Output of the command line: tables, numbers, progress, pictures; and parsing of sizes.
#include <gtest/gtest.h>

#include "exit_codes.hpp"
#include "loss_report_text.hpp"
#include "network_table.hpp"
#include "picture_text.hpp"
#include "progress_bar.hpp"
#include "size_options.hpp"
#include "text_table.hpp"

namespace systole::cli {
namespace {

TEST(Table, AlignsColumnsColouredOrNot) {
  const auto text = [](const Style& style) {
    Table table({{"name", Table::Align::kLeft}, {"cycles"}});
    table.add({style(Paint::kGood, "a"), "1"});
    table.add({"longer", style(Paint::kBad, "12345678")});
    return table.text(style);
  };
  EXPECT_EQ(text({}), "  name      cycles\n  a              1\n  longer  12345678\n");
  std::string coloured = text({true, 80});
  for (std::size_t at; (at = coloured.find('\033')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, text({}));
}

TEST(Table, RejectsRowOfWrongLength) {
  Table table({{"one"}, {"two"}});
  EXPECT_THROW(table.add({"1"}), std::logic_error);
}

TEST(NonFinite, NamesTheLayerOrTheProgram) {
  const auto step = [](bool on_device, bool nonfinite, const std::vector<std::string>& layers) {
    StepReport report;
    report.on_device = on_device;
    report.stats.nonfinite = nonfinite;
    for (const std::string& name : layers) {
      report.layers.emplace_back().name = name;
    }
    return report;
  };
  EXPECT_EQ(nonfinite_text({}), "");
  EXPECT_EQ(nonfinite_text({step(true, false, {"a"}), step(false, false, {})}), "");
  EXPECT_EQ(nonfinite_text({step(false, false, {}), step(true, true, {"a"})}), "layer 'a'");
  EXPECT_EQ(nonfinite_text({step(true, false, {"a"}), step(false, false, {}), step(true, true, {"b", "c", "d"})}),
            "program 2, one of its layers 'b' to 'd'");
}

TEST(Numbers, AreGroupedAndScaled) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(134217728), "134,217,728");
  EXPECT_EQ(scaled(0), "0 ");
  EXPECT_EQ(scaled(999.4), "999 ");
  EXPECT_EQ(scaled(999.6), "1.00 k");
  EXPECT_EQ(scaled(1.05e6), "1.05 M");
  EXPECT_EQ(scaled(51.26e9), "51.3 G");
  EXPECT_EQ(percent(0.9931), "99.3 %");
}

TEST(Progress, FitsTerminalAndStaysBelow100Percent) {
  for (const int width : {20, 40, 60, 80, 200}) {
    for (const std::uint64_t cycles : {0ull, 1000ull, 500'000ull, 2'000'000ull}) {
      const std::string line = ProgressBar::line("matmul_512", cycles, 1'000'000, 1.0, width);
      EXPECT_LT(line.size(), static_cast<std::size_t>(width)) << line;
      EXPECT_EQ(line.find("100 %"), std::string::npos) << line;
    }
  }
  EXPECT_EQ(ProgressBar::line("x", 500, 1000, 0.001, 40), "[===   ]  50 %  500 cycles  500 kHz  x");
  EXPECT_NE(ProgressBar::line("x", 500, 0, 0, 80).find("  0 %"), std::string::npos);
}

TEST(Progress, CountsSamples) {
  EXPECT_EQ(ProgressBar::line("x", 5, 10, 1, 40, ProgressBar::Unit::kSamples),
            "[========        ]  50 %  5 samples  x");
}

TEST(Progress, SilentWithoutTerminal) { EXPECT_FALSE(ProgressBar("x").hook()); }

TEST(Sizes, ReadPairsAndSides) {
  EXPECT_EQ(parse_pair("--kernel", "3", 1, 255), (std::array<int, 2>{3, 3}));
  EXPECT_EQ(parse_pair("--kernel", "3x5", 1, 255), (std::array<int, 2>{3, 5}));
  EXPECT_EQ(parse_sides("--pad", "1", 0, 255), (std::array<int, 4>{1, 1, 1, 1}));
  EXPECT_EQ(parse_sides("--pad", "1x2", 0, 255), (std::array<int, 4>{1, 1, 2, 2}));
  EXPECT_EQ(parse_sides("--pad", "1,2,3,4", 0, 255), (std::array<int, 4>{1, 2, 3, 4}));
}

TEST(Sizes, ErrorsNameOptionAndText) {
  for (const char* text : {"", "x", "3x", "x3", "3x3x3", "0", "256", "-1", "3,3", "3x3 ", "three"}) {
    try {
      parse_pair("--kernel", text, 1, 255);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find(std::string("--kernel: '") + text + "'"), 0u) << error.what();
    }
  }
  for (const char* text : {"1,2,3", "1,2,3,", "1,2,3,256", "1x2x3", ",,,"}) {
    EXPECT_THROW(parse_sides("--pad", text, 0, 255), InputError) << text;
  }
}

TEST(Pictures, AreSideBySideWithinWidth) {
  digits::Pictures pictures{4, 12, {}};
  for (int i = 0; i < 3; ++i) {
    pictures.pixels.emplace_back(48, 255);
  }
  EXPECT_EQ(draw_pictures(pictures, 3, {1, 2, 3}, {1, 9, 3}, {false, 30}),
            "  @@@@@@@@@@@@  @@@@@@@@@@@@\n"
            "  @@@@@@@@@@@@  @@@@@@@@@@@@\n"
            "       1         2 wrong: 9\n"
            "\n"
            "  @@@@@@@@@@@@\n"
            "  @@@@@@@@@@@@\n"
            "       3\n"
            "\n");
  EXPECT_EQ(draw_pictures(pictures, 1, {1}, {}, {false, 5}).substr(0, 15), "  @@@@@@@@@@@@\n");
}

TEST(Pictures, LoseEmptyMargins) {
  digits::Pictures pictures{28, 28, {std::vector<std::uint8_t>(28 * 28, 0)}};
  EXPECT_EQ(draw_pictures(pictures, 1, {0}, {}, {false, 80}), "\n      0\n\n");
  pictures.pixels[0][14 * 28 + 14] = 255;
  EXPECT_EQ(draw_pictures(pictures, 1, {0}, {}, {false, 80}), "  =\n      0\n\n");
}

TEST(LossReport, ListsFloatAndMaskedTensors) {
  quantizer::Report report;
  report.samples = 3;
  quantizer::LayerReport layer;
  layer.name = "scores";
  layer.origin = "MatMul 4";
  layer.int8 = true;
  layer.masked = 0.25;
  layer.compared = true;
  layer.signal = 100;
  layer.noise = 1;
  report.layers.push_back(layer);
  layer = {};
  layer.name = "gelu";
  layer.origin = "Gelu 5";
  layer.int8 = false;
  layer.reason = "no int8 form of gelu";
  report.layers.push_back(layer);
  const std::string text = quantizer::text(report, {});
  EXPECT_NE(text.find("on 3 samples"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  scores (MatMul 4): 25.0 % of the values\n"), std::string::npos) << text;
  const auto json = quantizer::to_json(report);
  EXPECT_EQ(json["layers"][0]["int8"], true);
  EXPECT_NEAR(json["layers"][0]["signal_to_noise_db"].get<double>(), 20, 1e-9);
  EXPECT_EQ(json["layers"][1]["reason"], "no int8 form of gelu");
  EXPECT_NE(text.find("Not int8\n  gelu (Gelu 5): no int8 form of gelu\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace systole::cli
