// SPDX-License-Identifier: Apache-2.0
// The files that a device writes of its calls: where the cycles went, as pages, and what the core did, as timelines.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "systole/network.hpp"
#include "systole/observer.hpp"
#include "timeline.hpp"

namespace systole::pjrt {

/// Folders, which are there, for a page and a timeline of each program's last call; empty for none.
struct CallFolders {
  std::string report, timeline;
};

/// The files of one device, for the thread that its calls run on. Every function throws FileError.
class CallFiles {
 public:
  /// `device` is a part of the files' names, empty if there is one device.
  CallFiles(CallFolders folders, std::string device);

  /// A call of this program begins. Returns what is to watch the core while it works for the call, or null.
  std::shared_ptr<Observer> begin(const std::string& program, const Configuration& configuration);
  /// The call has ended well, with these steps. Programs that have no cycles have no page.
  void end(const std::string& program, const Configuration& configuration, const std::vector<StepReport>& steps);

  /// All calls from now on are in one timeline, until end_timeline().
  void begin_timeline(const std::string& path, const Configuration& configuration);
  void end_timeline();

 private:
  std::string path(const std::string& folder, const std::string& program, const char* extension) const;

  CallFolders folders_;
  std::string device_;
  std::shared_ptr<timeline::Timeline> of_calls_, of_call_;
};

/// The JSON of `systole run` for a call, which report::write_report() takes.
nlohmann::ordered_json report_of(const std::string& program, const Configuration& configuration,
                                 const std::vector<StepReport>& steps);

}  // namespace systole::pjrt
