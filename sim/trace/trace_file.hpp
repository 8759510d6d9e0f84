// SPDX-License-Identifier: Apache-2.0
// Writes a trace in the Trace Event Format (JSON), which ui.perfetto.dev and chrome://tracing open, event by event:
// memory use does not grow with the trace. A file name that ends in .gz is compressed; the viewers open that too.
//
// Times are in clock cycles and written as microseconds, the unit of the format: 1 cycle shows as 1 us.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "output_file.hpp"

struct gzFile_s;

namespace systole::timeline {

/// A row of the trace: a thread of the format within a group, which is a process of the format.
struct Track {
  int group;
  int row;
};

/// `text` as a JSON string, with its quotes.
std::string quoted(std::string_view text);

class TraceFile {
 public:
  /// Throws FileError when it cannot be written.
  explicit TraceFile(const std::string& path, std::string_view configuration);
  /// As finish(), even during a run; a failure remains unnoticed.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Names a group and sets its order among the groups, or a row and its order within its group.
  void name_group(int group, std::string_view name);
  void name_row(const Track& track, std::string_view name);

  /// An interval of at least one cycle. `args`: members of a JSON object, or empty.
  void slice(const Track& track, std::uint64_t start, std::uint64_t end, std::string_view name,
             std::string_view args = {});
  /// The value of a counter from a cycle on; each name in a group is a track of its own.
  void counter(int group, std::uint64_t cycle, std::string_view name, unsigned value);

  /// Throws FileError if this or an earlier write fails.
  void flush();
  /// Completes the file and puts it in its place. After that, nothing can be written. Throws FileError.
  void finish();

  std::uint64_t bytes() const { return bytes_; }  ///< JSON bytes so far, before compression

 private:
  template <class... Values>
  void write(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
    if (buffer_.size() >= kBufferBytes) drain();
  }
  /// As write(), after the previous event.
  template <class... Values>
  void event(fmt::format_string<Values...> format, Values&&... values) {
    buffer_ += first_ ? "\n" : ",\n";
    first_ = false;
    write(format, std::forward<Values>(values)...);
  }
  void drain();
  void check() const;
  std::string reason() const;

  static constexpr std::size_t kBufferBytes = 1 << 16;

  std::string path_;
  files::OutputFile output_;
  gzFile_s* file_ = nullptr;  // writes to the output; null when it is finished
  std::string buffer_;
  bool first_ = true;
  std::uint64_t bytes_ = 0;
  std::string failure_;  // message of the first failed write
};

}  // namespace systole::timeline
