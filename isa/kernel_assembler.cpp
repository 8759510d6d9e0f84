// SPDX-License-Identifier: Apache-2.0
// The assembler of kernels: a statement per line, in one pass, with the names of registers in a table.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>

#include "systole/kernel.hpp"

namespace systole::kernel {
namespace {

constexpr std::string_view kSpaces = " \t\r";
constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kSpaces);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// Parts between commas that are not within brackets.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trimmed(text).empty()) {
    return parts;
  }
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (text[i] == '[') {
      ++depth;
    } else if (text[i] == ']') {
      --depth;
    }
  }
  return parts;
}

struct Register {
  bool vector;
  std::uint32_t number;
};

class Assembler {
 public:
  Assembler(std::string_view source, const FormatNames& given) : source_(source), given_(given) {}

  Kernel run(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      statement(trimmed(text.substr(0, std::min(text.substr(0, end).find('#'), end))));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!begun_) {
      refuse("no kernel; a source begins with: kernel NAME(ARGUMENT, ...)");
    }
    if (!ended_) {
      refuse(loops_.empty() ? "the kernel has no 'end'"
                            : fmt::format("the loop of line {} has no 'end'", kernel_.lines[loops_.back()]));
    }
    return std::move(kernel_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw AssemblyError(fmt::format("{}:{}: {}", source_, line_, what));
  }

  void statement(std::string_view text) {
    if (text.empty()) {
      return;
    }
    if (ended_) {
      refuse("a statement behind the end of the kernel; a source has one kernel");
    }
    const std::string_view first = text.substr(0, std::min(text.find_first_not_of(kNameCharacters), text.size()));
    const std::string_view rest = trimmed(text.substr(first.size()));
    if (!begun_) {
      head(first, rest);
    } else if (first == "vector" || first == "scalar") {
      names(first == "vector", rest);
    } else if (first == "format") {
      format(rest);
    } else if (first == "loop") {
      loop(split(rest));
    } else if (first == "end") {
      end(rest);
    } else {
      operation(first, split(rest));
    }
  }

  void head(std::string_view word, std::string_view rest) {
    const std::size_t open = rest.find('(');
    if (word != "kernel" || open == std::string_view::npos || rest.back() != ')') {
      refuse("a source begins with: kernel NAME(ARGUMENT, ...)");
    }
    kernel_.name = trimmed(rest.substr(0, open));
    check_name(kernel_.name);
    for (const std::string_view name : split(rest.substr(open + 1, rest.size() - open - 2))) {
      if (kernel_.arguments.size() == kArguments) {
        refuse(fmt::format("more than {} arguments", kArguments));
      }
      kernel_.arguments.emplace_back(name);
      define(name, {false, scalars_++});
    }
    begun_ = true;
  }

  void names(bool vector, std::string_view list) {
    for (const std::string_view name : split(list)) {
      std::uint32_t& next = vector ? vectors_ : scalars_;
      const int most = vector ? kVectors : kScalars;
      if (next == static_cast<std::uint32_t>(most)) {
        refuse(fmt::format("'{}': there are {} {} registers{}", name, most, vector ? "vector" : "scalar",
                           vector ? "" : ", the arguments among them"));
      }
      define(name, {vector, next++});
      if (vector) {
        kernel_.vectors.emplace_back(name);
      }
    }
  }

  /// A name for a format, and what it is unless the caller says otherwise.
  void format(std::string_view rest) {
    const std::string_view name = rest.substr(0, std::min(rest.find_first_of(kSpaces), rest.size()));
    const std::string_view meaning = trimmed(rest.substr(name.size()));
    check_name(name);
    const std::optional<Format> usual = format_of(meaning);
    if (!usual) {
      refuse(fmt::format("'{}' is no format; after 'format {}' comes i8, u8, i16, i32 or acc", meaning, name));
    }
    if (format_of(name)) {
      refuse(fmt::format("'{}' is a format already", name));
    }
    const auto given = given_.find(name);
    if (!formats_.emplace(name, given == given_.end() ? *usual : given->second).second) {
      refuse(fmt::format("there are two formats '{}'", name));
    }
  }

  static bool is_name(std::string_view name) {
    return !name.empty() && (name[0] < '0' || name[0] > '9') &&
           name.find_first_not_of(kNameCharacters) == std::string_view::npos &&
           name.find('.') == std::string_view::npos;
  }

  void check_name(std::string_view name) const {
    if (!is_name(name)) {
      refuse(fmt::format("'{}' is no name; a name is a letter or _, then letters, digits and _", name));
    }
  }

  void define(std::string_view name, Register where) {
    check_name(name);
    if (numbered(name)) {
      refuse(fmt::format("'{}' names a register by its number already", name));
    }
    if (!registers_.emplace(name, where).second) {
      refuse(fmt::format("there are two registers '{}'", name));
    }
  }

  /// r0 .. r15, v0 .. v15.
  static std::optional<Register> numbered(std::string_view name) {
    std::uint32_t number = 0;
    if (name.size() < 2 || (name[0] != 'r' && name[0] != 'v')) {
      return {};
    }
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    const bool vector = name[0] == 'v';
    if (error != std::errc{} || end != name.data() + name.size() ||
        number >= static_cast<std::uint32_t>(vector ? kVectors : kScalars)) {
      return {};
    }
    return Register{vector, number};
  }

  std::optional<Register> find(std::string_view name) const {
    const auto found = registers_.find(name);
    return found == registers_.end() ? numbered(name) : std::optional(found->second);
  }

  /// What to do about a register that does not exist: `declare` it, unless it has a number, or cannot have a name.
  static std::string remedy(std::string_view name, const std::string& declare) {
    const bool has_number = name.size() > 1 && (name[0] == 'r' || name[0] == 'v') &&
                            name.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (has_number) {
      return name[0] == 'v' ? fmt::format("; vector registers are v0 to v{}", kVectors - 1)
                            : fmt::format("; scalar registers are r0 to r{}", kScalars - 1);
    }
    return is_name(name) ? fmt::format("; name it with: {}", declare) : std::string();
  }

  std::uint32_t need(std::string_view name, bool vector) const {
    const std::optional<Register> found = find(name);
    const char* kind = vector ? "vector" : "scalar";
    if (!found) {
      if (constant(name, true)) {
        refuse(fmt::format("'{}' is a number; a {} register is needed{}", name, kind,
                           vector ? "" : ": put the number into one with set"));
      }
      refuse(fmt::format("'{}' is no register{}", name, remedy(name, fmt::format("{} {}", kind, name))));
    }
    if (found->vector != vector) {
      refuse(fmt::format("'{}' is a {} register; a {} register is needed", name, vector ? "scalar" : "vector", kind));
    }
    return found->number;
  }

  /// An integer in 32 bits, signed or not, or with `real` the bits of a binary32 number.
  std::optional<std::uint32_t> constant(std::string_view text, bool real = false) const {
    if (text.empty() || (text[0] != '-' && (text[0] < '0' || text[0] > '9'))) {
      return {};
    }
    const std::string copy(text);
    char* end = nullptr;
    if (real && copy.find('.') != std::string::npos) {
      const float value = std::strtof(copy.c_str(), &end);
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      return *end == '\0' ? std::optional(bits) : std::nullopt;
    }
    errno = 0;
    const long long value = std::strtoll(copy.c_str(), &end, 0);
    if (*end != '\0') {
      return {};
    }
    if (errno != 0 || value < -(1LL << 31) || value >= 1LL << 32) {
      refuse(fmt::format("{} does not fit 32 bits", text));
    }
    return static_cast<std::uint32_t>(value);
  }

  void emit(Word word) {
    if (const std::string wrong = illegal(word); !wrong.empty()) {
      refuse(wrong);
    }
    if (kernel_.words.size() == kMemoryWords) {
      refuse(fmt::format("the kernel has more than {} words", kMemoryWords));
    }
    kernel_.words.push_back(word);
    kernel_.lines.push_back(line_);
  }

  static Word of(Op op) { return with(0, kOpField, static_cast<std::uint32_t>(op)); }

  void count(std::string_view name, const std::vector<std::string_view>& operands, std::size_t expected) const {
    if (operands.size() != expected) {
      refuse(fmt::format("'{}' has {} operand{}; it needs {}", name, operands.size(), operands.size() == 1 ? "" : "s",
                         expected));
    }
  }

  void loop(const std::vector<std::string_view>& operands) {
    count("loop", operands, 1);
    if (loops_.size() == kLoopDepth) {
      refuse(fmt::format("loops in more than {} levels", kLoopDepth));
    }
    loops_.push_back(kernel_.words.size());
    emit(with(of(Op::kLoop), kAField, need(operands[0], false)));
  }

  void end(std::string_view rest) {
    if (!rest.empty()) {
      refuse(fmt::format("'{}' behind 'end'", rest));
    }
    if (loops_.empty()) {
      emit(of(Op::kEnd));
      ended_ = true;
      return;
    }
    const std::size_t begin = loops_.back();
    const std::size_t length = kernel_.words.size() - begin - 1;
    if (length == 0) {
      refuse(fmt::format("the loop of line {} is empty", kernel_.lines[begin]));
    }
    kernel_.words[begin] = with(kernel_.words[begin], kImmediateField, static_cast<std::uint32_t>(length));
    loops_.pop_back();
  }

  void operation(std::string_view written, const std::vector<std::string_view>& operands) {
    const bool even = written.size() > 5 && written.substr(written.size() - 5) == ".even";
    const std::string_view name = even ? written.substr(0, written.size() - 5) : written;
    const auto* end = std::end(kOperations);
    const auto* found =
        std::find_if(std::begin(kOperations), end, [&](const OpInfo& info) { return info.name == name; });
    if (found == end || found->op == Op::kAddWide) {
      refuse(fmt::format("there is no operation '{}'; isa/spec/pages/kernel.md lists them", written));
    }
    if (even && found->op != Op::kShiftRound) {
      refuse(fmt::format("'{}': only shift_round has .even", written));
    }
    const Word word = with(of(found->op), kRoundingField, even ? 1 : 0);
    switch (found->group) {
      case Group::kControl:  // `rows`; the others are statements of their own
        count(written, operands, 1);
        return emit(with(word, kAField, need(operands[0], false)));
      case Group::kScalarWide: return set(operands);
      case Group::kScalar: return scalar(found->op, written, operands);
      default: return strips(word, found->group, written, operands);
    }
  }

  void set(const std::vector<std::string_view>& operands) {
    count("set", operands, 2);
    const std::optional<std::uint32_t> value = constant(operands[1], true);
    if (!value) {
      refuse(fmt::format("'{}' is no constant; a constant is -5, 0x1f or 0.5", operands[1]));
    }
    emit(with(with(of(Op::kSet), kDField, need(operands[0], false)), kWideField, *value));
  }

  void scalar(Op op, std::string_view written, const std::vector<std::string_view>& operands) {
    count(written, operands, 3);
    const std::uint32_t d = need(operands[0], false), a = need(operands[1], false);
    if (const std::optional<std::uint32_t> value = constant(operands[2])) {
      const std::uint32_t sum = op == Op::kSub ? 0U - *value : *value;
      return emit(with(with(with(of(Op::kAddWide), kDField, d), kAField, a), kWideField, sum));
    }
    emit(with(with(with(of(op), kDField, d), kAField, a), kBField, need(operands[2], false)));
  }

  void strips(Word word, Group group, std::string_view written, const std::vector<std::string_view>& operands) {
    count(written, operands, group == Group::kVector2 ? 3 : 2);
    if (operands[0].find('[') != std::string_view::npos) {
      word = memory(with(word, kStoreField, 1), operands[0]);
    } else {
      word = with(word, kDField, need(operands[0], true));
    }
    if (group == Group::kLanes) {
      return emit(with(word, kAField, need(operands[1], true)));
    }
    bool has_immediate = false, has_memory = get(word, kStoreField) != 0;
    const auto source = [&](std::string_view text, const Field& field, const Field& kind) {
      if (text.find('[') != std::string_view::npos) {
        if (has_memory) {
          refuse(fmt::format("'{}': a second operand in memory; only one may be", text));
        }
        has_memory = true;
        word = memory(with(word, kind, static_cast<std::uint32_t>(Source::kMemory)), text);
      } else if (const std::optional<std::uint32_t> value = constant(text)) {
        const auto number = static_cast<std::int32_t>(*value);
        if (number < -32768 || number > 32767) {
          refuse(fmt::format("{} does not fit 16 bits; put it into a scalar with set", text));
        }
        if (has_immediate && get_signed(word, kImmediateField) != number) {
          refuse("two different constants; put one into a scalar with set");
        }
        has_immediate = true;
        word = with(with(word, kind, static_cast<std::uint32_t>(Source::kImmediate)), kImmediateField, *value);
      } else {
        const std::optional<Register> found = find(text);
        if (!found && constant(text, true)) {
          refuse(fmt::format("'{}' is no integer; put it into a scalar with set", text));
        }
        if (!found) {
          refuse(fmt::format("'{}' is no register, constant or memory operand{}", text,
                             remedy(text, fmt::format("vector {0} or scalar {0}", text))));
        }
        const Source from = found->vector ? Source::kVector : Source::kScalar;
        word = with(with(word, kind, static_cast<std::uint32_t>(from)), field, found->number);
      }
    };
    source(operands[1], kAField, kAKindField);
    if (group == Group::kVector2) {
      source(operands[2], kBField, kBKindField);
    }
    emit(word);
  }

  static std::optional<Format> format_of(std::string_view name) {
    for (int i = 0; i <= static_cast<int>(Format::kBlocks); ++i) {
      const auto format = static_cast<Format>(i);
      if (name == to_string(format)) {
        return format;
      }
    }
    return {};
  }

  /// format[base], format[base, row stride], format[base, row stride, plane stride]
  Word memory(Word word, std::string_view text) const {
    const std::size_t open = text.find('[');
    const std::string_view name = trimmed(text.substr(0, open));
    const auto named = formats_.find(name);
    const std::optional<Format> format = named == formats_.end() ? format_of(name) : named->second;
    if (!format || text.back() != ']') {
      refuse(
          fmt::format("'{}' is no memory operand; it is FORMAT[BASE, ROW STRIDE, PLANE STRIDE] with the format i8, "
                      "u8, i16, i32 or acc",
                      text));
    }
    const bool planes = format == Format::kI16 || format == Format::kI32;
    const auto parts = split(text.substr(open + 1, text.size() - open - 2));
    const std::size_t most = planes || named != formats_.end() ? 3 : 2;
    if (parts.empty() || parts.size() > most) {
      refuse(fmt::format("'{}' has {} registers; {} has 1 to {}", text, parts.size(), name, most));
    }
    const auto stride = [&](std::size_t index) -> std::uint32_t {
      if (index >= parts.size() || parts[index] == "1") {
        return 0;
      }
      const std::uint32_t number = need(parts[index], false);
      if (number == 0) {
        refuse(
            fmt::format("'{}': scalar 0 cannot hold a stride, because 0 stands for a stride of 1; use another "
                        "scalar",
                        parts[index]));
      }
      return number;
    };
    word = with(word, kFormatField, static_cast<std::uint32_t>(*format));
    word = with(word, kBaseField, need(parts[0], false));
    word = with(word, kRowStrideField, stride(1));
    return planes ? with(word, kPlaneStrideField, stride(2)) : word;
  }

  std::string source_;
  int line_ = 0;
  bool begun_ = false, ended_ = false;
  std::uint32_t scalars_ = 0, vectors_ = 0;
  std::map<std::string, Register, std::less<>> registers_;
  const FormatNames& given_;
  FormatNames formats_;
  std::vector<std::size_t> loops_;
  Kernel kernel_;
};

}  // namespace

Kernel assemble(std::string_view text, std::string_view source, const FormatNames& formats) {
  return Assembler(source, formats).run(text);
}

}  // namespace systole::kernel
