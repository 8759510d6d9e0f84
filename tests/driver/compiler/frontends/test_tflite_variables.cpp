// SPDX-License-Identifier: Apache-2.0
// Variables and subgraphs of TensorFlow Lite files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import_tflite.hpp"
#include "model_builder.hpp"
#include "systole/execute.hpp"
#include "systole/graph_state.hpp"

namespace systole::graph::test {
namespace {

using Floats = std::vector<float>;
using format::Options;
using testing::HasSubstr;

TensorSpec floats(const Floats& values) {
  return {{static_cast<std::int32_t>(values.size())}, ElementKind::FLOAT32, bytes_of(values)};
}

/// The answers of the network to one number after the other.
class Stream {
 public:
  explicit Stream(const Bytes& model) : graph_(import_tflite(model, "m")), state_(graph_) {}

  float operator()(float x) {
    const std::vector<Value> sample = {make_value(ElementType::kFloat32, {1}, Floats{x})};
    return elements<float>(state_.without_states(execute(graph_, state_.with_states(sample))).at(0)).at(0);
  }
  void reset() { state_.reset(); }
  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
  GraphState state_;
};

std::string complaint(const Bytes& model) {
  try {
    import_tflite(model, "m");
  } catch (const GraphError& error) {
    return error.what();
  }
  return "none";
}

/// sum = sum + x, which is the output. The first sum is given by an initializing subgraph, if it is not empty.
Bytes adding(const Floats& first) {
  ModelBuilder m;
  const auto x = m.tensor({{1}});
  if (!first.empty()) {
    m.op(Code::CALL_ONCE, {}, {}, Options::CallOnceOptions, format::CreateCallOnceOptions(m.builder, 1).Union());
  }
  const auto sum = m.variable("sum");
  const auto before = m.tensor({{1}}), after = m.tensor({{1}});
  m.op(Code::READ_VARIABLE, {sum}, {before});
  m.op(Code::ADD, {before, x}, {after});
  m.op(Code::ASSIGN_VARIABLE, {sum, after}, {});
  m.end_subgraph({x}, {after});
  if (!first.empty()) {
    m.op(Code::ASSIGN_VARIABLE, {m.variable("sum"), m.tensor(floats(first))}, {});
    m.end_subgraph({}, {});
  }
  return m.finish();
}

TEST(Variables, LiveFromRunToRun) {
  Stream sum(adding({}));
  EXPECT_EQ(sample_inputs(sum.graph()).size(), 1U);
  EXPECT_EQ(sample_outputs(sum.graph()).size(), 1U);
  EXPECT_EQ(sum(3), 3);  // a variable without a first value begins with 0
  EXPECT_EQ(sum(4), 7);
  sum.reset();
  EXPECT_EQ(sum(5), 5);
}

TEST(Variables, BeginWithWhatIsAssignedOnce) {
  Stream sum(adding({100}));
  EXPECT_EQ(sum(3), 103);
  EXPECT_EQ(sum(4), 107);
  EXPECT_THAT(complaint(adding({1, 2})), HasSubstr("is initialized with 8 bytes"));
}

TEST(Variables, WithoutAFirstValueBeginWithTheZeroPoint) {
  ModelBuilder m;
  const auto byte = [&] { return m.tensor({{2}, ElementKind::INT8, {}, {0.5F}, {-7}}); };
  const auto x = byte(), before = byte();
  const auto last = m.variable("last");
  m.op(Code::READ_VARIABLE, {last}, {before});
  m.op(Code::ASSIGN_VARIABLE, {last, x}, {});
  const Graph graph = import_tflite(m.finish({x}, {before}), "m");
  ASSERT_EQ(graph.states.size(), 1U);
  EXPECT_EQ(*graph.states[0], (Bytes{249, 249}));
}

TEST(Variables, AreReadAndAssignedInTheOrderOfTheFile) {
  // Reads before, between and after two assignments: 10 * last + x, where the second assignment wins.
  ModelBuilder m;
  const auto x = m.tensor({{1}});
  const auto v = m.variable("v");
  const auto before = m.tensor({{1}}), tens = m.tensor({{1}}), between = m.tensor({{1}}), sum = m.tensor({{1}}),
             after = m.tensor({{1}});
  m.op(Code::READ_VARIABLE, {v}, {before});
  m.op(Code::MUL, {before, m.tensor(floats({10}))}, {tens});
  m.op(Code::ASSIGN_VARIABLE, {v, tens}, {});
  m.op(Code::READ_VARIABLE, {v}, {between});
  m.op(Code::ADD, {between, x}, {sum});
  m.op(Code::ASSIGN_VARIABLE, {v, sum}, {});
  m.op(Code::READ_VARIABLE, {v}, {after});
  Stream digits(m.finish({x}, {after}));
  EXPECT_EQ(digits(1), 1);
  EXPECT_EQ(digits(2), 12);
  EXPECT_EQ(digits(3), 123);
  EXPECT_EQ(digits.graph().states.size(), 1U);
}

TEST(Variables, ThatAreOnlyReadAreConstants) {
  ModelBuilder m;
  const auto x = m.tensor({{1}});
  m.op(Code::CALL_ONCE, {}, {}, Options::CallOnceOptions, format::CreateCallOnceOptions(m.builder, 1).Union());
  const auto bias = m.tensor({{1}}), y = m.tensor({{1}});
  m.op(Code::READ_VARIABLE, {m.variable("bias")}, {bias});
  m.op(Code::ADD, {x, bias}, {y});
  m.end_subgraph({x}, {y});
  m.op(Code::ASSIGN_VARIABLE, {m.variable("bias"), m.tensor(floats({2}))}, {});
  m.end_subgraph({}, {});
  Stream network(m.finish());
  EXPECT_TRUE(network.graph().states.empty());
  EXPECT_EQ(network(1), 3);
  EXPECT_EQ(network(1), 3);
}

TEST(Variables, OfOtherShapesAreRefused) {
  ModelBuilder m;
  const auto x = m.tensor({{2}});
  const auto v = m.variable("v");
  const auto before = m.tensor({{1}}), y = m.tensor({{2}});
  m.op(Code::READ_VARIABLE, {v}, {before});
  m.op(Code::ADD, {before, x}, {y});
  m.op(Code::ASSIGN_VARIABLE, {v, y}, {});
  EXPECT_THAT(complaint(m.finish({x}, {y})), HasSubstr("both need the same shape, type and quantization"));
}

TEST(Variables, OfOtherTypesAndScalesAreRefused) {
  ModelBuilder m;
  const auto x = m.tensor({{1}, ElementKind::INT8, {}, {0.5F}, {-7}});
  const auto y = m.tensor({{1}, ElementKind::INT8, {}, {0.25F}, {3}});
  const auto v = m.variable("v");
  m.op(Code::ASSIGN_VARIABLE, {v, x}, {});
  m.op(Code::READ_VARIABLE, {v}, {y});
  EXPECT_THAT(complaint(m.finish({x}, {y})), HasSubstr("is read from a variable whose value has"));

  ModelBuilder typed;
  const auto in = typed.tensor({{1}}), bias = typed.tensor({{1}}), sum = typed.tensor({{1}});
  typed.op(Code::CALL_ONCE, {}, {}, Options::CallOnceOptions, format::CreateCallOnceOptions(typed.builder, 1).Union());
  typed.op(Code::READ_VARIABLE, {typed.variable("v")}, {bias});
  typed.op(Code::ADD, {in, bias}, {sum});
  typed.end_subgraph({in}, {sum});
  const auto seven = typed.tensor({{1}, ElementKind::INT32, bytes_of<std::int32_t>({7})});
  typed.op(Code::ASSIGN_VARIABLE, {typed.variable("v"), seven}, {});
  typed.end_subgraph({}, {});
  EXPECT_THAT(complaint(typed.finish()), HasSubstr("both need the same type"));
}

/// if (condition) y = x + 1; else y = 2 * x.
Bytes branching(const TensorSpec& condition, const std::vector<std::int32_t>& more_inputs = {}) {
  ModelBuilder m;
  const auto x = m.tensor({{1}}), decides = m.tensor(condition), y = m.tensor({{1}});
  std::vector<std::int32_t> inputs = {decides, x};
  inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
  m.op(Code::IF, inputs, {y}, Options::IfOptions, format::CreateIfOptions(m.builder, 1, 2).Union());
  m.end_subgraph(condition.data.empty() ? std::vector<std::int32_t>{x, decides} : std::vector<std::int32_t>{x}, {y});
  for (const auto& [code, number] : {std::pair{Code::ADD, 1.0F}, {Code::MUL, 2.0F}}) {
    const auto given = m.tensor({{1}}), made = m.tensor({{1}});
    m.op(code, {given, m.tensor(floats({number}))}, {made});
    m.end_subgraph({given}, {made});
  }
  return m.finish();
}

TEST(Branches, WithAConstantConditionAreTaken) {
  EXPECT_EQ(Stream(branching({{1}, ElementKind::BOOL, Bytes{1}}))(5), 6);
  EXPECT_EQ(Stream(branching({{}, ElementKind::BOOL, Bytes{0}}))(5), 10);
}

TEST(Branches, ThatCannotBeTakenAreRefused) {
  EXPECT_THAT(complaint(branching({{1}, ElementKind::BOOL})),
              HasSubstr("operator 0 (IF): the condition (tensor 't1' (1 bool)) must be one constant bool"));
  EXPECT_THAT(complaint(branching({{1}, ElementKind::BOOL, Bytes{1}}, {0})),
              HasSubstr("it gives 2 inputs and takes 1 outputs; subgraph 1 has 1 and 1"));
}

TEST(Branches, OfThemselvesAreRefused) {
  ModelBuilder m;
  const auto x = m.tensor({{1}}), yes = m.tensor({{1}, ElementKind::BOOL, Bytes{1}}), y = m.tensor({{1}});
  m.op(Code::IF, {yes, x}, {y}, Options::IfOptions, format::CreateIfOptions(m.builder, 0, 0).Union());
  EXPECT_THAT(complaint(m.finish({x}, {y})), HasSubstr("subgraphs call each other more than 16 deep"));
}

TEST(Branches, ThatMultiplyAreRefused) {
  // 200 calls of a subgraph with 200 calls, and so on: 200^8 operators.
  ModelBuilder m;
  const auto x = m.tensor({{1}}), y = m.tensor({{1}});
  constexpr int kSubgraphs = 8, kCalls = 200;
  for (int next = 1; next <= kSubgraphs; ++next) {
    m.op(Code::CALL_ONCE, {}, {}, Options::CallOnceOptions, format::CreateCallOnceOptions(m.builder, next).Union());
    m.repeat_last_operator(kCalls - 1);
    next == 1 ? m.end_subgraph({x}, {y}) : m.end_subgraph({}, {});
  }
  m.end_subgraph({}, {});
  EXPECT_THAT(complaint(m.finish()), HasSubstr("expanded, they are several times its size"));
}

TEST(Branches, NameThePlaceOfAnErrorWithin) {
  ModelBuilder m;
  const auto x = m.tensor({{1}}), yes = m.tensor({{1}, ElementKind::BOOL, Bytes{1}}), y = m.tensor({{1}});
  m.op(Code::IF, {yes, x}, {y}, Options::IfOptions, format::CreateIfOptions(m.builder, 1, 1).Union());
  m.end_subgraph({x}, {y});
  const auto given = m.tensor({{1}}), made = m.tensor({{1}});
  m.op(Code::CUSTOM, {given}, {made});
  m.end_subgraph({given}, {made});
  EXPECT_THAT(complaint(m.finish()),
              HasSubstr("operator 0 (IF), subgraph 1, operator 0 (custom operator ''): is not supported"));
}

}  // namespace
}  // namespace systole::graph::test
