// SPDX-License-Identifier: Apache-2.0
// Written ONNX files are read again by the importer and compute the same.
#include "export_onnx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "networks.hpp"
#include "small_pictures.hpp"
#include "systole/execute.hpp"
#include "systole/import_model.hpp"

namespace systole::training {
namespace {

using graph::ElementType;
using graph::Value;

graph::Graph written_and_read(const graph::Graph& graph) {
  const std::string path = testing::TempDir() + "exported.onnx";
  const graph::Bytes bytes = onnx_file(graph);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return graph::import_model(path);
}

void compare(const graph::Graph& graph, const std::vector<Value>& inputs) {
  const graph::Graph read = written_and_read(graph);
  const auto expected = graph::elements<float>(execute(graph, inputs).at(0));
  const auto actual = graph::elements<float>(execute(read, inputs).at(0));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-5 * std::max(1.0F, std::abs(expected[i])));
  }
}

class ExportedNetworks : public testing::TestWithParam<std::string> {};

TEST_P(ExportedNetworks, ComputeTheSame) {
  for (const bool normalized : {false, true}) {
    NetworkOptions options;
    options.height = options.width = 12;
    options.scale = 0.2;
    options.training = false;
    options.batch_normalization = normalized;
    const Network built = network(GetParam(), options);
    std::vector<Value> values;
    for (const Parameter& parameter : built.parameters) {
      values.push_back(parameter.variable.initial);
    }
    compare(with_values(built, values), {batch_of(small_pictures(1, 3, 12), {0}, 0, 1).inputs.at(0)});
  }
}

/// Names that no node and no output reads.
std::vector<std::string> unread(const graph::Bytes& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  std::set<std::string> read, made;
  for (const onnx::NodeProto& node : model.graph().node()) {
    read.insert(node.input().begin(), node.input().end());
    made.insert(node.output().begin(), node.output().end());
  }
  for (const onnx::TensorProto& constant : model.graph().initializer()) {
    made.insert(constant.name());
  }
  for (const onnx::ValueInfoProto& output : model.graph().output()) {
    read.insert(output.name());
  }
  std::vector<std::string> names;
  std::set_difference(made.begin(), made.end(), read.begin(), read.end(), std::back_inserter(names));
  return names;
}

TEST_P(ExportedNetworks, HaveNothingThatIsUnused) {
  NetworkOptions options;
  options.height = options.width = 12;
  options.scale = 0.2;
  options.training = false;
  Network built = network(GetParam(), options);
  std::vector<Value> values;
  for (const Parameter& parameter : built.parameters) {
    values.push_back(parameter.variable.initial);
  }
  EXPECT_THAT(unread(onnx_file(with_values(built, values))), testing::IsEmpty());
  // Operators that the outputs do not need are left out.
  GraphBuilder w(built.graph, "besides");
  w.add(built.scores, w.numbers(built.scores, {1, 10}, std::vector<double>(10, 3)));
  EXPECT_THAT(unread(onnx_file(with_values(built, values))), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, ExportedNetworks, testing::ValuesIn(network_names()),
                         [](const auto& info) { return info.param; });

/// One operator on x [1,6,6,4].
void compare_operator(const std::function<TensorId(GraphBuilder&, TensorId)>& body) {
  graph::Graph graph;
  graph.name = "one";
  GraphBuilder w(graph, "g");
  const TensorId x = w.input("x", ElementType::kFloat32, {1, 6, 6, 4});
  graph.outputs = {body(w, x)};
  std::vector<float> values(6 * 6 * 4);
  std::mt19937_64 random(1);
  for (float& value : values) {
    value = static_cast<float>(random() % 1000) / 250 - 2;
  }
  compare(graph, {make_value(ElementType::kFloat32, {1, 6, 6, 4}, values)});
}

TEST(ExportedOperators, ComputeTheSame) {
  using graph::UnaryKind;
  for (const UnaryKind kind : {UnaryKind::kRelu6, UnaryKind::kElu, UnaryKind::kHardSigmoid, UnaryKind::kLeakyRelu,
                               UnaryKind::kClip, UnaryKind::kSoftplus, UnaryKind::kNegate}) {
    compare_operator([&](GraphBuilder& w, TensorId x) { return w.unary(kind, x, 0.2F, 0.5F); });
  }
  compare_operator([](GraphBuilder& w, TensorId x) {
    return w.append(graph::Pool{graph::PoolKind::kAverage, {3, 2, 2, 1, 1, 1, 1, 0, 1, 1}, true, Activation::kRelu6},
                    {x});
  });
  compare_operator([](GraphBuilder& w, TensorId x) {
    const TensorId weights = w.numbers(x, {4, 3, 3, 1}, std::vector<double>(36, 0.25));
    return w.append(graph::Conv2d{{3, 3, 2, 1, 1, 1, 1, 1, 0, 2}, 4, Activation::kRelu}, {x, weights});
  });
  compare_operator([](GraphBuilder& w, TensorId x) { return w.slice(x, {0, 5, 0, 3}, {1, -2, 3, -1}, {1, 3, 2, 4}); });
  compare_operator([](GraphBuilder& w, TensorId x) {
    const std::vector<TensorId> parts = w.split(x, 2, {1, 5});
    return w.concat({parts[1], parts[0]}, 2);
  });
  compare_operator([](GraphBuilder& w, TensorId x) { return w.pad(x, {0, 1, 2, 0}, {0, 0, 1, 2}, 1.5); });
  compare_operator([](GraphBuilder& w, TensorId x) {
    return w.product(w.reshape(x, {6, 24}), w.reshape(x, {6, 24}), true, false);
  });
  compare_operator([](GraphBuilder& w, TensorId x) {
    return w.select(w.less(x, w.scalar(x, 0)), w.scaled(x, 2), w.reduce(graph::ReduceKind::kMean, x, {1, 2}));
  });
}

/// An importer gives the name of an image to its transposition, too.
TEST(ExportedOperators, HaveNamesOfTheirOwn) {
  graph::Graph graph;
  GraphBuilder w(graph, "g");
  const TensorId x = w.input("x", ElementType::kFloat32, {2, 3}), turned = w.transpose(x, {1, 0});
  const TensorId negative = w.unary(graph::UnaryKind::kNegate, turned), result = w.transpose(negative, {1, 0});
  graph.tensor(turned).name = "x";
  graph.tensor(negative).name = graph.tensor(result).name = "y";
  graph.outputs = {result};
  compare(graph, {make_value(ElementType::kFloat32, {2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6})});
  const graph::Graph read = written_and_read(graph);
  EXPECT_EQ(read.tensor(read.inputs.at(0)).name, "x");
  EXPECT_EQ(read.tensor(read.outputs.at(0)).name, "y");
}

TEST(ExportedOperators, AreNamedIfTheyCannotBe) {
  graph::Graph graph;
  GraphBuilder w(graph, "g");
  const TensorId x = w.input("x", ElementType::kFloat32, {3});
  graph.outputs = {w.append(graph::CumulativeSum{}, {x})};
  EXPECT_THAT([&] { onnx_file(graph); },
              testing::ThrowsMessage<graph::GraphError>(testing::HasSubstr("'g/CumulativeSum.0'")));
}

}  // namespace
}  // namespace systole::training
