// SPDX-License-Identifier: Apache-2.0
// Arbitrary text as a table of numbers: a table whose columns are arrays, or a FileError.
#include <numeric>
#include <string_view>

#include "csv.hpp"
#include "systole/file_error.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  try {
    const csv::Table table = csv::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
    std::vector<std::size_t> columns(table.width);
    std::iota(columns.begin(), columns.end(), 0);
    csv::array_of(table, columns);
  } catch (const FileError&) {}
  return 0;
}
