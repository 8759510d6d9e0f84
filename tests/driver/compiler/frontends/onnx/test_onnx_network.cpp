// SPDX-License-Identifier: Apache-2.0
// mnist-8, a published float32 network, on the host: folder models/onnx/mnist-8 of SYSTOLE_SHARED with model.onnx and,
// per data set, input_0.pb and output_0.pb.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "onnx_tensors.hpp"
#include "systole/execute.hpp"
#include "systole/import_model.hpp"

namespace systole::graph {
namespace {

Value read_value(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  onnx::TensorProto tensor;
  if (!tensor.ParseFromIstream(&file)) {
    throw GraphError(path.string() + " is no tensor");
  }
  return constant_value(onnx_file::constant_tensor(tensor, path.string()));
}

class Mnist8 : public testing::TestWithParam<int> {};

TEST_P(Mnist8, MatchesPublishedOutputs) {
  const std::filesystem::path folder = std::filesystem::path(SYSTOLE_SHARED) / "models" / "onnx" / "mnist-8";
  if (!exists(folder / "model.onnx")) {
    GTEST_SKIP() << folder << " is not there; -DSYSTOLE_SHARED=FOLDER names another place";
  }
  const Graph graph = import_model((folder / "model.onnx").string());
  const auto transposes = std::count_if(graph.operators.begin(), graph.operators.end(),
                                        [](const Operator& op) { return std::holds_alternative<Transpose>(op.kind); });
  EXPECT_EQ(transposes, 0);  // the image has one channel, and the order of the flattened image is folded into the
                             // weights
  const std::filesystem::path data = folder / fmt::format("test_data_set_{}", GetParam());
  const std::vector<Value> results = execute(graph, {read_value(data / "input_0.pb")});
  const Value expected = read_value(data / "output_0.pb");
  ASSERT_EQ(results.size(), 1U);
  ASSERT_EQ(results[0].shape, expected.shape);
  const auto seen = elements<float>(results[0]);
  const auto wanted = elements<float>(expected);
  double worst = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_NEAR(seen[i], wanted[i], 1e-3 + 1e-5 * std::abs(wanted[i])) << i;
    worst = std::max(worst, std::abs(double{seen[i]} - double{wanted[i]}));
  }
  fmt::print("data set {}: outputs of up to {:.0f}, at most {:.2g} off\n", GetParam(),
             *std::max_element(wanted.begin(), wanted.end()), worst);
}

INSTANTIATE_TEST_SUITE_P(All, Mnist8, testing::Values(0, 1, 2));

}  // namespace
}  // namespace systole::graph
