// SPDX-License-Identifier: Apache-2.0
// IDX files: valid ones are read, and each kind of damage is refused with the file's name and the reason.
#include <gtest/gtest.h>
#include <sys/resource.h>
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

TEST(Idx, ReadsArraysOfAnyType) {
  using systole::graph::ElementType, systole::graph::elements;
  const auto pictures = parse_array(two_pictures(), "p");
  EXPECT_EQ(pictures.type, ElementType::kUint8);
  EXPECT_EQ(pictures.shape, (systole::graph::Shape{2, 1, 3}));
  EXPECT_EQ(elements<std::uint8_t>(pictures), (Bytes{1, 2, 3, 4, 5, 6}));
  const auto words = parse_array({0, 0, 0x0B, 1, 0, 0, 0, 2, 0x01, 0x02, 0xFF, 0xFE}, "w");
  EXPECT_EQ(elements<std::int16_t>(words), (std::vector<std::int16_t>{0x102, -2}));
  const auto reals = parse_array({0, 0, 0x0D, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0x40, 0x20, 0, 0}, "r");
  EXPECT_EQ(elements<float>(reals), (std::vector<float>{2.5F}));
  EXPECT_NE(refusal([] {
              parse_array({0, 0, 7, 1, 0, 0, 0, 1, 0}, "x");
            }).find("x: not an IDX file"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              parse_array({0, 0, 8, 1, 0, 0, 0, 2, 7}, "x");
            }).find("x: 1 bytes are too few for 2 of uint8"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              parse_array({0, 0, 8, 1, 0, 0, 0, 0}, "x");
            }).find("states a dimension of 0"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              parse_array({0, 0, 0x0E, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, "x");
            }).find("at most"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              parse_array({0, 0, 8, 1, 0, 0, 0, 1, 7, 7}, "x");
            }).find("holds more bytes"),
            std::string::npos);
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
  const Bytes labels = {9, 10};
  EXPECT_NE(refusal([&] { check_labels(labels, "l", 9, "ten"); }).find("l: label 1 is 10, beyond 0 to 9: ten"),
            std::string::npos);
  EXPECT_EQ(refusal([&] { check_labels(labels, "l", 10, "eleven"); }), "accepted");
}

TEST(Idx, NumbersOfTheHeaderAreChecked) {
  const auto header = [](std::uint32_t count, std::uint32_t height, std::uint32_t width, std::size_t bytes) {
    Bytes file;
    for (const std::uint32_t number : {0x803u, count, height, width}) {
      for (int shift = 24; shift >= 0; shift -= 8) {
        file.push_back(static_cast<std::uint8_t>(number >> shift));
      }
    }
    file.resize(file.size() + bytes);
    return refusal([&] { parse_pictures(file, "h", 0); });
  };
  EXPECT_EQ(header(64, 1, 1, 64), "accepted");
  // The products wrap: to 2^64, and to one byte a picture.
  EXPECT_EQ(header(1u << 31, 1u << 17, 1u << 16, 64),
            "h: its header states pictures of 131072 x 65536; height and width are 1 to 16384");
  EXPECT_EQ(header(64, 0xFFFFFFFF, 0xFFFFFFFF, 64),
            "h: its header states pictures of 4294967295 x 4294967295; height and width are 1 to 16384");
  EXPECT_EQ(header(0xFFFFFFFF, 16384, 16384, 64),
            "h: 4294967295 pictures of 16384 x 16384 are more than 4294967296 bytes; use --count for fewer");
  EXPECT_EQ(header(16, 16384, 16384, 64),
            "h: 80 bytes are too few for 16 pictures of 16384x16384; the file is truncated");
  EXPECT_NE(header(64, 0, 28, 0).find("pictures of 0 x 28"), std::string::npos);
  EXPECT_NE(header(0, 28, 28, 0).find("states 0 items"), std::string::npos);
  EXPECT_NE(header(1, 1, 1, 2).find("more bytes than its header states"), std::string::npos);
}

TEST(Idx, ReadsGzipAndReportsTruncation) {
  const auto path = (std::filesystem::temp_directory_path() / "systole_test_idx.gz").string();
  const auto bytes = two_labels();
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  EXPECT_EQ(read_labels(path, 0), (Bytes{7, 9}));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 6);
  EXPECT_EQ(refusal([&] { read_labels(path, 0); }), path + ": cannot be read: unexpected end of file");
  std::filesystem::remove(path);
  EXPECT_NE(refusal([&] { read_labels(path, 0); }).find("No such file"), std::string::npos);
  EXPECT_NE(refusal([&] { read_labels("/dev/zero", 0); }).find("is no regular file"), std::string::npos);
}

// A header for 50 KB in front of 256 MB: no more than the header's bytes are decompressed.
TEST(Idx, DecompressesNoMoreThanTheHeaderStates) {
  const auto path = (std::filesystem::temp_directory_path() / "systole_test_bomb.gz").string();
  const gzFile file = gzopen(path.c_str(), "wb1");
  ASSERT_NE(file, nullptr);
  const Bytes header = {0, 0, 8, 3, 0, 0, 0, 64, 0, 0, 0, 28, 0, 0, 0, 28}, zeros(1 << 20);
  gzwrite(file, header.data(), static_cast<unsigned>(header.size()));
  for (int i = 0; i < 256; ++i) {
    gzwrite(file, zeros.data(), static_cast<unsigned>(zeros.size()));
  }
  gzclose(file);
  struct rusage before {
  }, after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_NE(refusal([&] { read_pictures(path, 0); }).find("more bytes than its header states"), std::string::npos);
  EXPECT_EQ(read_pictures(path, 10).pixels.size(), 10u);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 << 10);  // KiB
  std::filesystem::remove(path);
}

}  // namespace
