// SPDX-License-Identifier: Apache-2.0
// One of ONNX's operator tests: a model of one node, its inputs, and the expected outputs.
#pragma once

#include <filesystem>
#include <string>

#include "systole/network.hpp"
#include "value_difference.hpp"

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

/// How far a real number may be from the expected one: ONNX's own tolerance of all tests, and where it is of float32 or
/// float64 and not recorded with four digits, a tighter one as well. Integers have to be equal.
constexpr Tolerance kOfOnnx = {1e-7, 1e-3};
constexpr Tolerance kTight = {1e-6, 1e-5};
/// Two units in the last place: ONNX's own tolerance of bfloat16, and for float16 where a test rounds between its
/// operators.
constexpr Tolerance kOfBfloat16 = {kOfOnnx.absolute, 1.0 / 64};
constexpr Tolerance kOfRoundedFloat16 = {kOfOnnx.absolute, 1.0 / 512};

/// Reads the folder's model.onnx and test_data_set_0, inspects it as `systole inspect` does, and runs it. It fails,
/// too, if what the inspection says is not what happens. Does not throw for any file contents.
Outcome run_node_test(Device& device, const std::filesystem::path& folder);

}  // namespace systole::test
