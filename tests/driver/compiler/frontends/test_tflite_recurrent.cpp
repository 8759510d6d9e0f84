// SPDX-License-Identifier: Apache-2.0
// Stateful operators in TensorFlow Lite files, and 16-bit activations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import_tflite.hpp"
#include "lstm_file.hpp"
#include "model_builder.hpp"
#include "systole/execute.hpp"

namespace systole::graph::test {
namespace {

using format::Options;
using testing::HasSubstr;

std::string error_of(const Bytes& bytes) {
  try {
    import_tflite(bytes, "m");
  } catch (const GraphError& error) {
    return error.what();
  }
  return "none";
}

TEST(Recurrent, StateStartsAtZeroPointForEverySample) {
  const Graph graph = import_tflite(LstmFile{}.bytes(), "m");
  ASSERT_EQ(graph.operators.size(), 1U);
  const Operator& op = graph.operators[0];
  EXPECT_EQ(std::get<Lstm>(op.kind).cell_clip, 10.0F);
  EXPECT_EQ(*graph.tensor(op.inputs[Lstm::kHidden]).constant, Bytes(3, 5));
  EXPECT_EQ(*graph.tensor(op.inputs[Lstm::kCell]).constant, Bytes(6, 0));
  EXPECT_EQ(useful_macs(graph, op), 4U * 4 * 3 * (2 + 3));
  const Value input = make_value<std::int8_t>(ElementType::kInt8, {1, 4, 2}, {1, 2, 3, 4, 50, 60, 70, 80});
  const Bytes first = execute(graph, {input}).at(0).data;
  EXPECT_NE(first, Bytes(12, 5));
  EXPECT_EQ(execute(graph, {input}).at(0).data, first);
}

TEST(Recurrent, RejectsUnsupportedExtensions) {
  LstmFile file;
  file.present = 9;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("peephole weights (input 9)"));
  file.present = 16;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("projection weights (input 16)"));
  file.present = 23;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("layer normalization weights (input 23)"));
  file = {};
  file.absent = 1;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("coupled input and forget gates"));
  file.absent = 13;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("input 13 is missing"));
  file.absent = 19;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("input 19, the state, is missing"));
  file = {};
  file.activation = format::FusedActivation::RELU;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("TANH is supported"));
  file = {};
  file.cell_scale = 0.0006F;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("the scale of the cell state must be a power of two"));
  file = {};
  file.hidden_zero_point = 6;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("both must have the same quantization"));
}

TEST(Recurrent, StateIsVariableOfOneOperator) {
  LstmFile file;
  file.variable = false;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("must be a variable"));
  file = {};
  file.shared_state = true;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("is already the state of another operator"));
  file = {};
  file.batch = 1 << 20;
  EXPECT_THAT(error_of(file.bytes()), HasSubstr("use smaller batches"));
  ModelBuilder m;
  const auto variable = m.tensor({{1, 3}, ElementKind::INT8, {}, {1.0F}, {0}, 0, true});
  const auto output = m.tensor({{1, 3}, ElementKind::INT8, {}, {1.0F}, {0}});
  m.op(Code::RELU, {variable}, {output});
  EXPECT_THAT(error_of(m.finish({}, {output})), HasSubstr("only as the state of an operator"));
}

TEST(Int16, DenseSumsOf64BitsWithAndWithoutBias) {
  for (const bool with_bias : {false, true}) {
    ModelBuilder m;
    const auto input = m.tensor({{1, 2}, ElementKind::INT16, {}, {0.5F}, {0}});
    const auto weights = m.tensor({{1, 2}, ElementKind::INT8, Bytes{100, 1}, {1.0F}, {0}});
    const auto bias =
        with_bias ? m.tensor({{1}, ElementKind::INT64, bytes_of<std::int64_t>({-(std::int64_t{1} << 33)}), {0.5F}, {0}})
                  : kAbsent;
    const auto output = m.tensor({{1, 1}, ElementKind::INT16, {}, {524288.0F}, {0}});
    m.op(Code::FULLY_CONNECTED, {input, weights, bias}, {output}, Options::FullyConnectedOptions,
         format::CreateFullyConnectedOptions(m.builder).Union());
    const Graph graph = import_tflite(m.finish({input}, {output}), "m");
    const Value value = make_value<std::int16_t>(ElementType::kInt16, {1, 2}, {32767, 8});
    EXPECT_EQ(elements<std::int16_t>(execute(graph, {value}).at(0))[0], with_bias ? -8189 : 3);
  }
}

}  // namespace
}  // namespace systole::graph::test
