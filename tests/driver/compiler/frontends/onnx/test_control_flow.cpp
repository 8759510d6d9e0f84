// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan become part of the network; what decides them must be constant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx_builder.hpp"
#include "onnx_not_supported.hpp"

namespace systole::graph::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

void set_body(onnx::NodeProto& node, const char* name, const OnnxBuilder& body) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = body.model.graph();
}

std::string complaint(const OnnxBuilder& file, const OnnxOptions& options = {}) {
  try {
    file.import(options);
    return "nothing";
  } catch (const GraphError& error) {
    return error.what();
  }
}

OnnxRefusal refusal(const OnnxBuilder& file) {
  try {
    file.import();
  } catch (const OnnxNotSupported& refused) {
    return refused.reason();
  }
  throw std::logic_error("not refused");
}

Floats first_result(const Graph& graph, const Floats& x) {
  const Shape shape = graph.tensor(graph.inputs.at(0)).shape;
  return elements<float>(execute(graph, {make_value(ElementType::kFloat32, shape, x)}).at(0));
}

OnnxOptions with(const std::string& name, const std::string& value) {
  OnnxOptions options;
  options.constants.emplace(name, value);
  return options;
}

/// y = c ? x + x : w * x, where the second branch has a `w` of its own.
OnnxBuilder branches() {
  OnnxBuilder twice;
  twice.node("Add", {"x", "x"}, "r");
  twice.output("r");
  OnnxBuilder times;
  times.constant<float>("w", {2}, {10, 100}).node("Mul", {"w", "x"}, "w_x");
  times.output("w_x");
  OnnxBuilder file;
  file.input("x", {2}).input("c", {}, onnx::TensorProto::BOOL).constant<float>("w", {2}, {-1, -1});
  auto& node = file.node("If", {"c"}, "y");
  node.set_name("decide");
  set_body(node, "then_branch", twice);
  set_body(node, "else_branch", times);
  file.output("y");
  return file;
}

TEST(ControlFlow, OneBranchOfAnIfIsPartOfTheNetwork) {
  EXPECT_THAT(first_result(branches().import(with("c", "true")), {3, 4}), ElementsAre(6, 8));
  const Graph graph = branches().import(with("c", "false"));
  EXPECT_THAT(first_result(graph, {3, 4}), ElementsAre(30, 400));
  EXPECT_EQ(graph.tensor(graph.outputs.at(0)).name, "y");
  ASSERT_THAT(graph.operators, SizeIs(1));
  EXPECT_THAT(graph.operators[0].name, HasSubstr("decide/else_branch/"));
}

TEST(ControlFlow, AConditionThatIsNotConstantNamesTheOption) {
  const ModelContents contents = read_onnx(branches().bytes(), "m");
  ASSERT_THAT(contents.obstacles, SizeIs(1));
  EXPECT_EQ(contents.obstacles[0].text,
            "node 0 (If 'decide'): the condition ('c') is computed at run time; it must be constant: "
            "--constant c=VALUE (a bool scalar)");
  EXPECT_THAT(contents.obstacles[0].options, ElementsAre("--constant c=VALUE"));
}

/// Adds x to a sum in each of `count` iterations, whose sums are the second result; `goes_on`, of the iteration's
/// number i, is the condition.
OnnxBuilder sums(const std::string& count, const OnnxBuilder& goes_on) {
  OnnxBuilder body = goes_on;
  body.node("Add", {"sum", "x"}, "next");
  body.node("Identity", {"next"}, "copy");
  body.output("go").output("next").output("copy");
  OnnxBuilder file;
  file.input("x", {2}).constant<float>("zero", {2}, {0, 0}).constant<std::int64_t>("three", {}, {3});
  auto& node = file.node("Loop", {count, "", "zero"}, "y");
  node.set_name("sums");
  node.add_output("all");
  set_body(node, "body", body);
  file.output("y").output("all");
  return file;
}

OnnxBuilder always() {
  OnnxBuilder body;
  body.input("i", {}, onnx::TensorProto::INT64).input("on", {}, onnx::TensorProto::BOOL).input("sum", {2});
  body.node("Identity", {"on"}, "go");
  return body;
}

/// While i < last.
OnnxBuilder until(const std::string& last) {
  OnnxBuilder body;
  body.input("i", {}, onnx::TensorProto::INT64).input("on", {}, onnx::TensorProto::BOOL).input("sum", {2});
  body.constant<std::int64_t>("one", {}, {1}).node("Less", {"i", last}, "go");
  return body;
}

TEST(ControlFlow, LoopsAreUnrolled) {
  for (const OnnxBuilder& file : {sums("three", always()), sums("", until("one")), sums("three", until("three"))}) {
    const Graph graph = file.import();
    const std::vector<Value> results = execute(graph, {make_value(ElementType::kFloat32, {2}, Floats{1, 2})});
    const bool two = file.model.graph().node(0).input(0).empty();
    EXPECT_THAT(elements<float>(results.at(0)), two ? ElementsAre(2, 4) : ElementsAre(3, 6));
    EXPECT_EQ(results.at(1).shape, (Shape{two ? 2 : 3, 2}));
    EXPECT_EQ(elements<float>(results.at(1)), two ? (Floats{1, 2, 2, 4}) : (Floats{1, 2, 2, 4, 3, 6}));
  }
}

TEST(ControlFlow, ALoopWithoutIterationsHasItsFirstStates) {
  OnnxBuilder file = sums("none", always());
  file.constant<std::int64_t>("none", {}, {0});
  auto& copy = *file.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_output(2);
  EXPECT_THAT(complaint(file), HasSubstr("node 0 (Loop 'sums'): has no iteration, and the shape of its result 'copy' "
                                         "is not in the file"));
  copy.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(2);
  const Graph graph = file.import();
  EXPECT_EQ(graph.tensor(graph.outputs.at(1)).shape, (Shape{0, 2}));
  EXPECT_THAT(elements<float>(constant_value(graph.tensor(graph.outputs.at(0)))), ElementsAre(0, 0));
}

TEST(ControlFlow, AConditionOfDataNamesItsIteration) {
  OnnxBuilder body;
  body.input("i", {}, onnx::TensorProto::INT64).input("on", {}, onnx::TensorProto::BOOL).input("sum", {2});
  body.node("ReduceMax", {"sum"}, "most");
  body.node("Cast", {"most"}, "stop");
  body.node("Not", {"stop"}, "go");
  set_int(*body.graph().mutable_node(0), "keepdims", 0);
  set_int(*body.graph().mutable_node(1), "to", onnx::TensorProto::BOOL);
  EXPECT_THAT(complaint(sums("three", body)),
              HasSubstr("node 0 (Loop 'sums'): the condition after iteration 1 ('sums/1/go') is computed at run time; "
                        "it must be constant: --constant x=VALUE (float32 of shape 2)"));
}

TEST(ControlFlow, AnUnrolledFileHasALimit) {
  OnnxBuilder file = sums("many", always());
  file.constant<std::int64_t>("many", {}, {std::int64_t{1} << 60});
  EXPECT_EQ(refusal(file), OnnxRefusal::kTooLarge);
  EXPECT_THAT(complaint(file), HasSubstr("become more than 65536 operators, because they are unrolled"));
}

TEST(ControlFlow, ErrorsInABodyNameItsNode) {
  OnnxBuilder body = always();
  body.node("Frobnicate", {"x"}, "other").set_name("f");
  EXPECT_THAT(complaint(sums("three", body)),
              HasSubstr("node 0 (Loop 'sums'), body 0, node 1 (Frobnicate 'f'): is not supported"));
  EXPECT_EQ(refusal(sums("three", body)), OnnxRefusal::kUnknownOperator);
}

TEST(ControlFlow, InlinedNamesHideNoneOfTheFile) {
  OnnxBuilder file = branches();
  file.node("Neg", {"y"}, "decide/else_branch/w_x");
  file.output("decide/else_branch/w_x");
  const Graph graph = file.import(with("c", "0"));
  const std::vector<Value> results = execute(graph, {make_value(ElementType::kFloat32, {2}, Floats{3, 4})});
  EXPECT_THAT(elements<float>(results.at(0)), ElementsAre(30, 400));
  EXPECT_THAT(elements<float>(results.at(1)), ElementsAre(-30, -400));
}

/// In each iteration an If on its number, which reads the loop's state and the file's x.
TEST(ControlFlow, BodiesMayHaveBodies) {
  OnnxBuilder twice;
  twice.node("Add", {"sum", "sum"}, "r");
  twice.output("r");
  OnnxBuilder plus;
  plus.node("Add", {"sum", "x"}, "r");
  plus.output("r");
  OnnxBuilder body = always();
  body.constant<std::int64_t>("one", {}, {1}).node("Equal", {"i", "one"}, "second");
  auto& choice = body.node("If", {"second"}, "chosen");
  set_body(choice, "then_branch", twice);
  set_body(choice, "else_branch", plus);
  body.output("go").output("chosen");
  OnnxBuilder file;
  file.input("x", {2}).constant<std::int64_t>("three", {}, {3});
  set_body(file.node("Loop", {"three", "", "x"}, "y"), "body", body);
  file.output("y");
  EXPECT_THAT(first_result(file.import(), {1, 10}), ElementsAre(5, 50));  // ((x + x) 2) + x
}

/// A sum of the columns of a and the rows of b from the last on, and the differences, last first, as columns.
TEST(ControlFlow, ScansHaveAxesAndDirections) {
  OnnxBuilder body;
  body.input("s", {2}).input("n", {2}).input("p", {2}).input("q", {2});
  body.node("Add", {"p", "q"}, "both");
  body.node("Add", {"s", "both"}, "s_next");
  body.node("Neg", {"n"}, "n_next");
  body.node("Sub", {"p", "q"}, "difference");
  body.output("s_next").output("n_next").output("difference");
  OnnxBuilder file;
  file.input("a", {2, 3}).constant<float>("b", {3, 2}, {10, 20, 30, 40, 50, 60}).constant<float>("zero", {2}, {0, 0});
  file.constant<float>("ones", {2}, {1, 2});
  auto& node = file.node("Scan", {"zero", "ones", "a", "b"}, "sum");
  node.add_output("sign");
  node.add_output("differences");
  set_int(node, "num_scan_inputs", 2);
  set_ints(node, "scan_input_axes", {-1, 0});
  set_ints(node, "scan_input_directions", {0, 1});
  set_ints(node, "scan_output_axes", {1});
  set_ints(node, "scan_output_directions", {1});
  set_body(node, "body", body);
  file.output("sum").output("sign").output("differences");
  const Graph graph = file.import();
  const std::vector<Value> results =
      execute(graph, {make_value(ElementType::kFloat32, {2, 3}, Floats{1, 2, 3, 4, 5, 6})});
  EXPECT_THAT(elements<float>(results.at(0)), ElementsAre(96, 135));
  EXPECT_THAT(elements<float>(results.at(1)), ElementsAre(-1, -2));
  EXPECT_EQ(results.at(2).shape, (Shape{2, 3}));
  EXPECT_THAT(elements<float>(results.at(2)), ElementsAre(-7, -28, -49, -14, -35, -56));
}

TEST(ControlFlow, MalformedBodiesAreErrors) {
  OnnxBuilder missing;
  missing.input("x", {1}).constant<std::int64_t>("one", {}, {1}).node("If", {"one"}, "y");
  EXPECT_THAT(complaint(missing.output("y")), HasSubstr("attribute 'then_branch' is missing; expected a graph"));
  OnnxBuilder inputs = sums("three", always());
  inputs.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_input()->RemoveLast();
  EXPECT_THAT(complaint(inputs), HasSubstr("its body has 2 inputs; the node gives it 3"));
  OnnxBuilder outputs = sums("three", always());
  outputs.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_output()->RemoveLast();
  EXPECT_THAT(complaint(outputs), HasSubstr("its body has 2 outputs; the node needs 3"));
}

}  // namespace
}  // namespace systole::graph::test
