// SPDX-License-Identifier: Apache-2.0
#include "json_field.hpp"

#include <fmt/core.h>

#include "json_text.hpp"

namespace systole::report {
namespace {

constexpr std::size_t kMostQuoted = 40;  ///< maximum length of a wrong value in a message

std::string excerpt(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', true);
  if (text.size() > kMostQuoted) {
    text = text.substr(0, kMostQuoted) + "...";
  }
  return text;
}

}  // namespace

void Field::fail(std::string_view what) const {
  throw BadFile(path_.empty() ? fmt::format("{}: {}", file_, what) : fmt::format("{}: {}: {}", file_, path_, what));
}

void Field::expected(std::string_view what) const {
  fail(fmt::format("expected {}, found {}", what, excerpt(*value_)));
}

Field Field::at(const std::string& name) const {
  if (!value_->is_object()) {
    expected("an object");
  }
  const auto member = value_->find(name);
  const std::string path = path_.empty() ? name : path_ + "." + name;
  if (member == value_->end()) {
    Field(*value_, file_, path)
        .fail("missing; expected what --json of systole matmul, conv, digits, run, kernel or bench writes");
  }
  return {*member, file_, path};
}

std::optional<Field> Field::find(const std::string& name) const {
  if (!value_->is_object()) {
    expected("an object");
  }
  const auto member = value_->find(name);
  if (member == value_->end() || member->is_null()) {
    return std::nullopt;
  }
  return at(name);
}

std::vector<Field> Field::elements() const {
  if (!value_->is_array()) {
    expected("an array");
  }
  std::vector<Field> fields;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    fields.push_back({(*value_)[i], file_, fmt::format("{}[{}]", path_, i)});
  }
  return fields;
}

std::vector<std::string> Field::names() const {
  if (!value_->is_object()) {
    expected("an object");
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : value_->items()) {
    names.push_back(name);
  }
  return names;
}

std::string Field::text() const {
  if (!value_->is_string()) {
    expected("a string");
  }
  return value_->get<std::string>();
}

bool Field::truth() const {
  if (!value_->is_boolean()) {
    expected("true or false");
  }
  return value_->get<bool>();
}

double Field::number() const {
  if (!value_->is_number()) {
    expected("a number");
  }
  return value_->get<double>();
}

std::uint64_t Field::count(std::uint64_t most) const {
  if (!value_->is_number_integer() || (!value_->is_number_unsigned() && value_->get<std::int64_t>() < 0) ||
      value_->get<std::uint64_t>() > most) {
    expected(most == ~std::uint64_t{0} ? "an integer, at least 0" : fmt::format("an integer from 0 to {}", most));
  }
  return value_->get<std::uint64_t>();
}

std::optional<std::uint64_t> Field::find_count(const std::string& name) const {
  const auto field = find(name);
  return field ? std::optional(field->count()) : std::nullopt;
}

nlohmann::json parse_json(const std::string& text, const std::string& file) {
  try {
    return files::parse_json(text, file,
                             "JSON as --json of systole matmul, conv, digits, run, kernel or bench writes it");
  } catch (const FileError& error) {
    throw BadFile(error.what());
  }
}

}  // namespace systole::report
