// SPDX-License-Identifier: Apache-2.0
// Formulas: what they compute, their derivatives, and the places that errors name.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "differentiate.hpp"
#include "graph_builder.hpp"
#include "systole/execute.hpp"
#include "systole/formula.hpp"

namespace systole {
namespace {

using graph::elements;
using graph::ElementType;
using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;

constexpr const char* kSoftsign = R"({
 "formula": 1,
 "operands": ["x"],
 "attributes": {"steepness": 1.0},
 "steps": [
  {"name": "s", "operator": "multiply", "of": ["x", "steepness"]},
  {"name": "a", "operator": "abs", "of": ["s"]},
  {"name": "b", "operator": "add", "of": ["a", 1]},
  {"name": "y", "operator": "divide", "of": ["s", "b"]}
 ],
 "results": ["y"]
})";

class Formulas : public testing::Test {
 protected:
  ~Formulas() override { std::filesystem::remove(path_); }

  std::string file(const std::string& text) const {
    std::ofstream(path_) << text;
    return path_;
  }
  /// The steps of a formula of x.
  std::string with_steps(const std::string& steps, const std::string& rest = R"("results": ["y"])") const {
    return file(fmt::format(R"({{"formula": 1, "operands": ["x"], "steps": [{}], {}}})", steps, rest));
  }
  static graph::Graph recorded(const OperatorFunction& function, const std::vector<ArrayType>& types,
                               const Attributes& attributes = {}) {
    return record("f", types, [&](const std::vector<Array>& arrays) { return function(arrays, attributes); });
  }
  static std::string error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  const std::string path_ = testing::TempDir() + "/systole_formula.json";
};

graph::Value row(const std::vector<float>& values) {
  return make_value(ElementType::kFloat32, {static_cast<std::int64_t>(values.size())}, values);
}

TEST_F(Formulas, ComputeOperandsOfAnyShapeWithAttributes) {
  const OperatorFunction softsign = read_formula(file(kSoftsign));
  const graph::Graph plain = recorded(softsign, {{ElementType::kFloat32, {3}}});
  EXPECT_THAT(elements<float>(execute(plain, {row({-1, 0, 3})}).at(0)), ElementsAre(-0.5F, 0, 0.75F));
  const graph::Graph steep = recorded(softsign, {{ElementType::kFloat32, {2, 1}}}, {{"steepness", std::int64_t{3}}});
  EXPECT_EQ(steep.tensor(steep.outputs[0]).shape, (graph::Shape{2, 1}));
  const graph::Value column = make_value(ElementType::kFloat32, {2, 1}, std::vector<float>{1, -1});
  EXPECT_THAT(elements<float>(execute(steep, {column}).at(0)), ElementsAre(0.75F, -0.75F));
}

TEST_F(Formulas, HaveEveryOperator) {
  const std::string path = file(R"({"formula": 1, "operands": ["x", "w"], "steps": [
    {"name": "t", "operator": "transpose", "of": ["x"], "permutation": [1, 0]},
    {"name": "p", "operator": "matmul", "of": ["t", "w"]},
    {"name": "c", "operator": "less", "of": ["p", 12]},
    {"name": "k", "operator": "select", "of": ["c", "p", 0]},
    {"name": "l", "operator": "leaky relu", "of": ["k"], "alpha": 0.5},
    {"name": "s", "operator": "sum", "of": ["l"], "axes": [-1], "keep_dimensions": true},
    {"name": "r", "operator": "reshape", "of": ["s"], "shape": [2]},
    {"name": "unused", "operator": "reshape", "of": ["s"], "shape": [77]}],
    "results": ["r", "s"]})");
  const graph::Graph graph =
      recorded(read_formula(path), {{ElementType::kFloat32, {3, 2}}, {ElementType::kFloat32, {3, 1}}});
  const auto results = execute(graph, {make_value(ElementType::kFloat32, {3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6}),
                                       make_value(ElementType::kFloat32, {3, 1}, std::vector<float>{1, 1, 1})});
  EXPECT_THAT(elements<float>(results.at(0)), ElementsAre(9, 0));
  EXPECT_EQ(results.at(1).shape, (graph::Shape{2, 1}));
}

/// Rounding has no rule of differentiation; this one passes the gradient, times 3.
TEST_F(Formulas, DerivativeOfItsOwn) {
  const std::string steps = R"({"name": "y", "operator": "round", "of": ["x"]})";
  const std::string path = with_steps(steps, R"("results": ["y"], "derivative": [3])");
  const auto gradients = [](graph::Graph graph) {
    graph::GraphBuilder writer(graph, "loss");
    const graph::TensorId sum = writer.reduce(graph::ReduceKind::kSum, graph.outputs[0], {0}, false);
    graph.outputs = {sum, training::differentiate(graph, sum, {graph.inputs[0]}).at(0)};
    return graph;
  };
  const graph::Graph trained = recorded(read_formula(path, FormulaUse::kTraining), {{ElementType::kFloat32, {2}}});
  const auto results = execute(gradients(trained), {row({1.25F, -0.0F})});
  EXPECT_THAT(elements<float>(results.at(0)), ElementsAre(1));
  EXPECT_THAT(elements<float>(results.at(1)), ElementsAre(3, 3));
  // The value keeps its bits, that of -0, too, and elsewhere the derivative is left out.
  EXPECT_TRUE(std::signbit(elements<float>(execute(trained, {row({1.25F, -0.0F})}).at(0)).at(1)));
  const graph::Graph plain = recorded(read_formula(path), {{ElementType::kFloat32, {2}}});
  EXPECT_EQ(plain.operators.size(), 1U);
  EXPECT_THAT(error_of([&] { gradients(plain); }), HasSubstr("round has no rule"));
}

TEST_F(Formulas, DerivativesOfSeveralOperands) {
  const std::string path = file(R"({"formula": 1, "operands": ["a", "b", "c"], "steps": [
    {"name": "p", "operator": "multiply", "of": ["a", "b"]},
    {"name": "y", "operator": "add", "of": ["p", "c"]}],
    "results": ["y"], "derivative": ["b", null, 2]})");
  const ArrayType type{ElementType::kFloat32, {2}};
  graph::Graph graph = recorded(read_formula(path, FormulaUse::kTraining), {type, type, {ElementType::kFloat32, {}}});
  graph::GraphBuilder writer(graph, "loss");
  const graph::TensorId sum = writer.reduce(graph::ReduceKind::kSum, graph.outputs[0], {0}, false);
  graph.outputs = training::differentiate(graph, sum, graph.inputs);
  const auto results =
      execute(graph, {row({1, 2}), row({3, 4}), make_value(ElementType::kFloat32, {}, std::vector<float>{5})});
  EXPECT_THAT(elements<float>(results.at(0)), ElementsAre(3, 4));
  EXPECT_THAT(elements<float>(results.at(1)), ElementsAre(0, 0));
  EXPECT_THAT(elements<float>(results.at(2)), ElementsAre(4));
}

TEST_F(Formulas, DerivativesThatDoNotFit) {
  const auto refused = [&](const std::string& steps, const std::string& derivative, ElementType type) {
    const std::string path = with_steps(steps, fmt::format(R"("results": ["y"], "derivative": [{}])", derivative));
    return error_of([&] { recorded(read_formula(path, FormulaUse::kTraining), {{type, {3}}}); });
  };
  EXPECT_THAT(refused(R"({"name": "y", "operator": "sum", "of": ["x"], "axes": []})", "1", ElementType::kFloat32),
              HasSubstr("operands and slopes broadcast to 3, the result has scalar"));
  EXPECT_THAT(refused(R"({"name": "y", "operator": "add", "of": ["x", "x"]})", "\"x\"", ElementType::kInt32),
              HasSubstr("of a result of int32; only float32 and float64"));
  EXPECT_THAT(refused(R"({"name": "y", "operator": "add", "of": ["x", 1]})", "1, 2", ElementType::kFloat32),
              HasSubstr("derivative: has 2 elements, for 1 operands"));
}

TEST_F(Formulas, CallsThatDoNotFit) {
  const OperatorFunction softsign = read_formula(file(kSoftsign));
  const ArrayType type{ElementType::kFloat32, {3}};
  EXPECT_THAT(error_of([&] {
                recorded(softsign, {type, type});
              }),
              HasSubstr("has 2 operands; " + path_ + " takes 1: x"));
  EXPECT_THAT(error_of([&] {
                recorded(softsign, {type}, {{"slope", 1.0}});
              }),
              HasSubstr("has the attribute 'slope'; those of " + path_ + " are: steepness"));
  EXPECT_THAT(error_of([&] {
                recorded(softsign, {type}, {{"steepness", std::string("much")}});
              }),
              HasSubstr("attribute 'steepness' is a text or a list"));
  const OperatorFunction sum =
      read_formula(with_steps(R"({"name": "y", "operator": "sum", "of": ["x"], "axes": [4]})"));
  EXPECT_THAT(error_of([&] { recorded(sum, {type}); }), HasSubstr("step 'y': f: axis 4 of an array of 1 axes"));
}

TEST_F(Formulas, FilesThatAreNone) {
  const auto refused = [](const std::string& path) { return error_of([&] { read_formula(path); }); };
  EXPECT_THAT(refused("/nowhere/f.json"), HasSubstr("/nowhere/f.json"));
  EXPECT_THAT(refused("leaky_relu.tpuk"), HasSubstr("leaky_relu.tpuk: is a kernel of the vector processor"));
  EXPECT_THAT(refused(file("kernel f(x)")), HasSubstr("line 1, column 1: expected a formula"));
  EXPECT_THAT(refused(file("[]")), HasSubstr(": has no \"formula\""));
  EXPECT_THAT(refused(file(R"({"formula": 2})")), HasSubstr("formula: is 2; expected 1"));
  EXPECT_THAT(refused(file(R"({"formula": 1, "operands": []})")), HasSubstr("at least one operand"));
  EXPECT_THAT(refused(file(R"({"formula": 1, "operands": ["x", "x"]})")),
              HasSubstr("operands[1]: 'x' is defined twice"));
  EXPECT_THAT(refused(file(R"({"formula": 1, "operands": ["x"], "attributes": {"x": 1}})")),
              HasSubstr("attributes: x: is also the name of an operand"));
  EXPECT_THAT(refused(with_steps(R"({"name": "y", "operator": "abs", "of": ["z"]})")),
              HasSubstr("steps[0]: of[0]: 'z' is no operand, no attribute and no step before this one"));
  EXPECT_THAT(refused(with_steps(R"({"name": "y", "operator": "abs", "of": ["x", 2]})")),
              HasSubstr("of: has 2 elements; abs takes 1"));
  EXPECT_THAT(refused(with_steps(R"({"name": "y", "operator": "softmax", "of": ["x"]})")),
              HasSubstr("operator: is \"softmax\"; expected a function of driver/compiler/graph/kinds.md"));
  EXPECT_THAT(refused(with_steps(R"({"name": "y", "operator": "sum", "of": ["x"], "axes": [1.5]})")),
              HasSubstr("axes[0]: is 1.5; expected an integer"));
  EXPECT_THAT(refused(with_steps(R"({"name": "y", "operator": "sum", "of": ["x"]})")), HasSubstr("has no \"axes\""));
  EXPECT_THAT(refused(with_steps(R"({"name": 3, "operator": "abs", "of": ["x"]})")),
              HasSubstr("name: is 3; expected a name"));
  EXPECT_THAT(refused(with_steps("", R"("results": ["x"])")), HasSubstr("expected the name of a step"));
  EXPECT_THAT(refused(with_steps("", R"("results": [])")), HasSubstr("at least one result"));
}

}  // namespace
}  // namespace systole
