// SPDX-License-Identifier: Apache-2.0
// A file of events, as TensorBoard reads them while it grows: scalars by step.
//
// The file is a TFRecord: of each record the length, eight bytes, its masked CRC-32C, the bytes, and theirs. A record
// is a message Event of Protocol Buffers, of which these fields are used:
//
//   message Event   { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5; }
//   message Summary { message Value { string tag = 1; float simple_value = 2; }  repeated Value value = 1; }
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace systole::training {

/// Throws FileError if no file of events can be made in the folder.
void check_event_folder(const std::string& folder);

/// A file of events in the folder; empty if there is none.
std::string events_in(const std::string& folder);

class EventFile {
 public:
  /// Makes the folder, and in it a file whose name has time and process. Throws FileError.
  explicit EventFile(const std::string& folder);

  void scalar(std::int64_t step, std::string_view tag, double value);
  /// So that readers see what was written. Throws FileError if that failed, as on a full disk.
  void flush();

  const std::string& path() const { return path_; }

 private:
  void record(std::string_view bytes);

  std::string path_;
  std::ofstream file_;
};

}  // namespace systole::training
