// SPDX-License-Identifier: Apache-2.0
// One operator with its attributes, drawn at random or written on a command line: "conv2d:batch=1,height=5,width=3".
#pragma once

#include <map>
#include <string>

namespace systole::shapes {

struct Spec {
  std::string kind;
  std::map<std::string, int> values;  ///< by name of the parameter; `seed` decides on elements and scales

  int at(const char* name) const { return values.at(name); }
};

std::string to_string(const Spec& spec);

/// Throws std::invalid_argument, saying what a specification looks like, for a text that is none, for a kind or a
/// parameter that does not exist or is missing, and for a value that is out of its range.
Spec parse_spec(const std::string& text);

}  // namespace systole::shapes
