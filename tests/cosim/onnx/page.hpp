// SPDX-License-Identifier: Apache-2.0
// The outcomes of all tests as a page.
#pragma once

#include <string>
#include <vector>

#include "node_case.hpp"

namespace systole::test {

/// A sum, refusals by reason, and a line per test, in the order given.
std::string page_of(const std::vector<Outcome>& outcomes);

}  // namespace systole::test
