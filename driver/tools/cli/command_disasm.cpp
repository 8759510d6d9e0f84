// SPDX-License-Identifier: Apache-2.0
// `systole disasm`: lists binary instructions, or translates instructions from a waveform viewer.
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "input_file.hpp"
#include "standard_output.hpp"
#include "systole/configurations.hpp"
#include "systole/container.hpp"
#include "systole/disassemble.hpp"
#include "systole/isa_check.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

constexpr std::size_t kBytes = isa::kInstructionBytes;

graph::Bytes read_input() {
  graph::Bytes bytes;
  unsigned char block[4096];
  ssize_t count = 0;
  while ((count = read(STDIN_FILENO, block, sizeof block)) > 0) {
    bytes.insert(bytes.end(), block, block + count);
  }
  if (count < 0) {
    throw InputError(fmt::format("standard input: {}", std::strerror(errno)));
  }
  return bytes;
}

isa::Instruction word_at(const unsigned char* bytes) {
  isa::Instruction instruction;
  for (std::size_t i = 0; i < instruction.words.size(); ++i) {
    for (std::size_t byte = 0; byte < 4; ++byte) {
      instruction.words[i] |= static_cast<std::uint32_t>(bytes[4 * i + byte]) << (8 * byte);
    }
  }
  return instruction;
}

int list(const graph::Bytes& bytes, const std::string& path, int dim) {
  if (bytes.empty() || bytes.size() % kBytes != 0) {
    throw InputError(
        fmt::format("{}: {} bytes are not a whole number of instructions of {} bytes", path, bytes.size(), kBytes));
  }
  const Style style = style_of(stdout);
  std::size_t illegal = 0;
  for (std::size_t index = 0; index * kBytes < bytes.size(); ++index) {
    const isa::Instruction instruction = word_at(bytes.data() + index * kBytes);
    print("{:5}  {}\n", index, isa::disassemble(instruction));
    const auto violations = isa::check(instruction, dim);
    for (const isa::Violation& violation : violations) {
      print("       {} {}\n", style(Paint::kBad, "illegal:"), violation.text);
    }
    illegal += violations.empty() ? 0 : 1;
  }
  flush_output();
  if (illegal > 0) {
    fmt::print(stderr, "{} of {} instructions are illegal on an array of {} x {}\n", illegal, bytes.size() / kBytes,
               dim, dim);
  }
  return illegal > 0 ? kMismatch : kOk;
}

void list(const Program& program) {
  for (std::size_t index = 0; index < program.instructions.size(); ++index) {
    if (index == 0 || program.label_of[index] != program.label_of[index - 1]) {
      print("  {}:\n", program.label(index));
    }
    print("{:5}  {}\n", index, isa::disassemble(program.instructions[index]));
  }
}

/// Lists the steps of a compiled network; reading the file has already checked that they are legal.
int list_network(graph::Bytes bytes, const std::string& path) {
  try {
    const container::Container contents(std::move(bytes));
    if (!contents.compiled()) {
      throw InputError(fmt::format("{}: contains a graph without programs; systole compile adds them", path));
    }
    const CompiledNetwork network = contents.network(find_configuration(contents.configuration()));
    std::size_t programs = 0;
    for (const NetworkStep& step : network.steps) {
      if (const auto* device = std::get_if<DeviceStep>(&step)) {
        print("program {}, {} instructions for {}\n", ++programs, device->program.instructions.size(),
              contents.configuration());
        list(device->program);
      } else {
        const auto& host = std::get<HostStep>(step);
        print("host: {} ({})\n", network.graph.operators[static_cast<std::size_t>(host.op)].name, host.reason);
      }
    }
  } catch (const container::ContainerError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  flush_output();
  return kOk;
}

int list_file(const std::string& path, const DeviceOptions& options) {
  graph::Bytes bytes = path == "-" ? read_input() : files::read_file(path);
  return container::is_container(bytes) ? list_network(std::move(bytes), path)
                                        : list(bytes, path, configuration_of(options).dim);
}

/// 128 hexadecimal digits, the most significant first.
std::optional<isa::Instruction> parse_word(const std::string& digits) {
  isa::Instruction instruction;
  if (digits.size() != 2 * kBytes || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
    return std::nullopt;
  }
  for (std::size_t word = 0; word < instruction.words.size(); ++word) {
    const std::size_t start = digits.size() - 8 * (word + 1);
    instruction.words[word] = static_cast<std::uint32_t>(std::stoul(digits.substr(start, 8), nullptr, 16));
  }
  return instruction;
}

/// Answers each line with one line and flushes: the waveform viewer waits for an answer before the next question.
int answer_words(std::istream& lines) {
  int code = kOk;
  for (std::string line; std::getline(lines, line);) {
    const auto instruction = parse_word(line);
    print("{}\n", instruction ? isa::disassemble(*instruction) : "no instruction: " + line);
    flush_output();
    code = instruction ? code : kMismatch;
  }
  return code;
}

int list_words(const std::string& path) {
  if (path == "-") {
    return answer_words(std::cin);
  }
  std::istringstream lines(files::read_text(path));
  return answer_words(lines);
}

}  // namespace

void add_disasm(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand("disasm",
                                         "Lists binary instructions of 64 bytes and names what is illegal, exit code 1 "
                                         "if anything is; or the programs of a compiled network");
  struct Values {
    std::string file;
    bool words = false;
    DeviceOptions device;
  };
  auto values = std::make_shared<Values>();
  command
      ->add_option("file", values->file,
                   "file of instructions, or of a network that systole compile wrote; - is standard input")
      ->required()
      ->type_name("FILE");
  command->add_flag("--words", values->words,
                    "the file is text, one instruction per line as 128 hexadecimal digits, the most significant "
                    "first; one line is answered at a time, which waveform viewers need");
  add_configuration_option(*command, values->device);
  command->footer(
      "Examples:\n  systole disasm program.bin\n  systole disasm model.systole\n  dd if=memory.bin bs=64 skip=16 "
      "count=4 | systole disasm - --config tiny\n"
      "  systole disasm --words -");
  command->callback([values, &session] {
    session.exit_code = values->words ? list_words(values->file) : list_file(values->file, values->device);
  });
}

}  // namespace systole::cli
