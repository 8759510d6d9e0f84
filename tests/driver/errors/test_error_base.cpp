// SPDX-License-Identifier: Apache-2.0
// The classes of errors: each is a systole::Error and one standard exception, and both say the same.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "systole/container.hpp"
#include "systole/device.hpp"
#include "systole/errors.hpp"
#include "systole/graph.hpp"
#include "systole/lockstep.hpp"
#include "systole/simulation_error.hpp"

namespace systole {
namespace {

template <class Raised, class Standard>
constexpr bool kIsBoth = std::is_convertible_v<Raised*, const Error*>&&
    std::is_convertible_v<Raised*, const Standard*>&& std::is_convertible_v<Raised*, const std::exception*>;

static_assert(kIsBoth<InvalidArgument, std::invalid_argument>);
static_assert(kIsBoth<OutOfRange, std::out_of_range>);
static_assert(kIsBoth<Failure, std::runtime_error>);
static_assert(kIsBoth<InternalError, std::logic_error>);
static_assert(kIsBoth<AccountingError, std::logic_error>);
static_assert(kIsBoth<LayerAccountingError, AccountingError>);
static_assert(kIsBoth<graph::GraphError, std::runtime_error>);
static_assert(kIsBoth<graph::IndexError, graph::GraphError>);
static_assert(kIsBoth<container::ContainerError, std::runtime_error>);
static_assert(kIsBoth<DeviceError, std::runtime_error>);
static_assert(kIsBoth<DeviceTimeout, std::runtime_error>);
static_assert(kIsBoth<ProgramRefused, std::runtime_error>);
static_assert(kIsBoth<SimulationError, std::runtime_error>);
static_assert(kIsBoth<LockstepDivergence, std::runtime_error>);
static_assert(!std::is_base_of_v<std::exception, Error>);

TEST(ErrorBase, BothBasesHaveSameMessage) {
  const SimulationError error("the text", 7);
  EXPECT_STREQ(static_cast<const Error&>(error).what(), "the text");
  EXPECT_STREQ(static_cast<const std::exception&>(error).what(), "the text");
  EXPECT_STREQ(error.what(), "the text");
}

TEST(ErrorBase, IsCaughtAsEveryBase) {
  EXPECT_THROW(throw graph::IndexError("x"), Error);
  EXPECT_THROW(throw graph::IndexError("x"), graph::GraphError);
  EXPECT_THROW(throw graph::IndexError("x"), std::runtime_error);
  EXPECT_THROW(throw graph::IndexError("x"), std::exception);
}

}  // namespace
}  // namespace systole
