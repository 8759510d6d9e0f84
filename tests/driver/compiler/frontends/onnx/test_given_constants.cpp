// SPDX-License-Identifier: Apache-2.0
// Inputs whose values are given become constants; texts and values must fit what the file declares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx_builder.hpp"

namespace systole::graph::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Floats = std::vector<float>;

OnnxOptions with(const std::string& name, GivenConstant given) {
  OnnxOptions options;
  options.constants.emplace(name, std::move(given));
  return options;
}

/// The sum of x [2,3] along axes, an input.
OnnxBuilder sums() {
  OnnxBuilder file;
  file.input("x", {2, 3}).input("axes", {1}, onnx::TensorProto::INT64).output("y");
  set_int(file.node("ReduceSum", {"x", "axes"}, "y"), "keepdims", 0);
  return file;
}

std::string complaint(const OnnxBuilder& file, const OnnxOptions& options) {
  try {
    file.import(options);
    return "nothing";
  } catch (const GraphError& error) {
    return error.what();
  }
}

TEST(GivenConstants, BecomePartOfTheNetwork) {
  for (const GivenConstant& given : {GivenConstant("[1]"), GivenConstant("1"), GivenConstant(" [ -1 ] "),
                                     GivenConstant(make_value<std::int64_t>(ElementType::kInt64, {1}, {1}))}) {
    const Graph graph = sums().import(with("axes", given));
    ASSERT_THAT(graph.inputs, SizeIs(1));
    const Value x = make_value(ElementType::kFloat32, {2, 3}, Floats{1, 2, 3, 4, 5, 6});
    EXPECT_THAT(elements<float>(execute(graph, {x}).at(0)), ElementsAre(6, 15));
  }
}

TEST(GivenConstants, AnObstacleNamesTheOption) {
  const ModelContents contents = read_onnx(sums().bytes(), "m");
  ASSERT_THAT(contents.obstacles, SizeIs(1));
  EXPECT_THAT(contents.obstacles[0].options, ElementsAre("--constant axes=VALUE"));
  EXPECT_EQ(contents.obstacles[0].text,
            "node 0 (ReduceSum ''): the axes ('axes') is computed at run time; it must be constant: "
            "--constant axes=VALUE (int64 of shape 1)");
}

TEST(GivenConstants, AParameterComputedFromInputsNamesThem) {
  OnnxBuilder file;
  file.input("x", {2, 3}).input("a", {2}, onnx::TensorProto::INT64).input("b", {2}, onnx::TensorProto::INT64);
  file.node("Add", {"a", "b"}, "shape");
  file.node("Reshape", {"x", "shape"}, "y");
  file.output("y");
  const ModelContents contents = read_onnx(file.bytes(), "m");
  ASSERT_THAT(contents.obstacles, SizeIs(1));
  EXPECT_THAT(contents.obstacles[0].options, ElementsAre("--constant a=VALUE", "--constant b=VALUE"));
  OnnxOptions options = with("a", "[1, 0]");
  options.constants.emplace("b", "[2,2]");
  const Graph graph = file.import(options);
  EXPECT_EQ(graph.tensor(graph.outputs[0]).shape, (Shape{3, 2}));
}

TEST(GivenConstants, OpenDimensionsTakeTheValuesSize) {
  OnnxBuilder file = sums();
  auto* shape = file.graph().mutable_input(1)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(0)->set_dim_param("n");
  const Graph graph = file.import(with("axes", "[0,1]"));
  EXPECT_EQ(graph.tensor(graph.outputs[0]).shape, Shape{});
  EXPECT_THAT(read_onnx(file.bytes(), "m", with("axes", "[0,1]")).open, IsEmpty());
}

TEST(GivenConstants, AnEmptyListIsNoAxes) {
  OnnxBuilder file = sums();
  auto* shape = file.graph().mutable_input(1)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(0)->set_dim_value(0);
  const Graph graph = file.import(with("axes", "[]"));
  EXPECT_THAT(graph.inputs, SizeIs(1));
  EXPECT_EQ(graph.tensor(graph.outputs[0]).shape, Shape{});  // all axes
}

TEST(GivenConstants, ReplaceDefaults) {
  OnnxBuilder file = sums();
  file.constant<std::int64_t>("axes", {1}, {0});
  EXPECT_EQ(file.import().tensor(file.import().outputs[0]).shape, Shape{3});
  const Graph graph = file.import(with("axes", "1"));
  EXPECT_EQ(graph.tensor(graph.outputs[0]).shape, Shape{2});
}

TEST(GivenConstants, RealNumbersAndTruthValues) {
  OnnxBuilder file;
  file.input("x", {3}).input("low", {}).input("high", {}).output("y").output("z");
  file.input("which", {3}, onnx::TensorProto::BOOL);
  file.node("Clip", {"x", "low", "high"}, "y");
  file.node("Where", {"which", "x", "y"}, "z");
  OnnxOptions options = with("low", "-0.5");
  options.constants.emplace("high", "inf");
  options.constants.emplace("which", "[true, false, 1]");
  const auto results = execute(file.import(options), {make_value(ElementType::kFloat32, {3}, Floats{-2, -1, 7})});
  EXPECT_THAT(elements<float>(results[0]), ElementsAre(-0.5F, -0.5F, 7));
  EXPECT_THAT(elements<float>(results[1]), ElementsAre(-2, -0.5F, 7));
}

TEST(GivenConstants, ErrorsNameWhatIsGivenAndWhatIsExpected) {
  const auto text = [](const char* given) { return complaint(sums(), with("axes", given)); };
  EXPECT_EQ(complaint(sums(), with("axis", "1")),
            "constant 'axis' is given, but the file has no input of this name; it has: 'x', 'axes'");
  EXPECT_EQ(text("[0,1]"), "constant 'axes' is given as int64 of shape 2; the input of the file is int64 of shape 1");
  EXPECT_THAT(text("1.5"), HasSubstr("'1.5' is not a whole number from -9223372036854775808 to 9223372036854775807"));
  EXPECT_THAT(text("[1"), HasSubstr("a list without a comma between its elements, or without its end"));
  EXPECT_THAT(text("[[1],[1,2]]"), HasSubstr("the elements of a list have different shapes"));
  EXPECT_THAT(text("[1]]"), HasSubstr("']' is left over"));
  EXPECT_THAT(text("one"), HasSubstr("expected int64 elements, as a number or a list such as [0,2]"));
  EXPECT_THAT(text(std::string(40, '[').c_str()), HasSubstr("more than 16 levels of lists"));
  EXPECT_EQ(complaint(sums(), with("axes", make_value<std::int32_t>(ElementType::kInt32, {1}, {1}))),
            "constant 'axes' is given as int32 of shape 1; the input of the file is int64 of shape 1");
  EXPECT_THAT(complaint(sums(), with("axes", Value{ElementType::kInt64, {1}, {}})), HasSubstr("0 bytes for shape 1"));
}

TEST(OpenDimensions, MinusOneIsOpen) {
  OnnxBuilder file;
  file.input("x", {-1, -1, 4}).output("y");
  file.node("Relu", {"x"}, "y");
  OnnxOptions options;
  options.batch = 1;
  const ModelContents contents = read_onnx(file.bytes(), "m", options);
  ASSERT_THAT(contents.obstacles, SizeIs(1));
  EXPECT_THAT(contents.obstacles[0].options, ElementsAre("--dimension x:1=SIZE"));
  options.dimensions["x:1"] = 5;
  const Graph graph = file.import(options);
  EXPECT_EQ(graph.tensor(graph.outputs[0]).shape, (Shape{1, 5, 4}));
}

TEST(EmptyInputs, StayInTheInterface) {
  OnnxBuilder file;
  file.input("past", {1, 0, 4}).input("x", {1, 2, 4}).output("y");
  set_int(file.node("Concat", {"past", "x"}, "y"), "axis", 1);
  const Graph graph = file.import();
  ASSERT_THAT(graph.inputs, SizeIs(2));
  EXPECT_EQ(graph.tensor(graph.inputs[0]).shape, (Shape{1, 0, 4}));
  const auto result = execute(graph, {Value{ElementType::kFloat32, {1, 0, 4}, {}},
                                      make_value(ElementType::kFloat32, {1, 2, 4}, Floats{1, 2, 3, 4, 5, 6, 7, 8})});
  EXPECT_THAT(elements<float>(result.at(0)), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(SmallFloats, AreComputedAsFloat32) {
  for (const auto& [type, in, out] : {std::tuple{onnx::TensorProto::FLOAT16, 0x3C00, 0x4200},
                                      std::tuple{onnx::TensorProto::BFLOAT16, 0x3F80, 0x4040}}) {
    OnnxBuilder file;
    file.input("x", {2}, type).output("y");
    file.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    onnx::TensorProto& two = *file.graph().add_initializer();
    two.set_name("two");
    two.set_data_type(type);
    two.add_int32_data(0x4000);  // 2 in both types
    file.node("Add", {"x", "two"}, "y");
    const Graph graph = file.import();
    const Tensor& x = graph.tensor(graph.inputs[0]);
    EXPECT_EQ(x.type, graph.tensor(graph.outputs[0]).type);
    EXPECT_EQ(element_size(x.type), 2U);
    ASSERT_THAT(graph.operators, SizeIs(3));
    EXPECT_EQ(graph.tensor(graph.operators[1].outputs[0]).type, ElementType::kFloat32);
    const Value value =
        make_value<std::uint16_t>(x.type, {2}, std::vector<std::uint16_t>(2, static_cast<std::uint16_t>(in)));
    EXPECT_THAT(elements<std::uint16_t>(execute(graph, {value}).at(0)), ElementsAre(out, out));
  }
}

TEST(SmallFloats, OutputsKeepNameAndType) {
  OnnxBuilder file;
  file.input("x", {2}).output("h").output("y");
  for (int i = 0; i < 2; ++i) {
    file.graph().mutable_output(i)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::BFLOAT16);
  }
  set_int(file.node("Cast", {"x"}, "h"), "to", onnx::TensorProto::BFLOAT16);
  file.node("Neg", {"h"}, "y");
  const Graph graph = file.import();
  for (const auto& [i, name] : {std::pair(0U, "h"), std::pair(1U, "y")}) {
    EXPECT_EQ(graph.tensor(graph.outputs.at(i)).name, name);
    EXPECT_EQ(graph.tensor(graph.outputs.at(i)).type, ElementType::kBfloat16);
  }
}

TEST(SmallFloats, ACastRounds) {
  OnnxBuilder file;
  file.input("x", {2}).output("y");
  set_int(file.node("Cast", {"x"}, "h"), "to", onnx::TensorProto::FLOAT16);
  set_int(file.node("Cast", {"h"}, "y"), "to", onnx::TensorProto::FLOAT);
  const Value x = make_value(ElementType::kFloat32, {2}, Floats{1.0001F, 70000});
  EXPECT_THAT(elements<float>(execute(file.import(), {x}).at(0)),
              ElementsAre(1, std::numeric_limits<float>::infinity()));
}

}  // namespace
}  // namespace systole::graph::test
