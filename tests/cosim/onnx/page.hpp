// SPDX-License-Identifier: Apache-2.0
// Formats the outcomes of all tests as a page.
#pragma once

#include <string>
#include <vector>

#include "node_case.hpp"

namespace systole::test {

/// Totals, refusals by reason, and a line per test, in the given order.
std::string page_of(const std::vector<Outcome>& outcomes);

}  // namespace systole::test
