// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "formula_steps.hpp"
#include "input_file.hpp"
#include "json_text.hpp"

namespace systole {
namespace formula {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::string_view kKernelExtension = ".tpuk";

/// A value of the file that knows its place, for messages.
class Entry {
 public:
  Entry(const json& value, std::string place) : value_(&value), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& what) const { throw FileError(fmt::format("{}: {}", place_, what)); }
  [[noreturn]] void expected(const std::string& what) const {
    fail(fmt::format("is {:.80}; expected {}", value_->dump(), what));
  }

  bool has(const char* name) const { return value_->is_object() && value_->contains(name); }
  Entry at(const char* name) const {
    if (!has(name)) {
      fail(fmt::format("has no \"{}\"", name));
    }
    return {(*value_)[name], fmt::format("{}: {}", place_, name)};
  }
  std::vector<Entry> elements() const {
    if (!value_->is_array()) {
      expected("a list");
    }
    std::vector<Entry> all;
    for (const json& element : *value_) {
      all.emplace_back(element, fmt::format("{}[{}]", place_, all.size()));
    }
    return all;
  }
  std::vector<std::pair<std::string, Entry>> members() const {
    if (!value_->is_object()) {
      expected("an object");
    }
    std::vector<std::pair<std::string, Entry>> all;
    for (const auto& [name, member] : value_->items()) {
      all.emplace_back(name, Entry(member, fmt::format("{}: {}", place_, name)));
    }
    return all;
  }
  bool is_null() const { return value_->is_null(); }
  bool is_number() const { return value_->is_number(); }
  double number() const {
    if (!value_->is_number()) {
      expected("a number");
    }
    return value_->get<double>();
  }
  std::string text() const {
    if (!value_->is_string() || value_->get<std::string>().empty()) {
      expected("a name");
    }
    return value_->get<std::string>();
  }
  bool truth() const {
    if (!value_->is_boolean()) {
      expected("true or false");
    }
    return value_->get<bool>();
  }
  template <class Integer>
  std::vector<Integer> integers() const {
    std::vector<Integer> all;
    for (const Entry& element : elements()) {
      if (!element.value_->is_number_integer() || std::abs(element.value_->get<double>()) > INT32_MAX) {
        element.expected("an integer of 32 bits");
      }
      all.push_back(element.value_->get<Integer>());
    }
    return all;
  }

 private:
  const json* value_;
  std::string place_;
};

template <class Kind>
std::optional<Kind> kind_named(const std::string& name, Kind last) {
  for (int kind = 0; kind <= static_cast<int>(last); ++kind) {
    if (name == graph::name_of(static_cast<Kind>(kind))) {
      return static_cast<Kind>(kind);
    }
  }
  return std::nullopt;
}

/// Reads a formula; every name must have been defined before it is used.
class Reader {
 public:
  Reader(const json& document, const std::string& path) : root_(document, path) { formula_.path = path; }

  Formula read() {
    if (const Entry version = root_.at("formula"); version.number() != kVersion) {
      version.expected(fmt::format("{}, the version that this reader knows", kVersion));
    }
    for (const Entry& operand : root_.at("operands").elements()) {
      formula_.operands.push_back(operand.text());
      define(operand, values_.size());
    }
    if (formula_.operands.empty()) {
      root_.at("operands").fail("is empty; a formula has at least one operand");
    }
    if (root_.has("attributes")) {
      for (const auto& [name, value] : root_.at("attributes").members()) {
        if (values_.count(name) != 0) {
          value.fail("is also the name of an operand");
        }
        formula_.attributes[name] = value.number();
      }
    }
    for (const Entry& entry : root_.at("steps").elements()) {
      formula_.steps.push_back(step(entry));
      define(entry.at("name"), values_.size());
    }
    for (const Entry& result : root_.at("results").elements()) {
      const Source source = source_of(result);
      const auto* value = std::get_if<std::size_t>(&source);
      if (value == nullptr || *value < formula_.operands.size()) {
        result.expected("the name of a step");
      }
      formula_.results.push_back(*value);
    }
    if (formula_.results.empty()) {
      root_.at("results").fail("is empty; a formula has at least one result");
    }
    if (root_.has("derivative")) {
      read_derivative(root_.at("derivative"));
    }
    return std::move(formula_);
  }

 private:
  void define(const Entry& entry, std::size_t value) {
    const std::string name = entry.text();
    if (formula_.attributes.count(name) != 0 || !values_.emplace(name, value).second) {
      entry.fail(fmt::format("'{}' is defined twice", name));
    }
  }

  Source source_of(const Entry& entry) const {
    if (entry.is_number()) {
      return entry.number();
    }
    const std::string name = entry.text();
    if (formula_.attributes.count(name) != 0) {
      return AttributeName{name};
    }
    const auto found = values_.find(name);
    if (found == values_.end()) {
      entry.fail(fmt::format("'{}' is no operand, no attribute and no step before this one", name));
    }
    return found->second;
  }

  void read_derivative(const Entry& entry) {
    for (const Entry& slope : entry.elements()) {
      formula_.derivative.push_back(slope.is_null() ? std::nullopt : std::optional(source_of(slope)));
    }
    if (formula_.derivative.size() != formula_.operands.size() || formula_.results.size() != 1) {
      entry.fail(
          fmt::format("has {} elements, for {} operands and {} results; a formula of one result has one for "
                      "each operand, or null",
                      formula_.derivative.size(), formula_.operands.size(), formula_.results.size()));
    }
  }

  Step step(const Entry& entry) const {
    Step step{entry.at("name").text(), {}, {}, 0};
    for (const Entry& source : entry.at("of").elements()) {
      step.sources.push_back(source_of(source));
    }
    const Entry name = entry.at("operator");
    const std::size_t count = operation(entry, name.text(), step);
    if (step.sources.size() != count) {
      entry.at("of").fail(fmt::format("has {} elements; {} takes {}", step.sources.size(), name.text(), count));
    }
    return step;
  }

  /// Sets the step's operation; the number of its operands.
  static std::size_t operation(const Entry& entry, const std::string& name, Step& step) {
    using Arrays = std::vector<Array>;
    const auto real = [&](const char* key) {
      return entry.has(key) ? static_cast<float>(entry.at(key).number()) : 0.0F;
    };
    if (const auto kind = kind_named(name, graph::UnaryKind::kReciprocalSqrt)) {
      step.operation = [kind, alpha = real("alpha"), beta = real("beta")](const Arrays& a) {
        return a[0].unary(*kind, alpha, beta);
      };
      return 1;
    }
    if (const auto kind = kind_named(name, graph::BinaryKind::kStraightThrough)) {
      step.operation = [kind](const Arrays& a) { return a[0].binary(*kind, a[1]); };
      return 2;
    }
    if (const auto kind = kind_named(name, graph::ReduceKind::kProduct)) {
      const bool keep = entry.has("keep_dimensions") && entry.at("keep_dimensions").truth();
      step.operation = [kind, axes = entry.at("axes").integers<int>(), keep](const Arrays& a) {
        return a[0].reduce(*kind, axes, keep);
      };
      return 1;
    }
    if (name == "reshape") {
      const Entry shape = entry.at("shape");
      step.operation = [sizes = shape.integers<std::int64_t>()](const Arrays& a) { return a[0].reshape(sizes); };
      return 1;
    }
    if (name == "transpose") {
      step.operation = [axes = entry.at("permutation").integers<int>()](const Arrays& a) {
        return a[0].transpose(axes);
      };
      return 1;
    }
    if (name == "matmul") {
      step.operation = [](const Arrays& a) { return a[0].matmul(a[1]); };
      return 2;
    }
    if (name == "select") {
      step.first_value = 1;  // before it is the condition
      step.operation = [](const Arrays& a) { return a[0].select(a[1], a[2]); };
      return 3;
    }
    entry.at("operator")
        .expected(
            "a function of driver/compiler/graph/kinds.md in its words, such as \"multiply\" or \"exp\", a reduction, "
            "\"reshape\", \"transpose\", \"matmul\" or \"select\"");
  }

  const Entry root_;
  Formula formula_;
  std::map<std::string, std::size_t> values_;  ///< operands and steps by name
};

}  // namespace

Formula parse(const std::string& text, const std::string& name) {
  const json document =
      files::parse_json(text, name, "a formula, which systole.kernel(function).save(FILE) writes in Python");
  return Reader(document, name).read();
}

}  // namespace formula

OperatorFunction read_formula(const std::string& path, FormulaUse use) {
  if (path.ends_with(formula::kKernelExtension)) {
    throw FileError(fmt::format(
        "{}: is a kernel of the vector processor, which knows neither the shapes of a network nor a gradient and runs "
        "by `systole kernel`; expected a formula, which systole.kernel(function).save(FILE) writes in Python",
        path));
  }
  const auto read = std::make_shared<const formula::Formula>(formula::parse(files::read_text(path), path));
  return [read, use](const std::vector<Array>& operands, const Attributes& attributes) {
    return formula::run(*read, use, operands, attributes);
  };
}

}  // namespace systole
