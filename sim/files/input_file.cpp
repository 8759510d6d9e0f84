// SPDX-License-Identifier: Apache-2.0
#include "input_file.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace systole::files {
namespace {

[[noreturn]] void cannot_read(const std::string& path, const char* reason) {
  throw FileError(fmt::format("{}: {}", path, reason));
}

/// A regular file that is open for reading.
class InputFile {
 public:
  explicit InputFile(const std::string& path)
      : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {  // a pipe does not block
    struct stat found {};
    if (descriptor_ < 0 || fstat(descriptor_, &found) != 0) {
      const int error = errno;
      release();
      cannot_read(path, std::strerror(error));
    }
    if (!S_ISREG(found.st_mode)) {
      release();
      cannot_read(path, S_ISDIR(found.st_mode) ? "is a folder" : "is no regular file; copy it into one");
    }
    size_ = static_cast<std::size_t>(found.st_size);
  }
  ~InputFile() { release(); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int take_descriptor() { return std::exchange(descriptor_, -1); }

  template <class Bytes>
  Bytes contents() const {
    Bytes bytes;
    std::size_t filled = 0;
    bytes.resize(size_ + 1);  // one more shows the end
    for (;;) {
      const ssize_t count = ::read(descriptor_, &bytes[filled], bytes.size() - filled);
      if (count < 0 && errno != EINTR) {
        cannot_read(path_, std::strerror(errno));
      }
      if (count == 0) {
        break;
      }
      filled += count < 0 ? 0 : static_cast<std::size_t>(count);
      if (filled == bytes.size()) {  // the file grows
        bytes.resize(2 * filled);
      }
    }
    bytes.resize(filled);
    return bytes;
  }

 private:
  void release() {
    if (descriptor_ >= 0) {
      close(std::exchange(descriptor_, -1));
    }
  }

  const std::string& path_;
  int descriptor_;
  std::size_t size_ = 0;
};

}  // namespace

std::vector<std::uint8_t> read_file(const std::string& path) {
  return InputFile(path).contents<std::vector<std::uint8_t>>();
}

std::string read_text(const std::string& path) { return InputFile(path).contents<std::string>(); }

std::vector<std::uint8_t> ByteSource::take(std::uint64_t count) {
  constexpr std::uint64_t kStep = 1 << 20;  // what is not there takes no memory
  std::vector<std::uint8_t> bytes;
  while (bytes.size() < count) {
    const std::size_t filled = bytes.size();
    bytes.resize(filled + static_cast<std::size_t>(std::min(kStep, count - filled)));
    const std::size_t got = read(bytes.data() + filled, bytes.size() - filled);
    bytes.resize(filled + got);
    if (got == 0) {
      break;
    }
  }
  return bytes;
}

GzipSource::GzipSource(const std::string& path) : ByteSource(path), file_(nullptr, gzclose) {
  InputFile file(path);
  const int descriptor = file.take_descriptor();
  file_.reset(gzdopen(descriptor, "rb"));
  if (!file_) {
    close(descriptor);
    cannot_read(path, "out of memory");
  }
}

std::size_t GzipSource::read(std::uint8_t* to, std::size_t count) {
  const int got = gzread(file_.get(), to, static_cast<unsigned>(count));
  int code = Z_OK;
  const char* reason = gzerror(file_.get(), &code);
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    const std::string_view text = code == Z_ERRNO ? std::strerror(errno) : reason;
    // zlib begins with its own name for the file, "<fd:3>: ".
    const std::size_t end = text.rfind("<fd:", 0) == 0 ? text.find(": ") : std::string_view::npos;
    throw FileError(
        fmt::format("{}: cannot be read: {}", name(), end == std::string_view::npos ? text : text.substr(end + 2)));
  }
  return static_cast<std::size_t>(got);
}

std::size_t MemorySource::read(std::uint8_t* to, std::size_t count) {
  const std::size_t taken = std::min(count, bytes_.size() - at_);
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), taken, to);
  at_ += taken;
  return taken;
}

}  // namespace systole::files
