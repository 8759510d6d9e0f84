// SPDX-License-Identifier: Apache-2.0
// IDX files: valid ones are read, and each kind of damage is refused with the file's name and the reason.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>

#include "digits_network.hpp"
#include "idx.hpp"

namespace {

using namespace systole::digits;
using Bytes = std::vector<std::uint8_t>;

Bytes two_pictures() { return {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6}; }
Bytes two_labels() { return {0, 0, 8, 1, 0, 0, 0, 2, 7, 9}; }

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Idx, ReadsPicturesAndLabels) {
  const auto pictures = parse_pictures(two_pictures(), "p", 0);
  EXPECT_EQ(pictures.height, 1);
  EXPECT_EQ(pictures.width, 3);
  EXPECT_EQ(pictures.pixels, (std::vector<Bytes>{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(parse_pictures(two_pictures(), "p", 1).pixels.size(), 1u);
  EXPECT_EQ(parse_labels(two_labels(), "l", 0), (Bytes{7, 9}));
}

TEST(Idx, ErrorsNameDamage) {
  auto cut = two_pictures();
  cut.pop_back();
  EXPECT_NE(refusal([&] { parse_pictures(cut, "cut", 0); }).find("cut: 21 bytes are too few"), std::string::npos);
  EXPECT_NE(refusal([] { parse_pictures(two_labels(), "l", 0); }).find("magic 0x00000801"), std::string::npos);
  EXPECT_NE(refusal([] { parse_labels(two_pictures(), "p", 0); }).find("magic 0x00000803"), std::string::npos);
  EXPECT_NE(refusal([] { parse_pictures({0, 0}, "short", 0); }).find("short: ends at byte 2"), std::string::npos);
  EXPECT_NE(refusal([] { parse_pictures(two_pictures(), "p", 3); }).find("holds 2 items, 3 were asked for"),
            std::string::npos);
  auto wrong = two_labels();
  wrong[9] = 10;
  EXPECT_NE(refusal([&] { parse_labels(wrong, "l", 0); }).find("label 1 is 10"), std::string::npos);
}

TEST(Idx, ReadsGzipAndReportsTruncation) {
  const auto path = (std::filesystem::temp_directory_path() / "systole_test_idx.gz").string();
  const auto bytes = two_labels();
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  EXPECT_EQ(read_file(path), bytes);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 6);
  EXPECT_NE(refusal([&] { read_file(path); }).find("cannot be read"), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_NE(refusal([&] { read_file(path); }).find("No such file"), std::string::npos);
}

}  // namespace
