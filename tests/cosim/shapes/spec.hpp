// SPDX-License-Identifier: Apache-2.0
// One operator with its attributes, drawn at random or written on a command line: "conv2d:batch=1,height=5,width=3".
#pragma once

#include <map>
#include <string>

namespace systole::shapes {

struct Spec {
  std::string kind;
  std::map<std::string, int> values;  ///< by parameter name; `seed` determines elements and scales

  int at(const char* name) const { return values.at(name); }
};

std::string to_string(const Spec& spec);

/// Throws std::invalid_argument for an invalid specification, describing the syntax, for an unknown kind or parameter,
/// a missing parameter, and a value out of range.
Spec parse_spec(const std::string& text);

}  // namespace systole::shapes
