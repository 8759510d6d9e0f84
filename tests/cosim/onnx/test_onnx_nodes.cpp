// SPDX-License-Identifier: Apache-2.0
// Runs all of ONNX's operator tests and compares the outcomes with the recorded ones. Exit code 0: equal, and none is
// wrong; 1: different, with the lines that differ; 77: the tests are not there.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "page.hpp"

namespace {

constexpr int kSkipped = 77;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Prints lines that only one of the pages has. Returns whether there are any.
bool differ(const std::string& recorded, const std::string& seen) {
  const std::vector<std::string> before = lines_of(recorded);
  const std::vector<std::string> after = lines_of(seen);
  const std::set<std::string> old_lines(before.begin(), before.end());
  const std::set<std::string> new_lines(after.begin(), after.end());
  for (const std::string& line : before) {
    if (new_lines.count(line) == 0) {
      fmt::print("recorded  {}\n", line);
    }
  }
  for (const std::string& line : after) {
    if (old_lines.count(line) == 0) {
      fmt::print("seen      {}\n", line);
    }
  }
  return recorded != seen;
}

using systole::test::Outcome;

struct Options {
  std::string data, older, device = "model", configuration = "default", page, only;
  bool write = false;
};

/// Outcomes of the tests below a folder, in the order of their names; those that are wrong are printed.
std::vector<Outcome> outcomes_in(const std::string& data, const std::string& only, systole::Device& device) {
  std::vector<std::filesystem::path> folders;
  if (std::filesystem::is_directory(data)) {
    for (const auto& entry : std::filesystem::directory_iterator(data)) {
      if (entry.is_directory() && entry.path().filename().string().find(only) != std::string::npos) {
        folders.push_back(entry.path());
      }
    }
  }
  std::sort(folders.begin(), folders.end());
  std::vector<Outcome> outcomes;
  for (const std::filesystem::path& folder : folders) {
    outcomes.push_back(systole::test::run_node_test(device, folder));
    if (outcomes.back().verdict == systole::test::Verdict::kFailed) {
      fmt::print("{}: {}\n", outcomes.back().name, outcomes.back().detail);
    }
  }
  return outcomes;
}

bool any_failed(const std::vector<Outcome>& outcomes) {
  return std::any_of(outcomes.begin(), outcomes.end(),
                     [](const Outcome& o) { return o.verdict == systole::test::Verdict::kFailed; });
}

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether the outcomes are those of the page. The newest set alone is compared with its part of the page; the older
/// one alone may have no other refusals.
bool as_recorded(const std::vector<Outcome>& newest, const std::vector<Outcome>& older, const Options& options) {
  const std::string recorded = read(options.page);
  if (older.empty()) {
    return !differ(systole::test::newest_part(recorded),
                   systole::test::newest_part(systole::test::page_of(newest, older)));
  }
  if (!newest.empty()) {
    return !differ(recorded, systole::test::page_of(newest, older));
  }
  const std::vector<Outcome> unknown = systole::test::refused_beyond(older, systole::test::refused_on(recorded));
  for (const Outcome& outcome : unknown) {
    fmt::print("seen      {} is refused: {}\n", outcome.name, outcome.detail);
  }
  return unknown.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"ONNX's tests of operators"};
  app.add_option("--data", options.data, "folder of the newest set, one folder for each test");
  app.add_option("--older", options.older, "folder of the older set");
  app.add_option("--device", options.device, "rtl or model");
  app.add_option("--config", options.configuration, "configuration of the device");
  app.add_option("--page", options.page, "recorded outcomes");
  app.add_option("--only", options.only, "tests whose name has this, without comparison");
  app.add_flag("--write", options.write, "record the outcomes");
  CLI11_PARSE(app, argc, argv);
  systole::BackendOptions backend;
  backend.configuration = options.configuration;
  systole::Device device = systole::Device::open(backend, options.device);
  const std::vector<Outcome> newest = outcomes_in(options.data, options.only, device);
  const std::vector<Outcome> older = outcomes_in(options.older, options.only, device);
  if (newest.empty() && older.empty()) {
    fmt::print("skipped: neither {} nor {} has tests; scripts/setup judges, apt-get install libonnx-testdata\n",
               options.data, options.older);
    return kSkipped;
  }
  const bool failed = any_failed(newest) || any_failed(older);
  if (!options.only.empty() || options.page.empty()) {
    fmt::print("{}", systole::test::page_of(newest, older));
    return failed ? 1 : 0;
  }
  if (options.write) {
    if (newest.empty() || older.empty()) {
      fmt::print("not written: {} has no tests\n", newest.empty() ? options.data : options.older);
      return 1;
    }
    std::ofstream(options.page) << systole::test::page_of(newest, older);
    return failed ? 1 : 0;
  }
  if (!as_recorded(newest, older, options)) {
    fmt::print("{} is not what was seen; to record it: test_onnx_nodes --data {} --older {} --page {} --write\n",
               options.page, options.data, options.older, options.page);
    return 1;
  }
  fmt::print("{} tests of the newest set and {} of the older one, as recorded in {}\n", newest.size(), older.size(),
             options.page);
  return failed ? 1 : 0;
}
