// SPDX-License-Identifier: Apache-2.0
#include "core_cache.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "child.hpp"
#include "exit_codes.hpp"
#include "files.hpp"

namespace systole::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = SYSTOLE_SOURCE_DIR;

/// One design point for each core, sorted by name.
std::map<std::string, Configuration> cores_of(const std::vector<DesignPoint>& points) {
  std::map<std::string, Configuration> cores;
  for (const DesignPoint& point : points) {
    cores.emplace(point.core, point.sizes);
  }
  return cores;
}

bool in_specification(const std::string& name) {
  return std::any_of(kConfigurations.begin(), kConfigurations.end(),
                     [&](const Configuration& c) { return c.name == name; });
}

void write_if_changed(const fs::path& path, const std::string& text) {
  if (contents_of(path.string()) != text) {
    write_file("--cache", path.string(), text);
  }
}

}  // namespace

void demand_sources(const std::string& folder) {
  for (const char* wanted : {"CMakePresets.json", "rtl", "scripts/synth"}) {
    if (!fs::exists(fs::path(folder) / wanted)) {
      throw InputError(
          fmt::format("sweep: cores that are not built in, and cells, are made from the sources that this program was "
                      "built from, in {}, "
                      "where there is no {}; put them back, run a systole built from sources that are there, or sweep "
                      "over built-in "
                      "cores alone, which `systole info` lists, without --cells",
                      folder, wanted));
    }
  }
}

CoreCache::CoreCache(const std::string& folder, unsigned jobs, ranks::Ranks& ranks, StatusLine& status)
    : folder_(folder.empty() ? (fs::path(kSource) / "build/sweep").string() : fs::absolute(folder).string()),
      jobs_(jobs),
      ranks_(ranks),
      status_(status) {
  demand_sources(kSource);
  std::error_code error;
  fs::create_directories(folder_, error);
  const std::string lock = folder_ + "/lock";
  lock_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) {
    throw InputError(fmt::format("--cache: cannot write {}: {}", lock, std::strerror(errno)));
  }
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_);
    throw InputError(fmt::format("--cache: another sweep works in {}; wait for it, or choose another folder", folder_));
  }
}

CoreCache::~CoreCache() { close(lock_); }

void CoreCache::write_configurations(const std::vector<DesignPoint>& points) {
  std::string text = "# Written by systole sweep.\n";
  for (const auto& [name, c] : cores_of(points)) {
    if (!in_specification(name)) {
      text += fmt::format(
          "[[configuration]]\nname = \"{}\"\ndim = {}\nscratch_rows = {}\nweight_rows = {}\nacc_rows = {}\nparam_rows "
          "= {}\nwindows = {}\n",
          name, c.dim, c.scratch_rows, c.weight_rows, c.acc_rows, c.param_rows, c.windows);
    }
  }
  write_if_changed(fs::path(folder_) / "configurations.toml", text);
}

void CoreCache::run(const std::vector<std::string>& command, const std::string& what) {
  const std::string log = folder_ + "/build.log";
  const int code = run_logged(ranks_, command, log, [&](const std::string& line) { status_.show(what + "  " + line); });
  status_.show({});
  if (code != 0) {
    throw InputError(fmt::format("{} failed; the end of {}:\n{}", what, log, last_lines(contents_of(log), 20)));
  }
}

std::string CoreCache::program(const std::vector<DesignPoint>& points) {
  write_configurations(points);
  std::vector<std::string> names;
  for (const auto& [name, sizes] : cores_of(points)) {
    names.push_back(name);
  }
  const std::string build = folder_ + "/cores";
  if (!fs::exists(build)) {
    status_.tell(fmt::format("building cores in {}; the first build takes minutes\n", folder_));
  }
  run({"cmake", "--preset", "release", "-S", kSource, "-B", build, "-DSYSTOLE_MODEL_OPT=-O1",
       "-DSYSTOLE_CONFIGURATIONS_FILE=" + folder_ + "/configurations.toml",
       fmt::format("-DSYSTOLE_CORES={}", fmt::join(names, ";"))},
      "configuring");
  run({"ninja", "-C", build, fmt::format("-j{}", jobs_), "systole"},
      fmt::format("building {}", fmt::join(names, ", ")));
  return build + "/bin/systole";
}

std::map<std::string, std::uint64_t> CoreCache::cells(const std::vector<DesignPoint>& points) {
  write_configurations(points);
  // scripts/synth caches its results per module and detects changes itself.
  const std::string report = folder_ + "/cells.json";
  std::vector<std::string> command = {(fs::path(kSource) / "scripts/synth").string()};
  const auto cores = cores_of(points);
  for (const auto& [name, sizes] : cores) {
    command.push_back(name);
  }
  for (const std::string& word : {std::string("--configurations"), folder_ + "/configurations.toml",
                                  std::string("--jobs"), std::to_string(jobs_), std::string("--json"), report}) {
    command.push_back(word);
  }
  run(command, "estimating cells, a minute or more for a new core");
  const auto figures = nlohmann::json::parse(contents_of(report));
  std::map<std::string, std::uint64_t> cells;
  for (const auto& [name, sizes] : cores) {
    cells[name] = figures.at(name).at("generic").at("total").at("cells");
  }
  return cells;
}

}  // namespace systole::cli
