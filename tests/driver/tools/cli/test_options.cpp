// SPDX-License-Identifier: Apache-2.0
// Options of all commands: those that are numbers have a range, which neither NaN nor a sign passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "number_options.hpp"

namespace systole::cli {
namespace {

/// Whether the option's checks accept a value.
bool accepts(const CLI::Option& option, const std::string& value) {
  for (int i = 0;; ++i) {
    const CLI::Validator* validator = nullptr;
    try {
      validator = const_cast<CLI::Option&>(option).get_validator(i);
    } catch (const CLI::OptionNotFound&) {
      return true;
    }
    std::string text = value;
    if (!(*validator)(text).empty()) {
      return false;
    }
  }
}

TEST(Options, NumbersHaveARange) {
  CLI::App program;
  Session session;
  add_commands(program, session);
  std::size_t numbers = 0;
  for (const CLI::App* command : program.get_subcommands({})) {
    for (const CLI::Option* option : command->get_options()) {
      const std::string type = option->get_type_name();
      const bool is_number = type.rfind("INT", 0) == 0 || type.rfind("UINT", 0) == 0 || type.rfind("FLOAT", 0) == 0 ||
                             type.rfind("CYCLE", 0) == 0 || type.rfind("DB", 0) == 0;
      if (!is_number) {
        continue;
      }
      ++numbers;
      const std::string name = command->get_name() + " " + option->get_name();
      for (const char* wrong : {"nan", "-1e300", "1e400", "-1000000", ""}) {
        EXPECT_FALSE(accepts(*option, wrong)) << name << " " << wrong;
      }
    }
  }
  EXPECT_GT(numbers, 100U);
}

TEST(Options, WholeNumbersAreDigits) {
  std::string text = "-1";
  EXPECT_EQ(whole_in(0, 9)(text), "'-1' is no whole number from 0 to 9");
  for (const char* wrong : {"10", "1.0", "+1", " 1", "1 ", "0x1", "99999999999999999999999"}) {
    text = wrong;
    EXPECT_NE(whole_in(0, 9)(text), "") << wrong;
  }
  text = "18446744073709551615";
  EXPECT_EQ(whole_in(0)(text), "");
}

TEST(Options, RealNumbersAreWithinTheirRange) {
  for (const char* wrong : {"nan", "inf", "64.1", "0", "", "1x", "-1"}) {
    std::string text = wrong;
    EXPECT_NE(real_in(1e-3, 64)(text), "") << wrong;
  }
  std::string text = "1e9";
  EXPECT_EQ(real_in(1e-3, 64)(text), "'1e9' is no number from 0.001 to 64");
}

TEST(Options, ErrorsNameTheOption) {
  for (const auto& [arguments, name] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"matmul", "--seed", "-1"}, "--seed"},
           {{"train", "--images", "x", "--labels", "y", "--scale", "1e9"}, "--scale"},
           {{"generate", "--model", "x", "--tokenizer", "y", "--temperature", "nan"}, "--temperature"}}) {
    std::vector<std::string> all = {"systole"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(all), kBadInput);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr(name));
  }
}

}  // namespace
}  // namespace systole::cli
