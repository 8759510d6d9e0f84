// SPDX-License-Identifier: Apache-2.0
// The timeline is a trace that a viewer accepts, consistent with the program, the counters and other observers.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "kernels.hpp"
#include "recorder.hpp"
#include "small_layer.hpp"
#include "systole/disassemble.hpp"
#include "systole/isa_check.hpp"
#include "timeline.hpp"

namespace systole::test {
namespace {

using nlohmann::json;

std::string file_name(const char* suffix = ".json") {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = info->name();
  std::replace(name.begin(), name.end(), '/', '_');
  return ::testing::TempDir() + "/systole_" + std::to_string(getpid()) + "_" + name + suffix;
}

/// Plain or compressed.
std::string contents(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  EXPECT_NE(file, nullptr) << path;
  std::string text;
  char part[4096];
  for (int length = 0; (length = gzread(file, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(length));
  gzclose(file);
  return text;
}

/// A timeline read back: the events by the names of their group and row.
class Trace {
 public:
  explicit Trace(const std::string& path) {
    const json trace = json::parse(contents(path));
    std::filesystem::remove(path);
    EXPECT_EQ(trace["otherData"]["configuration"], SYSTOLE_TEST_CORE);
    std::map<int, std::string> groups;
    std::map<std::pair<int, int>, std::string> rows;
    for (const json& event : trace["traceEvents"]) {
      if (event["name"] == "process_name") groups[event["pid"]] = event["args"]["name"];
      if (event["name"] == "thread_name") rows[{event["pid"], event["tid"]}] = event["args"]["name"];
    }
    for (const json& event : trace["traceEvents"]) {
      if (event["ph"] == "M") continue;
      EXPECT_TRUE(event["ph"] == "X" || event["ph"] == "C") << event;
      const std::string group = groups.at(event["pid"]);
      if (event["ph"] == "C") {
        counters[event["name"]].push_back(event);
        continue;
      }
      EXPECT_GE(event["dur"].get<std::int64_t>(), 1) << event;
      const std::string& row = rows.at({event["pid"], event["tid"]});
      slices[group + "/" + row.substr(0, row.find(','))].push_back(event);
      by_row[{event["pid"], event["tid"]}].push_back(event);
    }
  }

  const std::vector<json>& operator[](const std::string& name) const {
    static const std::vector<json> none;
    const auto found = slices.find(name);
    return found == slices.end() ? none : found->second;
  }

  /// A viewer drops a slice that begins within another of its row and ends outside.
  void expect_no_overlap() const {
    for (auto [row, events] : by_row) {
      std::sort(events.begin(), events.end(), [](const json& a, const json& b) { return a["ts"] < b["ts"]; });
      for (std::size_t i = 1; i < events.size(); ++i) EXPECT_GE(events[i]["ts"], end(events[i - 1])) << events[i];
    }
  }
  static std::uint64_t end(const json& event) {
    return event["ts"].get<std::uint64_t>() + event["dur"].get<std::uint64_t>();
  }

  std::map<std::string, std::vector<json>> slices;  // by "group/row", overlapping rows together
  std::map<std::pair<int, int>, std::vector<json>> by_row;
  std::map<std::string, std::vector<json>> counters;
};

std::string engine_name(unsigned engine) { return isa::to_string(static_cast<isa::Engine>(engine)); }

/// Cycles per engine and cause in the trace.
decltype(RunStats::causes) causes_in(const Trace& trace) {
  decltype(RunStats::causes) causes{};
  for (std::size_t engine = 0; engine < kEngineCount; ++engine) {
    for (const json& slice : trace[engine_name(static_cast<unsigned>(engine)) + "/cause"]) {
      std::size_t cause = 0;
      while (cause < kCauseCount && slice["name"] != isa::to_string(static_cast<isa::Cause>(cause))) ++cause;
      causes[engine].at(cause) += slice["dur"].get<std::uint64_t>();
    }
  }
  return causes;
}

/// The causes visible in the trace: IDLE is a gap.
decltype(RunStats::causes) without_idle(decltype(RunStats::causes) causes) {
  for (auto& engine : causes) engine[static_cast<std::size_t>(isa::Cause::kIdle)] = 0;
  return causes;
}

class Timeline : public ::testing::TestWithParam<unsigned> {
 protected:
  /// Runs the body with a timeline and a recorder.
  template <class Body>
  Trace traced(Body&& body, const char* suffix = ".json") {
    const std::string path = file_name(suffix);
    {
      Device device = Device::open(options(GetParam()), "rtl");
      device.attach(std::make_shared<timeline::Timeline>(path, device.configuration()));
      device.attach(recorder_);
      body(device);
    }
    return Trace(path);
  }
  std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
};

TEST_P(Timeline, AgreesWithProgramAndCounters) {
  RunStats stats;
  RunOptions named;
  named.name = "the \"first\" layer\\\n";
  const Trace trace = traced([&](Device& device) { stats = layer(device, named).stats; });
  trace.expect_no_overlap();
  EXPECT_EQ(causes_in(trace), without_idle(stats.causes));

  const auto& instructions = recorder_->instructions;
  std::set<std::uint32_t> indices;
  for (unsigned engine = 0; engine < kEngineCount; ++engine) {
    for (const json& slice : trace[engine_name(engine) + "/commands"]) {
      const json& args = slice["args"];
      const std::uint32_t i = args["command"];
      ASSERT_LT(i, instructions.size());
      EXPECT_TRUE(indices.insert(i).second) << slice;
      EXPECT_EQ(args["index"], i + recorder_->first_index);
      EXPECT_EQ(slice["name"], isa::find_instruction(instructions[i])->name);
      EXPECT_EQ(args["instruction"], isa::disassemble(instructions[i]));
      EXPECT_EQ(args["layer"], named.name);
      EXPECT_LE(args["oldest_cycles"].get<std::uint64_t>(), slice["dur"].get<std::uint64_t>());
      EXPECT_FALSE(args.contains("ended_by"));
      const auto same = [&](const CommandEvent& event) { return event.index == args["index"]; };
      EXPECT_EQ(std::find_if(recorder_->starts.begin(), recorder_->starts.end(), same)->cycle, slice["ts"]);
      EXPECT_EQ(std::find_if(recorder_->retirements.begin(), recorder_->retirements.end(), same)->cycle,
                Trace::end(slice));
    }
  }
  EXPECT_EQ(indices.size(), instructions.size());

  const auto beats = [&](const char* row) {
    std::uint64_t sum = 0;
    for (const json& slice : trace[row]) {
      sum += std::stoul(slice["name"].get<std::string>());
      EXPECT_EQ(slice["args"]["address"].get<std::string>().rfind("0x", 0), 0u);
    }
    return sum;
  };
  EXPECT_EQ(beats("memory port/bursts: instruction fetch") + beats("memory port/bursts: LOAD"), stats.read_beats);
  EXPECT_EQ(beats("memory port/bursts: STORE"), stats.write_beats);

  ASSERT_EQ(trace["runs/run"].size(), 1u);
  EXPECT_EQ(trace["runs/run"][0]["name"], named.name);
  EXPECT_GE(trace["runs/run"][0]["dur"], stats.cycles);
  EXPECT_EQ(trace["runs/run"][0]["args"]["commands"], stats.commands);
}

TEST_P(Timeline, CountersAreTheSemaphores) {
  const Trace trace = traced([](Device& device) { layer(device); });
  std::map<std::string, std::vector<std::pair<std::uint64_t, unsigned>>> expected;
  for (std::size_t i = 1; i < recorder_->semaphores.size(); ++i) {
    for (std::size_t s = 0; s < isa::kSemaphores; ++s) {
      const SemaphoreEvent& event = recorder_->semaphores[i];
      if (event.values[s] == recorder_->semaphores[i - 1].values[s]) continue;
      expected[fmt::format("semaphore {:02}", s)].emplace_back(event.cycle, event.values[s]);
    }
  }
  EXPECT_GT(expected.size(), 3u);
  std::map<std::string, std::vector<std::pair<std::uint64_t, unsigned>>> shown;
  for (const auto& [name, events] : trace.counters) {
    for (const json& event : events) shown[name].emplace_back(event["ts"], event["args"]["value"]);
  }
  EXPECT_EQ(shown, expected);
}

TEST_P(Timeline, ShowsTheLayersOfEachRun) {
  std::array<RunStats, 2> stats;
  const Trace trace = traced([&](Device& device) {
    const int size = 32;
    compiler::Builder builder(device.configuration());
    const auto matrix = [&] { return compiler::MatrixView{builder.binding(size * size), size, size, 0}; };
    const compiler::MatrixView a = matrix(), b = matrix(), c = matrix();
    Requantize requantize;
    requantize.scale = {{1 << 30, -8}};
    compiler::matmul(builder, a, b, {}, requantize, c);
    compiler::matmul_raw(builder, {c.address, 8, size, 0}, b, {a.address, 8, size, 0});
    Program program = builder.finish();
    for (RunStats& run : stats) run = device.run(program);
  });
  trace.expect_no_overlap();
  ASSERT_EQ(trace["runs/run"].size(), 2u);
  ASSERT_EQ(trace["runs/layers"].size(), 4u);
  std::map<std::string, int> commands;
  for (unsigned engine = 0; engine < kEngineCount; ++engine) {
    for (const json& command : trace[engine_name(engine) + "/commands"]) {
      const std::string name = command["args"]["layer"];
      ++commands[name];
      const auto inside = [&](const json& of) {
        return of["ts"] <= command["ts"] && Trace::end(command) <= Trace::end(of);
      };
      EXPECT_EQ(std::count_if(trace["runs/layers"].begin(), trace["runs/layers"].end(),
                              [&](const json& of) { return of["name"] == name && inside(of); }),
                1)
          << command;
      EXPECT_EQ(std::count_if(trace["runs/run"].begin(), trace["runs/run"].end(), inside), 1) << command;
    }
  }
  EXPECT_EQ(commands.size(), 2u);
  for (const json& shown : trace["runs/layers"]) {
    EXPECT_EQ(2 * shown["args"]["commands"].get<int>(), commands[shown["name"]]) << shown;
  }
  EXPECT_TRUE(commands.contains("matmul 32x32x32"));
  EXPECT_TRUE(commands.contains("raw matmul 8x32x32"));
  auto causes = stats[0].causes;
  for (std::size_t e = 0; e < causes.size(); ++e) {
    std::transform(causes[e].begin(), causes[e].end(), stats[1].causes[e].begin(), causes[e].begin(), std::plus<>());
  }
  EXPECT_EQ(causes_in(trace), without_idle(causes));
}

TEST_P(Timeline, CompressedIsTheSame) {
  const auto body = [](Device& device) { layer(device); };
  const Trace plain = traced(body);
  recorder_->clear();
  const Trace compressed = traced(body, ".json.gz");
  EXPECT_EQ(plain.by_row, compressed.by_row);
  EXPECT_EQ(plain.counters, compressed.counters);
}

INSTANTIATE_TEST_SUITE_P(Stalls, Timeline, ::testing::Values(0u, 40u),
                         [](const auto& info) { return "Stall" + std::to_string(info.param); });

TEST(TimelineOfAFailure, EndsWhatAResetCutsShort) {
  const std::string path = file_name();
  {
    BackendOptions slow = options();
    slow.memory.read_latency = 5000;
    Device device = Device::open(slow, "rtl");
    device.attach(std::make_shared<timeline::Timeline>(path, device.configuration()));
    isa::Load load;
    load.src = 64;
    load.run_bytes = load.piece_bytes = load.slot_bytes = 64;
    load.count0 = load.valid_to = 1;
    load.dst_block = 1;
    isa::Store outside;
    outside.dst = 0xFFFF'0000;
    outside.piece_bytes = 64;
    outside.count0 = 1;
    outside.src_block = 1;
    Program program;
    program.instructions = {load.encode(), outside.encode()};
    program.binding_bytes = 128;
    EXPECT_THROW(device.run(program), DeviceError);
    EXPECT_NO_THROW(layer(device));
  }
  const Trace trace(path);
  trace.expect_no_overlap();
  int cut = 0;
  for (const auto& [row, events] : trace.by_row) {
    for (const json& event : events) cut += event["args"].is_object() && event["args"].value("ended_by", "") == "reset";
  }
  EXPECT_EQ(cut, 2) << "the LOAD that waits for memory and the STORE in error";
  EXPECT_EQ(trace["runs/run"].size(), 2u);
}

TEST(TimelineOfAFailure, IsCompleteWhenTheSimulationEnds) {
  struct ThrowingObserver : Observer {
    void burst(std::uint64_t, bool write, std::uint64_t, unsigned, unsigned) override {
      if (write) throw std::domain_error("a write");
    }
  };
  const std::string path = file_name();
  {
    Device device = Device::open(options(), "rtl");
    device.attach(std::make_shared<timeline::Timeline>(path, device.configuration()));
    device.attach(std::make_shared<ThrowingObserver>());
    EXPECT_THROW(layer(device), std::domain_error);
  }
  const Trace trace(path);
  trace.expect_no_overlap();
  EXPECT_EQ(trace["runs/run"].size(), 1u);
  EXPECT_EQ(trace["memory port/bursts: STORE"].size(), 1u) << "the burst that ended it";
  ASSERT_FALSE(trace["STORE/commands"].empty());
  EXPECT_EQ(trace["STORE/commands"].front()["args"]["ended_by"], "simulation");
}

TEST(TimelineFile, NamesWhatCannotBeWritten) {
  try {
    timeline::Timeline("/nowhere/t.json", kConfigurations[0]);
    ADD_FAILURE() << "no exception";
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()), "cannot write /nowhere/t.json: No such file or directory");
  }
}

TEST(TimelineFile, NoRunFollowsItsEnd) {
  const std::string path = file_name();
  Device device = Device::open(options(), "rtl");
  device.attach(std::make_shared<timeline::Timeline>(path, device.configuration()));
  device.finish_recordings();
  try {
    layer(device);
    ADD_FAILURE() << "no exception";
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()), "cannot write " + path + ": it is complete, so that no run may follow");
  }
  std::filesystem::remove(path);
}

TEST(TimelineFile, AFullDiskEndsTheRun) {
  Device device = Device::open(options(), "rtl");
  device.attach(std::make_shared<timeline::Timeline>("/dev/full", device.configuration()));
  try {
    layer(device);
    ADD_FAILURE() << "no exception";
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()), "cannot write /dev/full: No space left on device");
  }
}

}  // namespace
}  // namespace systole::test
