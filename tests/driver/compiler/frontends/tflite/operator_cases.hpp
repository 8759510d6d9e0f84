// SPDX-License-Identifier: Apache-2.0
// Runs single-operator networks and compares every value with the results of TensorFlow Lite's kernels.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::test {

/// A network that is ready to run.
struct Runnable {
  std::function<std::vector<graph::Value>(const std::vector<graph::Value>& inputs)> run;
  std::string on_host = {};  ///< why an operator does not run on the device; empty if all do
};

/// Prepares a graph for running. Throws graph::GraphError if it is unsupported.
using MakeRunnable = std::function<Runnable(const graph::Graph&)>;

/// Source of the results: "host" or a device, opened once for all cases.
struct Backend {
  std::string help;
  std::vector<std::string> names;
  std::function<MakeRunnable(const std::string& name, const std::string& configuration)> open;
};

/// The program: options, all cases of the selected kinds, a line for each kind. Exit code 0: as kinds.txt and the
/// recorded numbers of cases on the device say; 1: otherwise, with the cases; 77: the recorded results are missing.
int run_operator_cases(int argc, char** argv, const Backend& backend);

}  // namespace systole::test
