// SPDX-License-Identifier: Apache-2.0
#include "npz.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole::npy {
namespace {

using graph::Bytes;
using testing::HasSubstr;
using testing::ThrowsMessage;

const Archive kTwo = {{"a.npy", Bytes{1, 2, 3}}, {"folder/text", Bytes(300, 7)}};

TEST(Npz, RoundTrip) {
  EXPECT_EQ(parse_archive(serialize_archive(kTwo), "x"), kTwo);
  EXPECT_EQ(parse_archive(serialize_archive({}), "x"), Archive{});
  EXPECT_EQ(serialize_archive(kTwo), serialize_archive(kTwo));
}

/// Every shortened file is refused; so is every one with a wrong byte in a member.
TEST(Npz, Damage) {
  const Bytes whole = serialize_archive(kTwo);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse_archive(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)), "x"), NpyError);
  }
  Bytes wrong = whole;
  wrong[30 + 5] ^= 1;  // the first byte after the header and the name of the first member
  EXPECT_THAT([&] { parse_archive(wrong, "x"); },
              ThrowsMessage<NpyError>(HasSubstr("x: member 'a.npy' does not match its checksum")));
}

TEST(Npz, CompressedMembers) {
  Bytes file = serialize_archive(kTwo);
  const std::size_t list = file[file.size() - 6] | file[file.size() - 5] << 8;
  file[list + 10] = 8;  // deflate
  EXPECT_THAT([&] { parse_archive(file, "x"); }, ThrowsMessage<NpyError>(HasSubstr("'a.npy' is compressed")));
}

}  // namespace
}  // namespace systole::npy
