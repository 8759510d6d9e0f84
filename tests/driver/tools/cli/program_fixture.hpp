// SPDX-License-Identifier: Apache-2.0
// The program as a function, with captured output and a folder for its files.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "commands.hpp"
#include "systole/graph.hpp"

namespace systole::cli {

class ProgramTest : public testing::Test {
 protected:
  /// Creates `folder` in the folder for temporary files; removed at the end of the test.
  explicit ProgramTest(const std::string& folder) : folder_(testing::TempDir() + "/" + folder) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ProgramTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const graph::Bytes& bytes) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  graph::Bytes read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return graph::Bytes(std::istreambuf_iterator<char>(file), {});
  }

  /// Returns the exit code; output and errors are captured.
  int systole(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "systole");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run(arguments);
    output_ = testing::internal::GetCapturedStdout();
    errors_ = testing::internal::GetCapturedStderr();
    return code;
  }
  void expect_part(const std::string& part) const {
    EXPECT_NE((output_ + errors_).find(part), std::string::npos) << output_ << errors_;
  }

  const std::string folder_;
  std::string output_, errors_;
};

}  // namespace systole::cli
