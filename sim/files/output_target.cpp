// SPDX-License-Identifier: Apache-2.0
#include "output_target.hpp"

#include <fmt/core.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>

namespace systole::files {
namespace {

namespace fs = std::filesystem;

constexpr int kPermissions = 07777;

/// The descriptor that a name in /proc/self/fd stands for. Its file must not be replaced or opened anew: the process
/// writes there already, at a position of its own.
std::optional<int> own_descriptor(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  if (error || folder != fmt::format("/proc/{}/fd", getpid())) {
    return std::nullopt;
  }
  const std::string name = path.filename().string();
  int descriptor = -1;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), descriptor);
  return wrong == std::errc{} && *end == '\0' ? std::optional(descriptor) : std::nullopt;
}

}  // namespace

void cannot_write(const std::string& path, int error) {
  throw FileError(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

OutputTarget find_target(const std::string& path) {
  constexpr int kMaxLinks = 40;  // as the kernel follows
  OutputTarget target;
  fs::path place = path;
  for (int links = 0;; ++links) {
    if (const auto descriptor = own_descriptor(place)) {
      target.kind = OutputTarget::Kind::kDescriptor;
      target.descriptor = *descriptor;
      return target;
    }
    std::error_code error;
    const fs::path next = fs::read_symlink(place, error);
    if (error) {
      break;  // no link
    }
    if (links == kMaxLinks) {
      cannot_write(path, ELOOP);
    }
    place = place.parent_path() / next;  // `next` alone, if it is absolute
  }
  target.path = place.string();
  struct stat found {};
  if (stat(target.path.c_str(), &found) != 0) {
    if (errno != ENOENT) {
      cannot_write(path, errno);
    }
    if (!place.has_filename()) {
      cannot_write(path, path.empty() ? ENOENT : EISDIR);
    }
    return target;
  }
  if (S_ISDIR(found.st_mode)) {
    cannot_write(path, EISDIR);
  }
  if (S_ISREG(found.st_mode)) {
    target.mode = static_cast<int>(found.st_mode & kPermissions);
  } else {
    target.kind = OutputTarget::Kind::kDevice;
  }
  return target;
}

}  // namespace systole::files
