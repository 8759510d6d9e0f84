// SPDX-License-Identifier: Apache-2.0
// Every signal that a view names is in the waveform that the core writes, whatever its configuration, and every translate
// file exists.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "fst_signals.hpp"
#include "systole/backend.hpp"
#include "systole/generated/isa.hpp"

namespace systole::test {
namespace {

const std::filesystem::path kWaves = SYSTOLE_WAVES;

struct View {
  std::set<std::string> signals;
  std::vector<std::string> filters;  ///< as written, "/waves/..."
};

/// A view's lines: @flags, -group, ^filter, [settings], and the rest names signals, each possibly with a bit's place.
View parse(std::istream& file) {
  View view;
  const std::regex signal(R"((\(\d+\))?(TOP\.[A-Za-z0-9_.]+(\[\d+:\d+\])?))");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '@' || line[0] == '-' || line[0] == '[') {
      continue;
    }
    if (line[0] == '^') {
      view.filters.push_back(line.substr(line.find(' ') + 1));
      continue;
    }
    for (std::sregex_iterator match(line.begin(), line.end(), signal), end; match != end; ++match) {
      view.signals.insert((*match)[2]);
    }
  }
  return view;
}

std::vector<std::string> missing(const View& view, const std::set<std::string>& there) {
  std::vector<std::string> names;
  for (const std::string& name : view.signals) {
    if (there.count(name) == 0) {
      names.push_back(name);
    }
  }
  return names;
}

std::set<std::string> signals_of(const std::string& configuration) {
  const std::string file = testing::TempDir() + "/systole_views_" + configuration + ".fst";
  BackendOptions options;
  options.configuration = configuration;
  options.trace_file = file;
  make_rtl_backend(options)->run(10);
  const auto names = fst_signals(file);
  std::filesystem::remove(file);
  return names;
}

TEST(Views, NameOnlySignalsThatTheCoreHas) {
  for (const Configuration& configuration : kConfigurations) {
    const auto there = signals_of(std::string(configuration.name));
    EXPECT_GT(there.size(), 500u);
    for (const auto& entry : std::filesystem::directory_iterator(kWaves / "views")) {
      std::ifstream file(entry.path());
      const View view = parse(file);
      EXPECT_GT(view.signals.size(), 20u) << entry.path();
      EXPECT_EQ(missing(view, there), std::vector<std::string>{}) << entry.path() << ", " << configuration.name;
    }
  }
}

TEST(Views, NameOnlyTranslateFilesThatExist) {
  for (const auto& entry : std::filesystem::directory_iterator(kWaves / "views")) {
    std::ifstream file(entry.path());
    const View view = parse(file);
    EXPECT_FALSE(view.filters.empty());
    for (const std::string& filter : view.filters) {
      ASSERT_EQ(filter.rfind("/waves/", 0), 0u) << filter;
      EXPECT_TRUE(std::filesystem::exists(kWaves.parent_path() / filter.substr(1))) << filter;
    }
  }
}

TEST(Views, AWrongNameIsSeen) {
  std::istringstream file("@28\nTOP.tpu_core.clk_i\n@22\n#{a[1:0]} (0)TOP.tpu_core.cause[3:0] (1)TOP.tpu_core.cause[3:0]\nTOP.gone\n");
  const View view = parse(file);
  EXPECT_EQ(missing(view, {"TOP.tpu_core.clk_i", "TOP.tpu_core.cause[43:0]"}),
            (std::vector<std::string>{"TOP.gone", "TOP.tpu_core.cause[3:0]"}));
}

}  // namespace
}  // namespace systole::test
