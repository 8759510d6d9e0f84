// SPDX-License-Identifier: Apache-2.0
// Contents of recorded waveforms, and that recording changes nothing else. Every recorded value is compared with a
// waveform of the whole run, so a wrong cycle, a value of another cycle or a diverging replay is detected.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "loopback.hpp"
#include "systole/file_error.hpp"
#include "wave_file.hpp"

namespace systole::sim {
namespace {

constexpr int kBytes = 4;
constexpr std::uint64_t kPeriod = 1000;

std::string temporary(const std::string& name) {
  return testing::TempDir() + "/systole_recorder_" + std::to_string(getpid()) + "_" + name + ".fst";
}

/// A file that is removed at the end.
struct Temporary {
  explicit Temporary(const std::string& name) : path(temporary(name)) {}
  ~Temporary() { std::filesystem::remove(path); }
  bool exists() const { return std::filesystem::exists(path); }
  const std::string path;
};

/// The test design with a trace, and its operations.
struct Bench {
  explicit Bench(const TraceOptions& trace, unsigned stall = 30) : storage(1 << 20) {
    CoreOptions options;
    options.trace = trace;
    options.memory.stall_percent = stall;
    core = loopback::make(kBytes, storage, options);
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    core->start_access({true, offset, value});
    while (core->access_pending()) core->run(1000);
  }
  /// Copies `beats`, until the interrupt.
  void copy(std::uint32_t beats) {
    write(loopback::kSource, 0x1000);
    write(loopback::kDestination, 0x40000);
    write(loopback::kBeats, beats);
    write(loopback::kBurst, 16);
    write(loopback::kIrqEnable, 3);
    write(loopback::kIrqStatus, 3);
    write(loopback::kGo, 1);
    while (!core->interrupt()) core->run(1024);
  }
  void idle(std::uint64_t cycles) {
    while (cycles > 0) cycles -= core->run(std::min<std::uint64_t>(cycles, 1024));
  }
  /// Makes an assertion of the design fail some cycles after a copy; returns the message of the exception.
  std::string break_it() {
    write(loopback::kMode, loopback::kAssert);
    try {
      write(loopback::kGo, 1);
    } catch (const SimulationError& error) {
      return error.what();
    }
    return {};
  }
  Storage storage;
  std::unique_ptr<CoreModel> core;
};

TraceOptions whole(const Temporary& file) {
  TraceOptions options;
  options.file = file.path;
  return options;
}

TraceOptions window(const Temporary& file, std::uint64_t from, std::uint64_t to) {
  TraceOptions options = whole(file);
  options.from = from;
  options.to = to;
  return options;
}

TraceOptions on_error(const Temporary& file, std::uint64_t cycles) {
  TraceOptions options = whole(file);
  options.on_error = cycles;
  return options;
}

/// The waveform holds these cycles, both phases of each, and nothing else; all values are those of the whole run.
void expect_part(const Temporary& part, const Temporary& all, std::uint64_t first, std::uint64_t last) {
  ASSERT_TRUE(part.exists());
  const WaveFile a(part.path), b(all.path);
  EXPECT_EQ(a.first_time(), first * kPeriod);
  EXPECT_EQ(a.last_time(), last * kPeriod + kPeriod / 2);
  const auto names = a.names();
  EXPECT_GT(names.size(), 50u);
  const auto mine = a.changes(names), whole_run = b.changes(names);
  for (const std::string& name : names) {
    for (std::uint64_t time = first * kPeriod; time <= a.last_time(); time += kPeriod / 2) {
      ASSERT_EQ(value_at(mine.at(name), time), value_at(whole_run.at(name), time)) << name << " at " << time;
    }
  }
}

/// Whether this process has a child.
bool has_children() { return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

TEST(Recorder, WindowHoldsItsCyclesAndChangesNothing) {
  const Temporary all("all"), part("part");
  std::uint64_t cycles[3];
  std::uint32_t checksums[3];
  const TraceOptions traces[] = {TraceOptions{}, whole(all), window(part, 300, 420)};
  for (int i = 0; i < 3; ++i) {
    Bench bench(traces[i]);
    bench.copy(200);
    cycles[i] = bench.core->cycles();
    bench.core->start_access({false, loopback::kChecksum, 0});
    while (bench.core->access_pending()) bench.core->run(1000);
    checksums[i] = bench.core->answer().value;
  }
  EXPECT_GT(cycles[0], 600u);
  EXPECT_EQ(cycles[1], cycles[0]);
  EXPECT_EQ(cycles[2], cycles[0]);
  EXPECT_EQ(checksums[1], checksums[0]);
  EXPECT_EQ(checksums[2], checksums[0]);
  expect_part(part, all, 300, 420);
}

TEST(Recorder, WindowsAtTheEdges) {
  const Temporary all("edge_all"), reset("edge_reset"), one("edge_one"), end("edge_end"), never("edge_never");
  std::uint64_t last = 0;
  for (const TraceOptions& trace :
       {whole(all), window(reset, 3, 20), window(one, 100, 100), window(end, 500, TraceOptions::kLastCycle),
        window(never, 1'000'000, TraceOptions::kLastCycle)}) {
    Bench bench(trace);
    bench.copy(200);
    last = bench.core->cycles() - 1;
  }
  expect_part(reset, all, 3, 20);
  expect_part(one, all, 100, 100);
  expect_part(end, all, 500, last);
  EXPECT_FALSE(never.exists());
}

TEST(Recorder, LayerIsItsFirstRunInTheWindow) {
  const Temporary all("layer_all"), layer("layer"), later("layer_later");
  std::uint64_t begin[3], end[3];
  TraceOptions second = whole(later);
  second.layer = "conv2";
  TraceOptions first = whole(layer);
  first.layer = "conv2";
  for (int i = 0; i < 3; ++i) {
    if (i == 2) second.from = begin[1] + 1;  // past the first of them
    Bench bench(i == 0 ? whole(all) : i == 1 ? first : second);
    int at = 0;
    for (const char* name : {"conv1", "conv2", "conv2"}) {
      bench.core->run_begins(name);
      begin[at] = bench.core->cycles();
      bench.copy(100);
      bench.core->run_ended();
      end[at++] = bench.core->cycles();
    }
    bench.idle(50);
  }
  expect_part(layer, all, begin[1], end[1]);
  expect_part(later, all, begin[2], end[2]);
}

TEST(Recorder, ScopeIsAllThatIsRecorded) {
  const Temporary all("scope_all"), part("scope");
  { Bench(whole(all)).copy(50); }
  const WaveFile everything(all.path);
  std::string scope;
  for (const std::string& name : everything.scopes()) {
    if (name.find("u_") != std::string::npos) scope = name;  // an instance inside
  }
  ASSERT_EQ(scope.rfind("TOP.axi_loopback.", 0), 0u) << scope;
  TraceOptions options = window(part, 60, 90);
  options.scope = scope.substr(4);
  { Bench(options).copy(50); }
  const WaveFile file(part.path);
  std::set<std::string> expected;
  for (const std::string& name : everything.names()) {
    if (name.rfind(scope + ".", 0) == 0) expected.insert(name);
  }
  EXPECT_GT(expected.size(), 3u);
  EXPECT_EQ(file.names(), expected);
  const auto values = file.changes(expected), of_all = everything.changes(expected);
  for (const std::string& name : expected)
    EXPECT_EQ(value_at(values.at(name), 90'000), value_at(of_all.at(name), 90'000)) << name;
}

/// The error message for these options.
std::string complaint(const TraceOptions& options) {
  try {
    Bench bench(options);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

TEST(Recorder, WrongOptionsAreNamed) {
  const Temporary file("wrong");
  TraceOptions options = whole(file);
  options.scope = "axi_loopback.u_nothing.deep";
  EXPECT_EQ(complaint(options).rfind("trace.scope: no instance axi_loopback.u_nothing.deep; axi_loopback has ", 0), 0u)
      << complaint(options);
  EXPECT_NE(complaint(options).find("axi_loopback.u_"), std::string::npos) << complaint(options);
  options.scope = "core";
  EXPECT_EQ(complaint(options), "trace.scope: no instance core; the top has axi_loopback");
  EXPECT_EQ(complaint(window(file, 10, 9)), "trace.from: 10 is after trace.to, 9");
  options = on_error(file, 100);
  options.layer = "conv1";
  EXPECT_EQ(complaint(options).rfind("trace.on_error: ", 0), 0u) << complaint(options);
  options = {};
  options.to = 5;
  EXPECT_EQ(complaint(options).rfind("trace.file: ", 0), 0u) << complaint(options);
  options = {};
  options.file = "/nonexistent/x.fst";
  EXPECT_EQ(complaint(options), "trace.file: cannot write /nonexistent/x.fst: No such file or directory");
  EXPECT_FALSE(file.exists());
}

/// The largest file that this process may write, as on a disk that is full.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : ignored_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, ignored_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  void (*ignored_)(int);
};

/// The number of files that unfinished waveforms would leave.
std::size_t temporary_files() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir())) {
    count += entry.path().filename().string().rfind(".systole-" + std::to_string(getpid()), 0) == 0 ? 1 : 0;
  }
  return count;
}

TEST(Recorder, AFileThatCannotGrowIsToldAtTheEnd) {
  const Temporary file("limit");
  std::ofstream(file.path) << "good";
  std::uint64_t cycles = 0;
  for (const rlim_t limit : {0, 512, 4096, 16384}) {
    Bench bench(whole(file));
    {
      const FileLimit small(limit);
      bench.copy(3000);
      try {
        bench.core->finish_recording();
        ADD_FAILURE() << "no exception with " << limit << " bytes";
      } catch (const FileError& error) {
        EXPECT_EQ(std::string(error.what()), "cannot write " + file.path + ": File too large");
      }
    }
    EXPECT_TRUE(cycles == 0 || cycles == bench.core->cycles()) << "the simulation went another way";
    cycles = bench.core->cycles();
    bench.copy(100);
  }
  EXPECT_EQ(std::filesystem::file_size(file.path), 4u);
  EXPECT_EQ(temporary_files(), 0u);
}

TEST(Recorder, CompletesTheFileWhenAsked) {
  const Temporary file("finished");
  Bench bench(whole(file));
  bench.copy(100);
  EXPECT_FALSE(file.exists()) << "before it is complete";
  const std::uint64_t cycles = bench.core->cycles();
  EXPECT_TRUE(bench.core->finish_recording());
  EXPECT_EQ(WaveFile(file.path).last_time() / kPeriod, cycles - 1);
  bench.copy(100);
  EXPECT_TRUE(bench.core->finish_recording());
  EXPECT_EQ(WaveFile(file.path).last_time() / kPeriod, cycles - 1);
  EXPECT_EQ(temporary_files(), 0u);
  Bench silent({});
  silent.copy(10);
  EXPECT_FALSE(silent.core->finish_recording());
}

TEST(Recorder, DevicesStay) {
  TraceOptions options;
  options.file = "/dev/null";
  EXPECT_EQ(complaint(options), "trace.file: cannot write /dev/null: it is a device or a pipe; name a file");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Recorder, FailedAssertionIsTheLastCycle) {
  const Temporary all("assert_all"), part("assert");
  std::string text;
  for (const TraceOptions& trace : {whole(all), on_error(part, 100)}) {
    Bench bench(trace);
    bench.copy(300);
    text = bench.break_it();
  }
  const std::uint64_t last = WaveFile(all.path).last_time() / kPeriod;
  const std::uint64_t first = WaveFile(part.path).first_time() / kPeriod;
  EXPECT_LE(first, last - 100);
  EXPECT_GT(first, last - 300);
  expect_part(part, all, first, last);
  EXPECT_NE(text.find(part.path + " has the waves of cycles " + std::to_string(first) + " to " + std::to_string(last)),
            std::string::npos)
      << text;
  EXPECT_FALSE(has_children());
}

TEST(Recorder, WhoFindsAFailureOutsideAsksForIt) {
  const Temporary all("outside_all"), part("outside"), polled("polled");
  for (const TraceOptions& trace : {whole(all), on_error(part, 64)}) {
    Bench bench(trace);
    bench.copy(100);
    bench.core->record_failure();
    bench.idle(5000);
    EXPECT_EQ(bench.core->record_failure(), "");  // only the first failure counts
  }
  const WaveFile file(part.path);
  expect_part(part, all, file.first_time() / kPeriod, file.last_time() / kPeriod);
  EXPECT_GE(file.last_time() - file.first_time(), 64 * kPeriod);

  bool failed = false;
  std::uint64_t cycle = 0;
  TraceOptions trace = on_error(polled, 64);
  trace.failed = [&failed] { return failed; };
  {
    Bench bench(trace);
    bench.copy(100);
    failed = true;
    cycle = bench.core->cycles();
  }
  EXPECT_EQ(WaveFile(polled.path).last_time() / kPeriod, cycle - 1);
  EXPECT_FALSE(has_children());
}

TEST(Recorder, FarIntoARunTheLastCyclesAreThere) {
  const Temporary part("far");
  std::uint64_t cycle = 0;
  {
    Bench bench(on_error(part, 500), 0);
    while (bench.core->cycles() < 1'400'000) bench.copy(4000);
    cycle = bench.core->cycles();
    bench.core->record_failure();
  }
  const WaveFile file(part.path);
  EXPECT_EQ(file.last_time() / kPeriod, cycle - 1);
  EXPECT_LE(file.first_time() / kPeriod, cycle - 501);
  EXPECT_GE(file.first_time() / kPeriod, cycle - 3000);  // since the port last moved
}

TEST(Recorder, AHangIsShownFromBeforeItsBegin) {
  const Temporary part("hang");
  std::uint64_t moved = 0;
  {
    Bench bench(on_error(part, 500), 0);
    bench.copy(1000);
    moved = bench.core->cycles();
    bench.idle(600'000);
    bench.core->record_failure();
  }
  EXPECT_LE(WaveFile(part.path).first_time() / kPeriod, moved - 500);
}

TEST(Recorder, WithoutAFailureThereIsNoFileAndNoProcess) {
  const Temporary part("good");
  {
    Bench bench(on_error(part, 500));
    bench.copy(300);
    EXPECT_TRUE(has_children());
  }
  EXPECT_FALSE(part.exists());
  EXPECT_FALSE(has_children());
}

/// The first child of this process.
pid_t child() {
  std::ifstream file("/proc/self/task/" + std::to_string(getpid()) + "/children");
  pid_t pid = 0;
  file >> pid;
  return pid;
}

TEST(Recorder, ALostCopyIsTold) {
  const Temporary part("lost");
  Bench bench(on_error(part, 500));
  bench.copy(300);
  ASSERT_GT(child(), 0);
  kill(child(), SIGKILL);
  EXPECT_NE(bench.core->record_failure().find("did not reach cycle"), std::string::npos);
  EXPECT_FALSE(part.exists());
}

TEST(Recorder, ACopyWritesToNoFileOfItsMaker) {
  const Temporary part("quiet"), text("quiet_text");
  std::FILE* file = std::fopen(text.path.c_str(), "w");
  TraceOptions trace = on_error(part, 100);
  {
    Bench bench(trace);
    bench.copy(300);
    ASSERT_EQ(write(fileno(file), "once\n", 5), 5);
    bench.idle(10);
    bench.core->record_failure();
  }
  std::fclose(file);
  std::ifstream back(text.path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(back), {}), "once\n");
  EXPECT_TRUE(part.exists());
}

}  // namespace
}  // namespace systole::sim
