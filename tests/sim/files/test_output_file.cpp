// SPDX-License-Identifier: Apache-2.0
// Outputs are whole or what they were, on every kind of target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "output_file.hpp"

namespace systole::files {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class OutputFiles : public testing::Test {
 protected:
  OutputFiles() : folder_(fs::path(testing::TempDir()) / ("systole_outputs_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~OutputFiles() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  static std::string contents(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const fs::path folder_;
};

TEST_F(OutputFiles, AreReplacedAtTheEnd) {
  write_file(path("x"), "old");
  OutputFile file(path("x"));
  file.write("new ");
  file.write("contents");
  EXPECT_EQ(contents(path("x")), "old");
  file.finish();
  EXPECT_EQ(contents(path("x")), "new contents");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFiles, UnfinishedOnesLeaveNothing) {
  write_file(path("x"), "old");
  {
    OutputFile file(path("x"));
    file.write("new");
  }
  EXPECT_EQ(contents(path("x")), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFiles, HaveNamesOfTheirOwnUntilThen) {
  OutputFile first(path("x")), second(path("x"));
  first.write("first");
  second.write("second");
  first.finish();
  EXPECT_EQ(contents(path("x")), "first");
  second.finish();
  EXPECT_EQ(contents(path("x")), "second");
}

TEST_F(OutputFiles, KeepPermissions) {
  write_file(path("x"), "old");
  ASSERT_EQ(chmod(path("x").c_str(), 0640), 0);
  write_file(path("x"), "new");
  struct stat found {};
  ASSERT_EQ(stat(path("x").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0640u);
}

TEST_F(OutputFiles, LinksStay) {
  write_file(path("target"), "old");
  fs::create_symlink("target", path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(contents(path("target")), "new");
  fs::create_symlink("absent", path("dangling"));
  write_file(path("dangling"), "made");
  EXPECT_EQ(contents(path("absent")), "made");
  fs::create_symlink("loop", path("loop"));
  EXPECT_THAT([&] { write_file(path("loop"), ""); }, ThrowsMessage<FileError>(HasSubstr("symbolic links")));
}

TEST_F(OutputFiles, DevicesAreWrittenAndStay) {
  fs::create_symlink("/dev/full", path("full"));
  for (const std::string& device : {std::string("/dev/full"), path("full")}) {
    check_output(device);
    EXPECT_THAT([&] { write_file(device, "x"); },
                ThrowsMessage<FileError>("cannot write " + device + ": No space left on device"));
  }
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_THAT([] { OutputFile("/dev/null").hand_over(); },
              ThrowsMessage<FileError>(HasSubstr("is a device or a pipe")));
}

TEST_F(OutputFiles, OwnDescriptorsAreWrittenWhereTheyAre) {
  const int descriptor = open(path("x").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(write(descriptor, "before ", 7), 7);
  write_file("/dev/fd/" + std::to_string(descriptor), "after");
  close(descriptor);
  EXPECT_EQ(contents(path("x")), "before after");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFiles, PipesAreWritten) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  check_output(path("pipe"));  // nobody reads it: this does not block
  const int reader = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file(path("pipe"), "through");
  char text[16] = {};
  EXPECT_EQ(read(reader, text, sizeof text), 7);
  close(reader);
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(OutputFiles, WhatCannotBecomeOneIsRefusedBefore) {
  write_file(path("plain"), "kept");
  fs::create_directory(path("folder"));
  const auto refusal = [](const std::string& file, MissingFolder missing = MissingFolder::kIsAnError) {
    return [=] { check_output(file, missing); };
  };
  EXPECT_THAT(refusal(path("folder")), ThrowsMessage<FileError>("cannot write " + path("folder") + ": Is a directory"));
  EXPECT_THAT(refusal(path("plain/x")), ThrowsMessage<FileError>(HasSubstr("Not a directory")));
  EXPECT_THAT(refusal(path("plain/a/b"), MissingFolder::kIsMade), ThrowsMessage<FileError>(HasSubstr("Not a dir")));
  EXPECT_THAT(refusal(path("none/x")), ThrowsMessage<FileError>(HasSubstr("No such file or directory")));
  EXPECT_THAT(refusal(""), ThrowsMessage<FileError>(HasSubstr("No such file or directory")));
  EXPECT_THAT(refusal(path("none/")), ThrowsMessage<FileError>(HasSubstr("Is a directory")));
  check_output(path("none/deep/x"), MissingFolder::kIsMade);
  check_output(path("new"));
  check_output(path("plain"));
  EXPECT_EQ(contents(path("plain")), "kept");
  EXPECT_EQ(entries(), 2u);
}

TEST_F(OutputFiles, FoldersAreMade) {
  make_folder_of(path("a/b/x"));
  EXPECT_TRUE(fs::is_directory(path("a/b")));
  make_folder_of("x");
  write_file(path("plain"), "");
  EXPECT_THAT([&] { make_folder_of(path("plain/x/y")); },
              ThrowsMessage<FileError>(HasSubstr("cannot make the folder")));
}

TEST_F(OutputFiles, AnotherLibraryMayWriteThem) {
  write_file(path("x"), "old");
  OutputFile file(path("x"));
  std::ofstream(file.hand_over(), std::ios::trunc) << "by path";
  EXPECT_EQ(contents(path("x")), "old");
  file.finish();
  EXPECT_EQ(contents(path("x")), "by path");
}

}  // namespace
}  // namespace systole::files
