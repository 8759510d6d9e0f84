// SPDX-License-Identifier: Apache-2.0
// Every signal that a view names is in the waveform of the core, in every configuration, and every translate file
// exists.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "rtl_backend.hpp"
#include "systole/backend.hpp"
#include "systole/generated/isa.hpp"
#include "wave_file.hpp"
#include "whole_configurations.hpp"

namespace systole::test {
namespace {

const std::filesystem::path kWaves = SYSTOLE_WAVES;

struct View {
  std::set<std::string> signals;
  std::vector<std::string> filters;  ///< as written, "/waves/..."
};

/// A view's lines: @flags, -group, ^filter, [settings], *zoom, and the rest names signals, each possibly with a bit's
/// place.
View parse(std::istream& file) {
  View view;
  const std::regex signal(R"((\(\d+\))?(TOP\.[A-Za-z0-9_.]+(\[\d+\][A-Za-z0-9_.]*)*(\[\d+:\d+\])?))");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || std::string("@-[*").find(line[0]) != std::string::npos) {
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

/// A signal's name without its range, and without numbers of elements, of which a larger core has more.
std::string without_range(const std::string& name) {
  static const std::regex brackets(R"(\[[^\]]*\])");
  return std::regex_replace(name, brackets, "");
}

/// Signals of the view that exist in none of the widths that the view names.
std::set<std::string> missing(const View& view, const std::set<std::string>& there) {
  std::set<std::string> names;
  for (const std::string& name : view.signals) {
    names.insert(without_range(name));
  }
  for (const std::string& name : view.signals) {
    if (there.count(name) != 0) {
      names.erase(without_range(name));
    }
  }
  return names;
}

/// The views of a core; test_scripts.py looks at those of the tests of blocks.
std::vector<std::filesystem::path> view_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kWaves / "views")) {
    if (entry.path().filename().string().rfind("rtl_", 0) != 0) files.push_back(entry.path());
  }
  return files;
}

View parse(const std::filesystem::path& path) {
  std::ifstream file(path);
  return parse(file);
}

/// Configurations of this build that have every part, as the views do, and the waveform that each of them writes.
class Waveforms : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const Configuration& configuration : whole_configurations()) {
      const std::string name(configuration.name);
      const std::string path = testing::TempDir() + "/systole_views_" + name + ".fst";
      BackendOptions options;
      options.configuration = name;
      options.trace.file = path;
      try {
        make_rtl_backend(options)->run(10);
      } catch (const std::invalid_argument&) {
        continue;  // not in this build
      }
      files()[name] = std::make_unique<sim::WaveFile>(path);
      std::filesystem::remove(path);
    }
  }
  static void TearDownTestSuite() { files().clear(); }
  static std::map<std::string, std::unique_ptr<sim::WaveFile>>& files() {
    static std::map<std::string, std::unique_ptr<sim::WaveFile>> all;
    return all;
  }
};

TEST_F(Waveforms, HaveEverySignalOfEveryView) {
  ASSERT_FALSE(files().empty());
  std::set<std::string> anywhere;
  for (const auto& [configuration, file] : files()) {
    const auto there = file->names();
    EXPECT_GT(there.size(), 500u);
    anywhere.insert(there.begin(), there.end());
    for (const auto& path : view_files()) {
      const View view = parse(path);
      EXPECT_GT(view.signals.size(), 20u) << path;
      EXPECT_EQ(missing(view, there), std::set<std::string>{}) << path << ", " << configuration;
    }
  }
  if (files().size() < whole_configurations().size()) {
    return;  // a width may be that of a configuration that is not in this build
  }
  for (const auto& path : view_files()) {
    for (const std::string& name : parse(path).signals) {
      EXPECT_EQ(anywhere.count(name), 1u) << path << ": " << name << " has this width in no configuration";
    }
  }
}

/// Whether a view should show it: an instance of hardware, the first of several equal ones.
bool to_be_shown(const std::string& scope) {
  static const std::regex repeated(R"(\[[1-9]\d*\])");
  const std::string name = scope.substr(scope.rfind('.') + 1);
  return name.rfind("u_", 0) == 0 && name != "u_check" && !std::regex_search(scope, repeated);
}

TEST_F(Waveforms, EveryInstanceIsInAView) {
  ASSERT_FALSE(files().empty());
  std::set<std::string> shown;  // scopes of which a view shows something
  for (const auto& path : view_files()) {
    for (const std::string& name : parse(path).signals) {
      shown.insert(name.substr(0, name.rfind('.')));
    }
  }
  std::size_t count = 0;
  for (const std::string& scope : files().begin()->second->scopes()) {
    if (to_be_shown(scope)) {
      ++count;
      EXPECT_EQ(shown.count(scope), 1u) << "no view shows " << scope;
    }
  }
  EXPECT_GT(count, 50u);
}

TEST(Views, NameOnlyTranslateFilesThatExist) {
  std::set<std::string> all;
  for (const auto& path : view_files()) {
    for (const std::string& filter : parse(path).filters) {
      ASSERT_EQ(filter.rfind("/waves/", 0), 0u) << filter;
      EXPECT_TRUE(std::filesystem::exists(kWaves.parent_path() / filter.substr(1))) << path << ": " << filter;
      all.insert(filter);
    }
  }
  EXPECT_GE(all.size(), 4u);
  EXPECT_EQ(all.count("/waves/disassemble"), 1u);
}

TEST(Views, AWrongNameIsSeen) {
  std::istringstream file(
      "@28\nTOP.tpu_core.clk_i\n@22\n#{a[1:0]} (0)TOP.tpu_core.cause[3:0] (1)TOP.tpu_core.cause[3:0]\nTOP.gone\n"
      "TOP.gen[0].data[31:0]\nTOP.gen[0].data[63:0]\nTOP.gen[0].word[7:0]\n");
  const View view = parse(file);
  EXPECT_EQ(missing(view, {"TOP.tpu_core.clk_i", "TOP.tpu_core.cause[43:0]", "TOP.gen[0].data[63:0]",
                           "TOP.gen[0].word[8:0]"}),
            (std::set<std::string>{"TOP.gone", "TOP.tpu_core.cause", "TOP.gen.word"}));
}

}  // namespace
}  // namespace systole::test
