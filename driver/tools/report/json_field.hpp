// SPDX-License-Identifier: Apache-2.0
// A value in a JSON document that knows its path, so that errors name file, field, expected and actual value.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace systole::report {

/// An invalid file.
class BadFile : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Refers to the document, which must outlive it. Every function throws BadFile when the value is of another kind.
class Field {
 public:
  Field(const nlohmann::json& document, std::string file) : value_(&document), file_(std::move(file)) {}

  /// Member of an object. Throws when it is missing.
  Field at(const std::string& name) const;
  /// The same; empty if it is missing or null.
  std::optional<Field> find(const std::string& name) const;
  /// Elements of an array.
  std::vector<Field> elements() const;
  /// Names of an object's members.
  std::vector<std::string> names() const;

  std::string text() const;
  bool truth() const;
  double number() const;
  /// An integer from 0 to `most`.
  std::uint64_t count(std::uint64_t most = ~std::uint64_t{0}) const;
  std::optional<std::uint64_t> find_count(const std::string& name) const;

  /// Throws "file: field: `what`", for rules that involve several values.
  [[noreturn]] void fail(std::string_view what) const;
  /// The same, with the actual value.
  [[noreturn]] void expected(std::string_view what) const;

 private:
  Field(const nlohmann::json& value, std::string file, std::string path)
      : value_(&value), file_(std::move(file)), path_(std::move(path)) {}

  const nlohmann::json* value_;
  std::string file_;
  std::string path_;  ///< layers[2].causes.MXU
};

/// Reads a JSON document. Throws BadFile, with line and column for syntax errors.
nlohmann::json parse_json(const std::string& text, const std::string& file);

}  // namespace systole::report
