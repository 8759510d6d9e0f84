// SPDX-License-Identifier: Apache-2.0
#include "vector_table.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "elementwise.hpp"
#include "systole/requantize.hpp"

namespace systole::golden::test {

TableResult check_table(std::istream& table, const std::string& header,
                        const std::function<std::int64_t(const Row&, int rounding)>& compute) {
  constexpr int kRoundings = 3;
  std::string line;
  if (!std::getline(table, line) || line != header) {
    throw std::runtime_error("unexpected table header: " + line);
  }
  const auto columns = std::size_t(std::count(header.begin(), header.end(), ',')) + 1;
  TableResult result;
  while (std::getline(table, line)) {
    Row row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      row.push_back(std::stoll(cell));
    }
    if (row.size() != columns) {
      throw std::runtime_error("table row with a wrong number of columns: " + line);
    }
    ++result.rows;
    for (int rounding = 0; rounding < kRoundings; ++rounding) {
      const std::int64_t actual = compute(row, rounding);
      if (actual != row[columns - kRoundings + std::size_t(rounding)] && result.wrong++ == 0) {
        result.first = fmt::format("{}: rounding {} gives {}", line, rounding, actual);
      }
    }
  }
  return result;
}

TableResult check_requantize_table(std::istream& table) {
  return check_table(table, "acc,multiplier,shift,zero_point,clamp_min,clamp_max,double,single,even",
                     [](const Row& row, int rounding) {
                       return requantize(std::int32_t(row[0]), {std::int32_t(row[1]), int(row[2])},
                                         std::int32_t(row[3]), std::int8_t(row[4]), std::int8_t(row[5]),
                                         static_cast<Rounding>(rounding));
                     });
}

TableResult check_add_table(std::istream& table) {
  return check_table(table,
                     "lhs,rhs,lhs_zero_point,rhs_zero_point,lhs_multiplier,lhs_shift,rhs_multiplier,rhs_shift,"
                     "output_multiplier,output_shift,output_zero_point,clamp_min,clamp_max,double,single,even",
                     [](const Row& row, int rounding) {
                       AddParams params;
                       params.lhs_zero_point = std::int32_t(row[2]);
                       params.rhs_zero_point = std::int32_t(row[3]);
                       params.lhs_scale = {std::int32_t(row[4]), int(row[5])};
                       params.rhs_scale = {std::int32_t(row[6]), int(row[7])};
                       params.output_scale = {std::int32_t(row[8]), int(row[9])};
                       params.output_zero_point = std::int32_t(row[10]);
                       params.clamp_min = std::int8_t(row[11]);
                       params.clamp_max = std::int8_t(row[12]);
                       params.rounding = static_cast<Rounding>(rounding);
                       const Tensor8 lhs(NhwcShape{}, {std::int8_t(row[0])});
                       const Tensor8 rhs(NhwcShape{}, {std::int8_t(row[1])});
                       return add(lhs, rhs, params).data[0];
                     });
}

namespace {

using Check = TableResult (*)(std::istream&);

std::string shipped(const std::string& name) {
  std::ifstream file(std::filesystem::path(SYSTOLE_SOURCE_DIR) / "tests" / "vectors" / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_table_holds(std::istream& table, Check check, int min_rows) {
  const TableResult result = check(table);
  EXPECT_EQ(result.wrong, 0) << result.first;
  EXPECT_GE(result.rows, min_rows);
}

// Adds one to the last expected value of one row: the smallest error a table can carry.
std::string with_one_wrong_value(const std::string& table, int row) {
  std::size_t line_end = table.find('\n');
  for (int i = 0; i <= row; ++i) {
    line_end = table.find('\n', line_end + 1);
  }
  const std::size_t comma = table.rfind(',', line_end);
  const int value = std::stoi(table.substr(comma + 1, line_end - comma - 1));
  return table.substr(0, comma + 1) + std::to_string(value + 1) + table.substr(line_end);
}

TEST(VectorTable, RequantizeShipped) {
  std::istringstream table(shipped("requantize.csv"));
  expect_table_holds(table, check_requantize_table, 9000);
}

TEST(VectorTable, RequantizeExternal) {
  const char* root = std::getenv("SYSTOLE_SHARED");
  const auto folder = root ? std::filesystem::path(root) : std::filesystem::path(SYSTOLE_SOURCE_DIR) / ".." / "shared";
  std::ifstream table(folder / "vectors" / "requantize.csv");
  if (!table) {
    GTEST_SKIP() << "no vectors/requantize.csv in " << folder << " (set SYSTOLE_SHARED to its folder)";
  }
  expect_table_holds(table, check_requantize_table, 9000);
}

TEST(VectorTable, AddShipped) {
  std::istringstream table(shipped("add.csv"));
  expect_table_holds(table, check_add_table, 2000);
}

TEST(VectorTable, OneWrongValueIsFound) {
  const struct {
    const char* name;
    Check check;
  } tables[] = {{"requantize.csv", check_requantize_table}, {"add.csv", check_add_table}};
  for (const auto& [name, check] : tables) {
    for (const int row : {0, 1, 100, 2000}) {
      std::istringstream table(with_one_wrong_value(shipped(name), row));
      const TableResult result = check(table);
      EXPECT_EQ(result.wrong, 1) << name << " row " << row;
      EXPECT_NE(result.first.find("rounding 2 gives"), std::string::npos) << result.first;
    }
  }
}

TEST(VectorTable, MalformedTablesAreRefused) {
  std::istringstream empty("");
  EXPECT_THROW(check_requantize_table(empty), std::runtime_error);
  std::istringstream other_header("acc,multiplier\n1,2\n");
  EXPECT_THROW(check_requantize_table(other_header), std::runtime_error);
  std::istringstream short_row("acc,multiplier,shift,zero_point,clamp_min,clamp_max,double,single,even\n1,2,0,0\n");
  EXPECT_THROW(check_requantize_table(short_row), std::runtime_error);
}

}  // namespace
}  // namespace systole::golden::test
