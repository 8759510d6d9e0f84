// SPDX-License-Identifier: Apache-2.0
#include "kernel_call.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "convert.hpp"
#include "exit_codes.hpp"
#include "npy.hpp"

namespace systole::cli {
namespace {

using graph::ElementType;
using graph::Value;

constexpr std::array kTypes = {ElementType::kInt8, ElementType::kUint8, ElementType::kInt16, ElementType::kInt32,
                               ElementType::kFloat32};
constexpr const char* kTypeNames = "int8, uint8, int16, int32, float32";

std::optional<ElementType> type_named(const std::string& name) {
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(), [&](ElementType t) { return name_of(t) == name; });
  return found == kTypes.end() ? std::nullopt : std::optional(*found);
}

/// "[acc:]NAME=REST".
struct Assignment {
  std::string name, rest;
  bool sums = false;
};

Assignment parse_assignment(const char* option, const std::string& text, const char* form) {
  const std::size_t equals = text.find('=');
  Assignment result{text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1)};
  constexpr std::string_view kSums = "acc:";
  if (result.name.rfind(kSums, 0) == 0) {
    result.name.erase(0, kSums.size());
    result.sums = true;
  }
  if (result.name.empty() || result.rest.empty()) {
    throw InputError(fmt::format("{}: '{}' is not {}", option, text, form));
  }
  return result;
}

/// "4x10"; empty for other texts.
graph::Shape parse_shape(const std::string& text) {
  graph::Shape shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    int size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 1 || (next != end && *next != 'x')) {
      return {};
    }
    shape.push_back(size);
    if (next == end) {
      return shape;
    }
    at = next + 1;
  }
}

/// Collects the options; each adds to the operand or value of its argument.
class Call {
 public:
  Call(const kernel::Kernel& kernel, const KernelOptions& options) : kernel_(kernel) {
    for (const std::string& text : options.in) {
      const auto [name, file, sums] = parse_assignment("--in", text, "NAME=FILE.npy or acc:NAME=FILE.npy");
      KernelOperand& operand = operand_of("--in", name, sums);
      once("--in", name, operand.input.has_value());
      operand.input = read("--in", name, file);
      set_shape("--in", operand, operand.input->type, operand.input->shape);
    }
    for (const std::string& text : options.out) {
      add_output(text);
    }
    for (const std::string& text : options.expect) {
      const auto [name, file, sums] = parse_assignment("--expect", text, "NAME=FILE.npy or acc:NAME=FILE.npy");
      KernelOperand& operand = operand_of("--expect", name, sums);
      once("--expect", name, operand.expected.has_value());
      operand.expected = read("--expect", name, file);
      if (!operand.shape.empty()) {
        operand.expected = npy::as_type(*operand.expected, operand.type, "--expect " + name);
      }
      set_shape("--expect", operand, operand.expected->type, operand.expected->shape);
    }
    for (const std::string& text : options.values) {
      add_value(text);
    }
    if (!options.table.empty()) {
      add_table(options.table);
    }
  }

  KernelCall finish() {
    for (const std::string& argument : kernel_.arguments) {
      const auto found = operands_.find(argument);
      if (found == operands_.end()) {
        require_value(argument);
        continue;
      }
      KernelOperand& operand = found->second;
      if (operand.shape.empty()) {
        throw InputError(
            fmt::format("--out {}: has no shape and type; write --out {}={}:SHAPE:TYPE, for example :100x16:int8, or "
                        "give the expected array with --expect",
                        argument, argument, operand.output));
      }
      call_.operands.push_back(std::move(operand));
    }
    return std::move(call_);
  }

 private:
  void check_name(const char* option, const std::string& name) const {
    const auto& names = kernel_.arguments;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError(fmt::format("{}: {} has no argument '{}'; it has {}", option, kernel_.name, name,
                                   names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
  }

  static void once(const char* option, const std::string& name, bool before) {
    if (before) {
      throw InputError(fmt::format("{}: '{}' is given twice", option, name));
    }
  }

  KernelOperand& operand_of(const char* option, const std::string& name, bool sums) {
    check_name(option, name);
    KernelOperand& operand = operands_[name];
    operand.name = name;
    operand.sums = operand.sums || sums;
    return operand;
  }

  static Value read(const char* option, const std::string& name, const std::string& file) {
    try {
      Value value = npy::read(file);
      if (value.shape.empty()) {
        value.shape = {1};
      }
      return value;
    } catch (const npy::NpyError& error) {
      throw InputError(fmt::format("{} {}: {}", option, name, error.what()));
    }
  }

  static void set_shape(const char* option, KernelOperand& operand, ElementType type, const graph::Shape& shape) {
    if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
      throw InputError(fmt::format("{} {}: is an array of {}; a kernel takes {}: save it with .astype(...)", option,
                                   operand.name, name_of(type), kTypeNames));
    }
    if (operand.sums && graph::element_size(type) != 4) {
      throw InputError(fmt::format("{} acc:{}: is an array of {}; accumulators hold int32 and float32", option,
                                   operand.name, name_of(type)));
    }
    if (!operand.shape.empty() && (operand.shape != shape || operand.type != type)) {
      throw InputError(fmt::format("{} {}: is {} {}, but {} {} by an option before it", option, operand.name,
                                   graph::to_string(shape), name_of(type), graph::to_string(operand.shape),
                                   name_of(operand.type)));
    }
    operand.type = type;
    operand.shape = shape;
  }

  void add_output(const std::string& text) {
    const auto [name, rest, sums] = parse_assignment("--out", text, "NAME=FILE.npy:SHAPE:TYPE");
    KernelOperand& operand = operand_of("--out", name, sums);
    once("--out", name, !operand.output.empty());
    const std::size_t last = rest.rfind(':');
    if (last == std::string::npos) {
      operand.output = rest;
      return;
    }
    const std::size_t first = last == 0 ? std::string::npos : rest.rfind(':', last - 1);
    const auto type = type_named(rest.substr(last + 1));
    const graph::Shape shape =
        first == std::string::npos ? graph::Shape() : parse_shape(rest.substr(first + 1, last - first - 1));
    if (!type || shape.empty() || first == 0) {
      throw InputError(
          fmt::format("--out {}: '{}' is not FILE.npy:SHAPE:TYPE, where a shape is 100x16 and a type one of {}", name,
                      rest, kTypeNames));
    }
    operand.output = rest.substr(0, first);
    set_shape("--out", operand, *type, shape);
  }

  void add_value(const std::string& text) {
    const auto [name, rest, sums] = parse_assignment("--arg", text, "NAME=VALUE");
    check_name("--arg", name);
    once("--arg", name, call_.values.count(name) > 0);
    const auto value = sums ? std::nullopt : parse_word(rest);
    if (!value) {
      throw InputError(
          fmt::format("--arg {}: '{}' is neither an integer from -2147483648 to 4294967295 nor a number with a point, "
                      "such as 0.5",
                      name, rest));
    }
    if (operands_.count(name) > 0) {
      throw InputError(fmt::format("--arg {}: the argument is the row of an array; leave one of both out", name));
    }
    call_.values[name] = *value;
    if (*value != 0 && rest.find_first_of(".xX") == std::string::npos) {
      call_.integers[name] = rest;
    }
  }

  void add_table(const std::string& file) {
    const Value words = read("--table", file, file);
    const bool of_words = graph::element_size(words.type) == 4;
    if (!of_words || graph::count(words.shape) != kernel::kTableWords) {
      throw InputError(fmt::format("--table: {} is {} {}; the table has {} words of int32, uint32 or float32", file,
                                   graph::to_string(words.shape), name_of(words.type), kernel::kTableWords));
    }
    call_.table = words.data;
  }

  void require_value(const std::string& argument) const {
    if (call_.values.count(argument) == 0) {
      throw InputError(
          fmt::format("argument '{}' of {} has no value; give a number with --arg {}=VALUE, or an array with --in, "
                      "--out or --expect",
                      argument, kernel_.name, argument));
    }
  }

  const kernel::Kernel& kernel_;
  std::map<std::string, KernelOperand> operands_;
  KernelCall call_;
};

}  // namespace

std::int64_t KernelOperand::rows() const { return graph::count(shape) / channels(); }
std::int64_t KernelOperand::channels() const { return shape.back(); }

KernelCall read_call(const kernel::Kernel& kernel, const KernelOptions& options) {
  try {
    return Call(kernel, options).finish();
  } catch (const npy::NpyError& error) {
    throw InputError(error.what());
  }
}

std::optional<std::uint32_t> parse_word(const std::string& text) {
  char* end = nullptr;
  if (text.empty() || text.find_first_not_of("0123456789abcdefABCDEFxX.+-") != std::string::npos) {
    return {};
  }
  if (text.find('.') != std::string::npos) {
    const float value = std::strtof(text.c_str(), &end);
    return *end == '\0' ? std::optional(std::bit_cast<std::uint32_t>(value)) : std::nullopt;
  }
  errno = 0;
  const bool hexadecimal = text.find_first_of("xX") != std::string::npos;
  const long long value = std::strtoll(text.c_str(), &end, hexadecimal ? 16 : 10);
  if (*end != '\0' || errno != 0 || value < -(1LL << 31) || value >= 1LL << 32) {
    return {};
  }
  return static_cast<std::uint32_t>(value);
}

}  // namespace systole::cli
