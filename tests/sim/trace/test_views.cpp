// SPDX-License-Identifier: Apache-2.0
// Every signal that a view names is in the waveform of the core, in every configuration, and every translate file
// exists. Surfer's command files name the same signals in the same groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
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
    const bool bench = entry.path().filename().string().rfind("rtl_", 0) == 0;
    if (!bench && entry.path().extension() == ".gtkw") files.push_back(entry.path());
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

using Groups = std::vector<std::pair<std::string, std::set<std::string>>>;  // names, and the signals in each

/// What Surfer's command file shows: without ranges, of which a larger core has others.
struct Commands {
  Groups groups{{"", {}}};
  std::set<std::string> formats;
  std::string unknown;  ///< a line that is no command of these
};

Commands parse_commands(std::istream& file) {
  Commands commands;
  for (std::string line; std::getline(file, line);) {
    const std::string command = line.substr(0, line.find(' '));
    const std::string word = line.substr(std::min(line.size(), line.find(' ') + 1));
    if (command == "variable_add") {
      commands.groups.back().second.insert(word);
    } else if (command == "divider_add") {
      commands.groups.push_back({word, {}});
    } else if (command == "item_set_format") {
      commands.formats.insert(word);
    } else if (command != "#" && line != "item_focus a") {
      commands.unknown = line;
    }
  }
  return commands;
}

/// The same of a view for GTKWave. A group's name becomes one word; a group goes on behind one inside it under the name
/// with "_continued".
Groups groups_of(std::istream& file) {
  const std::regex between(R"(\W+)"), range(R"(\[\d+:\d+\]$)");
  Groups groups{{"", {}}};
  std::vector<std::string> open;
  bool ended = false;
  std::string flags;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '@') {
      flags = line.substr(1);
      continue;
    }
    if (line[0] == '-' && std::stoul(flags, nullptr, 16) & 0x1000000) {
      open.pop_back();
      ended = true;
      continue;
    }
    if (line[0] == '-') {
      std::string name = std::regex_replace(line.substr(1), between, "_");
      name.erase(0, name.find_first_not_of('_'));
      open.push_back(name.substr(0, name.find_last_not_of('_') + 1));
      groups.push_back({open.back(), {}});
      ended = false;
      continue;
    }
    std::istringstream one(line);
    for (const std::string& name : parse(one).signals) {
      if (ended) {
        groups.push_back({(open.empty() ? "view" : open.back()) + "_continued", {}});
        ended = false;
      }
      groups.back().second.insert(std::regex_replace(name, range, ""));
    }
  }
  return groups;
}

TEST(Surfer, ShowsTheSameSignalsInTheSameGroups) {
  std::set<std::string> formats;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kWaves / "views")) {
    if (entry.path().extension() != ".gtkw") continue;
    std::filesystem::path path = entry.path();
    std::ifstream view(path);
    std::ifstream file(path.replace_extension(".sucl"));
    const Commands commands = parse_commands(file);
    EXPECT_EQ(commands.groups, groups_of(view)) << path;
    EXPECT_EQ(commands.unknown, "") << path;
    formats.insert(commands.formats.begin(), commands.formats.end());
    ++count;
  }
  EXPECT_GT(count, 30);
  formats.erase("Unsigned");  // one of Surfer's own
  EXPECT_GE(formats.size(), 4u);
  for (const std::string& format : formats) {
    const std::string prefix = "systole_";
    ASSERT_EQ(format.rfind(prefix, 0), 0u) << format;
    std::ifstream mapping(kWaves / ".surfer/mappings" / (format.substr(prefix.size()) + ".txt"));
    std::string line;
    std::getline(mapping, line);
    std::getline(mapping, line);
    EXPECT_EQ(line, "Name = " + format);
  }
}

TEST(Surfer, ADifferenceIsSeen) {
  const std::string view =
      "@28\nTOP.clk\n@800200\n-A part: a.b (c)\n@22\nTOP.a.x[3:0]\nTOP.a.x[7:0]\n#{y[1:0]} (0)TOP.a.y[3:0] "
      "(1)TOP.a.y[3:0]\n@c00200\n-in\n@22\nTOP.a.z[0].w[3:0]\n@1000200\n-in\n@28\nTOP.a.v\n@1000200\n-A\n";
  const std::string commands =
      "# made\nvariable_add TOP.clk\nitem_focus a\ndivider_add A_part_a_b_c\nvariable_add TOP.a.x\nitem_set_format "
      "Unsigned\nvariable_add TOP.a.y\ndivider_add in\nvariable_add TOP.a.z[0].w\ndivider_add "
      "A_part_a_b_c_continued\nvariable_add TOP.a.v\n";
  const auto shown = [](const std::string& text) {
    std::istringstream file(text);
    return parse_commands(file);
  };
  std::istringstream file(view);
  const Groups groups = groups_of(file);
  EXPECT_EQ(shown(commands).groups, groups);
  EXPECT_EQ(shown(commands).unknown, "");
  for (const std::string line : {"variable_add TOP.a.y\n", "variable_add TOP.clk\n", "divider_add in\n"}) {
    std::string less = commands;
    less.erase(less.find(line), line.size());
    EXPECT_NE(shown(less).groups, groups) << line;
  }
  EXPECT_EQ(shown("group_add in\n").unknown, "group_add in");
}

}  // namespace
}  // namespace systole::test
