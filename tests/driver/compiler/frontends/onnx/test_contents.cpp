// SPDX-License-Identifier: Apache-2.0
// Files are read to their end whatever is unsupported in them, and everything is reported; nodes may be in any order;
// open dimensions can be set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx_builder.hpp"

namespace systole::graph::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ModelContents read(const OnnxBuilder& b, const OnnxOptions& options = {}) { return read_onnx(b.bytes(), "m", options); }

std::string complaint(const OnnxBuilder& b, const OnnxOptions& options = {}) {
  try {
    read(b, options);
    return "nothing";
  } catch (const GraphError& error) {
    return error.what();
  }
}

std::vector<std::string> origins(const Graph& graph) {
  std::vector<std::string> names;
  for (const Operator& op : graph.operators) {
    names.push_back(op.origin);
  }
  return names;
}

void open(OnnxBuilder& b, int input, int axis, const char* name) {
  auto* dimension =
      b.graph().mutable_input(input)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(axis);
  dimension->clear_dim_value();
  if (*name != '\0') {
    dimension->set_dim_param(name);
  }
}

void describe(OnnxBuilder& b, const std::string& name, const std::vector<std::int64_t>& shape) {
  auto* info = b.graph().add_value_info();
  info->set_name(name);
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t dimension : shape) {
    tensor->mutable_shape()->add_dim()->set_dim_value(dimension);
  }
}

TEST(Contents, NodesInAnyOrder) {
  OnnxBuilder b;
  b.input("x", {3});
  b.node("Neg", {"b"}, "y");
  b.node("Add", {"a", "x"}, "b");
  b.node("Abs", {"x"}, "a");
  b.output("y");
  const Graph graph = b.import();
  EXPECT_THAT(origins(graph), ElementsAre("Abs", "Add", "Neg"));
  EXPECT_EQ(
      elements<float>(execute(graph, {make_value(ElementType::kFloat32, {3}, std::vector<float>{-1, 2, -3})}).at(0)),
      (std::vector<float>{0, -4, 0}));
}

TEST(Contents, ErrorNamesCycle) {
  OnnxBuilder b;
  b.input("x", {3});
  b.node("Abs", {"x"}, "a");
  b.node("Add", {"a", "c"}, "b").set_name("first");
  b.node("Neg", {"b"}, "c").set_name("second");
  b.output("c");
  EXPECT_EQ(complaint(b),
            "nodes form a cycle: node 1 (Add 'first') depends on node 2 "
            "(Neg 'second'), "
            "which depends on node 1 (Add 'first')");
}

TEST(Contents, ReportsAllObstacles) {
  OnnxBuilder b;
  b.input("x", {1, 2, 4, 4}).constant<std::int64_t>("k", {1}, {3});
  b.node("Relu", {"x"}, "a");
  b.node("Frobnicate", {"a"}, "b").set_name("first");
  b.node("Neg", {"b"}, "c");          // of unknown shape
  b.node("Unwind", {"c", "k"}, "d");  // unsupported nevertheless
  b.node("Frobnicate", {"a"}, "e").set_name("second");
  describe(b, "e", {1, 2, 4, 4});
  b.node("Abs", {"e"}, "f");
  b.output("d").output("f");
  const ModelContents contents = read(b);
  ASSERT_THAT(contents.obstacles, SizeIs(3));
  EXPECT_EQ(contents.obstacles[0].place, 1);
  EXPECT_EQ(contents.obstacles[0].type, "Frobnicate");
  EXPECT_EQ(contents.obstacles[0].name, "first");
  EXPECT_EQ(contents.obstacles[0].kind, "unknown operator");
  EXPECT_EQ(contents.obstacles[1].type, "Unwind");
  EXPECT_EQ(contents.obstacles[2].place, 4);
  ASSERT_THAT(contents.unread, SizeIs(4));
  EXPECT_TRUE(contents.unread[1].waits);
  EXPECT_FALSE(contents.unread[2].waits);
  // The part that could be read is a graph: from the inputs to the unsupported operators, and after them from shapes
  // that the file declares.
  EXPECT_THAT(origins(contents.graph), ElementsAre("Relu", "Abs"));
  EXPECT_NO_THROW(validate(contents.graph));
  EXPECT_EQ(contents.places.at(contents.graph.operators[1].name), 5);
  EXPECT_EQ(summary(contents.obstacles),
            "3 obstacles: 2 x Frobnicate (unknown operator), 1 x Unwind (unknown operator); systole inspect lists "
            "them. The first: node 1 "
            "(Frobnicate 'first'): is not supported");
  try {
    b.import();
    FAIL() << "imported";
  } catch (const GraphError& error) {
    EXPECT_EQ(error.what(), summary(contents.obstacles));
  }
}

TEST(Contents, ReportsErrorsOfSeveralNodes) {
  OnnxBuilder b;
  b.input("x", {2, 3}).input("z", {4, 5});
  b.node("Add", {"x", "z"}, "a");
  set_int(b.node("Softmax", {"x"}, "b"), "axis", 7);
  b.output("a").output("b");
  const ModelContents contents = read(b);
  ASSERT_THAT(contents.obstacles, SizeIs(2));
  EXPECT_EQ(contents.obstacles[0].kind, "wrong file");
  EXPECT_THAT(contents.obstacles[0].text, HasSubstr("node 0 (Add ''): Binary: shapes 2x3 and 4x5 cannot be broadcast"));
  EXPECT_THAT(contents.obstacles[1].text, HasSubstr("axis 7 of 2 dimensions"));
}

TEST(Contents, ReportsUnsupportedConstantOnce) {
  OnnxBuilder b(21);
  b.model.set_ir_version(10);
  b.input("x", {1, 4}).constant<std::int8_t>("w", {2}, {1, 2});
  b.graph().mutable_initializer(0)->set_data_type(22);
  b.node("MatMul", {"x", "w"}, "y");
  b.node("MatMul", {"x", "w"}, "z");
  b.output("y").output("z");
  const ModelContents contents = read(b);
  ASSERT_THAT(contents.obstacles, SizeIs(1));
  EXPECT_EQ(contents.obstacles[0].kind, "element type");
  EXPECT_THAT(contents.obstacles[0].text, HasSubstr("constant 'w': element type INT4 is not supported"));
  EXPECT_THAT(contents.unread, SizeIs(2));
}

TEST(Contents, DynamicDimensionsByNameOrAxis) {
  OnnxBuilder b;
  b.input("x", {1, 7, 3}).input("z", {1, 7, 3});
  open(b, 0, 0, "batch");
  open(b, 0, 1, "sequence");
  open(b, 1, 1, "");
  b.node("Add", {"x", "z"}, "y");
  b.output("y");
  OnnxOptions options;
  options.batch = 1;
  const ModelContents without = read(b, options);
  ASSERT_THAT(without.obstacles, SizeIs(2));
  EXPECT_EQ(without.obstacles[0].kind, "dynamic shape");
  EXPECT_THAT(without.obstacles[0].text, HasSubstr("input 'x': dimension 1 ('sequence') is dynamic"));
  EXPECT_THAT(without.obstacles[0].remedy, HasSubstr("--dimension NAME=SIZE"));
  EXPECT_THAT(without.obstacles[1].text, HasSubstr("input 'z': dimension 1 ('z:1') is dynamic"));
  ASSERT_THAT(without.open, SizeIs(3));
  EXPECT_EQ(without.open[0].size, 1);
  EXPECT_EQ(without.open[1].name, "sequence");
  EXPECT_FALSE(without.open[1].size);

  options.dimensions = {{"sequence", 5}, {"z:1", 5}};
  const ModelContents with = read(b, options);
  EXPECT_THAT(with.obstacles, IsEmpty());
  EXPECT_EQ(with.graph.tensor(with.graph.outputs[0]).shape, (Shape{1, 5, 3}));
  options.dimensions["x:0"] = 4;
  EXPECT_EQ(read(b, options).graph.tensor(0).shape, (Shape{4, 5, 3}));

  options.dimensions = {{"sequences", 5}};
  EXPECT_EQ(complaint(b, options),
            "dimension 'sequences' is given, but the file has no dynamic dimension of this name; it has: 'batch' (axis "
            "0 of input "
            "'x'), 'sequence' (axis 1 of input 'x'), 'z:1' (axis 1 of input 'z')");
  options.dimensions = {{"sequence", 0}, {"z:1", 5}};
  EXPECT_THAT(complaint(b, options), HasSubstr("dimension 'sequence' of 0; the range is 1 .."));
}

TEST(Contents, NewerFilesAreRead) {
  for (const auto& [ir, opset] : {std::pair{9, 18}, std::pair{10, 21}, std::pair{11, 23}, std::pair{14, 28}}) {
    OnnxBuilder b(opset);
    b.model.set_ir_version(ir);
    b.input("x", {1, 2, 4, 4}).constant("w", {3, 2, 3, 3}, some<float>(54)).node("Conv", {"x", "w"}, "c");
    b.node("Relu", {"c"}, "y");
    b.output("y");
    const ModelContents contents = read(b);
    EXPECT_THAT(contents.obstacles, IsEmpty()) << opset;
    EXPECT_EQ(contents.format, "ONNX, operator set " + std::to_string(opset));
  }
}

TEST(Contents, ReportsNewerVersionsAndContinues) {
  OnnxBuilder b(99);
  b.model.set_ir_version(77);
  b.input("x", {3}).node("Relu", {"x"}, "y");
  b.output("y");
  const ModelContents contents = read(b);
  ASSERT_THAT(contents.obstacles, SizeIs(2));
  EXPECT_EQ(contents.obstacles[0].text, "version 77 of the format; 1 .. 14 are known");
  EXPECT_EQ(contents.obstacles[1].text, "operator set 99; 1 .. 28 are known");
  EXPECT_THAT(origins(contents.graph), ElementsAre("Relu"));
}

// -- Constant folding.

/// `operators` additions, each of the one before and of a constant with `size` floats that a node of the file makes.
OnnxBuilder additions(int operators, std::int64_t size) {
  OnnxBuilder b;
  b.input("x", {1}).constant<std::int64_t>("shape", {1}, {size}).constant<std::int64_t>("zero", {1}, {0});
  b.node("ConstantOfShape", {"shape"}, "a0");
  for (int i = 0; i < operators; ++i) {
    b.node("Add", {"a" + std::to_string(i), "a" + std::to_string(i)}, "a" + std::to_string(i + 1));
  }
  b.node("Gather", {"a" + std::to_string(operators), "zero"}, "last");
  b.node("Add", {"x", "last"}, "y");
  b.output("y");
  return b;
}

TEST(Folding, FreesUnusedConstants) {
  OnnxOptions options;
  options.constant_bytes = 1 << 20;
  // Seven times a quarter of the limit, of which two are in use at a time.
  const ModelContents contents = read(additions(6, 1 << 16), options);
  EXPECT_THAT(contents.obstacles, IsEmpty()) << contents.obstacles.at(0).text;
  std::size_t bytes = 0;
  for (const Tensor& tensor : contents.graph.tensors) {
    bytes += tensor.constant ? tensor.constant->size() : 0;
  }
  EXPECT_EQ(bytes, 4U);
}

TEST(Folding, IsBoundedAtOnceAndInTotal) {
  OnnxOptions options;
  options.constant_bytes = 1 << 20;
  const ModelContents large = read(additions(1, (1 << 18) + (1 << 14)), options);
  ASSERT_THAT(large.obstacles, SizeIs(1));
  EXPECT_EQ(large.obstacles[0].kind, "too large");
  EXPECT_THAT(large.obstacles[0].text, HasSubstr("node 0 (ConstantOfShape ''): computes 1114112 bytes from constants, "
                                                 "in addition to 0 in use and 0 in the past; the limit is 104"));
  EXPECT_THAT(large.obstacles[0].remedy, HasSubstr("--constant-memory"));
  const ModelContents many = read(additions(60, 1 << 16), options);
  ASSERT_THAT(many.obstacles, SizeIs(1));
  EXPECT_THAT(many.obstacles[0].text, HasSubstr("at a time and 84"));
  EXPECT_GT(many.obstacles[0].place, 25);
  options.constant_bytes = 8 << 20;
  EXPECT_THAT(read(additions(60, 1 << 16), options).obstacles, IsEmpty());
}

}  // namespace
}  // namespace systole::graph::test
