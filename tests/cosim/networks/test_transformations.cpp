// SPDX-License-Identifier: Apache-2.0
// The compiler's optional transformations: with each one switched off, every result stays the same bit for bit, and its
// count is 0. Each applies to at least one of the networks, except those of reading a file and those that need larger
// networks, which the campaigns of tests/graphs have.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "seed.hpp"
#include "systole/execute.hpp"
#include "systole/load_network.hpp"
#include "systole/network.hpp"
#include "systole/transformations.hpp"
#include "transformed_networks.hpp"

namespace systole {
namespace {

using test::NetworkCase;

struct Ran {
  std::vector<graph::Bytes> results;
  TransformationCounts counts;
};

Ran ran(const NetworkCase& network, const char* configuration, const CompileOptions& options) {
  BackendOptions backend;
  backend.configuration = configuration;
  Device device = Device::open(backend, "model");
  Network loaded(device, compile_network(network.graph, device.configuration(), options));
  Ran result;
  for (const graph::Value& value : loaded.run(network.inputs)) {
    result.results.push_back(value.data);
  }
  result.counts = loaded.transformations();
  return result;
}

bool is_of_import(const std::string& name) { return name == "move_transposes" || name == "split_transposes"; }

/// Whether only larger networks than these have it: attention over many tokens, training steps, language models.
bool needs_a_larger_network(const std::string& name) {
  return name == "row_chains" || name == "second_results" || name == "spread_kernels";
}

class Transformed : public testing::TestWithParam<const char*> {};

TEST_P(Transformed, NetworksComputeTheSameWithoutEach) {
  TransformationCounts all;
  for (const NetworkCase& network : test::transformed_networks(static_cast<std::uint32_t>(test::seed(5)))) {
    const Ran with = ran(network, GetParam(), {});
    add(all, with.counts);
    for (const auto& [name, count] : with.counts) {
      if (count == 0) {
        continue;
      }
      const Ran without = ran(network, GetParam(), {{name}});
      EXPECT_EQ(without.counts.at(name), 0) << network.name << " without " << name;
      EXPECT_EQ(without.results, with.results) << network.name << " without " << name;
    }
    std::vector<std::string> names;
    for (const auto& [name, count] : with.counts) {
      names.push_back(name);
    }
    EXPECT_EQ(ran(network, GetParam(), {names}).results, with.results) << network.name << " without any";
    const std::vector<graph::Value> wanted = graph::execute(network.graph, network.inputs);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(with.results[i], wanted[i].data) << network.name << ", output " << i;
    }
  }
  const bool wide = std::string(GetParam()) == "default";
  for (const auto& [name, count] : all) {
    fmt::print("{:>22} {}\n", name, count);
    EXPECT_TRUE(count > 0 || !wide || is_of_import(name) || needs_a_larger_network(name))
        << name << " applies to none of the networks";
  }
}
INSTANTIATE_TEST_SUITE_P(All, Transformed, testing::Values("default"));

TEST(Transformations, UnknownNamesListAll) {
  try {
    Transformations({"overlap", "overlaps"});
    FAIL() << "no error";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'overlaps'"));
    for (const TransformationText& text : transformation_texts()) {
      if (text.is_choice) {
        EXPECT_THAT(error.what(), testing::HasSubstr(std::string(text.name)));
      }
    }
  }
}

TEST(Transformations, AreDocumented) {
  std::ifstream page(SYSTOLE_SOURCE_DIR "/driver/compiler/transformations/README.md");
  std::stringstream text;
  text << page.rdbuf();
  for (const TransformationText& one : transformation_texts()) {
    EXPECT_THAT(text.str(), testing::HasSubstr(fmt::format("| `{}` | {} |\n", one.name, one.what)));
  }
}

/// Transformations of reading a file, whose images have the order of ONNX.
TEST(Transformations, OfFiles) {
  const std::filesystem::path folder = SYSTOLE_SOURCE_DIR "/tests/vectors/networks";
  TransformationCounts all;
  for (const char* name : {"dense", "residual"}) {
    const std::string file = (folder / name / "model.onnx").string();
    Device device = Device::open({}, "model");
    std::vector<graph::Value> inputs;
    std::vector<graph::Bytes> wanted;
    for (const std::vector<std::string>& without :
         {std::vector<std::string>{}, {"move_transposes"}, {"split_transposes"}}) {
      graph::ImportOptions options;
      options.without = without;
      Network network = load_network(device, file, options);
      if (without.empty()) {
        add(all, network.transformations());
        for (const graph::TensorId id : network.graph().inputs) {
          const graph::Tensor& tensor = network.graph().tensor(id);
          graph::Bytes bytes(static_cast<std::size_t>(graph::count(tensor.shape)) * graph::element_size(tensor.type));
          for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 11);
          }
          inputs.push_back({tensor.type, tensor.shape, bytes});
        }
      }
      std::vector<graph::Bytes> seen;
      for (const graph::Value& value : network.run(inputs)) {
        seen.push_back(value.data);
      }
      wanted = without.empty() ? seen : wanted;
      EXPECT_EQ(seen, wanted) << name;
    }
  }
  EXPECT_GT(all.at("move_transposes"), 0);
}

}  // namespace
}  // namespace systole
