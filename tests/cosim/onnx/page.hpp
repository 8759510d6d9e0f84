// SPDX-License-Identifier: Apache-2.0
// Formats the outcomes of all tests as a page.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "node_case.hpp"

namespace systole::test {

/// Totals, refusals by reason, and a line for each test of ONNX's newest set, in the given order; and the tests of the
/// older set that are refused though the newest has no refused test of their name.
std::string page_of(const std::vector<Outcome>& newest, const std::vector<Outcome>& older);

/// The part of a page that the newest set makes alone.
std::string newest_part(const std::string& page);

/// Names of the tests that a page says are refused.
std::set<std::string> refused_on(const std::string& page);

/// The refused tests that are not among these names.
std::vector<Outcome> refused_beyond(const std::vector<Outcome>& outcomes, const std::set<std::string>& names);

}  // namespace systole::test
