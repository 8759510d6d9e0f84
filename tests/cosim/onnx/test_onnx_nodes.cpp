// SPDX-License-Identifier: Apache-2.0
// Runs all of ONNX's operator tests and compares the outcomes with the recorded ones. Exit code 0: equal; 1: different,
// with the lines that differ; 77: the tests are not installed.
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

}  // namespace

int main(int argc, char** argv) {
  std::string data;
  std::string backend = "model";
  std::string configuration = "default";
  std::string page;
  std::string only;
  bool write = false;
  CLI::App app{"ONNX's tests of operators"};
  app.add_option("--data", data, "folder of the tests, one folder each")->required();
  app.add_option("--device", backend, "rtl or model");
  app.add_option("--config", configuration, "configuration of the device");
  app.add_option("--page", page, "recorded outcomes");
  app.add_option("--only", only, "tests whose name has this, without comparison");
  app.add_flag("--write", write, "record the outcomes");
  CLI11_PARSE(app, argc, argv);
  if (!std::filesystem::is_directory(data)) {
    fmt::print("skipped: {} is not there; apt-get install libonnx-testdata, or -DSYSTOLE_ONNX_TESTS=FOLDER\n", data);
    return kSkipped;
  }
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    if (entry.is_directory() && entry.path().filename().string().find(only) != std::string::npos) {
      folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  systole::BackendOptions options;
  options.configuration = configuration;
  systole::Device device = systole::Device::open(options, backend);
  std::vector<systole::test::Outcome> outcomes;
  bool failed = false;
  for (const std::filesystem::path& folder : folders) {
    outcomes.push_back(systole::test::run_node_test(device, folder));
    if (outcomes.back().verdict == systole::test::Verdict::kFailed) {
      failed = true;
      fmt::print("{}: {}\n", outcomes.back().name, outcomes.back().detail);
    }
  }
  const std::string seen = systole::test::page_of(outcomes);
  if (!only.empty() || page.empty()) {
    fmt::print("{}", seen);
    return failed ? 1 : 0;
  }
  if (write) {
    std::ofstream(page) << seen;
    return failed ? 1 : 0;
  }
  std::ifstream file(page);
  const std::string recorded{std::istreambuf_iterator<char>(file), {}};
  if (differ(recorded, seen)) {
    fmt::print("{} is not what was seen; with --write the outcomes are recorded\n", page);
    return 1;
  }
  fmt::print("{} tests, as recorded in {}\n", outcomes.size(), page);
  return failed ? 1 : 0;
}
