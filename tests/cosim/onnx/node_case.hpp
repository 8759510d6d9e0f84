// SPDX-License-Identifier: Apache-2.0
// One of ONNX's operator tests: a model of one node, its inputs, and the expected outputs.
#pragma once

#include <filesystem>
#include <string>

#include "systole/network.hpp"

namespace systole::test {

enum class Verdict {
  kDevice,   ///< right, and every operator ran on the device
  kHost,     ///< right, and some operators or all ran on the host
  kRefused,  ///< not supported, for a reason of the closed list
  kFailed,   ///< wrong, or an error that is not of the list
};

struct Outcome {
  std::string name;
  Verdict verdict = Verdict::kFailed;
  std::string detail;  ///< kinds of operators on the host; the reason; or the error
};

/// Integers have to be equal; reals within kAbsolute + kRelative times the expected value.
constexpr double kAbsolute = 1e-6;
constexpr double kRelative = 1e-5;
/// ONNX's own tolerance for all tests; used here for windows, recorded with 3.1415 for pi, and for samples recorded
/// with four digits.
constexpr double kRelativeOfCoarse = 1e-3;

/// Reads the folder's model.onnx and test_data_set_0, and runs it. Does not throw for any file contents.
Outcome run_node_test(Device& device, const std::filesystem::path& folder);

}  // namespace systole::test
