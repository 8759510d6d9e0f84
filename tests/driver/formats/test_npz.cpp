// SPDX-License-Identifier: Apache-2.0
#include "npz.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

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
  const auto refusal = [](const Bytes& of) { return [&of] { parse_archive(of, "x"); }; };
  file[list + 10] = 12;  // BZIP2
  EXPECT_THAT(refusal(file), ThrowsMessage<NpyError>(HasSubstr("'a.npy' is compressed by method 12")));
  file[list + 10] = 8;  // deflate, which its bytes are not
  EXPECT_THAT(refusal(file), ThrowsMessage<NpyError>(HasSubstr("'a.npy' cannot be decompressed")));
  file[list + 27] = 0x7F;  // of 2 GiB
  EXPECT_THAT(refusal(file), ThrowsMessage<NpyError>(HasSubstr("'a.npy' is larger than its compressed bytes can be")));
}

// An archive of a thousand members that share their bytes would take a thousand times its size.
TEST(Npz, MembersShareNoBytes) {
  const Bytes mark = {'P', 'K', 1, 2};
  const auto two_members = [&] {
    Bytes file = serialize_archive({{"a.npy", Bytes(100)}, {"b.npy", Bytes(100)}});
    const auto first = std::search(file.begin(), file.end(), mark.begin(), mark.end());
    const auto second = std::search(first + 4, file.end(), mark.begin(), mark.end());
    return std::make_tuple(std::move(file), first - file.begin(), second - file.begin());
  };
  const auto refusal = [](const Bytes& file) { return [&file] { parse_archive(file, "x"); }; };
  auto [shared, first, second] = two_members();
  std::copy_n(shared.begin() + first + 42, 4, shared.begin() + second + 42);  // where the member begins
  EXPECT_THAT(refusal(shared), ThrowsMessage<NpyError>(HasSubstr("shares bytes with another")));
  auto [same, one, other] = two_members();
  same[static_cast<std::size_t>(other) + 46] = 'a';  // its name
  EXPECT_THAT(refusal(same), ThrowsMessage<NpyError>(HasSubstr("has two members 'a.npy'")));
}

}  // namespace
}  // namespace systole::npy
