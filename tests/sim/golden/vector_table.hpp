// SPDX-License-Identifier: Apache-2.0
// Reads the comma-separated integer tables of tests/vectors and checks the arithmetic against them.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <vector>

namespace systole::golden::test {

struct TableResult {
  int rows = 0;
  int wrong = 0;
  std::string first;  // the first wrong row, with what was computed
};

using Row = std::vector<std::int64_t>;

// Each row ends in the expected values for the roundings kDouble, kSingle and kEven; `compute`
// maps a row and a rounding (0 .. 2) to the actual value. Throws std::runtime_error unless the
// first line is `header` and all others hold as many integers.
TableResult check_table(std::istream& table, const std::string& header,
                        const std::function<std::int64_t(const Row&, int rounding)>& compute);

TableResult check_requantize_table(std::istream& table);
TableResult check_add_table(std::istream& table);

}  // namespace systole::golden::test
