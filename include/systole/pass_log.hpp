// SPDX-License-Identifier: Apache-2.0
// What each pass of a compilation did: how many layers it found and left, how long it took, and what the network looked
// like after it.
//
//   PassLog log({"additions"});
//   compile_network(graph, configuration, {{}, {}, &log});
//   for (const PassRun& run : log.runs()) { ... run.pass, run.before.count, run.after.count, run.listing ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace systole {

/// How many of what: operator, layer or instruction.
struct Amount {
  std::size_t count = 0;
  std::string_view of;
};

/// One run of a pass, on the graph or on the layers of one program.
struct PassRun {
  std::string_view pass;    ///< transformation_texts() says what it does
  std::size_t program = 0;  ///< number of the program, from 0; of the graph 0
  Amount before, after;
  std::int64_t applied = 0;  ///< how often; 0 if the pass is switched off
  double milliseconds = 0;
  std::string listing;  ///< of the graph or the layers after it, a line each, if the log asks for it
};

class PassLog {
 public:
  PassLog() = default;
  /// With listings after the passes of these names. Throws InvalidArgument for a name that is no pass.
  explicit PassLog(std::vector<std::string> listed);

  bool lists(std::string_view pass) const;
  void add(PassRun run) { runs_.push_back(std::move(run)); }

  /// A compilation that begins again, because an operator did not fit, forgets what it did since `runs`, and says why.
  void restart(std::size_t runs, std::string reason);

  /// The runs of the last attempt, in order.
  const std::vector<PassRun>& runs() const { return runs_; }
  /// Why there were earlier ones.
  const std::vector<std::string>& restarts() const { return restarts_; }

 private:
  std::vector<std::string> listed_;
  std::vector<PassRun> runs_;
  std::vector<std::string> restarts_;
};

}  // namespace systole
