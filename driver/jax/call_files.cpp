// SPDX-License-Identifier: Apache-2.0
#include "call_files.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "network_json.hpp"
#include "output_file.hpp"

namespace systole::pjrt {

CallFiles::CallFiles(CallFolders folders, std::string device)
    : folders_(std::move(folders)), device_(std::move(device)) {}

std::string CallFiles::path(const std::string& folder, const std::string& program, const char* extension) const {
  std::string name = program;
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-' && c != '.'; }, '_');
  return folder + "/" + name + device_ + extension;
}

std::shared_ptr<Observer> CallFiles::begin(const std::string& program, const Configuration& configuration) {
  if (of_calls_) {
    return of_calls_;
  }
  of_call_ = folders_.timeline.empty() ? nullptr
                                       : std::make_shared<timeline::Timeline>(
                                             path(folders_.timeline, program, ".timeline.json.gz"), configuration);
  return of_call_;
}

void CallFiles::end(const std::string& program, const Configuration& configuration,
                    const std::vector<StepReport>& steps) {
  if (const auto whole = std::exchange(of_call_, nullptr)) {
    whole->finish();
  }
  const bool ran = std::any_of(steps.begin(), steps.end(), [](const StepReport& step) { return step.on_device; });
  if (ran && !folders_.report.empty()) {
    const nlohmann::ordered_json json = report_of(program, configuration, steps);
    for (const char* extension : {".json", ".html"}) {
      report::write_report(path(folders_.report, program, extension), json);
    }
  }
}

void CallFiles::begin_timeline(const std::string& path, const Configuration& configuration) {
  of_calls_ = std::make_shared<timeline::Timeline>(path, configuration);
}

void CallFiles::end_timeline() {
  if (const auto whole = std::exchange(of_calls_, nullptr)) {
    whole->finish();
  }
}

nlohmann::ordered_json report_of(const std::string& program, const Configuration& configuration,
                                 const std::vector<StepReport>& steps) {
  return report::network_json(program, configuration, steps, "a call of JAX has no reference");
}

}  // namespace systole::pjrt
