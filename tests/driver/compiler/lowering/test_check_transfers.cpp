// SPDX-License-Identifier: Apache-2.0
// Segments whose programs are compared with what their layers are for, after something went wrong on the way: a part
// that is read with another pitch, boxes that are copied from elsewhere, a layer of a chain that reads another tensor,
// rows that the scratchpad does not have.
#include "check_transfers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "check_moves.hpp"
#include "float_net.hpp"
#include "layer_passes.hpp"
#include "make_steps.hpp"
#include "row_chains.hpp"
#include "systole/configurations.hpp"

namespace systole::network {
namespace {

using graph::Shape;
using graph::TensorId;
using testing::HasSubstr;

/// A segment as it is before emission.
class Checked {
 public:
  explicit Checked(graph::Graph graph) : graph_(std::move(graph)) {
    Transformations transformations;
    const graph::IndexedGraph indexed(graph_);
    segment = std::get<Segment>(make_steps(indexed, configuration_, {}, {}, transformations).at(0));
    SegmentContext context{segment, indexed, configuration_, plain_};
    run_passes(layer_passes(), context, transformations);
  }

  /// The reason why the segment's own program, or that of `other`, is refused.
  std::string refusal(const std::optional<Segment>& other = std::nullopt) {
    return refusal_of(emit_program(other.value_or(segment), graph_, configuration_));
  }

  /// The reason for a program that was emitted for so many times the rows of the scratchpad.
  std::string refusal_for_rows(int factor) {
    Configuration other = configuration_;
    other.scratch_rows *= factor;
    return refusal_of(emit_program(segment, graph_, other));
  }

  const graph::Graph& graph() const { return graph_; }
  const Configuration& configuration() const { return configuration_; }

  Segment segment;

 private:
  std::string refusal_of(const Emitted& emitted) {
    try {
      check_transfers(segment, emitted, graph_, configuration_);
      return "";
    } catch (const NotOnDevice& error) {
      return error.reason();
    }
  }

  const graph::Graph graph_;
  const Configuration configuration_ = find_configuration("default");
  const std::set<int> plain_ = {};
};

/// The layer with its first box written elsewhere.
Layer move_results_of(Layer layer, std::int64_t bytes) {
  std::get<MoveLayer>(layer.kind).parts.at(0).box.to += bytes;
  return layer;
}

/// Some rows and columns, negated.
graph::Graph part_of_rows_and_columns() {
  test::FloatNet net(1);
  const TensorId part = net.append(graph::Slice{{0, 0}, {1, 1}}, {net.input({4, 60})}, {2, 40});
  return net.graph({net.append(graph::Unary{graph::UnaryKind::kNegate}, {part}, {2, 40})});
}

TEST(CheckTransfers, FindAPartThatIsReadWithAnotherPitch) {
  Checked checked(part_of_rows_and_columns());
  EXPECT_EQ(checked.refusal(), "");
  Segment wrong = checked.segment;
  ASSERT_EQ(wrong.layers.at(0).input_parts.size(), 1U);
  wrong.layers[0].input_parts.at(0).pitch = wrong.layers[0].input_images[0].channels;  // as if it had no gaps
  EXPECT_THAT(checked.refusal(wrong), HasSubstr("it does not read address"));
  EXPECT_THAT(checked.refusal(wrong), HasSubstr("a compiler error in layer"));
}

TEST(CheckTransfers, FindAMoveFromElsewhere) {
  test::FloatNet net(2);
  Checked checked(net.graph({net.append(graph::Transpose{{1, 0, 2}}, {net.input({3, 5, 7})}, {5, 3, 7})}));
  EXPECT_EQ(checked.refusal(), "");
  Segment wrong = checked.segment;
  std::get<MoveLayer>(wrong.layers.at(0).kind).parts.at(0).box.from_inner -= 4;
  EXPECT_THAT(checked.refusal(wrong), HasSubstr("of its result is address"));
  wrong = checked.segment;
  checked.segment.layers.at(0) = move_results_of(wrong.layers.at(0), -4);  // the boxes, too, say what is wrong
  EXPECT_THAT(checked.refusal(), HasSubstr("which is not in its result"));
}

TEST(CheckTransfers, FindAHoleInAResult) {
  test::FloatNet net(3);
  const TensorId x = net.input({9, 40});
  Checked checked(net.graph({net.append(graph::Concat{0}, {x, net.constant({2, 40}), x}, {20, 40})}));
  EXPECT_EQ(checked.refusal(), "");
  Segment wrong = checked.segment;
  std::get<MoveLayer>(wrong.layers.at(0).kind).parts.pop_back();
  EXPECT_THAT(checked.refusal(wrong), HasSubstr("it does not write address"));
}

TEST(CheckTransfers, FindALayerOfAChainThatReadsAnotherTensor) {
  test::FloatNet net(4);
  TensorId x = net.input({96, 40});
  for (int i = 0; i < 2; ++i) {
    x = net.append(graph::Softmax{}, {x}, {96, 40}, graph::Arithmetic::kBlocks);
  }
  Checked checked(net.graph({x}));
  checked.segment.chains = row_chains(checked.segment.layers, 32, checked.configuration());
  ASSERT_EQ(checked.segment.chains.size(), 1U);
  EXPECT_EQ(checked.refusal(), "");
  Segment wrong = checked.segment;
  wrong.layers.at(1).inputs = wrong.layers.at(0).inputs;
  EXPECT_THAT(checked.refusal(wrong), HasSubstr("which is not in an operand"));
}

TEST(CheckTransfers, FindRowsThatAreNotThere) {
  test::FloatNet net(5);
  TensorId x = net.input({200, 100});
  for (int i = 0; i < 3; ++i) {
    x = net.append(graph::Softmax{}, {x}, {200, 100}, graph::Arithmetic::kBlocks);
  }
  Checked checked(net.graph({x}));
  checked.segment.keeps_on_chip = true;
  EXPECT_EQ(checked.refusal_for_rows(1), "");
  EXPECT_THAT(checked.refusal_for_rows(2), HasSubstr("scratchpad row"));
}

/// Whether the segment is refused since it moves something else.
bool moves_something_else(const Checked& checked, const Segment& segment) {
  try {
    check_moves(segment, checked.graph());
    return false;
  } catch (const NotOnDevice& error) {
    EXPECT_THAT(error.reason(), HasSubstr("does not move what the graph moves"));
    return true;
  }
}

/// Two moves that became one, which is another.
TEST(CheckMoves, FindWhatTheGraphDoesNotMove) {
  test::FloatNet net(5);
  const TensorId some = net.append(graph::Slice{{1, 2}, {1, 1}}, {net.input({5, 40})}, {3, 30});
  const Checked move(net.graph({net.append(graph::Transpose{{1, 0}}, {some}, {30, 3})}));
  EXPECT_FALSE(moves_something_else(move, move.segment));
  Segment wrong = move.segment;
  std::get<MoveLayer>(wrong.layers.at(0).kind).parts.at(0).box.from += 4;
  EXPECT_TRUE(moves_something_else(move, wrong));
  for (const std::int64_t bytes : {-4, 4, 4096}) {  // beyond the result, too
    wrong = move.segment;
    wrong.layers.at(0) = move_results_of(wrong.layers.at(0), bytes);
    EXPECT_TRUE(moves_something_else(move, wrong)) << bytes;
  }
}

/// A layer that reads a part of a tensor twice, and one row of it in place, where the part was taken from.
TEST(CheckMoves, FollowAPartToItsTensor) {
  test::FloatNet net(6);
  const TensorId part = net.append(graph::Slice{{4, 0}, {1, 1}}, {net.input({6, 16})}, {2, 16});
  const TensorId row = net.append(graph::Slice{{1, 0}, {1, 1}}, {part}, {1, 16});
  const Checked joined(net.graph({net.append(graph::Concat{0}, {part, row, part}, {5, 16})}));
  ASSERT_EQ(joined.segment.layers.size(), 2U);
  EXPECT_EQ(joined.segment.layers[1].inputs, std::vector<TensorId>({part, joined.graph().inputs.at(0), part}));
  EXPECT_FALSE(moves_something_else(joined, joined.segment));
  for (const std::size_t changed : {0U, 1U, 2U}) {
    for (const std::int64_t bytes : {-64, 64, 4096}) {  // also where neither tensor has elements
      Segment wrong = joined.segment;
      std::get<MoveLayer>(wrong.layers[1].kind).parts.at(changed).box.from += bytes;
      EXPECT_TRUE(moves_something_else(joined, wrong)) << changed << ", " << bytes;
    }
  }
}

}  // namespace
}  // namespace systole::network
