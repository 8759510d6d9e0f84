// SPDX-License-Identifier: Apache-2.0
// Segments whose programs are compared with what their layers are for, after something went wrong on the way: a part
// that is read with another pitch, boxes that are copied from elsewhere.
#include "check_transfers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "check_moves.hpp"
#include "float_net.hpp"
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
    segment = std::get<Segment>(make_steps(graph_, {}, {}, transformations).at(0));
    fuse(segment.layers, segment.outputs, configuration_, transformations);
  }

  /// Of the segment's own program, or of `other`; the reason why it is refused.
  std::string refusal(const std::optional<Segment>& other = std::nullopt) {
    const Emitted emitted = emit_program(other.value_or(segment), graph_, configuration_);
    try {
      check_transfers(segment, emitted, graph_, configuration_);
      return "";
    } catch (const NotOnDevice& error) {
      return error.reason();
    }
  }

  const graph::Graph& graph() const { return graph_; }

  Segment segment;

 private:
  const graph::Graph graph_;
  const Configuration configuration_ = find_configuration("default");
};

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
  std::get<MoveLayer>(wrong.layers.at(0).kind).parts.at(0).box.from_inner += 4;
  EXPECT_THAT(checked.refusal(wrong), HasSubstr("of its result is address"));
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

/// Two moves that became one, which is another.
TEST(CheckMoves, FindWhatTheGraphDoesNotMove) {
  const auto refused = [](const Checked& checked, const Segment& segment) {
    try {
      check_moves(segment, checked.graph());
      return false;
    } catch (const NotOnDevice& error) {
      EXPECT_THAT(error.reason(), HasSubstr("does not move what the graph moves"));
      return true;
    }
  };
  test::FloatNet net(5);
  const TensorId some = net.append(graph::Slice{{1, 2}, {1, 1}}, {net.input({5, 40})}, {3, 30});
  const Checked move(net.graph({net.append(graph::Transpose{{1, 0}}, {some}, {30, 3})}));
  EXPECT_FALSE(refused(move, move.segment));
  Segment wrong = move.segment;
  std::get<MoveLayer>(wrong.layers.at(0).kind).parts.at(0).box.from += 4;
  EXPECT_TRUE(refused(move, wrong));
}

}  // namespace
}  // namespace systole::network
