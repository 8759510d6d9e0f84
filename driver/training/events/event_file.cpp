// SPDX-License-Identifier: Apache-2.0
#include "event_file.hpp"

#include <fmt/core.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "crc32c.hpp"
#include "output_file.hpp"
#include "systole/file_error.hpp"

namespace systole::training {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

constexpr const char* kBegin = "events.out.tfevents.";

// Numbers of the fields.
enum Event : int { kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5 };
enum Summary : int { kValue = 1 };
enum SummaryValue : int { kTag = 1, kSimpleValue = 2 };

template <class Write>
std::string message(const Write& write) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream output(&bytes);
    CodedOutputStream stream(&output);
    write(stream);
  }
  return bytes;
}

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

template <class Number>
std::string little_endian(Number number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    bytes += static_cast<char>(number >> 8 * i & 0xFF);
  }
  return bytes;
}

/// A checksum among the bytes that it is of, so that the checksum of a record within another one is not misleading.
std::string masked_checksum(std::string_view bytes) {
  constexpr std::uint32_t kMask = 0xA282EAD8;
  const std::uint32_t crc = crc32c(bytes);
  return little_endian((crc >> 15 | crc << 17) + kMask);
}

std::string name_in(const std::string& folder) {
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  return fmt::format("{}/{}{:.0f}.{}.{}", folder, kBegin, now(), host, getpid());
}

}  // namespace

void check_event_folder(const std::string& folder) {
  files::check_output(name_in(folder), files::MissingFolder::kIsMade);
}

std::string events_in(const std::string& folder) {
  std::error_code none;  // there is no folder yet
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().filename().string().compare(0, std::strlen(kBegin), kBegin) == 0) {
      return entry.path().filename().string();
    }
  }
  return {};
}

EventFile::EventFile(const std::string& folder) : path_(name_in(folder)) {
  files::make_folder_of(path_);
  file_.open(path_, std::ios::binary);
  if (!file_) {
    throw FileError(fmt::format("{}: {}", path_, std::strerror(errno)));
  }
  record(message([](CodedOutputStream& event) {
    WireFormatLite::WriteDouble(kWallTime, now(), &event);
    WireFormatLite::WriteString(kFileVersion, "brain.Event:2", &event);
  }));
  flush();
}

void EventFile::scalar(std::int64_t step, std::string_view tag, double value) {
  const std::string one = message([&](CodedOutputStream& bytes) {
    WireFormatLite::WriteString(kTag, std::string(tag), &bytes);
    WireFormatLite::WriteFloat(kSimpleValue, static_cast<float>(value), &bytes);
  });
  const std::string summary =
      message([&](CodedOutputStream& bytes) { WireFormatLite::WriteBytes(kValue, one, &bytes); });
  record(message([&](CodedOutputStream& event) {
    WireFormatLite::WriteDouble(kWallTime, now(), &event);
    WireFormatLite::WriteInt64(kStep, step, &event);
    WireFormatLite::WriteBytes(kSummary, summary, &event);
  }));
}

void EventFile::record(std::string_view bytes) {
  const std::string length = little_endian(static_cast<std::uint64_t>(bytes.size()));
  file_ << length << masked_checksum(length) << bytes << masked_checksum(bytes);
}

void EventFile::flush() {
  if (!file_.flush()) {
    throw FileError(fmt::format("{}: {}", path_, std::strerror(errno)));
  }
}

}  // namespace systole::training
