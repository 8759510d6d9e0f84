// SPDX-License-Identifier: Apache-2.0
#include "report_html.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "page_data.hpp"
#include "report_text.hpp"

extern "C" {
extern const char systole_page_html_begin[], systole_page_html_end[];
extern const char systole_page_style_begin[], systole_page_style_end[];
extern const char systole_page_script_begin[], systole_page_script_end[];
}

namespace systole::report {
namespace {

struct Replacement {
  std::string_view mark;
  std::string text;
};

/// Fills the placeholders of the template, each once and in order, so that inserted text is not searched for
/// placeholders.
std::string filled(std::string_view page, const std::array<Replacement, 5>& replacements) {
  std::string result;
  for (const auto& [mark, text] : replacements) {
    const std::size_t at = page.find(mark);
    if (at == std::string_view::npos) {
      throw std::logic_error(fmt::format("report: the page template does not contain {}", mark));
    }
    result.append(page.substr(0, at)).append(text);
    page.remove_prefix(at + mark.size());
  }
  return result.append(page);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string script_safe(std::string_view json) {
  std::string result;
  for (const char c : json) {
    switch (c) {
      case '<': result += "\\u003c"; break;
      case '>': result += "\\u003e"; break;
      case '&': result += "\\u0026"; break;
      default: result += c;
    }
  }
  return result;
}

std::string html_report(const RunFile& run, const RunFile* before) {
  const auto part = [](const char* begin, const char* end) { return std::string(begin, end); };
  return filled({systole_page_html_begin, systole_page_html_end},
                {{{"@TITLE@", escaped(run.name)},
                  {"@STYLE@", part(systole_page_style_begin, systole_page_style_end)},
                  {"@TEXT@", escaped(text_report(run, before, {}))},
                  {"@DATA@", script_safe(page_data(run, before).dump())},
                  {"@SCRIPT@", part(systole_page_script_begin, systole_page_script_end)}}});
}

}  // namespace systole::report
