// SPDX-License-Identifier: Apache-2.0
#include "snapshot.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "systole/errors.hpp"

namespace systole::sim {
namespace {

constexpr char kAlive = 'a', kDone = 'd';
constexpr int kSilenceMs = 60'000;

/// Reads all of `bytes`; returns false at end of file.
bool read_fully(int descriptor, void* to, std::size_t bytes) {
  auto* place = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = read(descriptor, place, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    place += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

/// If the other process has ended, that is noticed when its answer is read; SIGPIPE would end this one.
bool send_fully(int descriptor, const void* from, std::size_t bytes) {
  return send(descriptor, from, bytes, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes);
}

/// Redirects inherited files: they, and their file positions, belong to the parent.
void detach_files(int keep) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  std::vector<int> inherited;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    inherited.push_back(std::atoi(entry.path().filename().c_str()));
  }
  for (const int descriptor : inherited) {
    const int mode = fcntl(descriptor, F_GETFL);
    const bool writes = mode >= 0 && (mode & O_ACCMODE) != O_RDONLY;
    if (descriptor != keep && descriptor != nowhere && (descriptor == STDIN_FILENO || writes))
      dup2(nowhere, descriptor);
  }
}

}  // namespace

void ReplayReport::progress() const { send_fully(descriptor_, &kAlive, 1); }

void ReplayReport::finish() const {
  send_fully(descriptor_, &kDone, 1);
  _exit(0);
}

void ReplayReport::fail() const { _exit(1); }

Snapshot::Snapshot(std::uint64_t cycle) : cycle_(cycle), maker_(getpid()) {
  int line[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) != 0) {
    throw InvalidArgument(
        fmt::format("trace.on_error: cannot create a socket to a copy of the process: {}", std::strerror(errno)));
  }
  copy_ = fork();
  if (copy_ < 0) {
    const int error = errno;
    close(line[0]);
    close(line[1]);
    throw InvalidArgument(
        fmt::format("trace.on_error: cannot copy the process: {}; run without this option", std::strerror(error)));
  }
  in_copy_ = copy_ == 0;
  line_ = line[in_copy_ ? 1 : 0];
  close(line[in_copy_ ? 0 : 1]);
  if (in_copy_) wait_in_copy(maker_);
}

void Snapshot::wait_in_copy(pid_t maker) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != maker || !read_fully(line_, &range_, sizeof range_)) _exit(0);
  detach_files(line_);
}

Snapshot::~Snapshot() {
  if (in_copy_ || getpid() != maker_) return;  // destructor of another copy
  close(line_);
  kill(copy_, SIGKILL);
  while (waitpid(copy_, nullptr, 0) < 0 && errno == EINTR) {}
}

bool Snapshot::replay(const CycleRange& range) {
  if (!send_fully(line_, &range, sizeof range)) return false;
  for (;;) {
    pollfd line{line_, POLLIN, 0};
    const int ready = poll(&line, 1, kSilenceMs);
    if (ready < 0 && errno == EINTR) continue;
    char what = 0;
    if (ready <= 0 || !read_fully(line_, &what, 1)) return false;
    if (what == kDone) return true;
  }
}

}  // namespace systole::sim
