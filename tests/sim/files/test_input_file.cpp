// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <limits>

#include "checked_size.hpp"
#include "input_file.hpp"
#include "json_text.hpp"
#include "output_file.hpp"

namespace systole::files {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(InputFiles, AreRegularFiles) {
  const std::string path = testing::TempDir() + "systole_input";
  for (const std::size_t size : {0, 1, 5000}) {
    const std::string text(size, 'x');
    write_file(path, text);
    EXPECT_EQ(read_text(path), text);
    EXPECT_EQ(read_file(path).size(), size);
  }
  std::filesystem::remove(path);
  EXPECT_THAT([&] { read_file(path); }, ThrowsMessage<FileError>(path + ": No such file or directory"));
  EXPECT_THAT([] { read_file("/"); }, ThrowsMessage<FileError>("/: is a folder"));
  EXPECT_THAT([] { read_file("/dev/zero"); }, ThrowsMessage<FileError>(HasSubstr("is no regular file")));
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT([&] { read_file(path); }, ThrowsMessage<FileError>(HasSubstr("is no regular file")));
  std::filesystem::remove(path);
}

TEST(InputFiles, SourcesGiveWhatThereIs) {
  const std::vector<std::uint8_t> bytes = {1, 2, 3};
  MemorySource source(bytes, "three");
  EXPECT_EQ(source.take(2), (std::vector<std::uint8_t>{1, 2}));
  EXPECT_EQ(source.take(std::numeric_limits<std::uint64_t>::max()), (std::vector<std::uint8_t>{3}));
  EXPECT_TRUE(source.take(1).empty());
}

TEST(CheckedSize, NeverWraps) {
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(product_up_to(24, {2, 3, 4}), 24u);
  EXPECT_EQ(product_up_to(23, {2, 3, 4}), std::nullopt);
  EXPECT_EQ(product_up_to(kAll, {1u << 31, 1u << 17, 1u << 16}), std::nullopt);
  EXPECT_EQ(product_up_to(kAll, {kAll, 1}), kAll);
  EXPECT_EQ(product_up_to(kAll, {kAll, kAll, 0}), 0u);
  EXPECT_EQ(product_up_to(0, {1}), std::nullopt);
}

TEST(JsonText, NamesThePlaceAndTheLimit) {
  const auto error_of = [](const std::string& text) { return [=] { parse_json(text, "f", "JSON"); }; };
  EXPECT_EQ(parse_json("{\"a\": [1]}", "f", "JSON")["a"][0], 1);
  EXPECT_THAT(error_of("[1,\n }"), ThrowsMessage<FileError>("f: line 2, column 2: expected JSON, found '}'"));
  EXPECT_THAT(error_of("["), ThrowsMessage<FileError>(HasSubstr("the end of the file")));
  EXPECT_THAT(error_of("[1e999]"), ThrowsMessage<FileError>(HasSubstr("beyond the range of a double")));
  EXPECT_THAT(error_of(std::string(100'000, '[')), ThrowsMessage<FileError>(HasSubstr("more than 64 deep")));
}

}  // namespace
}  // namespace systole::files
