// SPDX-License-Identifier: Apache-2.0
#include "output_file.hpp"

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace systole::files {
namespace {

namespace fs = std::filesystem;

constexpr int kNewFile = 0666;  // less what the process's mask takes away

/// Makes a file of a name that no other process and no other output of this one uses. Returns its descriptor, or -1.
int open_temporary(const fs::path& folder, int mode, std::string& name) {
  constexpr int kMaxTries = 10'000;
  for (int i = 0; i < kMaxTries; ++i) {
    name = (folder / fmt::format(".systole-{}-{}", getpid(), i)).string();
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) {
      return descriptor;
    }
  }
  return -1;
}

/// The nearest folder above the file that exists.
fs::path existing_folder(const std::string& path) {
  fs::path folder = fs::absolute(path).parent_path();
  std::error_code error;
  while (folder.has_relative_path() && fs::status(folder, error).type() == fs::file_type::not_found) {
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(find_target(path)) {
  switch (target_.kind) {
    case OutputTarget::Kind::kDescriptor:
      std::fflush(stdout);  // what the process has printed comes first
      descriptor_ = fcntl(target_.descriptor, F_DUPFD_CLOEXEC, 0);
      break;
    case OutputTarget::Kind::kDevice: descriptor_ = open(target_.path.c_str(), O_WRONLY | O_CLOEXEC); break;
    case OutputTarget::Kind::kFile:
      descriptor_ =
          open_temporary(fs::path(target_.path).parent_path(), target_.mode < 0 ? kNewFile : target_.mode, temporary_);
      break;
  }
  if (descriptor_ < 0) {
    temporary_.clear();
    cannot_write(path_, errno);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
  if (!temporary_.empty()) {
    std::remove(temporary_.c_str());
  }
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      cannot_write(path_, errno);
    }
    bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
}

void OutputFile::close_descriptor() {
  if (descriptor_ >= 0 && close(std::exchange(descriptor_, -1)) != 0) {
    cannot_write(path_, errno);
  }
}

const std::string& OutputFile::hand_over() {
  if (temporary_.empty()) {
    throw FileError(fmt::format("cannot write {}: it is a device or a pipe; name a file", path_));
  }
  close_descriptor();
  return temporary_;
}

void OutputFile::finish() {
  if (temporary_.empty()) {
    close_descriptor();
    return;
  }
  if (descriptor_ < 0) {  // handed over
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CLOEXEC);
  }
  const bool good = descriptor_ >= 0 &&
                    (target_.mode < 0 || fchmod(descriptor_, static_cast<mode_t>(target_.mode)) == 0) &&
                    fsync(descriptor_) == 0;
  if (!good) {
    cannot_write(path_, errno);
  }
  close_descriptor();
  if (std::rename(temporary_.c_str(), target_.path.c_str()) != 0) {
    cannot_write(path_, errno);
  }
  temporary_.clear();
}

void check_output(const std::string& path, MissingFolder missing) {
  const OutputTarget target = find_target(path);
  if (target.kind == OutputTarget::Kind::kDevice) {  // to open a pipe would be noticed at its other end
    if (access(target.path.c_str(), W_OK) != 0) {
      cannot_write(path, errno);
    }
    return;
  }
  if (target.kind == OutputTarget::Kind::kDescriptor || missing == MissingFolder::kIsAnError) {
    const OutputFile probe(path);
    return;
  }
  std::string name;
  const int descriptor = open_temporary(existing_folder(target.path), kNewFile, name);
  if (descriptor < 0) {
    cannot_write(path, errno);
  }
  close(descriptor);
  std::remove(name.c_str());
}

void make_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty() && (fs::create_directories(folder, error), error)) {
    throw FileError(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  }
}

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.finish();
}

}  // namespace systole::files
