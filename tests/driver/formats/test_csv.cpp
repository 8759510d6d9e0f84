// SPDX-License-Identifier: Apache-2.0
// Tables as text: what is read, and what is refused with line and column.
#include "csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systole/file_error.hpp"

namespace systole::csv {
namespace {

using graph::ElementType;
using testing::HasSubstr;
using testing::ThrowsMessage;

void refused(const char* text, const char* why) {
  EXPECT_THAT([&] { parse(text, "t"); }, ThrowsMessage<FileError>(HasSubstr(why))) << text;
}

TEST(Csv, WithoutNames) {
  const Table table = parse("1,2.5\n-3,4e2\n", "t");
  EXPECT_TRUE(table.columns.empty());
  EXPECT_EQ(table.first_line, 1);
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.numbers, (std::vector<double>{1, 2.5, -3, 400}));
  EXPECT_EQ(table.whole, (std::vector<bool>{true, false}));
}

TEST(Csv, WithNames) {
  const Table table = parse("\xEF\xBB\xBF\"a, \"\"x\"\"\", b \r\n +1 ,\"2\"\r\n", "t");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"a, \"x\"", "b"}));
  EXPECT_EQ(table.first_line, 2);
  EXPECT_EQ(table.numbers, (std::vector<double>{1, 2}));
}

TEST(Csv, NumbersBelowTheLeastDouble) {
  const std::string digits = "0." + std::string(400, '0') + "1";
  EXPECT_EQ(parse("1e-400,-1e-400," + digits + "\n", "t").numbers, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(parse("1e-320\n", "t").numbers, (std::vector<double>{1e-320}));
}

TEST(Csv, LongValues) {
  const std::string quotes = "\"" + std::string(std::size_t{1} << 20, '"') + "\"";
  EXPECT_EQ(parse(quotes + "\n1\n", "t").columns.at(0).size(), std::size_t{1} << 19);
  const std::string names = "a" + std::string(std::size_t{1} << 20, '"');
  EXPECT_EQ(parse(names + "\n1\n", "t").columns.at(0), names);
  refused(("1\n" + names + "\n").c_str(), "line 2, column 1: 'a\"\"\"");
  try {
    parse("1\n" + names + "\n", "t");
  } catch (const FileError& error) {
    EXPECT_LT(std::string(error.what()).size(), 300U);
    EXPECT_THAT(error.what(), HasSubstr("\"...' is no number"));
  }
  std::string wide = "x";
  for (int i = 0; i < 100; ++i) {
    wide += "\xC3\xA4";
  }
  refused(("1\n" + wide + "\n").c_str(), "\xC3\xA4...' is no number");
}

TEST(Csv, ColumnsAreArrays) {
  const Table table = parse("1,2,0.5\n3,4,6\n", "t");
  const graph::Value whole = array_of(table, {1, 0});
  EXPECT_EQ(whole.type, ElementType::kInt64);
  EXPECT_EQ(whole.shape, (graph::Shape{2, 2}));
  EXPECT_EQ(graph::elements<std::int64_t>(whole), (std::vector<std::int64_t>{2, 1, 4, 3}));
  EXPECT_EQ(graph::elements<double>(array_of(table, {2})), (std::vector<double>{0.5, 6}));
}

TEST(Csv, RefusesWhatIsNoTableOfNumbers) {
  refused("", "t: the file is empty");
  refused("\n\n", "t: the file is empty");
  refused("a,b\n", "names of columns and no rows");
  refused("a,b\n1,\n", "line 2, column 2 ('b'): the value is missing ('')");
  refused("1,2\n1,nan\n", "line 2, column 2: the value is missing ('nan')");
  refused("1,2\n1,?\n", "line 2, column 2: the value is missing ('?')");
  refused("1,x\n", "line 1, column 2: 'x' is no number");
  refused("1,2\n1,0x10\n", "'0x10' is no number");
  refused("1,2\n1,inf\n", "'inf' is not finite");
  refused("1,2\n1\n", "line 2 has 1 values, the lines before have 2");
  refused("1,2\n\n3,4\n", "line 2 is empty");
  refused("a,b\nx\x01\x1b[2J\xff,1\n", "line 2, column 1 ('a'): 'x\\x01\\x1b[2J\\xff' is no number");
  refused("a,b\n3,\"1\"2\n", "line 2, column 2 ('b'): there is text behind the quotation mark that ends '1'");
  refused("\"\" \"1\"\n", "line 1, column 1: there is text behind the quotation mark that ends ''");
  refused("1\n1,\"2\"x\n", "line 2, column 2: there is text behind");
  refused("1\n+-5\n", "line 2, column 1: '+-5' is no number");
  refused("1\n++5\n", "'++5' is no number");
  refused("1\n1e400\n", "line 2, column 1: '1e400' is beyond the numbers below 1.8e308");
  refused("1\n-1e400\n", "'-1e400' is beyond");
  refused("\"1,2\n", "line 1: a quotation mark is not closed");
  refused("9007199254740993\n", "9007199254740993 is beyond the integers below 2^53");
}

TEST(Csv, RefusesOtherSeparatorsWithTheRemedy) {
  const char* semicolons =
      "values are separated by ';'; write commas between them, and numbers with a point: write 52.5";
  refused("1;2\n", semicolons);
  refused("a;b\n1,5;2,5\n", semicolons);
  refused("1,5;2,5\n3,5;4,5\n", semicolons);
  refused("a\tb\n1\t2\n", "line 1: values are separated by tabs; write commas");
  refused("a,b\n52,5,1\n",
          "has 3 values, the lines before have 2; give each row a value for each column; write 52.5 for");
  refused("a,b\n\"52,000.5\",1\n", "line 2, column 1 ('a'): '52,000.5' has a comma; write 52.5 for 52,5, and 52000.5");
  EXPECT_EQ(parse("a;b\n5\n", "t").columns, (std::vector<std::string>{"a;b"}));
}

TEST(Csv, RefusesWhatIsNoText) {
  const std::string remedy = "; save it as CSV in UTF-8";
  const auto refused_bytes = [&](std::string_view bytes, const std::string& what) {
    EXPECT_THAT([&] { parse(bytes, "t"); }, ThrowsMessage<FileError>("t: " + what + remedy));
  };
  refused_bytes({"\xFF\xFE"
                 "a\0,\0",
                 6},
                "is UTF-16");
  refused_bytes({"\xFE\xFF\0a\0,", 6}, "is UTF-16");
  refused_bytes("PK\x03\x04 sheet", "is a workbook, or another zip archive");
  refused_bytes("\x1F\x8B\x08", "is compressed (gzip)");
  refused_bytes({"a,b\n1,\0\n", 8}, "has a byte of 0 in line 2, so that it is no text");
}

}  // namespace
}  // namespace systole::csv
