// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters by computed indices run on the device if the graph shows that the indices are in range, and if
// that does not take too long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "float_net.hpp"
#include "systole/compiled_network.hpp"
#include "systole/configurations.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::ElementType;
using graph::ScatterCombine;
using graph::TensorId;
using test::FloatNet;

constexpr std::uint32_t kSeed = 26'000;

class Indices : public testing::Test {
 protected:
  /// Numbers below `size`, as a program that limits them has them.
  TensorId below(std::int64_t size, std::int64_t number) {
    const TensorId x = builder_.append(graph::Convert{}, {net_.input({number})}, ElementType::kInt32);
    return net_.binary(BinaryKind::kMinimum, net_.binary(BinaryKind::kMaximum, x, net_.indices({0})),
                       net_.indices({static_cast<std::int32_t>(size - 1)}));
  }
  /// Why the last operator runs on the host.
  std::string reason(TensorId result) const {
    const CompiledNetwork network = compile_network(net_.graph({result}), find_configuration("default"));
    const auto* host = std::get_if<HostStep>(&network.steps.back());
    return host == nullptr ? "" : host->reason;
  }

  FloatNet net_{kSeed};
  graph::GraphBuilder& builder_ = net_;
};

TEST_F(Indices, RowsOfAComputedTensor) {
  const TensorId x = net_.input({2, 20, 12});
  const TensorId sums = net_.add(x, x), places = below(20, 30);
  net_.expect_equal({net_.unary(graph::UnaryKind::kRelu, builder_.append(graph::Gather{1}, {sums, places}))});
}

TEST_F(Indices, RowsOfAConstant) {
  net_.expect_equal({builder_.append(graph::Gather{0}, {net_.constant({20, 12}), below(20, 30)})});
}

TEST_F(Indices, SumsOfRepeatedRows) {
  const TensorId places = below(5, 40), updates = net_.input({40, 37});
  net_.expect_equal({builder_.append(graph::Scatter{ScatterCombine::kAdd}, {net_.constant({5, 37}), places, updates})});
}

TEST_F(Indices, KnownRowsOfAScatter) {
  const TensorId updates = net_.input({3, 8});
  net_.expect_equal({builder_.append(graph::Scatter{ScatterCombine::kReplace},
                                     {net_.input({5, 8}), net_.indices({4, 0, 4}), updates})});
}

TEST_F(Indices, OneThatMayBeOutOfRangeIsLeftToTheHost) {
  const TensorId rows = net_.input({20, 12});
  EXPECT_THAT(reason(builder_.append(graph::Gather{0}, {rows, below(21, 30)})), testing::HasSubstr("out of range"));
  EXPECT_THAT(reason(builder_.append(graph::Scatter{}, {rows, below(21, 30), net_.input({30, 12})})),
              testing::HasSubstr("out of range"));
}

TEST_F(Indices, WhatTakesTooLongIsLeftToTheHost) {
  const TensorId rows = net_.input({20'000, 64}), places = below(20'000, 400);
  EXPECT_THAT(reason(builder_.append(graph::Gather{0}, {rows, places})), testing::HasSubstr("2^28"));
  EXPECT_THAT(reason(builder_.append(graph::Scatter{ScatterCombine::kAdd}, {rows, places, net_.input({400, 64})})),
              testing::HasSubstr("2^21"));
}

}  // namespace
}  // namespace systole::network
