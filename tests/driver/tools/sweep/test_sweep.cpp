// SPDX-License-Identifier: Apache-2.0
// Grids, workloads on a command line, the Pareto front, and the output of a sweep.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "child.hpp"
#include "core_cache.hpp"
#include "exit_codes.hpp"
#include "pareto.hpp"
#include "sweep_grid.hpp"
#include "sweep_report.hpp"
#include "systole/configurations.hpp"
#include "work_spec.hpp"

namespace systole::cli {
namespace {

const Configuration& tiny() { return find_configuration("tiny"); }

/// The error message of a call; empty if there is none.
template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

std::string grid_refusal(const std::vector<std::string>& words) {
  return refusal([&] { expand(parse_grid(words), tiny()); });
}

TEST(Sources, AbsenceIsReported) {
  EXPECT_NO_THROW(demand_sources(SYSTOLE_SOURCE_DIR));
  const std::string text = refusal([] { demand_sources("/nowhere"); });
  EXPECT_NE(text.find("in /nowhere, where there is no CMakePresets.json; put them back"), std::string::npos) << text;
}

TEST(Pareto, KeepsNondominatedPoints) {
  EXPECT_EQ(pareto_front({}), std::vector<bool>{});
  EXPECT_EQ(pareto_front({{1, 1}}), std::vector<bool>{true});
  EXPECT_EQ(pareto_front({{1, 4}, {2, 2}, {4, 1}, {3, 3}, {2, 3}}),
            (std::vector<bool>{true, true, true, false, false}));
  EXPECT_EQ(pareto_front({{2, 2}, {2, 2}, {3, 2}}), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(pareto_front({{1, 5, 9}, {1, 5, 8}, {0, 9, 9}}), (std::vector<bool>{false, true, true}));
}

TEST(Pareto, MatchesDefinitionOnGrid) {
  std::vector<std::vector<double>> designs;
  for (int i = 0; i < 60; ++i) {
    designs.push_back({double(i * 7 % 11), double(i * 5 % 13), double(i * 3 % 7)});
  }
  const auto front = pareto_front(designs);
  for (std::size_t i = 0; i < designs.size(); ++i) {
    bool beaten = false;
    for (const auto& other : designs) {
      beaten = beaten || (other != designs[i] && other[0] <= designs[i][0] && other[1] <= designs[i][1] &&
                          other[2] <= designs[i][2]);
    }
    EXPECT_EQ(front[i], !beaten) << i;
  }
}

TEST(Grid, EnumeratesLastParameterFastest) {
  const auto points = expand(parse_grid({"scratch=384,768", "latency=50,100,200"}), tiny());
  ASSERT_EQ(points.size(), 6u);
  EXPECT_EQ(points[0].core, "dim4_s384_w256_a64_p256");
  EXPECT_EQ(points[0].timing.latency, 50);
  EXPECT_EQ(points[2].timing.latency, 200);
  EXPECT_EQ(points[3].core, "tiny");  // the known configuration of these sizes
  EXPECT_EQ(points[3].sizes.weight_rows, 256);
}

TEST(Grid, ConvertsKibibytesToRows) {
  const auto points = expand(parse_grid({"scratch=3K", "acc=4K", "dim=4,8"}), tiny());
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].sizes.scratch_rows, 768);
  EXPECT_EQ(points[1].sizes.scratch_rows, 384);
  EXPECT_EQ(points[0].sizes.acc_rows, 256);
  EXPECT_EQ(points[1].sizes.acc_rows, 128);
  EXPECT_EQ(memory_bytes(points[1].sizes), 3072u + 8 * 256 + 4096 + 8 * 256);
}

TEST(Grid, ErrorsNameParameterValueAndRange) {
  EXPECT_EQ(grid_refusal({"dim=6"}), "--config-grid: dim is 6 at dim=6; legal is 4*2^k, from 4 to 32");
  EXPECT_EQ(grid_refusal({"dim=4,8", "scratch=100"}),
            "--config-grid: scratch is 100 rows at dim=4 scratch=100; legal is 8*2^k or 24*2^k, from 192 to 49152");
  EXPECT_EQ(grid_refusal({"acc=48"}), "--config-grid: acc is 48 rows at acc=48; legal is 2^k, from 32 to 65536");
  EXPECT_EQ(grid_refusal({"latency=0"}), "--config-grid: latency=0; legal is 1 to 100000");
  EXPECT_EQ(grid_refusal({"stall=96"}), "--config-grid: stall=96; legal is 0 to 95");
  EXPECT_NE(grid_refusal({"scratch=big"}).find("scratch=big is no number of rows"), std::string::npos);
  EXPECT_NE(grid_refusal({"queue=4"}).find("unknown parameter 'queue'; available: dim, scratch"), std::string::npos);
  EXPECT_NE(grid_refusal({"dim"}).find("'dim' is not NAME=VALUE"), std::string::npos);
  EXPECT_NE(grid_refusal({"dim=4", "dim=8"}).find("dim is given twice"), std::string::npos);
  EXPECT_NE(grid_refusal({"latency=5,5"}).find("the value 5 twice"), std::string::npos);
  EXPECT_NE(grid_refusal({"bus=64"}).find("8*dim bits"), std::string::npos);
}

TEST(Grid, NamedConfigurationsAreLegal) {
  for (const Configuration& configuration : configurations()) {
    EXPECT_EQ(illegal_size(configuration), "") << configuration.name;
  }
  Configuration wrong = tiny();
  wrong.weight_rows = 100;
  EXPECT_EQ(illegal_size(wrong), "weight_rows: 100 is not one of 2^k, from 64 to 65536");
}

TEST(Workload, BecomesACommand) {
  EXPECT_EQ(arguments_of(parse_work("--workload", "matmul:8x16x24")),
            (std::vector<std::string>{"matmul", "--m", "8", "--n", "16", "--k", "24"}));
  const auto conv = arguments_of(parse_work("--workload", "conv:28x14x3-64:kernel=5x3:stride=2:pad=1"));
  EXPECT_EQ(conv, (std::vector<std::string>{"conv", "--height", "28", "--width", "14", "--cin", "3", "--cout", "64",
                                            "--kernel", "5x3", "--stride", "2x2", "--dilation", "1x1", "--pad",
                                            "1,1,1,1", "--groups", "1"}));
  EXPECT_EQ(arguments_of(parse_work("--workload", "matmul_64")),
            arguments_of(parse_work("--workload", "matmul:64x64x64")));
}

TEST(Workload, ErrorsQuoteInput) {
  for (const char* text : {"", "matmul", "matmul:8x8", "matmul:8x8x0", "matmul:8x8x8:raw", "conv:8x8x8",
                           "conv:8x8x8-8:knl=3", "pool:8x8"}) {
    EXPECT_NE(refusal([&] { parse_work("--workload", text); }).find(std::string("--workload: '") + text + "'"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(refusal([] { parse_work("--workload", "conv:8x8x8-8:kernel=0"); }).find("kernel: '0'"), std::string::npos);
  EXPECT_NE(refusal([] { parse_work("--workload", "conv:8x8x8-8:groups=3"); }).find("groups=3 does not divide"),
            std::string::npos);
}

Sweep example() {
  Sweep sweep;
  sweep.base = "tiny";
  sweep.works = {parse_work("--workload", "matmul:8x8x8")};
  const auto designs = expand(parse_grid({"latency=50,100", "dim=4,8", "scratch=768,1536"}), tiny());
  std::uint64_t cycles = 1000;
  for (const DesignPoint& design : designs) {
    sweep.points.push_back({design, {{cycles, 512, {}}}, {}, false});
    cycles -= 100;
  }
  return sweep;
}

TEST(Report, FrontIsForEachMemoryTiming) {
  Sweep sweep =
      example();  // fewer cycles with every point: all are on the front of their timing except those with equal cost
  sweep.points[1].results[0].cycles = 1000;  // more memory without benefit
  sweep.points[6].results[0].fault = "error: too small";
  mark_front(sweep);
  std::vector<bool> front;
  for (const SweepPoint& point : sweep.points) {
    front.push_back(point.front);
  }
  EXPECT_EQ(front, (std::vector<bool>{true, false, true, true, true, true, false, true}));
}

TEST(Report, TextNamesCoresFaultsAndFront) {
  Sweep sweep = example();
  sweep.points[6].results[0].fault = "error: too small";
  mark_front(sweep);
  const std::string text = table_text(sweep, {});
  EXPECT_NE(text.find("latency"), std::string::npos);
  EXPECT_NE(text.find("matmul:8x8x8: error: too small"), std::string::npos);
  EXPECT_EQ(text.find("stall"), std::string::npos);  // the same everywhere
  EXPECT_NE(text.find("for its memory timing"), std::string::npos);
  EXPECT_NE(plot_text(sweep).find("multipliers"), std::string::npos);
  const auto json = to_json(sweep);
  EXPECT_TRUE(json["points"][6]["cycles"].is_null());
  EXPECT_EQ(json["points"][0]["cycles"], 1000);
  EXPECT_DOUBLE_EQ(json["points"][0]["utilization"], 512.0 / (1000 * 16));
}

TEST(Report, SvgHasDotPerResult) {
  Sweep sweep = example();
  mark_front(sweep);
  const std::string svg = plot_svg(sweep);
  std::size_t dots = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) {
    ++dots;
  }
  EXPECT_EQ(dots, sweep.points.size());
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_NE(page_html(sweep).find(svg), std::string::npos);
}

TEST(Children, KeepOrderAndOutput) {
  const auto alone = ranks::alone();
  std::vector<Words> commands;
  for (int i = 0; i < 7; ++i) {
    commands.push_back({"sh", "-c", "echo out " + std::to_string(i) + "; echo err >&2; exit " + std::to_string(i)});
  }
  std::size_t last = 0;
  const auto finished = run_all(*alone, commands, 3, [&](std::size_t done) { EXPECT_EQ(done, ++last); });
  ASSERT_EQ(finished.size(), 7u);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(finished[static_cast<std::size_t>(i)].code, i);
    EXPECT_EQ(finished[static_cast<std::size_t>(i)].output, "out " + std::to_string(i) + "\n");
    EXPECT_EQ(finished[static_cast<std::size_t>(i)].errors, "err\n");
  }
  EXPECT_NE(refusal([&] { run_all(*alone, {{"/no/such/program"}}, 1, [](std::size_t) {}); }).find("/no/such/program"),
            std::string::npos);
  EXPECT_EQ(run_all(*alone, {{"sh", "-c", "kill -9 $$"}}, 1, [](std::size_t) {})[0].code, 137);
}

TEST(Children, IgnoreOtherProcesses) {
  const auto alone = ranks::alone();
  const pid_t other = fork();
  if (other == 0) _exit(7);
  // Ends before the sweep's own children, so that a wait for any child would reap it.
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(other), &ended, WEXITED | WNOWAIT), 0);
  run_all(*alone, {{"true"}, {"true"}}, 2, [](std::size_t) {});
  int status = 0;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Children, HandleForeignReaping) {
  const auto alone = ranks::alone();
  struct Ignored {
    Ignored() { std::signal(SIGCHLD, SIG_IGN); }
    ~Ignored() { std::signal(SIGCHLD, SIG_DFL); }
  } ignored;
  EXPECT_NE(refusal([&] { run_all(*alone, {{"true"}}, 1, [](std::size_t) {}); }).find("cannot wait for process"),
            std::string::npos);
}

TEST(Children, LastLines) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc");
  EXPECT_EQ(last_lines("a", 2), "a");
  EXPECT_EQ(last_lines("", 2), "");
}

}  // namespace
}  // namespace systole::cli
