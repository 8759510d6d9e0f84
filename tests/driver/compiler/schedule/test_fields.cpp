// SPDX-License-Identifier: Apache-2.0
#include "fields.hpp"

#include <gtest/gtest.h>

namespace systole::compiler {
namespace {

TEST(Fields, HoldWhatFits) {
  EXPECT_EQ(u16(0), 0);
  EXPECT_EQ(u16(65535), 65535);
  EXPECT_EQ(further(u16(-40), 50), 10);
}

TEST(Fields, RefuseTheRest) {
  EXPECT_THROW(u16(65536), std::invalid_argument);
  EXPECT_THROW(u16(-65536), std::invalid_argument);
  EXPECT_THROW(u16(std::int64_t{1} << 32), std::invalid_argument);
}

}  // namespace
}  // namespace systole::compiler
