// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/prctl.h>
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
#include "stop_request.hpp"

namespace systole::cli {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(5);  // polling interval while waiting for any of several
                                                              // processes
constexpr auto kPatience = std::chrono::seconds(2);           // for a process that was asked to end

/// Runs in the child between fork() and exec(), by calls that are safe after a fork of a process with threads. Returns
/// only if the command cannot be run.
void become(const std::vector<char*>& words, const char* output, const char* errors, pid_t parent) {
  setpgid(0, 0);  // the whole tree below it is ended by one signal
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) {  // it ended before the line above
    _exit(ranks::exit_code_of(SIGTERM));
  }
  // A thread of the parent waits for these signals, which are blocked there; the child can be stopped as usual.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : ranks::kStopSignals) {
    sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  const int in = open("/dev/null", O_RDONLY);
  const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int err = errors == nullptr ? out : open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (in >= 0 && out >= 0 && err >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
      dup2(err, STDERR_FILENO) >= 0) {
    execvp(words[0], words.data());
  }
}

/// Starts a command, in a process group of its own; if `errors` is empty, standard error goes to the output file.
pid_t start(const Words& command, const std::string& output, const std::string& errors) {
  std::vector<char*> words;
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  int failed[2];  // closed by exec(); otherwise the child writes why not
  if (pipe2(failed, O_CLOEXEC) != 0) {
    throw InputError(fmt::format("cannot run {}: {}", command[0], std::strerror(errno)));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    become(words, output.c_str(), errors.empty() ? nullptr : errors.c_str(), parent);
    const int error = errno;
    [[maybe_unused]] const auto told = write(failed[1], &error, sizeof error);
    _exit(127);
  }
  int error = pid < 0 ? errno : 0;
  close(failed[1]);
  if (pid > 0 && read(failed[0], &error, sizeof error) > 0) {
    waitpid(pid, nullptr, 0);
  }
  close(failed[0]);
  if (error != 0) {
    throw InputError(fmt::format("cannot run {}: {}", command[0], std::strerror(error)));
  }
  setpgid(pid, pid);  // whichever of the two comes first
  return pid;
}

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : ranks::exit_code_of(WTERMSIG(status)); }

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

/// Ends the processes, with all that they have started, and waits for them. Not for those that somebody else has waited
/// for.
void end_all(const std::map<pid_t, std::size_t>& running) noexcept {
  for (const auto& [pid, index] : running) {
    kill(-pid, SIGTERM);
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (const auto& [pid, index] : running) {
    for (pid_t found = 0; found == 0 || (found < 0 && errno == EINTR); found = waitpid(pid, nullptr, WNOHANG)) {
      if (std::chrono::steady_clock::now() > deadline) {
        kill(-pid, SIGKILL);
      }
      std::this_thread::sleep_for(kPollInterval);
    }
  }
}

/// Waits for whichever of the processes ends first. Polls each by its id, since the process may have other children.
/// Throws ranks::Stopped when a signal comes.
std::pair<pid_t, int> wait_for_one(const std::map<pid_t, std::size_t>& running, const ranks::StopRequest& stop) {
  for (;;) {
    for (const auto& [pid, index] : running) {
      if (const std::optional<int> code = ended(pid, WNOHANG)) {
        return {pid, *code};
      }
    }
    stop.check();
    std::this_thread::sleep_for(kPollInterval);
  }
}

/// Processes that have been started and not been waited for. Ends those that are left.
struct Running {
  Running() = default;
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { end_all(indices); }
  std::map<pid_t, std::size_t> indices;  ///< of their commands
};

}  // namespace

std::vector<Finished> run_all(ranks::Ranks& ranks, const std::vector<Words>& commands, unsigned jobs,
                              const std::function<void(std::size_t)>& done) {
  const ranks::StopRequest stop(ranks);
  const ScratchFolder scratch;
  std::vector<Finished> finished(commands.size());
  Running running;
  std::size_t next = 0, ended = 0;
  while (ended < commands.size()) {
    while (next < commands.size() && running.indices.size() < jobs) {
      const pid_t pid =
          start(commands[next], scratch.file(fmt::format("{}.out", next)), scratch.file(fmt::format("{}.err", next)));
      running.indices[pid] = next++;
    }
    const auto [pid, code] = wait_for_one(running.indices, stop);
    const std::size_t index = running.indices.at(pid);
    running.indices.erase(pid);
    finished[index] = {code, contents_of(scratch.file(fmt::format("{}.out", index))),
                       contents_of(scratch.file(fmt::format("{}.err", index)))};
    done(++ended);
  }
  return finished;
}

int run_logged(ranks::Ranks& ranks, const Words& command, const std::string& log,
               const std::function<void(const std::string&)>& says) {
  constexpr auto kInterval = std::chrono::milliseconds(200);
  const ranks::StopRequest stop(ranks);
  Running running;
  const pid_t pid = start(command, log, {});
  running.indices[pid] = 0;
  for (;;) {
    if (const std::optional<int> code = ended(pid, WNOHANG)) {
      running.indices.clear();
      return *code;
    }
    stop.check();
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
