// SPDX-License-Identifier: Apache-2.0
#include "trace_file.hpp"

#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "systole/file_error.hpp"

namespace systole::timeline {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      (result += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result += '"';
}

TraceFile::TraceFile(const std::string& path, std::string_view configuration) : path_(path), output_(path) {
  const bool compressed = path_.size() > 3 && path_.compare(path_.size() - 3, 3, ".gz") == 0;
  const int descriptor = dup(output_.descriptor());                                    // gzclose() closes it
  file_ = descriptor < 0 ? nullptr : gzdopen(descriptor, compressed ? "wb1" : "wbT");  // level 1: fast; T: uncompressed
  if (!file_) files::cannot_write(path_, descriptor < 0 ? errno : ENOMEM);
  write("{{\"otherData\":{{\"configuration\":{},\"time\":\"1 us is 1 clock cycle\"}},\n\"traceEvents\":[",
        quoted(configuration));
}

TraceFile::~TraceFile() {
  try {
    finish();
  } catch (const FileError&) {}
}

void TraceFile::finish() {
  if (!file_) return;
  write("\n]}}\n");
  drain();
  const int closed = gzclose(std::exchange(file_, nullptr));
  if (failure_.empty() && closed != Z_OK) failure_ = closed == Z_ERRNO ? std::strerror(errno) : zError(closed);
  check();
  output_.finish();
}

void TraceFile::name_group(int group, std::string_view name) {
  event("{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":{}}}}}", group, quoted(name));
  event("{{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{0},\"args\":{{\"sort_index\":{0}}}}}", group);
}

void TraceFile::name_row(const Track& track, std::string_view name) {
  event("{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}", track.group,
        track.row, quoted(name));
  event("{{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":{},\"tid\":{},\"args\":{{\"sort_index\":{}}}}}",
        track.group, track.row, track.row);
}

void TraceFile::slice(const Track& track, std::uint64_t start, std::uint64_t end, std::string_view name,
                      std::string_view args) {
  event("{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":{}", track.group, track.row, start,
        end - start, quoted(name));
  if (!args.empty()) write(",\"args\":{{{}}}", args);
  write("}}");
}

void TraceFile::counter(int group, std::uint64_t cycle, std::string_view name, unsigned value) {
  event("{{\"ph\":\"C\",\"pid\":{},\"ts\":{},\"name\":{},\"args\":{{\"value\":{}}}}}", group, cycle, quoted(name),
        value);
}

void TraceFile::flush() {
  drain();
  if (failure_.empty() && gzflush(file_, Z_SYNC_FLUSH) != Z_OK) failure_ = reason();
  check();
}

void TraceFile::check() const {
  if (!failure_.empty()) throw FileError(fmt::format("cannot write {}: {}", path_, failure_));
}

void TraceFile::drain() {
  bytes_ += buffer_.size();
  if (failure_.empty() && !buffer_.empty() &&
      gzwrite(file_, buffer_.data(), static_cast<unsigned>(buffer_.size())) <= 0) {
    failure_ = reason();
  }
  buffer_.clear();
}

std::string TraceFile::reason() const {
  if (!file_) return "it is complete, so that no run may follow";
  int code = Z_OK;
  const char* text = gzerror(file_, &code);
  return code == Z_ERRNO ? std::strerror(errno) : text;
}

}  // namespace systole::timeline
