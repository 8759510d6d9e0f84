// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "exit_codes.hpp"
#include "scratch_folder.hpp"

extern char** environ;

namespace systole::cli {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(5);  // polling interval while waiting for any of several
                                                              // processes

/// Starts a command; if `errors` is empty, standard error goes to the output file.
pid_t start(const Words& command, const std::string& output, const std::string& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (errors.empty()) {
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  }
  std::vector<char*> words;
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  // A rank blocks SIGTERM, which a thread of it waits for; the child can be stopped as usual.
  sigset_t signals;
  pthread_sigmask(SIG_SETMASK, nullptr, &signals);
  sigdelset(&signals, SIGTERM);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &signals);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, words[0], &actions, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    throw InputError(fmt::format("cannot run {}: {}", command[0], std::strerror(error)));
  }
  return pid;
}

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// Waits for a child process, or polls it. Empty while it runs. Throws InputError if the child has already been reaped,
/// as in a process that ignores SIGCHLD: its exit code is lost.
std::optional<int> ended(pid_t pid, int options) {
  int status = 0;
  for (;;) {
    const pid_t found = waitpid(pid, &status, options);
    if (found == pid) {
      return exit_code(status);
    }
    if (found == 0) {
      return std::nullopt;
    }
    if (errno != EINTR) {
      throw InputError(fmt::format("cannot wait for process {}: {}", pid, std::strerror(errno)));
    }
  }
}

int wait_for(pid_t pid) { return *ended(pid, 0); }

/// Waits for whichever of the processes ends first. Polls each by its id, since the process may have other children.
std::pair<pid_t, int> wait_for_one(const std::map<pid_t, std::size_t>& running) {
  for (;;) {
    for (const auto& [pid, index] : running) {
      if (const std::optional<int> code = ended(pid, WNOHANG)) {
        return {pid, *code};
      }
    }
    std::this_thread::sleep_for(kPollInterval);
  }
}

}  // namespace

std::vector<Finished> run_all(const std::vector<Words>& commands, unsigned jobs,
                              const std::function<void(std::size_t)>& done) {
  const ScratchFolder scratch;
  std::vector<Finished> finished(commands.size());
  std::map<pid_t, std::size_t> running;
  std::size_t next = 0, ended = 0;
  while (ended < commands.size()) {
    while (next < commands.size() && running.size() < jobs) {
      try {
        running[start(commands[next], scratch.file(fmt::format("{}.out", next)),
                      scratch.file(fmt::format("{}.err", next)))] = next;
      } catch (...) {
        for (const auto& [pid, index] : running) {
          wait_for(pid);
        }
        throw;
      }
      ++next;
    }
    const auto [pid, code] = wait_for_one(running);
    const std::size_t index = running.at(pid);
    running.erase(pid);
    finished[index] = {code, contents_of(scratch.file(fmt::format("{}.out", index))),
                       contents_of(scratch.file(fmt::format("{}.err", index)))};
    done(++ended);
  }
  return finished;
}

int run_logged(const Words& command, const std::string& log, const std::function<void(const std::string&)>& says) {
  constexpr auto kInterval = std::chrono::milliseconds(200);
  const pid_t pid = start(command, log, {});
  for (;;) {
    if (const std::optional<int> code = ended(pid, WNOHANG)) {
      return *code;
    }
    says(last_lines(contents_of(log), 1));
    std::this_thread::sleep_for(kInterval);
  }
}

std::string last_lines(const std::string& text, std::size_t most) {
  std::deque<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
    if (lines.size() > most) {
      lines.pop_front();
    }
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string this_program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) {
    throw InputError(fmt::format("cannot tell where this program is: {}", std::strerror(errno)));
  }
  return {path, static_cast<std::size_t>(length)};
}

}  // namespace systole::cli
