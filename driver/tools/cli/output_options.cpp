// SPDX-License-Identifier: Apache-2.0
#include "output_options.hpp"

namespace systole::cli {
namespace {

std::string file_in(const std::string& value, OutputForm form) {
  if (form != OutputForm::kNamedFile) {
    return value;
  }
  const std::string rest = value.substr(value.find('=') + 1);  // all of it without a name
  const std::size_t type = rest.rfind(':');
  const std::size_t shape = type == std::string::npos || type == 0 ? type : rest.rfind(':', type - 1);
  return rest.substr(0, shape == std::string::npos ? type : shape);
}

}  // namespace

CLI::Option* is_output(CLI::Option* option, OutputForm form) {
  const auto check = [form](const std::string& value) -> std::string {
    if (form == OutputForm::kFileOrOutput && value == "-") {
      return {};
    }
    try {
      files::check_output(file_in(value, form), form == OutputForm::kMadeFolder ? files::MissingFolder::kIsMade
                                                                                : files::MissingFolder::kIsAnError);
    } catch (const FileError& error) {
      return error.what();
    }
    return {};
  };
  if (form != OutputForm::kNamedFile) {
    option->type_name("FILE");
  }
  return option->check(check, "", kOutputCheck);
}

CLI::Option* add_json_option(CLI::App& command, std::string& path, const std::string& what) {
  return is_output(command.add_option("--json", path,
                                      "write " + what + " as JSON; - is standard output, without the text for humans"),
                   OutputForm::kFileOrOutput);
}

}  // namespace systole::cli
