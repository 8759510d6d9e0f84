// SPDX-License-Identifier: Apache-2.0
// The execution plan's verdict, which `systole inspect` prints, against the executor's: on networks, on recorded
// operators, and on both with other scales and the other arithmetic, many of which nothing computes.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "archive.hpp"
#include "import_tflite.hpp"
#include "quantized_types.hpp"
#include "seed.hpp"
#include "systole/execute.hpp"
#include "systole/execution_plan.hpp"
#include "systole/import_model.hpp"

namespace systole::test {
namespace {

using graph::Graph;
using graph::Value;
namespace fs = std::filesystem;
using Random = std::mt19937_64;

struct Counts {
  int run = 0, refused = 0;
};

/// Compares both verdicts; graphs that are not valid, and inputs that no network takes, are no question.
void compare(const Graph& graph, const std::vector<Value>& inputs, const std::string& name, Counts& counts) {
  ExecutionPlan plan;
  try {
    graph::validate(graph);
    plan = plan_execution(graph, find_configuration("tiny"));
  } catch (const std::runtime_error&) {
    return;
  }
  std::string foreseen;
  for (const PlannedOperator& op : plan.operators) {
    foreseen += op.refusal;
  }
  std::string happened;
  try {
    graph::execute(plan.graph, inputs);
  } catch (const graph::IndexError&) {
    return;
  } catch (const graph::GraphError& error) {
    happened = error.what();
  }
  EXPECT_EQ(foreseen.empty(), happened.empty()) << name << "\nforeseen: " << foreseen << "\nhappened: " << happened;
  ++(happened.empty() ? counts.run : counts.refused);
}

/// Other scales for some tensors, near the old ones, far from them, or fractions that functions require; the zero
/// points stay, so that no divisor becomes 0. Sometimes the other arithmetic.
Graph changed(Graph graph, Random& random) {
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (graph::Tensor& tensor : graph.tensors) {
    if (!tensor.quantization || below(2) == 0) {
      continue;
    }
    for (float& scale : tensor.quantization->scale) {
      constexpr float kFractions[] = {1.0F / 128, 1.0F / 256, 1.0F / 32768, 1.0F / 32767, 1.0F / 65536, 1.0F / 65535};
      const auto factor = std::uniform_real_distribution<float>(-1, 1)(random);
      scale = below(3) == 0   ? kFractions[below(std::size(kFractions))]
              : below(2) == 0 ? scale * std::exp(factor)
                              : std::exp(12 * factor);
    }
  }
  if (below(4) == 0) {
    for (graph::Operator& op : graph.operators) {
      op.arithmetic =
          op.arithmetic == graph::Arithmetic::kTfLite ? graph::Arithmetic::kOnnx : graph::Arithmetic::kTfLite;
    }
  }
  return graph;
}

std::vector<Value> random_inputs(const Graph& graph, Random& random) {
  std::vector<Value> inputs;
  for (const graph::TensorId id : graph.inputs) {
    const graph::Tensor& tensor = graph.tensor(id);
    Value value{tensor.type, tensor.shape, {}};
    value.data.resize(static_cast<std::size_t>(graph::count(tensor.shape)) * graph::element_size(tensor.type));
    if (tensor.type == graph::ElementType::kFloat32) {
      std::vector<float> numbers(value.data.size() / sizeof(float));
      for (float& number : numbers) {
        number = std::uniform_real_distribution<float>(-2, 2)(random);
      }
      value = graph::make_value(tensor.type, tensor.shape, numbers);
    } else if (graph::is_byte(tensor.type) || graph::is_scaled_int16(tensor)) {
      for (std::uint8_t& byte : value.data) {
        byte = static_cast<std::uint8_t>(random());
      }
    } else {
      for (std::size_t i = 0; i < value.data.size(); i += graph::element_size(tensor.type)) {
        value.data[i] = 1;  // little-endian: an index that exists, a divisor that is not 0
      }
    }
    inputs.push_back(std::move(value));
  }
  return inputs;
}

/// In an order that does not depend on the file system, so that a seed says which changes are made.
template <class Iterator>
std::vector<fs::path> sorted(Iterator entries) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : entries) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void compare_files(const fs::path& folder, Counts& counts) {
  constexpr std::uintmax_t kSmall = 30'000;  // bytes
  Random random(seed());
  for (const fs::path& path : sorted(fs::recursive_directory_iterator(folder))) {
    if ((path.extension() != ".tflite" && path.extension() != ".onnx") || fs::file_size(path) > kSmall) {
      continue;
    }
    const graph::ModelContents contents = graph::read_model(path.string());
    if (!contents.obstacles.empty()) {
      continue;
    }
    const std::vector<Value> inputs = random_inputs(contents.graph, random);
    compare(contents.graph, inputs, path.string(), counts);
    for (int round = 0; round < 2; ++round) {
      compare(changed(contents.graph, random), inputs, fmt::format("{}, change {}", path.string(), round), counts);
    }
  }
  fmt::print("{}: {} run, {} refused\n", folder.string(), counts.run, counts.refused);
}

TEST(Refusals, OfCommittedNetworksAreForeseen) {
  Counts counts;
  compare_files(fs::path(SYSTOLE_SOURCE_DIR) / "tests" / "vectors" / "networks", counts);
  EXPECT_GT(counts.run, 5);
  EXPECT_GT(counts.refused, 1);
}

TEST(Refusals, OfSharedFilesAreForeseen) {
  Counts counts;
  for (const char* folder : {"cases", "models"}) {
    if (fs::exists(fs::path(SYSTOLE_SHARED) / folder)) {
      compare_files(fs::path(SYSTOLE_SHARED) / folder, counts);
    }
  }
  if (counts.run == 0) {
    GTEST_SKIP() << "no files in " << SYSTOLE_SHARED;
  }
}

TEST(Refusals, OfOperatorsAreForeseen) {
  const fs::path folder = fs::path(SYSTOLE_SHARED) / "vectors" / "tflite_ops";
  if (!fs::exists(folder)) {
    GTEST_SKIP() << "no recorded operators in " << folder;
  }
  constexpr std::size_t kCasesOfAKind = 5;
  constexpr int kChanges = 4;
  Random random(seed());
  Counts counts;
  for (const fs::path& path : sorted(fs::directory_iterator(folder))) {
    if (path.extension() != ".zip") {
      continue;
    }
    const Archive archive(path);
    for (std::size_t i = 0; i < std::min(archive.folders().size(), kCasesOfAKind); ++i) {
      const OperatorCase recorded = archive.read(archive.folders()[i]);
      const Graph graph = graph::import_tflite(recorded.model, recorded.name);
      const std::vector<Value> inputs =
          sample_of(recorded.inputs, 0, static_cast<std::size_t>(recorded.outputs[0].shape.at(0)));
      compare(graph, inputs, recorded.name, counts);
      for (int change = 0; change < kChanges; ++change) {
        compare(changed(graph, random), inputs, fmt::format("{}, change {}", recorded.name, change), counts);
      }
    }
  }
  fmt::print("{} run, {} refused\n", counts.run, counts.refused);
  EXPECT_GT(counts.run, 500);
  EXPECT_GT(counts.refused, 50);
}

}  // namespace
}  // namespace systole::test
